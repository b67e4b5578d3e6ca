//! Handlers that were run now: from their ends to answers, and what that says beside a recording.
//!
//! Must not know how anything is run.

use std::collections::HashMap;

use super::stages::Labels;
use super::{Selection, Tracer};
use crate::dialect::{Candidate, Joined};
use crate::model::{Decision, Event, Evidence, HookRun, HookSet, Outcome, Session, Verdict};

/// Handlers that were run now.
#[derive(Debug, Clone, Default)]
pub struct RunNow {
    /// In the order of finishing.
    pub runs: Vec<HookRun>,
    /// At a stop: blocks in a row of the same agent before it, in this replay.
    pub blocks_before: u16,
}

impl Tracer {
    /// Runs that have just ended, with what the agent makes of them.
    pub(super) fn heard(
        &self,
        session: &Session,
        event: &Event,
        selection: &Selection,
        set: &HookSet,
        labels: &Labels,
        runs: Vec<HookRun>,
    ) -> Vec<Joined> {
        let name = session.text(event.name).unwrap_or_default();
        let version = self.version_of(session, event);
        let mut candidates: HashMap<&str, (Candidate<'_>, (usize, usize))> = HashMap::new();
        for (choice, labels) in selection.groups.iter().zip(&labels.0) {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for (chosen, label) in choice.handlers.iter().zip(labels) {
                let Some(handler) = group.handlers.get(chosen.handler) else { continue };
                let place = (choice.group, chosen.handler);
                candidates.insert(handler.id.as_str(), (Candidate { group, handler, label }, place));
            }
        }
        let heard = |run: HookRun| {
            let (candidate, place) = candidates.get(run.handler.as_str())?;
            Some(Joined { place: *place, ..(self.behaviour.heard)(name, version, candidate, run) })
        };
        runs.into_iter().filter_map(heard).collect()
    }
}

/// Whether a verdict differs from the recorded one in what it decides. Of an unknown one that can't be said.
pub(super) fn differs(recorded: Verdict, now: Verdict) -> bool {
    let settled = |verdict| if verdict == Verdict::None { Verdict::Quiet } else { verdict };
    now != Verdict::Unknown && settled(recorded) != settled(now)
}

/// What running handlers tells of a decision: all of it, unless one of them could not be run.
pub(super) fn ran(decision: &mut Decision, selection: &Selection, joined: &[Joined]) {
    let missing = joined.iter().find(|joined| joined.run.outcome == Some(Outcome::CannotRun));
    let settled = !matches!(decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Allow);
    decision.evidence = if joined.is_empty() { Evidence::Derived } else { Evidence::Run };
    if selection.groups.iter().any(|group| group.tested.matched.is_none()) && !settled {
        decision.verdict = Verdict::Unknown;
        decision.unknown_because = Some("whether a group matched is undecided".to_owned());
    } else if let Some(missing) = missing.filter(|_| !settled) {
        decision.verdict = Verdict::Unknown;
        decision.unknown_because = Some(missing.run.notes.first().cloned().unwrap_or_default());
    }
    if decision.verdict == Verdict::Unknown {
        decision.evidence = Evidence::Unknown;
    }
}
