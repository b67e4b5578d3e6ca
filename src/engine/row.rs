//! An event in one line of the timeline: no bodies, no IO.

use crate::dialect::{EventClass, Traces};
use crate::engine::{Mode, Selection, Tracer};
use crate::model::{Event, EventIx, Evidence, Handler, MarkKind, Name, Plan, RunMark, Session, Verdict};

/// An event in a line, cheap enough to be computed for a million of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Groups considered for this event.
    pub considered: u16,
    /// Groups that matched.
    pub matched: u16,
    /// What the hooks say together.
    pub verdict: Verdict,
    /// A handler failed without effect.
    pub failed: bool,
    /// A handler wrote a refusal where the agent does not read one.
    pub lost: bool,
    /// Position in a run of consecutive stop blocks, from 1; 0 outside one.
    pub round: u16,
    /// Nothing tells whether a matched handler was started.
    pub started_unknown: bool,
    /// Longest duration of its handlers, which run side by side.
    pub took_ms: Option<u32>,
    /// How sure the verdict is.
    pub evidence: Evidence,
    /// A handler has a condition on the input, and nothing is recorded: only the step, which reads the input,
    /// knows whether `unknown` is `none`.
    pub needs_input: bool,
}

impl Row {
    /// A row of which nothing is known: an index past the end.
    pub const EMPTY: Row = Row {
        considered: 0,
        matched: 0,
        verdict: Verdict::None,
        failed: false,
        lost: false,
        round: 0,
        started_unknown: false,
        took_ms: None,
        evidence: Evidence::Unknown,
        needs_input: false,
    };
}

/// How far back a run of stop blocks is followed, in events. Longer runs count from there.
const ROUNDS_BACK: usize = 20_000;

impl Tracer {
    /// An event in one line.
    ///
    /// Its verdict is that of [`Tracer::step`] in the tracer's own mode, except where `needs_input` is set: there
    /// the step may find that no condition held, so that nothing was selected.
    pub fn row(&self, session: &Session, ix: EventIx) -> Row {
        self.row_in(session, ix, self.options.mode)
    }

    pub(super) fn row_in(&self, session: &Session, ix: EventIx, mode: Mode) -> Row {
        let Some(event) = session.events.get(ix.at()) else { return Row::EMPTY };
        let Some(selection) = self.selection(session, ix) else { return Row::EMPTY };
        let mut row = Row { considered: selection.considered(), matched: selection.matched, ..Row::EMPTY };
        row.evidence = Evidence::Derived;
        let told = if mode != Mode::Recorded {
            None
        } else {
            for mark in session.marks_of(ix) {
                row.failed |=
                    matches!(mark.kind, MarkKind::NonBlockingError | MarkKind::Cancelled | MarkKind::UnusableAnswer);
                row.lost |= mark.lost;
                row.took_ms = row.took_ms.max(mark.duration_ms);
            }
            (self.behaviour.verdict)(&self.traces(session, ix, event, &selection))
        };
        let proof = match mode {
            Mode::Match | Mode::Run => Proof::default(),
            Mode::Recorded => self.proof(session, ix, event, &selection),
        };
        row.started_unknown = selection.selected > 0 && proof.proven < usize::from(selection.selected);
        (row.verdict, row.evidence) = verdict(told, &selection, proof, mode, &self.plan);
        row.needs_input = told.is_none() && selection.depends_on_input && row.verdict == Verdict::Unknown;
        if row.verdict == Verdict::Block && is_stop(&selection) {
            row.round = 1 + self.blocks_before(session, ix, event);
        }
        row
    }

    pub(super) fn traces<'a>(
        &'a self,
        session: &'a Session,
        ix: EventIx,
        event: &'a Event,
        selection: &Selection,
    ) -> Traces<'a> {
        let ending = match session.calls_of(event) {
            [call] => Some(call.ending),
            _ => None,
        };
        Traces { session, ix, event, spec: selection.spec, version: self.version_of(session, event), ending }
    }

    /// How many blocks of the same agent stand in a row before this stop.
    pub(super) fn blocks_before(&self, session: &Session, ix: EventIx, event: &Event) -> u16 {
        let prompt = session.names.find("UserPromptSubmit").unwrap_or(Name::NONE);
        let start = ix.at().saturating_sub(ROUNDS_BACK);
        let mut blocks = 0u16;
        for before in (start..ix.at()).rev() {
            let other = &session.events[before];
            if other.agent != event.agent {
                continue;
            }
            if other.name == prompt && event.agent.0 == 0 {
                break;
            }
            if other.name != event.name {
                continue;
            }
            let at = EventIx(u32::try_from(before).unwrap_or(u32::MAX));
            let Some(selection) = self.selection(session, at) else { break };
            if (self.behaviour.verdict)(&self.traces(session, at, other, &selection)) != Some(Verdict::Block) {
                break;
            }
            blocks = blocks.saturating_add(1);
        }
        blocks
    }

    /// What the marks prove of the selected handlers.
    pub(super) fn proof(&self, session: &Session, ix: EventIx, event: &Event, selection: &Selection) -> Proof {
        let mut proof = Proof { traced: event.marks.0.is_some(), ..Proof::default() };
        if !proof.traced {
            return proof;
        }
        let mut nameless_starts = 0usize;
        for mark in session.marks_of(ix) {
            proof.answered |= answers(mark);
            proof.logged |= mark.kind == MarkKind::InputLogged;
            proof.summary |= mark.kind == MarkKind::StopSummary;
            if !mark.command.is_some() && mark.kind == MarkKind::Started {
                nameless_starts += 1;
            }
        }
        let Some(set) = self.set_at(event).filter(|_| selection.selected > 0) else { return proof };
        for (_, handler) in selection.chosen(set) {
            let named = session.marks_of(ix).any(|mark| names_handler(session, mark, handler));
            proof.proven += usize::from(named);
        }
        // Starts that name no command prove all handlers together if there are as many of them.
        let all = usize::from(selection.selected);
        if proof.proven < all && nameless_starts >= all {
            proof.proven = all;
        }
        // The only candidate is the one that answered, whatever the trace calls it.
        if proof.proven == 0 && all == 1 && proof.answered && !proof.summary && !named_other(session, ix) {
            proof.proven = 1;
        }
        proof
    }
}

/// Whether some mark names a command (which then is none of the selected handlers').
fn named_other(session: &Session, ix: EventIx) -> bool {
    session.marks_of(ix).any(|mark| mark.command.is_some())
}

/// What the marks of an event prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Proof {
    /// There is some mark.
    pub traced: bool,
    /// Selected handlers that were started.
    pub proven: usize,
    /// Some mark tells an answer.
    pub answered: bool,
    /// A hook wrote its input down.
    pub logged: bool,
    /// There is a summary, which lists every handler that ran.
    pub summary: bool,
}

/// Whether a mark is a trace of an answer, not just of a start.
pub(super) fn answers(mark: &RunMark) -> bool {
    let start_only =
        matches!(mark.kind, MarkKind::Started | MarkKind::RecordedStart | MarkKind::InputLogged | MarkKind::DebugLine);
    !start_only || mark.exit_code.is_some() || mark.says.is_some()
}

/// Whether a mark names this handler by its command.
pub(super) fn names_handler(session: &Session, mark: &RunMark, handler: &Handler) -> bool {
    session.text(mark.command).is_some_and(|command| super::step::is_command_of(handler, command))
}

fn is_stop(selection: &Selection) -> bool {
    selection.spec.is_some_and(|spec| matches!(spec.class, EventClass::Stop | EventClass::SubagentStop))
}

/// The verdict of row and step alike, and how sure it is.
///
/// What the agent wrote down comes first; then that handlers ran and left no decision; then that nothing tells.
pub(super) fn verdict(
    told: Option<Verdict>,
    selection: &Selection,
    proof: Proof,
    mode: Mode,
    plan: &Plan,
) -> (Verdict, Evidence) {
    if let Some(verdict) = told {
        return (verdict, Evidence::Recorded);
    }
    let undecided = selection.groups.iter().any(|group| group.tested.matched.is_none());
    // Of handlers that are still to be run as little is known as of those that are not.
    if mode != Mode::Recorded {
        return match (selection.selected, undecided) {
            (0, false) if !plan.blind => (Verdict::None, Evidence::Derived),
            _ => (Verdict::Unknown, Evidence::Unknown),
        };
    }
    if proof.answered || (proof.summary && proof.traced) {
        // A decision would have left a trace of its own beside these.
        return (Verdict::Quiet, Evidence::Derived);
    }
    if proof.traced || selection.selected > 0 || undecided {
        return (Verdict::Unknown, Evidence::Unknown);
    }
    if plan.blind {
        // Hooks of settings that are not at hand may have run and said nothing.
        return (Verdict::Unknown, Evidence::Unknown);
    }
    // The settings of today may be not those of the session.
    (Verdict::None, if plan.has_hooks() { Evidence::Derived } else { Evidence::Assumed })
}
