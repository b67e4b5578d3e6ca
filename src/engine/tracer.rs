//! The tracer: one dialect, one plan of hooks, and what was already worked out for a session.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use crate::dialect::{Behaviour, Dialect, Rule, Said};
use crate::engine::Selection;
use crate::matcher::{Judge, NoJudge};
use crate::model::{Ending, Event, EventIx, HookSet, MarkKind, Name, Origin, Plan, Session};

/// What a replay goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Matchers only: what would be considered, matched and selected.
    Match,
    /// What the session recorded of its handlers.
    Recorded,
    /// What handlers answered that were run now.
    Run,
}

impl Mode {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Match => "match",
            Mode::Recorded => "recorded",
            Mode::Run => "run",
        }
    }

    /// `recorded` where the session holds outcomes of handlers, else `match`.
    ///
    /// A hook-input log proves that hooks were started, but holds nothing of what they said.
    pub fn of(session: &Session) -> Mode {
        let told = session.marks.iter().any(|mark| mark.kind != MarkKind::InputLogged);
        let refused = || {
            let mut calls = session.calls.iter().flatten();
            calls.any(|call| matches!(call.ending, Ending::DeniedByHook | Ending::Deferred))
        };
        let transcript = || session.sources.iter().any(|source| source.format.ends_with("transcript"));
        // A recording of a transcript without a trace of any handler.
        let followed = || session.events.iter().any(|event| event.origin == Origin::Derived);
        if told || refused() || transcript() || followed() { Mode::Recorded } else { Mode::Match }
    }
}

/// What holds for all events of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Client version for every event, whatever its line says.
    pub version: Option<String>,
    /// What the replay goes by.
    pub mode: Mode,
    /// The client's cap on stop blocks in a row, where its environment sets another than the dialect's;
    /// 0 means no cap.
    pub stop_cap: Option<u16>,
}

impl Default for Options {
    fn default() -> Options {
        Options { version: None, mode: Mode::Recorded, stop_cap: None }
    }
}

/// Whether a step carries the hook input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// In full.
    Shown,
    /// Left out.
    Omitted,
}

/// How a step is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOptions {
    /// Whether it carries the hook input.
    pub inputs: Inputs,
    /// Another mode than the tracer's.
    pub mode: Option<Mode>,
}

impl Default for StepOptions {
    fn default() -> StepOptions {
        StepOptions { inputs: Inputs::Shown, mode: None }
    }
}

/// (era, event, subject, version)
type Key = (usize, Name, Name, Name);

/// Handlers in kept selections. A session has some dozens of kinds of events; one that was made up to have a
/// million must not fill the memory.
const KEPT: usize = 200_000;

/// Selections by kind of event.
#[derive(Default)]
struct Kept {
    selections: HashMap<Key, Arc<Selection>>,
    /// Groups and handlers in them.
    size: usize,
}

impl Kept {
    fn keep(&mut self, key: Key, made: Arc<Selection>) {
        let size = 1 + made.groups.iter().map(|choice| 1 + choice.handlers.len()).sum::<usize>();
        if self.size + size > KEPT {
            *self = Kept::default();
        }
        if self.selections.insert(key, made).is_none() {
            self.size += size;
        }
    }
}

/// Traces the events of one session under one plan. Cheap to ask again: selections are kept.
///
/// Names are those of one session: a tracer serves that session (which may still grow) and no other.
pub struct Tracer {
    pub(super) dialect: &'static Dialect,
    pub(super) behaviour: &'static Behaviour,
    pub(super) plan: Plan,
    pub(super) options: Options,
    judge: Arc<dyn Judge + Send + Sync>,
    kept: RwLock<Kept>,
    /// Whether the session names hooks that the settings lack, by era, event and number of marks.
    pub(super) strangers: RwLock<HashMap<(usize, Name, usize), bool>>,
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracer").field("dialect", &self.dialect.id).field("options", &self.options).finish()
    }
}

impl Tracer {
    /// A tracer for one session.
    pub fn new(dialect: &'static Dialect, plan: Plan, options: Options) -> Tracer {
        Tracer {
            dialect,
            behaviour: dialect.behaviour,
            plan,
            options,
            judge: Arc::new(NoJudge),
            kept: RwLock::default(),
            strangers: RwLock::default(),
        }
    }

    /// The same, with patterns that may take exponential time tested by `judge` instead of left undecided.
    #[must_use]
    pub fn judged_by(self, judge: Arc<dyn Judge + Send + Sync>) -> Tracer {
        Tracer { judge, ..self }
    }

    /// What tests patterns that may take exponential time.
    pub fn judge(&self) -> &dyn Judge {
        self.judge.as_ref()
    }

    /// The dialect whose rules are applied.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The dialect's rules that are code.
    pub fn behaviour(&self) -> &'static Behaviour {
        self.behaviour
    }

    /// Which hooks hold when.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What holds for all events.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A dialect's rule by name.
    pub fn rule(&self, name: &str) -> Option<&'static Rule> {
        (self.behaviour.rule)(name)
    }

    /// What a line says in the conversation around the events.
    pub fn said(&self, line: &[u8]) -> Option<Said> {
        (self.behaviour.said)(line)
    }

    /// The client version whose rules hold at an event: the one given, else the line's own. `None`: neither;
    /// then the newest known rules hold.
    pub fn version_of<'a>(&'a self, session: &'a Session, event: &Event) -> Option<&'a str> {
        self.options.version.as_deref().or_else(|| session.text(session.context_of(event).version))
    }

    /// The hooks that hold at an event.
    pub fn set_at(&self, event: &Event) -> Option<&HookSet> {
        self.plan.eras.get(self.plan.era_at(event.time)).map(|era| &era.set)
    }

    /// What the hooks of that moment make of an event, before anything is run.
    pub fn selection(&self, session: &Session, ix: EventIx) -> Option<Arc<Selection>> {
        let event = session.events.get(ix.at())?;
        let era = self.plan.era_at(event.time);
        let version = if self.options.version.is_some() { Name::NONE } else { session.context_of(event).version };
        let key = (era, event.name, event.subject, version);
        if let Some(known) = self.kept.read().ok().and_then(|kept| kept.selections.get(&key).cloned()) {
            return Some(known);
        }
        let name = session.text(event.name).unwrap_or_default();
        let made = Arc::new(Selection::of(
            self.dialect,
            self.plan.eras.get(era).map(|era| &era.set),
            name,
            session.text(event.subject),
            self.version_of(session, event),
            self.judge.as_ref(),
        ));
        if let Ok(mut kept) = self.kept.write() {
            kept.keep(key, made.clone());
        }
        Some(made)
    }
}
