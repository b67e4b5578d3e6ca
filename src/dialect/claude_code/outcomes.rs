//! From the traces that handler runs leave in a session to runs and verdicts.
//!
//! The rules are those of the measured clients: a mute handler leaves nothing, a refused call leaves only the
//! text of its result, a stop that was sent back leaves a feedback line and an entry in its summary.

use crate::dialect::{EventClass, EventSpec, Traces};
use crate::model::{MarkKind, RunMark, Says, Verdict};

/// The verdict that an event's marks tell, if they tell one.
pub fn verdict(traces: &Traces<'_>) -> Option<Verdict> {
    let class = class_of(traces.spec);
    let event = traces.session.text(traces.event.name).unwrap_or_default();
    let mut told: Option<Verdict> = None;
    let marks = || traces.session.marks_of(traces.ix);
    if let Some(decision) = marks().find(|mark| mark.kind == MarkKind::RecordedDecision) {
        // A recording's decision was made with all that its source told.
        return decision.says.map(|says| match says {
            Says::Allow => Verdict::Allow,
            Says::Ask => Verdict::Ask,
            Says::Defer => Verdict::Defer,
            Says::Deny => Verdict::Deny,
            Says::Block | Says::Context => Verdict::Block,
            Says::Halt => Verdict::Halt,
        });
    }
    for mark in marks() {
        if class == EventClass::Permission && mark.kind == MarkKind::PermissionDecision {
            // The client writes down only the decision that it followed: the first to come in.
            return said(mark).and_then(|says| counts(class, event, says));
        }
        let counted = said(mark).and_then(|says| counts(class, event, says));
        told = stronger(told, counted);
    }
    told
}

/// The kind of moment; what a dialect does not know changes nothing.
pub(super) fn class_of(spec: Option<&EventSpec>) -> EventClass {
    spec.map_or(EventClass::Notice, |spec| spec.class)
}

/// What a mark says: its own word, or what its kind implies.
pub(super) fn said(mark: &RunMark) -> Option<Says> {
    mark.says.or(match mark.kind {
        MarkKind::Blocking | MarkKind::StopFeedback => Some(Says::Block),
        MarkKind::RefusedCall => Some(Says::Deny),
        MarkKind::Deferred => Some(Says::Defer),
        MarkKind::Stopped => Some(Says::Halt),
        MarkKind::Context => Some(Says::Context),
        _ => None,
    })
}

/// What one handler's word does at an event of that class; `None`: nothing.
pub(super) fn counts(class: EventClass, event: &str, says: Says) -> Option<Verdict> {
    use EventClass as C;
    Some(match (class, says) {
        (C::BeforeTool, Says::Allow) => Verdict::Allow,
        (C::BeforeTool | C::Gate, Says::Ask) => Verdict::Ask,
        (C::BeforeTool, Says::Defer) => Verdict::Defer,
        (C::BeforeTool | C::Permission, Says::Deny | Says::Block) => Verdict::Deny,
        (C::Permission, Says::Allow) => Verdict::Allow,
        // Measured: `continue: false` does nothing after a failed call.
        (C::AfterTool, Says::Halt) if event == "PostToolUseFailure" => return None,
        (C::BeforeTool | C::AfterTool | C::Prompt | C::Stop | C::SubagentStop | C::Gate, Says::Halt) => Verdict::Halt,
        // Measured: refusal and `continue: false` alike end the turn after a batch.
        (C::AfterBatch, Says::Deny | Says::Block | Says::Halt) => Verdict::Halt,
        (C::AfterTool | C::Prompt | C::BeforeCompaction | C::Gate | C::Worktree, Says::Deny | Says::Block) => {
            Verdict::Block
        }
        // Context keeps a stop going like a block does.
        (C::Stop | C::SubagentStop, Says::Deny | Says::Block | Says::Context) => Verdict::Block,
        _ => return None,
    })
}

/// The stronger of two verdicts of one event: halt, deny or block, defer, ask, allow.
pub(super) fn stronger(one: Option<Verdict>, other: Option<Verdict>) -> Option<Verdict> {
    let rank = |verdict: Option<Verdict>| match verdict {
        None | Some(Verdict::None | Verdict::Quiet | Verdict::Unknown) => 0,
        Some(Verdict::Allow) => 1,
        Some(Verdict::Ask) => 2,
        Some(Verdict::Defer) => 3,
        Some(Verdict::Block) => 4,
        Some(Verdict::Deny) => 5,
        Some(Verdict::Halt) => 6,
    };
    if rank(other) > rank(one) { other } else { one }
}

mod facts;
mod join;

pub use join::join;
