//! Every hook over a whole session: how often it was considered, matched, started, what it said, how long it took.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::step::is_command_of;
use super::{GroupChoice, HandlerChoice, Tracer};
use crate::model::{EventIx, HookRun, Outcome, Session, Time};
use crate::source::Lines;

/// One handler over a session. Counts are of events.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookTally {
    /// Its id.
    pub id: String,
    /// Its event.
    pub event: String,
    /// Its scope.
    pub scope: String,
    /// Its file.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// The matcher of its group, as written.
    pub matcher: Option<String>,
    /// Its type.
    pub kind: &'static str,
    /// Short name for people.
    pub label: String,
    /// Its command, url, tool or prompt.
    pub command: Option<String>,
    /// Events at which it was considered.
    pub considered: u64,
    /// … at which its group matched.
    pub matched: u64,
    /// … at which it would be started.
    pub selected: u64,
    /// … at which it is known to have been started.
    pub started: u64,
    /// … at which nothing tells whether it was started.
    pub started_unknown: u64,
    /// What it said, by the words of the contract.
    pub said: BTreeMap<&'static str, u64>,
    /// Runs that failed without effect, time-outs included.
    pub failed: u64,
    /// Milliseconds of each run whose time is recorded, sorted.
    pub times: Vec<u32>,
    /// When it was last started.
    pub last: Option<Time>,
    /// Why it never ran, in one sentence, where it is known that it never did.
    pub why_never: Option<String>,
}

impl HookTally {
    /// A sentence for a hook that is not known to have run: why it never did, or why that can't be told.
    pub fn remark(&self) -> Option<&str> {
        let untold = "nothing tells whether it was started: a handler that prints nothing leaves no trace";
        self.why_never.as_deref().or((self.started == 0).then_some(untold))
    }
}

impl HookTally {
    /// A percentile (0–100) of the recorded times, in milliseconds.
    pub fn percentile(&self, percent: usize) -> Option<u32> {
        let last = self.times.len().checked_sub(1)?;
        self.times.get((last * percent).div_ceil(100)).copied()
    }
}

/// Every handler of every era, in the order of the settings, over the events of a session.
///
/// Runs are given to handlers as [`Tracer::step`] gives them: bodies are read of events that left traces of runs, and
/// of those whose handlers have conditions on the input; of no others.
pub fn tally(tracer: &Tracer, session: &Session, lines: &dyn Lines) -> Vec<HookTally> {
    tally_where(tracer, session, lines, &|_| true)
}

/// The same, over the events for which `counts` holds.
pub fn tally_where(
    tracer: &Tracer,
    session: &Session,
    lines: &dyn Lines,
    counts: &dyn Fn(EventIx) -> bool,
) -> Vec<HookTally> {
    let mut hooks = listed(tracer);
    let by_id: HashMap<String, usize> = hooks.iter().enumerate().map(|(ix, hook)| (hook.id.clone(), ix)).collect();
    // Why groups did not match, and handlers were not selected, with how often.
    let mut whys: Vec<Whys> = vec![HashMap::new(); hooks.len()];
    for (ix, event) in session.events.iter().enumerate() {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        if !counts(ix) {
            continue;
        }
        let (Some(selection), Some(set)) = (tracer.selection(session, ix), tracer.set_at(event)) else { continue };
        if selection.groups.is_empty() {
            continue;
        }
        let firing = tracer.firing(session, ix, lines, &selection, set);
        for choice in &firing.selection.groups {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for chosen in &choice.handlers {
                let Some(handler) = group.handlers.get(chosen.handler) else { continue };
                let Some(&at) = by_id.get(&handler.id) else { continue };
                choose(&mut hooks[at], &mut whys[at], choice, chosen);
                let hook = &mut hooks[at];
                match firing.started(handler, choice, chosen) {
                    Some(true) => {
                        hook.started += 1;
                        hook.last = hook.last.max(Some(event.time).filter(|time| !time.is_unknown()));
                    }
                    Some(false) => {}
                    None => hook.started_unknown += 1,
                }
                if let Some(run) = firing.run_of(handler) {
                    count_run(hook, run);
                }
            }
        }
    }
    for (hook, whys) in hooks.iter_mut().zip(whys) {
        hook.times.sort_unstable();
        hook.why_never = why_never(tracer, hook, &whys);
    }
    hooks
}

/// Counts how far a handler came before any start: considered, matched, selected.
fn choose(hook: &mut HookTally, whys: &mut Whys, choice: &GroupChoice, chosen: &HandlerChoice) {
    if let Some(why) = &chosen.not_considered {
        whys.entry(why.clone()).or_default().0 += 1;
        return;
    }
    hook.considered += 1;
    match choice.tested.matched {
        Some(true) => hook.matched += 1,
        Some(false) => {
            // A near miss says more than any number of names that were never meant.
            let why = choice.hint.as_ref().unwrap_or(&choice.tested.why);
            let known = whys.entry(why.clone()).or_default();
            *known = (known.0 + 1, choice.near_miss);
            return;
        }
        None => return,
    }
    if chosen.selected {
        hook.selected += 1;
    } else {
        whys.entry(chosen.why.clone()).or_default().0 += 1;
    }
}

fn count_run(hook: &mut HookTally, run: &HookRun) {
    let failed = matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun));
    hook.failed += u64::from(failed);
    // Recorded times are whole milliseconds far below the bound; a negative or absurd one is cut to it.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    hook.times.extend(run.duration_ms.map(|ms| ms.round().clamp(0.0, f64::from(u32::MAX)) as u32));
    if let Some(says) = run.says {
        *hook.said.entry(says.word()).or_default() += 1;
    }
}

fn listed(tracer: &Tracer) -> Vec<HookTally> {
    let mut hooks: Vec<HookTally> = Vec::new();
    let mut known = HashSet::new();
    for era in &tracer.plan().eras {
        for group in &era.set.groups {
            let file = era.set.files.get(group.file);
            for handler in &group.handlers {
                if !known.insert(handler.id.as_str()) {
                    continue;
                }
                hooks.push(HookTally {
                    id: handler.id.clone(),
                    event: group.event.clone(),
                    scope: file.map_or_else(String::new, |file| file.scope.clone()),
                    path: file.map_or_else(String::new, |file| file.path.clone()),
                    line: handler.position.line,
                    matcher: group.matcher.text().map(str::to_owned),
                    kind: handler.kind.word(),
                    label: handler.label(),
                    command: is_named(handler),
                    ..HookTally::default()
                });
            }
        }
    }
    hooks
}

fn is_named(handler: &crate::model::Handler) -> Option<String> {
    use crate::model::HandlerKind;
    let text = match &handler.kind {
        HandlerKind::Command { command, args, .. } => {
            let args = args.as_deref().unwrap_or_default();
            if args.is_empty() { command.clone() } else { format!("{command} {}", args.join(" ")) }
        }
        HandlerKind::Http { url } => url.clone(),
        HandlerKind::McpTool { server, tool } => format!("{server}/{tool}"),
        HandlerKind::Prompt { prompt } | HandlerKind::Agent { prompt } => prompt.clone(),
        HandlerKind::Callback => return None,
    };
    debug_assert!(is_command_of(handler, &text), "a hook is found by its own name");
    Some(text)
}

/// Reasons, with how often each was given, and whether it is a near miss.
type Whys = HashMap<String, (u64, bool)>;

fn why_never(tracer: &Tracer, hook: &HookTally, whys: &Whys) -> Option<String> {
    if hook.started > 0 || hook.started_unknown > 0 {
        return None;
    }
    let most = whys
        .iter()
        .max_by(|one, other| (one.1.1, one.1.0).cmp(&(other.1.1, other.1.0)).then_with(|| other.0.cmp(one.0)));
    let because = most.map_or("", |(why, _)| why.as_str());
    Some(if hook.considered == 0 && most.is_some() {
        because.to_owned()
    } else if hook.considered == 0 {
        format!("no {} in this session", hook.event)
    } else if hook.matched == 0 {
        let subject = tracer.dialect().event(&hook.event).and_then(|spec| spec.subject);
        let what = if subject == Some("tool_name") { "tool" } else { "name" };
        format!("its matcher names no {what} of this session: {because}")
    } else if hook.selected == 0 {
        format!("matched, but {because}")
    } else {
        "the stop summaries list others, not this one".to_owned()
    })
}
