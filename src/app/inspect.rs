//! What the screen asks of the rooms below, as one seam: rows at once, everything else in the background.

use super::{HooksSeen, LoopsSeen};
use crate::dialect::{Rule, Said};
use crate::engine::Row;
use crate::engine::filter::{Completion, FilterError};
use crate::matcher::{Judge, NoJudge};
use crate::model::{EventIx, Plan, Session, Step};

/// Whether a filter holds for an event.
pub type Test = Box<dyn FnMut(&Session, EventIx) -> bool + Send>;

/// What is known about a session under a plan.
pub trait Inspect: Send + Sync {
    /// The settings.
    fn plan(&self) -> &Plan;

    /// An event in a line. Called while drawing: a microsecond or so.
    fn row(&self, session: &Session, event: EventIx) -> Row;

    /// An event in full; `None` where there is no such event. Reads from the sources: only in the background.
    fn step(&self, session: &Session, event: EventIx) -> Option<Step>;

    /// Reads a filter. Its test may read from the sources: only in the background.
    fn filter(&self, expr: &str) -> Result<Test, FilterError>;

    /// Ways to go on at `cursor` (in characters).
    fn complete(&self, session: &Session, expr: &str, cursor: usize) -> Vec<Completion>;

    /// Why a filter holds for no event.
    fn why_empty(&self, session: &Session, expr: &str) -> String;

    /// A filter that holds for events in whose texts `text` occurs.
    fn text_filter(&self, text: &str) -> String;

    /// What was said between the event before and this one.
    fn conversation(&self, session: &Session, event: EventIx) -> Vec<Said>;

    /// The client version whose rules hold at an event; `None`: the newest known ones.
    fn version(&self, session: &Session, event: EventIx) -> Option<String> {
        let event = session.events.get(event.at())?;
        session.text(session.context_of(event).version).map(str::to_owned)
    }

    /// Tests patterns that may take exponential time. Only in the background.
    fn judge(&self) -> &dyn Judge {
        &NoJudge
    }

    /// What became of every hook. A pass over all events: only in the background.
    fn hooks_seen(&self, session: &Session) -> HooksSeen;

    /// The recorded stop loops. Reads from the sources: only in the background.
    fn loops_seen(&self, session: &Session) -> LoopsSeen;

    /// A rule by its name.
    fn rule(&self, name: &str) -> Option<&'static Rule>;
}
