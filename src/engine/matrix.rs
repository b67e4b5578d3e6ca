//! One event and one hook set under the rules of every agent: who would run which hooks, and what would come of it.
//!
//! Owns the comparison of agents at one moment. Must not know how anything is shown. A handler's output is that of
//! the session's own agent: what it would have printed for another one nobody knows, so it is read as it stands.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::Selection;
use super::stages::{Labels, Proven, groups};
use crate::dialect::elsewhere::{Reads, ToolThere, reads, tool_there};
use crate::dialect::match_report::counterpart;
use crate::dialect::matching::on_tools;
use crate::dialect::{self, Candidate, Circumstances, Dialect, EventClass, Joined};
use crate::matcher::{Judge, Kind};
use crate::model::{
    Decision, Evidence, FileStatus, GroupStep, Handler, HookRun, HookSet, MatcherGroup, Outcome, Says, Step, Verdict,
};
use crate::settings;

/// What is compared.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The agent whose session and settings they are.
    pub here: &'static Dialect,
    /// Its client version; no version is the newest.
    pub version: Option<&'a str>,
    /// The hooks, as that agent read them.
    pub set: &'a HookSet,
    /// Whether the settings were named by hand: then every agent is taken to have them, wherever they stand.
    pub handed: bool,
    /// The event.
    pub event: &'a str,
    /// What its matchers are tested on.
    pub subject: Option<&'a str>,
    /// The event in full under the agent's own rules, with what its handlers answered.
    pub step: Option<&'a Step>,
}

/// What one agent makes of it.
#[derive(Debug, Clone)]
pub struct AgentRow {
    /// The agent.
    pub dialect: &'static Dialect,
    /// Whether it is the session's own.
    pub own: bool,
    /// The event's name there; `None`: it has none like it.
    pub event: Option<&'static str>,
    /// The tool's name there, or what else matchers are tested on; `None`: nothing like it, or nothing is tested.
    pub subject: Option<String>,
    /// Every group for the event.
    pub groups: Vec<GroupStep>,
    /// Handlers that would run.
    pub runs: u16,
    /// Handlers that would run if the groups stood in the agent's own file, under its own word for the event.
    pub would_run: u16,
    /// What would be decided.
    pub decision: Decision,
    /// Why it differs from the session's own agent, or why nothing runs; one clause.
    pub why: String,
    /// The smallest changes that would make the hooks run there.
    pub changes: Vec<Change>,
    /// Names of the rules that this rests on and that are neither measured nor documented.
    pub assumed: Vec<String>,
}

impl AgentRow {
    /// Whether it rests on something that nobody has measured or documented.
    pub fn is_assumed(&self) -> bool {
        !self.assumed.is_empty()
    }

    /// The word for what would come of it: `runs` where only that is known.
    pub fn word(&self) -> &'static str {
        match self.decision.verdict {
            Verdict::Unknown if self.runs > 0 => "runs",
            verdict => verdict.word(),
        }
    }

    /// Its JSON.
    pub fn json(&self) -> Value {
        let changes: Vec<Value> = self
            .changes
            .iter()
            .map(|change| json!({"path": change.path, "line": change.line, "diff": change.diff()}))
            .collect();
        json!({
            "dialect": self.dialect.id, "event": self.event, "subject": self.subject, "runs": self.runs,
            "would_run": self.would_run, "verdict": self.word(), "why": self.why, "changes": changes,
            "assumed": self.assumed,
        })
    }
}

/// A line of a settings file as it is, and as it would have to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The file.
    pub path: String,
    /// The line, where it is known.
    pub line: Option<u32>,
    /// As it is.
    pub before: String,
    /// As it would have to be.
    pub after: String,
}

impl Change {
    /// As a unified diff of one line.
    pub fn diff(&self) -> String {
        let place = self.line.map_or_else(|| "@@ @@".to_owned(), |line| format!("@@ -{line} +{line} @@"));
        format!("--- {path}\n+++ {path}\n{place}\n-{}\n+{}\n", self.before, self.after, path = self.path)
    }
}

/// What every agent makes of one moment, the session's own first.
pub fn matrix(moment: &Moment<'_>, judge: &dyn Judge) -> Vec<AgentRow> {
    let own = under(moment, moment.here, judge);
    let others = dialect::ALL.iter().copied().filter(|there| there.id != moment.here.id);
    let rows: Vec<AgentRow> = others.map(|there| under(moment, there, judge)).collect();
    std::iter::once(own).chain(rows).collect()
}

/// What one agent makes of it.
pub fn under(moment: &Moment<'_>, there: &'static Dialect, judge: &dyn Judge) -> AgentRow {
    let own = there.id == moment.here.id;
    let event = if own { there.event(moment.event).map(|spec| spec.name) } else { counterpart(moment.event, there) };
    if own && let Some(step) = moment.step {
        return of_step(moment, there, event, step);
    }
    let Some(name) = event else {
        let why = format!("{} has no event like {}", there.name, moment.event);
        return AgentRow { decision: nothing(there, moment), ..row(there, own, None, None, why) };
    };
    let mut assumed = Vec::new();
    let subject = match subject_there(moment, name, there) {
        Ok((subject, guessed)) => {
            assumed.extend(guessed.map(str::to_owned));
            subject
        }
        Err(why) => return AgentRow { decision: nothing(there, moment), ..row(there, own, event, None, why) },
    };
    let version = moment.version.filter(|_| own);
    let translated = translated(moment.set, moment.event, name);
    let set = translated.as_ref();
    let selection = Selection::of(there, Some(set), name, subject.as_deref(), version, judge);
    let in_its_own = without_foreign_types(selection, set, there);
    let (selection, barrier) = as_it_stands(in_its_own.clone(), moment, name, there);
    let tests_a_name = in_its_own.groups.iter().filter_map(|choice| set.groups.get(choice.group));
    if tests_a_name.filter_map(|group| group.matcher.text()).any(|text| !text.is_empty()) {
        assumed.extend((there.matching.assumption)(name).map(str::to_owned));
    }
    if let Some(Reads::Shared { measured: false, .. }) = first_reads(moment, &selection, there) {
        assumed.push("reads-files-of-others".to_owned());
    }
    let setting = Answering { moment, there, event: name, subject: subject.as_deref(), version };
    let (decision, joined) = setting.decision(&selection, set);
    let labels = Labels::of(set, &selection);
    let steps = groups(set, &selection, &labels, &[], Proven::of_matchers());
    if selection.selected > 0 {
        assumed.extend(decision.assumed.iter().filter(|name| *name != "no-permission-rules").cloned());
    }
    assumed.sort_unstable();
    assumed.dedup();
    let why = match barrier.filter(|_| selection.selected == 0) {
        Some(Barrier::File(words)) if in_its_own.selected > 0 => {
            let (there_too, _) = setting.decision(&in_its_own, set);
            let said = if there_too.verdict == Verdict::Unknown { "it would run" } else { there_too.verdict.word() };
            let place = settings::own_file(there.id).map_or_else(String::new, |file| format!("; in {file}: {said}"));
            format!("{words}{place}")
        }
        Some(Barrier::File(words)) => {
            format!("{words}, and {}", why(moment, there, &selection, &decision, &joined))
        }
        Some(Barrier::Key(words)) if in_its_own.selected > 0 => words,
        _ => why(moment, there, &selection, &decision, &joined),
    };
    AgentRow {
        groups: steps,
        runs: selection.selected,
        would_run: in_its_own.selected,
        decision,
        changes: if own { Vec::new() } else { changes(moment, there, name, subject.as_deref(), &in_its_own, judge) },
        assumed,
        ..row(there, own, event, subject, why)
    }
}

fn row(
    dialect: &'static Dialect,
    own: bool,
    event: Option<&'static str>,
    subject: Option<String>,
    why: String,
) -> AgentRow {
    let decision = empty(dialect, event.unwrap_or_default(), None, None);
    let (groups, changes, assumed) = (Vec::new(), Vec::new(), Vec::new());
    AgentRow { dialect, own, event, subject, groups, runs: 0, would_run: 0, decision, why, changes, assumed }
}

/// The session's own agent: what is known of the event already.
fn of_step(moment: &Moment<'_>, there: &'static Dialect, event: Option<&'static str>, step: &Step) -> AgentRow {
    let handlers = || step.groups.iter().flat_map(|group| &group.handlers);
    let runs = u16::try_from(handlers().filter(|handler| handler.selected).count()).unwrap_or(u16::MAX);
    let why = match step.groups.as_slice() {
        [] => no_groups(moment),
        _ if runs > 0 => String::new(),
        [first, rest @ ..] if rest.iter().all(|group| group.why == first.why) => first.why.clone(),
        groups => format!("none of its {} groups matches", groups.len()),
    };
    let subject = step.subject.clone();
    let decision = step.decision.clone();
    AgentRow { groups: step.groups.clone(), runs, would_run: runs, decision, ..row(there, true, event, subject, why) }
}

fn no_groups(moment: &Moment<'_>) -> String {
    match moment.set.groups.is_empty() {
        true => "there are no hooks at all".to_owned(),
        false => format!("no hook stands under {}", moment.event),
    }
}

/// What matchers are tested on there, and the name of what is assumed about it.
fn subject_there(
    moment: &Moment<'_>,
    event: &str,
    there: &'static Dialect,
) -> Result<(Option<String>, Option<&'static str>), String> {
    let Some(subject) = moment.subject else { return Ok((None, None)) };
    let spec = there.event(event);
    if spec.is_some_and(|spec| spec.subject.is_none()) {
        return Ok((None, None));
    }
    if !on_tools(moment.here, moment.event) || !on_tools(there, event) {
        return match spec.filter(|spec| !spec.values.is_empty() && !spec.values.contains(&subject)) {
            Some(_) => Err(format!("there is no {event} for `{subject}` in {}", there.name)),
            None => Ok((Some(subject.to_owned()), None)),
        };
    }
    match tool_there(subject, moment.here, there) {
        ToolThere::Named(name) => Ok((Some(name), None)),
        ToolThere::Same(name) => Ok((Some(name), Some("the-tool-bears-the-same-name"))),
        ToolThere::Missing => Err(format!("{} has no tool like {subject}", there.name)),
    }
}

/// The hooks with the event's groups under the other agent's word for it. Ids and order stay.
fn translated<'a>(set: &'a HookSet, event: &str, there: &str) -> Cow<'a, HookSet> {
    if event == there {
        return Cow::Borrowed(set);
    }
    let mut set = set.clone();
    for group in set.groups.iter_mut().filter(|group| group.event == event) {
        there.clone_into(&mut group.event);
    }
    Cow::Owned(set)
}

/// Leaves out handlers of a type that the agent does not run.
fn without_foreign_types(mut selection: Selection, set: &HookSet, there: &Dialect) -> Selection {
    for choice in &mut selection.groups {
        let Some(group) = set.groups.get(choice.group) else { continue };
        for chosen in choice.handlers.iter_mut().filter(|chosen| chosen.selected) {
            let kind = group.handlers.get(chosen.handler).map_or("command", |handler| handler.kind.word());
            if !settings::runs_type(there.id, kind) {
                chosen.selected = false;
                chosen.why = format!("{} runs no handlers of type {kind}", there.name);
                selection.selected = selection.selected.saturating_sub(1);
            }
        }
    }
    selection
}

/// What keeps a group back that would match.
enum Barrier {
    /// The agent does not read its file.
    File(String),
    /// It stands under another agent's word for the event.
    Key(String),
}

/// Leaves out what stands in a file that the agent does not read, or under a word that it does not know.
fn as_it_stands(
    mut selection: Selection,
    moment: &Moment<'_>,
    event: &str,
    there: &'static Dialect,
) -> (Selection, Option<Barrier>) {
    let mut barrier = None;
    for choice in &mut selection.groups {
        let Some(group) = moment.set.groups.get(choice.group) else { continue };
        let found = unread(moment, group, there).map(Barrier::File).or_else(|| {
            let words = || format!("it says {event}, not {}", group.event);
            (group.event != event).then(|| Barrier::Key(words()))
        });
        let Some(found) = found else { continue };
        let (Barrier::File(words) | Barrier::Key(words)) = &found;
        for chosen in choice.handlers.iter_mut().filter(|chosen| chosen.selected) {
            chosen.selected = false;
            chosen.why.clone_from(words);
            selection.selected = selection.selected.saturating_sub(1);
        }
        barrier.get_or_insert(found);
    }
    (selection, barrier)
}

/// Why an agent does not read a group's file, if it doesn't.
fn unread(moment: &Moment<'_>, group: &MatcherGroup, there: &'static Dialect) -> Option<String> {
    if moment.handed || moment.here.id == there.id {
        return None;
    }
    let file = moment.set.files.get(group.file)?;
    let name = short(&file.path);
    match reads(&file.path, there) {
        Reads::No { why: "" } => Some(format!("does not read {name}")),
        Reads::No { why } => Some(format!("does not read {name} ({why})")),
        Reads::Own | Reads::Shared { .. } => {
            let strange = |other: &&MatcherGroup| {
                group.file == other.file && there.event(&other.event).is_none() && !other.event.is_empty()
            };
            let other = settings::drops_file_of_unknown_event(there.id)
                .then(|| moment.set.groups.iter().find(strange))
                .flatten()
                .filter(|other| counterpart(&other.event, there).is_none())?;
            Some(format!("drops {name} whole: it has {}", other.event))
        }
    }
}

/// The last two parts of a path.
fn short(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit(['/', '\\']).take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn first_reads(moment: &Moment<'_>, selection: &Selection, there: &'static Dialect) -> Option<Reads> {
    if moment.handed {
        return None;
    }
    let of_group = |group: usize| {
        let file = moment.set.files.get(moment.set.groups.get(group)?.file)?;
        (file.status == FileStatus::Loaded).then(|| reads(&file.path, there))
    };
    let chosen = |choice: &&super::GroupChoice| choice.handlers.iter().any(|handler| handler.selected);
    selection.groups.iter().filter(chosen).find_map(|choice| of_group(choice.group))
}

/// Where and by whom answers are read.
struct Answering<'a> {
    moment: &'a Moment<'a>,
    there: &'static Dialect,
    event: &'static str,
    subject: Option<&'a str>,
    version: Option<&'a str>,
}

impl Answering<'_> {
    /// What comes of the handlers that are selected, as far as their answers are known.
    fn decision(&self, selection: &Selection, set: &HookSet) -> (Decision, Vec<Joined>) {
        let mut joined = Vec::new();
        let mut known = true;
        for (group_ix, choice) in selection.groups.iter().enumerate() {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for chosen in choice.handlers.iter().filter(|chosen| chosen.selected) {
                let Some(handler) = group.handlers.get(chosen.handler) else { continue };
                match self.answer(handler) {
                    Some(run) => {
                        let label = handler.label();
                        let candidate = Candidate { group, handler, label: &label };
                        let heard = (self.there.behaviour.heard)(self.event, self.version, &candidate, run);
                        joined.push(Joined { place: (group_ix, chosen.handler), ..heard });
                    }
                    None => known = false,
                }
            }
        }
        let at = circumstances(self.there, self.event, self.subject, self.version, has_rules(set));
        let mut decision = (self.there.behaviour.decide)(&at, &joined);
        decision.evidence = joined.first().map_or(Evidence::Derived, |joined| joined.run.evidence);
        let settled = matches!(decision.verdict, Verdict::Deny | Verdict::Block | Verdict::Halt);
        let undecided = selection.groups.iter().any(|choice| choice.tested.matched.is_none());
        if (selection.selected > 0 && !known || undecided) && !settled {
            decision.verdict = Verdict::Unknown;
            decision.evidence = Evidence::Unknown;
            (self.there.behaviour.follow)(&at, &mut decision);
            decision.unknown_because = Some("what its handlers would answer is not known".to_owned());
        }
        (decision, joined)
    }

    /// The handler's answer as it came, if nothing of it is missing.
    fn answer(&self, handler: &Handler) -> Option<HookRun> {
        let run = self.moment.step?.runs.iter().find(|run| run.handler == handler.id)?;
        let code = run.exit_code.or(match run.outcome {
            Some(Outcome::Blocking) if run.stderr.is_some() => Some(2),
            Some(Outcome::Success) => Some(0),
            _ => None,
        });
        let spoken = run.says.is_some_and(|says| says != Says::Context);
        let whole = run.timed_out
            || run.stdout.is_some()
            || code.is_some_and(|code| code != 0) && run.stderr.is_some()
            || code == Some(0) && !spoken;
        let notes = Vec::new();
        (whole && (code.is_some() || run.timed_out) && run.outcome != Some(Outcome::CannotRun)).then(|| HookRun {
            exit_code: code,
            outcome: None,
            says: None,
            notes,
            lost: false,
            ..run.clone()
        })
    }
}

fn has_rules(set: &HookSet) -> bool {
    set.files.iter().any(|file| file.permissions.is_some())
}

fn circumstances<'a>(
    there: &'static Dialect,
    event: &'a str,
    subject: Option<&'a str>,
    version: Option<&'a str>,
    has_rules: bool,
) -> Circumstances<'a> {
    let class = there.event(event).map_or(EventClass::Notice, |spec| spec.class);
    Circumstances { event, class, subject, version, mode: None, blocks_before: 0, cap: there.stop.cap, has_rules }
}

fn empty(there: &'static Dialect, event: &str, subject: Option<&str>, version: Option<&str>) -> Decision {
    (there.behaviour.decide)(&circumstances(there, event, subject, version, false), &[])
}

/// Nothing happens: there is no such moment.
fn nothing(there: &'static Dialect, moment: &Moment<'_>) -> Decision {
    Decision {
        action: None,
        effect: "nothing: there is no such moment".to_owned(),
        ..empty(there, moment.event, None, None)
    }
}

/// Why it comes out as it does.
fn why(
    moment: &Moment<'_>,
    there: &'static Dialect,
    selection: &Selection,
    decision: &Decision,
    joined: &[Joined],
) -> String {
    if selection.groups.is_empty() {
        return no_groups(moment);
    }
    if selection.selected == 0 {
        let choices = || selection.groups.iter();
        if choices().any(|choice| choice.tested.matched == Some(true)) {
            let kept =
                choices().filter(|choice| choice.tested.matched == Some(true)).flat_map(|choice| &choice.handlers);
            return kept.map(|handler| handler.why.clone()).next().unwrap_or_else(|| "no handler is left".to_owned());
        }
        let mut reasons: Vec<&str> = choices().map(|choice| choice.tested.why.as_str()).collect();
        reasons.dedup();
        return match reasons.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("none of its {} groups matches", several.len()),
        };
    }
    let Some(own) = moment.step.map(|step| step.decision.verdict) else { return String::new() };
    if there.id == moment.here.id || own == decision.verdict || decision.verdict == Verdict::Unknown {
        return String::new();
    }
    let noted = joined.iter().find_map(|joined| joined.reading.notes.first().cloned());
    let by_rule = || {
        let rule = joined.iter().find_map(|joined| (there.behaviour.rule)(joined.reading.rule?))?;
        Some(rule.text.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned())
    };
    noted.or_else(by_rule).unwrap_or_default()
}

/// The smallest changes by which groups that match in the session's own agent would match there.
fn changes(
    moment: &Moment<'_>,
    there: &'static Dialect,
    event: &str,
    subject: Option<&str>,
    selection: &Selection,
    judge: &dyn Judge,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut keys: Vec<usize> = Vec::new();
    for choice in &selection.groups {
        let Some(group) = moment.set.groups.get(choice.group) else { continue };
        let Some(file) = moment.set.files.get(group.file) else { continue };
        let here = moment.here.matching.compile(group.matcher.text(), moment.event, moment.version);
        if here.test_with(moment.subject.unwrap_or_default(), judge).matched != Some(true) {
            continue;
        }
        if group.event != event && !keys.contains(&group.file) {
            keys.push(group.file);
            changes.push(Change {
                path: file.path.clone(),
                line: None,
                before: format!("{}: [", json!(group.event)),
                after: format!("{}: [", json!(event)),
            });
        }
        let Some(text) = group.matcher.text().filter(|_| choice.tested.matched == Some(false)) else { continue };
        let keeps_working = group.event == event && !matches!(reads(&file.path, there), Reads::No { .. });
        let matches = |pattern: &str, dialect: &Dialect, event: &str, subject: Option<&str>, version: Option<&str>| {
            let matcher = dialect.matching.compile(Some(pattern), event, version);
            matcher.error().is_none() && matcher.test_with(subject.unwrap_or_default(), judge).matched == Some(true)
        };
        let found = candidates(text, moment.subject, subject, here.kind() == Kind::All, keeps_working);
        let found = found.into_iter().find(|candidate| {
            let still = || matches(candidate, moment.here, moment.event, moment.subject, moment.version);
            matches(candidate, there, event, subject, None) && (!keeps_working || still())
        });
        if let Some(found) = found {
            changes.push(Change {
                path: file.path.clone(),
                line: group.matcher_position.map(|position| position.line),
                before: format!("\"matcher\": {}", json!(text)),
                after: format!("\"matcher\": {}", json!(found)),
            });
        }
    }
    changes
}

/// Matchers that might do, the nearest first.
fn candidates(text: &str, here: Option<&str>, there: Option<&str>, all: bool, both: bool) -> Vec<String> {
    let mut candidates = Vec::new();
    if all {
        candidates.extend([String::new(), ".*".to_owned()]);
    }
    if let Some(there) = there {
        if let Some(here) = here.filter(|here| text.contains(here)) {
            let (with, alone) = (text.replacen(here, &format!("{here}|{there}"), 1), text.replacen(here, there, 1));
            candidates.extend(if both { [with, alone] } else { [alone, with] });
        }
        candidates.extend([format!("{text}|{there}"), there.to_owned()]);
    }
    candidates.push(String::new());
    candidates
}
