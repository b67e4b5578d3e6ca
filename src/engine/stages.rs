//! What is known of the handlers of one event: the five stages of each, and what says so.
//!
//! Owns the words and the evidence of stages. Must not know what the answers decide.

use std::collections::HashMap;

use super::{GroupChoice, HandlerChoice, Mode, Selection};
use crate::dialect::Joined;
use crate::model::{
    EventIx, Evidence, GroupStep, Handler, HandlerStep, HookRun, HookSet, MarkKind, Outcome, Session, Stage,
};

/// What is known of the handlers of one event: the part of a step that counting needs.
pub(super) struct Fired {
    /// With conditions held against the input.
    pub selection: Selection,
    joined: Vec<Joined>,
    /// The first run of each handler, by its id.
    runs: HashMap<String, usize>,
    proven: Proven,
}

impl Fired {
    /// What was joined, and what it proves.
    pub fn new(selection: Selection, joined: Vec<Joined>, proven: Proven) -> Fired {
        let mut runs = HashMap::new();
        for (ix, joined) in joined.iter().enumerate() {
            runs.entry(joined.run.handler.clone()).or_insert(ix);
        }
        Fired { selection, joined, runs, proven }
    }

    /// The run that is this handler's.
    pub fn run_of(&self, handler: &Handler) -> Option<&HookRun> {
        self.told(handler).run.map(|joined| &joined.run)
    }

    /// Whether a handler was started, as its step tells it.
    pub fn started(&self, handler: &Handler, choice: &GroupChoice, chosen: &HandlerChoice) -> Option<bool> {
        started(chosen, choice.tested.matched, self.told(handler)).holds
    }

    fn told(&self, handler: &Handler) -> Told<'_> {
        let run = self.runs.get(&handler.id).and_then(|ix| self.joined.get(*ix));
        Told { run, proven: self.proven }
    }
}

/// Why nothing tells of a handler that says nothing.
pub(super) const MUTE: &str = "a handler that exits 0 and prints nothing leaves nothing in a transcript";

/// Short names of the handlers of a selection, by group and handler.
pub(super) struct Labels(pub(super) Vec<Vec<String>>);

impl Labels {
    pub(super) fn of(set: &HookSet, selection: &Selection) -> Labels {
        let of_group = |choice: &GroupChoice| {
            let handlers = set.groups.get(choice.group).map_or(&[][..], |group| &group.handlers);
            choice.handlers.iter().filter_map(|chosen| handlers.get(chosen.handler)).map(Handler::label).collect()
        };
        Labels(selection.groups.iter().map(of_group).collect())
    }
}

/// Every group of an event, with its handlers.
pub(super) fn groups(
    set: &HookSet,
    selection: &Selection,
    labels: &Labels,
    joined: &[Joined],
    proven: Proven,
) -> Vec<GroupStep> {
    let mut steps = Vec::with_capacity(selection.groups.len());
    let mut runs: HashMap<&str, &Joined> = HashMap::new();
    for joined in joined {
        runs.entry(joined.run.handler.as_str()).or_insert(joined);
    }
    for (choice, labels) in selection.groups.iter().zip(&labels.0) {
        let Some(group) = set.groups.get(choice.group) else { continue };
        let file = set.files.get(group.file);
        let handlers = choice.handlers.iter().zip(labels).filter_map(|(chosen, label)| {
            let handler = group.handlers.get(chosen.handler)?;
            let run = runs.get(handler.id.as_str()).copied();
            let told = Told { run, proven };
            Some(handler_step(handler, chosen, choice.tested.matched, &choice.tested.why, label, told))
        });
        steps.push(GroupStep {
            id: group.id.clone(),
            scope: file.map_or_else(String::new, |file| file.scope.clone()),
            path: file.map_or_else(String::new, |file| file.path.clone()),
            line: group.position.line,
            matcher: group.matcher.text().map(str::to_owned),
            matched: choice.tested.matched,
            why: choice.tested.why.clone(),
            handlers: handlers.collect(),
            span: choice.tested.span,
            hint: choice.hint.clone(),
        });
    }
    steps
}

/// What the traces of an event prove of its handlers together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proven {
    mode: Mode,
    /// A hook wrote its input down.
    logged: bool,
    /// How many hooks a stop summary lists.
    listed: usize,
    /// As many runs as handlers were selected left a trace, though not whose they were.
    all_ran: bool,
}

impl Proven {
    /// Nothing: only matchers were looked at.
    pub(super) fn of_matchers() -> Proven {
        Proven { mode: Mode::Match, logged: false, listed: 0, all_ran: false }
    }

    /// What the marks and runs of an event prove.
    pub(super) fn of(session: &Session, ix: EventIx, mode: Mode, joined: &[Joined], selection: &Selection) -> Proven {
        let kinds = || session.marks_of(ix).map(|mark| mark.kind);
        let is_named = |joined: &&Joined| !joined.run.handler.is_empty();
        let is_nameless = |joined: &&Joined| joined.run.handler.is_empty() && joined.run.command.is_none();
        let (named, nameless) = (joined.iter().filter(is_named).count(), joined.iter().filter(is_nameless).count());
        Proven {
            mode,
            logged: kinds().any(|kind| kind == MarkKind::InputLogged),
            listed: kinds().filter(|kind| *kind == MarkKind::StopSummary).count(),
            all_ran: nameless > 0 && nameless + named >= usize::from(selection.selected),
        }
    }
}

/// What is known of one handler's start.
#[derive(Clone, Copy)]
struct Told<'a> {
    run: Option<&'a Joined>,
    proven: Proven,
}

fn handler_step(
    handler: &Handler,
    chosen: &HandlerChoice,
    matched: Option<bool>,
    why: &str,
    label: &str,
    told: Told<'_>,
) -> HandlerStep {
    let derived = Evidence::Derived;
    let considered = match &chosen.not_considered {
        Some(why) => Stage::known(false, derived, why.clone()),
        None => Stage::known(true, derived, "it is in the settings that this session could load"),
    };
    let matched_stage = match matched {
        Some(matched) => Stage::known(matched, derived, why),
        None => Stage::unknown(why),
    };
    let selected = match matched {
        None if chosen.not_considered.is_none() => Stage::unknown(chosen.why.clone()),
        _ if chosen.selected && chosen.why.contains("not evaluated") => {
            Stage::known(true, Evidence::Assumed, chosen.why.clone())
        }
        _ => Stage::known(chosen.selected, derived, chosen.why.clone()),
    };
    let started = started(chosen, matched, told);
    let answered = answered(chosen, &started, told);
    HandlerStep {
        id: handler.id.clone(),
        selected: chosen.selected,
        why: chosen.why.clone(),
        started: started.holds,
        evidence: started.evidence,
        label: label.to_owned(),
        line: handler.position.line,
        stages: [considered, matched_stage, selected, started, answered],
    }
}

fn started(chosen: &HandlerChoice, matched: Option<bool>, told: Told<'_>) -> Stage {
    if let Some(joined) = told.run {
        if joined.run.outcome == Some(Outcome::CannotRun) {
            let why = joined.run.notes.first().map_or("it could not be run", String::as_str);
            return Stage::known(false, joined.attributed, why);
        }
        let why = match joined.attributed {
            Evidence::Run => "it was run now",
            Evidence::Recorded => "its run left a trace",
            Evidence::Derived => "a run left a trace, and it is probably this one's: no other handler is left",
            _ => "a run left a trace that is perhaps this one's: the session had other hooks than these settings",
        };
        return Stage::known(true, joined.attributed, why);
    }
    if let Some(other) = &chosen.runs_as {
        return Stage::known(false, Evidence::Derived, format!("{other} runs in its place"));
    }
    if !chosen.selected && (matched.is_some() || chosen.not_considered.is_some()) {
        return Stage::known(false, Evidence::Derived, "it was not selected");
    }
    if matched.is_none() {
        return Stage::unknown("whether its group matched is undecided");
    }
    match told.proven.mode {
        Mode::Match => Stage::unknown("only matchers were looked at"),
        Mode::Run => Stage::unknown("it was not run"),
        Mode::Recorded if told.proven.all_ran => Stage::known(
            true,
            Evidence::Derived,
            "as many runs left a trace as handlers were selected, though not whose they were",
        ),
        Mode::Recorded if told.proven.listed > 0 => Stage::known(
            false,
            Evidence::Derived,
            format!("the stop summary lists the {} that ran, and this is not among them", hooks(told.proven.listed)),
        ),
        Mode::Recorded if told.proven.logged => {
            Stage::unknown("a hook wrote down what it got; nothing tells whether it was this one")
        }
        Mode::Recorded => Stage::unknown(MUTE),
    }
}

fn hooks(count: usize) -> String {
    if count == 1 { "one hook".to_owned() } else { format!("{count} hooks") }
}

fn answered(chosen: &HandlerChoice, started: &Stage, told: Told<'_>) -> Stage {
    match told.run {
        Some(joined) => match joined.run.outcome {
            Some(_) => Stage::known(true, joined.attributed, outcome_words(joined)),
            None => Stage::unknown("its start is recorded, its answer is not"),
        },
        None if started.holds == Some(false) => Stage::known(false, Evidence::Derived, "it was not started"),
        None if !chosen.selected => Stage::unknown("whether it was started is not known"),
        None => Stage::unknown(started.why.clone()),
    }
}

fn outcome_words(joined: &Joined) -> String {
    let run = &joined.run;
    let exit = run.exit_code.map_or_else(String::new, |code| format!("exit {code}, "));
    let words = match run.outcome {
        Some(Outcome::Blocking) => "it blocks",
        Some(Outcome::NonBlockingError) => "it failed without effect",
        Some(Outcome::Timeout) => "stopped by its time limit",
        Some(Outcome::Async) => "it ran in the background",
        Some(Outcome::Skipped) => "it was not run",
        Some(Outcome::CannotRun) => "it could not be run",
        Some(Outcome::Success) if run.says.is_none() => "it said nothing that decides",
        Some(Outcome::Success) => "it answered",
        None => "nothing tells",
    };
    format!("{exit}{words}")
}
