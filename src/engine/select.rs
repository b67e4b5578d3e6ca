//! Which groups match an event, and which of their handlers the agent would start.

use std::collections::HashMap;

use crate::dialect::{Admission, Dialect, EventSpec, MatcherUse};
use crate::matcher::{Hint, HintKind, Judge, Kind, Match};
use crate::model::{Event, FileStatus, Handler, HandlerKind, HookSet, MatcherGroup, SettingsFile, Switch};

/// What a hook set makes of one kind of event: the same for every event of that name, subject and version.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Every group for the event, in order.
    pub groups: Vec<GroupChoice>,
    /// How many of them matched.
    pub matched: u16,
    /// How many handlers would be started, conditions aside.
    pub selected: u16,
    /// Whether some handler has a condition that depends on the input.
    pub depends_on_input: bool,
    /// The event's spec, where the dialect knows it.
    pub spec: Option<&'static EventSpec>,
}

/// One group at one kind of event.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupChoice {
    /// Index in `HookSet::groups`.
    pub group: usize,
    /// What the matcher made of the subject.
    pub tested: Match,
    /// What would make it match, if it looks like a slip.
    pub hint: Option<String>,
    /// It did not match by a slip, as it seems (the reason may say all there is to say about that).
    pub near_miss: bool,
    /// Its handlers.
    pub handlers: Vec<HandlerChoice>,
}

/// One handler at one kind of event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerChoice {
    /// Index in `MatcherGroup::handlers`.
    pub handler: usize,
    /// Whether the agent would start it, if its condition holds.
    pub selected: bool,
    /// Why, or why not.
    pub why: String,
    /// Its condition has to be held against the input.
    pub depends: bool,
    /// Id of the identical handler that runs in its place.
    pub runs_as: Option<String>,
    /// Why it does not even count in this session.
    pub not_considered: Option<String>,
}

impl Selection {
    /// What `set` makes of an event.
    pub fn of(
        dialect: &'static Dialect,
        set: Option<&HookSet>,
        event: &str,
        subject: Option<&str>,
        version: Option<&str>,
        judge: &dyn Judge,
    ) -> Selection {
        let spec = dialect.event(event);
        let behaviour = dialect.behaviour;
        let mut selection = Selection { groups: Vec::new(), matched: 0, selected: 0, depends_on_input: false, spec };
        let Some(set) = set else { return selection };
        if event == Event::UNREADABLE {
            return selection;
        }
        // Handlers that already run at this event, by what makes them the same.
        let mut running: HashMap<String, &str> = HashMap::new();
        for (ix, group) in set.groups.iter().enumerate().filter(|(_, group)| group.event == event) {
            let (tested, hint, near_miss) = test(dialect, spec, group, subject, version, judge);
            let held_back = held_back(set, group);
            let mut handlers = Vec::with_capacity(group.handlers.len());
            for (handler_ix, handler) in group.handlers.iter().enumerate() {
                let mut choice = HandlerChoice {
                    handler: handler_ix,
                    selected: false,
                    why: String::new(),
                    depends: false,
                    runs_as: None,
                    not_considered: held_back.clone(),
                };
                let admission = (behaviour.admits)(handler, spec, subject);
                let same = dialect.runs_duplicates_once.then(|| sameness(set, group, handler)).flatten();
                choice.why = if let Some(why) = &held_back {
                    why.clone()
                } else if tested.matched == Some(false) {
                    "its group did not match".to_owned()
                } else if tested.matched.is_none() {
                    "whether its group matches is undecided".to_owned()
                } else if let Admission::Never(why) = admission {
                    why
                } else if let Some(why) = &handler.held_back {
                    why.clone()
                } else if let Some(other) = same.as_ref().and_then(|same| running.get(same)) {
                    choice.runs_as = Some((*other).to_owned());
                    format!("identical to {other}, which runs once for both")
                } else {
                    choice.selected = true;
                    choice.depends = admission == Admission::Depends;
                    selection.selected = selection.selected.saturating_add(1);
                    selection.depends_on_input |= choice.depends;
                    // A conditional handler may stay out, so it can't stand in for another one.
                    if let (Some(same), false) = (same, choice.depends) {
                        running.insert(same, handler.id.as_str());
                    }
                    "matched, and nothing keeps it back".to_owned()
                };
                handlers.push(choice);
            }
            if tested.matched == Some(true) && held_back.is_none() {
                selection.matched = selection.matched.saturating_add(1);
            }
            selection.groups.push(GroupChoice { group: ix, tested, hint, near_miss, handlers });
        }
        selection
    }

    /// Groups that were considered.
    pub fn considered(&self) -> u16 {
        u16::try_from(self.groups.len()).unwrap_or(u16::MAX)
    }

    /// The handlers that would be started.
    pub fn chosen<'a>(&'a self, set: &'a HookSet) -> impl Iterator<Item = (&'a MatcherGroup, &'a Handler)> + 'a {
        self.groups.iter().flat_map(move |choice| {
            let group = set.groups.get(choice.group);
            let chosen = choice.handlers.iter().filter(|handler| handler.selected);
            chosen.filter_map(move |chosen| Some((group?, group?.handlers.get(chosen.handler)?)))
        })
    }
}

fn test(
    dialect: &'static Dialect,
    spec: Option<&EventSpec>,
    group: &MatcherGroup,
    subject: Option<&str>,
    version: Option<&str>,
    judge: &dyn Judge,
) -> (Match, Option<String>, bool) {
    let text = group.matcher.text();
    let matcher = dialect.matching.compile(text, &group.event, version);
    let settled = spec.is_some_and(|spec| matches!(spec.matcher, MatcherUse::Ignored | MatcherUse::Barred));
    match subject {
        Some(subject) => {
            let tested = matcher.test_with(subject, judge);
            let hints = if tested.matched == Some(false) {
                (dialect.matching.hints)(&matcher, &group.event, version, &[subject])
            } else {
                Vec::new()
            };
            let slip = |hint: &Hint| {
                !matches!(hint.kind, HintKind::ClientVersion | HintKind::Unanchored | HintKind::UnknownName)
            };
            let hint = hints.into_iter().find(slip).map(|hint| hint.text);
            let near_miss = hint.is_some();
            let hint = hint.filter(|hint| *hint != tested.why);
            (tested, hint, near_miss)
        }
        // What matches everything does so whatever the subject was.
        None if settled || matches!(matcher.kind(), Kind::All | Kind::Ignored) => (matcher.test(""), None, false),
        None => {
            let why = "nothing tells what the matcher would have been tested on".to_owned();
            (Match { matched: None, span: None, why }, None, false)
        }
    }
}

/// Why a group of a file can't run in this session, if it can't.
pub fn held_back(set: &HookSet, group: &MatcherGroup) -> Option<String> {
    let file = set.files.get(group.file)?;
    match &file.status {
        FileStatus::Loaded => {}
        FileStatus::Rejected { why, .. } => return Some(format!("the agent refuses the file: {why}")),
        FileStatus::NotLoadable { why } => {
            return Some(format!("this session could not have loaded this file, because {why}"));
        }
    }
    if let Some(switch) = set.switches.iter().find(|switch| turns_off(switch, file)) {
        return Some(format!("switched off by {}: {}", switch.name, switch.why));
    }
    group.limited_to.clone()
}

fn turns_off(switch: &Switch, file: &SettingsFile) -> bool {
    let scope = file.scope.split('#').next().unwrap_or_default();
    switch.scopes.is_empty() || switch.scopes.iter().any(|off| off == scope || off == &file.scope)
}

/// What makes two handlers the same one: equal kind and text. Copies in plugins, skills and subagents count
/// separately (primary rules 1.3; measured for settings files: identical commands run once).
fn sameness(set: &HookSet, group: &MatcherGroup, handler: &Handler) -> Option<String> {
    let scope = set.files.get(group.file).map_or("", |file| file.scope.as_str());
    let owner = match scope.split_once('-') {
        Some(("plugin" | "skill" | "agent", _)) => scope,
        _ => "",
    };
    let condition = handler.condition.as_deref().unwrap_or_default();
    let body = match &handler.kind {
        HandlerKind::Command { command, args, shell } => {
            format!(
                "{command}\u{0}{}\u{0}{}",
                args.clone().unwrap_or_default().join("\u{0}"),
                shell.as_deref().unwrap_or("")
            )
        }
        HandlerKind::Http { url } => url.clone(),
        HandlerKind::McpTool { server, tool } => format!("{server}/{tool}\u{0}{}", handler.raw["input"]),
        HandlerKind::Prompt { prompt } | HandlerKind::Agent { prompt } => prompt.clone(),
        HandlerKind::Callback => return None,
    };
    Some(format!("{owner}\u{1}{}\u{1}{condition}\u{1}{body}", handler.kind.word()))
}
