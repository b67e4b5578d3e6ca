//! What takes longer than a key press, on threads. An answer carries the generation of its request; requests that
//! have been overtaken are skipped or given up.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::decision::{lost_note, lost_or_failed, run_label};
use super::survey::look;
use super::{Described, Effect, Input, Inspect, JsonRows, Note, SharedSession, Way};
use crate::dialect;
use crate::dialect::match_report::{Question, report};
use crate::model::{EventIx, Session, Step, Verdict};

/// A filter is asked for again after this, so that what was found so far is seen.
const SLICE: Duration = Duration::from_millis(40);
/// The session is let go after this, so that loading can go on.
const HOLD: Duration = Duration::from_millis(4);

/// Does what an effect asks and hands on the answers. `stale` says that nobody waits for them any more.
pub fn perform(
    effect: &Effect,
    session: &SharedSession,
    inspect: &dyn Inspect,
    stale: &dyn Fn() -> bool,
    send: &mut dyn FnMut(Input),
) {
    match effect {
        Effect::Describe { event, generation } => {
            let Some(step) = inspect.step(&session.read(), *event) else { return };
            let rows = step.input.as_ref().map(JsonRows::of_input).unwrap_or_default();
            let step = Arc::new(step);
            send(Input::Described(Box::new(Described { event: *event, generation: *generation, step, rows })));
        }
        Effect::Note { events, generation } => {
            for &event in events {
                if stale() {
                    return;
                }
                let step = inspect.step(&session.read_again(), event);
                if let Some(step) = step {
                    let note = Note { event, verdict: step.decision.verdict, words: words(&step) };
                    send(Input::Noted(*generation, vec![note]));
                }
            }
        }
        Effect::Conversation(events) => {
            for &event in events {
                let said = inspect.conversation(&session.read_again(), event);
                send(Input::Conversation(event, said));
            }
        }
        Effect::Survey { first, generation } => {
            let (glances, rounds) = look(inspect, &session.read(), *first);
            send(Input::Surveyed { generation: *generation, first: *first, glances, rounds });
        }
        Effect::Filter { expr, from, generation } => filter(expr, *from, *generation, session, inspect, send),
        Effect::FindText { text, from, way, generation } => {
            find(text, *from, *way, *generation, session, inspect, stale, send);
        }
        Effect::Try(trial) => {
            let dialect = dialect::of_session(session.read().dialect);
            for subject in &trial.subjects {
                if stale() {
                    return;
                }
                let (pattern, event) = (trial.pattern.as_str(), trial.event.as_str());
                let question = Question { dialect, pattern, event, version: trial.version.as_deref() };
                let report = report(question, &[subject], &[], inspect.judge());
                for row in report.results {
                    send(Input::Tried { generation: trial.generation, row });
                }
            }
        }
        Effect::CountHits { text, generation } => count_hits(text, *generation, session, inspect, stale, send),
        Effect::CountHooks(generation) => {
            let seen = inspect.hooks_seen(&session.read());
            send(Input::HooksCounted(*generation, Box::new(seen)));
        }
        Effect::FindLoops(generation) => {
            let seen = inspect.loops_seen(&session.read());
            send(Input::LoopsFound(*generation, Box::new(seen)));
        }
        Effect::Rescan(_) | Effect::Copy(_) | Effect::Mouse(_) | Effect::Suspend | Effect::Quit => {}
    }
}

fn filter(
    expr: &str,
    from: EventIx,
    generation: u64,
    session: &SharedSession,
    inspect: &dyn Inspect,
    send: &mut dyn FnMut(Input),
) {
    let mut test = match inspect.filter(expr) {
        Ok(test) => test,
        Err(fault) => return send(Input::JobFailed(format!("{} (column {})", fault.message, fault.column + 1))),
    };
    let start = Instant::now();
    let mut found = Vec::new();
    let mut at = from.at();
    loop {
        let session = session.read_again();
        let held = Instant::now();
        while let Some(event) = event_at(&session, at).filter(|_| held.elapsed() < HOLD) {
            if test(&session, event) {
                found.push(event);
            }
            at += 1;
        }
        let all = at >= session.events.len();
        if all || start.elapsed() > SLICE {
            let why_empty =
                (all && found.is_empty() && session.progress.done).then(|| inspect.why_empty(&session, expr));
            let upto = EventIx(u32::try_from(at).unwrap_or(u32::MAX));
            return send(Input::Filtered { generation, events: found, upto, why_empty });
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the fields of the effect, and what every job gets")]
fn find(
    text: &str,
    from: Option<EventIx>,
    way: Way,
    generation: u64,
    session: &SharedSession,
    inspect: &dyn Inspect,
    stale: &dyn Fn() -> bool,
    send: &mut dyn FnMut(Input),
) {
    let expr = inspect.text_filter(text);
    let mut test = match inspect.filter(&expr) {
        Ok(test) => test,
        Err(fault) => return send(Input::JobFailed(fault.message)),
    };
    let mut at = from.map(EventIx::at);
    loop {
        let session = session.read_again();
        let held = Instant::now();
        while held.elapsed() < HOLD {
            let next = match (at, way) {
                (Some(at), Way::Forward) => at.checked_add(1),
                (Some(at), Way::Back) => at.checked_sub(1),
                (None, Way::Forward) => Some(0),
                (None, Way::Back) => session.events.len().checked_sub(1),
            };
            let Some(event) = next.and_then(|at| event_at(&session, at)) else {
                return send(Input::Found { generation, event: None });
            };
            at = Some(event.at());
            if test(&session, event) {
                return send(Input::Found { generation, event: Some(event) });
            }
        }
        if stale() {
            return;
        }
    }
}

/// Sessions with more events than this are searched, but their hits are not counted.
const COUNTED: usize = 20_000;

fn count_hits(
    text: &str,
    generation: u64,
    session: &SharedSession,
    inspect: &dyn Inspect,
    stale: &dyn Fn() -> bool,
    send: &mut dyn FnMut(Input),
) {
    // The search itself has said what is wrong with it.
    let Ok(mut test) = inspect.filter(&inspect.text_filter(text)) else { return };
    let mut hits = Vec::new();
    let mut at = 0;
    loop {
        let session = session.read_again();
        if stale() || session.events.len() > COUNTED {
            return;
        }
        let held = Instant::now();
        while held.elapsed() < HOLD {
            let Some(event) = event_at(&session, at) else {
                return send(Input::HitsCounted { generation, hits });
            };
            if test(&session, event) {
                hits.push(event);
            }
            at += 1;
        }
    }
}

fn event_at(session: &Session, at: usize) -> Option<EventIx> {
    u32::try_from(at).ok().filter(|_| at < session.events.len()).map(EventIx)
}

/// Short words after the verdict: the reason, or what failed.
fn words(step: &Step) -> Option<String> {
    let decision = &step.decision;
    let first = |text: &str| text.trim().lines().next().map(str::to_owned).filter(|line| !line.is_empty());
    if !matches!(decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown)
        && let Some(reason) = decision.reason.as_deref().and_then(first)
    {
        return Some(reason);
    }
    if let Some(run) = lost_or_failed(step) {
        let label = run_label(step, run);
        let note = if run.lost { lost_note(run) } else { run.notes.first() };
        return Some(match (note, run.exit_code) {
            (Some(note), _) => format!("{label}: {note}"),
            (None, Some(code)) => format!("{label}: exit {code}"),
            (None, None) => format!("{label} failed"),
        });
    }
    first(&decision.effect)
}

/// The newest generations: older requests are stale.
#[derive(Debug, Default)]
struct Latest {
    describe: AtomicU64,
    filter: AtomicU64,
    find: AtomicU64,
    rows: AtomicU64,
    survey: AtomicU64,
    trial: AtomicU64,
}

impl Latest {
    fn of<'a>(&'a self, effect: &Effect) -> Option<(&'a AtomicU64, u64)> {
        match effect {
            Effect::Describe { generation, .. } => Some((&self.describe, *generation)),
            Effect::Filter { generation, .. } => Some((&self.filter, *generation)),
            Effect::FindText { generation, .. } | Effect::CountHits { generation, .. } => {
                Some((&self.find, *generation))
            }
            Effect::Note { generation, .. } => Some((&self.rows, *generation)),
            Effect::Survey { generation, .. } => Some((&self.survey, *generation)),
            Effect::Try(trial) => Some((&self.trial, trial.generation)),
            _ => None,
        }
    }

    fn note(&self, effect: &Effect) {
        if let Some((newest, generation)) = self.of(effect) {
            newest.fetch_max(generation, Ordering::Relaxed);
        }
    }

    fn is_stale(&self, effect: &Effect) -> bool {
        self.of(effect).is_some_and(|(newest, generation)| newest.load(Ordering::Relaxed) > generation)
    }
}

struct Task {
    effect: Effect,
    inspect: Arc<dyn Inspect>,
}

/// The threads: one for the selected event, one for the rows in view, one for what concerns all events, one for
/// patterns that may take long. They end when this is dropped.
pub struct Jobs {
    selected: Sender<Task>,
    view: Sender<Task>,
    all: Sender<Task>,
    trials: Sender<Task>,
    latest: Arc<Latest>,
}

impl Jobs {
    /// Starts the threads; answers go to `answers`.
    pub fn start(session: &SharedSession, answers: &UnboundedSender<Input>) -> Jobs {
        let latest = Arc::new(Latest::default());
        let thread = || {
            let (tasks, inbox) = channel();
            let (session, answers, latest) = (session.clone(), answers.clone(), latest.clone());
            std::thread::spawn(move || work(&inbox, &session, &answers, &latest));
            tasks
        };
        Jobs { selected: thread(), view: thread(), all: thread(), trials: thread(), latest }
    }

    /// Asks for what an effect wants.
    pub fn ask(&self, effect: Effect, inspect: Arc<dyn Inspect>) {
        self.latest.note(&effect);
        let thread = match effect {
            Effect::Filter { .. } | Effect::FindText { .. } | Effect::Survey { .. } => &self.all,
            Effect::Note { .. } | Effect::Conversation(_) => &self.view,
            Effect::Try(_) => &self.trials,
            Effect::CountHooks(_) | Effect::FindLoops(_) | Effect::CountHits { .. } => &self.all,
            _ => &self.selected,
        };
        // A thread that is gone has said why.
        let _ = thread.send(Task { effect, inspect });
    }
}

fn work(inbox: &Receiver<Task>, session: &SharedSession, answers: &UnboundedSender<Input>, latest: &Latest) {
    while let Ok(Task { effect, inspect }) = inbox.recv() {
        if latest.is_stale(&effect) {
            continue;
        }
        let stale = || latest.is_stale(&effect);
        let mut send = |input| {
            let _ = answers.send(input);
        };
        let done = catch_unwind(AssertUnwindSafe(|| perform(&effect, session, inspect.as_ref(), &stale, &mut send)));
        if done.is_err() {
            send(Input::JobFailed(format!("a fault in hookscope: {} failed", name(&effect))));
        }
    }
}

fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::Describe { .. } => "describing the event",
        Effect::Filter { .. } => "the filter",
        Effect::FindText { .. } | Effect::CountHits { .. } => "the search",
        Effect::Conversation(_) => "reading the conversation",
        Effect::Note { .. } => "reading the verdicts in view",
        Effect::Survey { .. } => "the survey",
        Effect::Try(_) => "trying the pattern",
        Effect::CountHooks(_) => "counting the hooks",
        Effect::FindLoops(_) => "looking for stop loops",
        Effect::Rescan(_) => "looking for sessions",
        Effect::Copy(_) | Effect::Mouse(_) | Effect::Suspend | Effect::Quit => "the terminal",
    }
}
