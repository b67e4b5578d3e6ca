//! Handlers that were run now: from their ends to answers, and what that says beside a recording.
//!
//! Must not know how anything is run.

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
        let heard = |run: HookRun| {
            let mut choices = selection.groups.iter().zip(&labels.0);
            choices.find_map(|(choice, labels)| {
                let group = set.groups.get(choice.group)?;
                let at = group.handlers.iter().position(|handler| handler.id == run.handler)?;
                let label =
                    choice.handlers.iter().position(|chosen| chosen.handler == at).and_then(|at| labels.get(at));
                let label = label.map_or("", String::as_str);
                let candidate = Candidate { group, handler: &group.handlers[at], label };
                let heard = (self.behaviour.heard)(name, version, &candidate, run.clone());
                Some(Joined { place: (choice.group, at), ..heard })
            })
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
