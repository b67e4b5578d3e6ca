//! Branches of a conversation: a person goes back to an earlier prompt and goes on from there. What lay between
//! stays in the file, and its hooks fired; only the conversation no longer holds it.

use super::{Agent, AgentIx, Event, EventIx, LineRef, Session, SourceIx};

/// A prompt that goes back behind an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rewind {
    /// The line of the prompt with which the new branch begins.
    pub at: LineRef,
    /// The line (1-based) that it continues from.
    pub back_to: u32,
}

/// Lines of a source, without the first and the last that are named, that are not on a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    source: SourceIx,
    after: u32,
    before: u32,
}

/// The lines that are not on one branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OffBranch(Vec<Stretch>);

impl OffBranch {
    fn at(&self, at: LineRef) -> Option<Stretch> {
        let key = (at.source(), at.line);
        let next = self.0.partition_point(|stretch| (stretch.source, stretch.after) < key);
        let stretch = *self.0.get(next.checked_sub(1)?)?;
        (stretch.source == key.0 && key.1 < stretch.before).then_some(stretch)
    }
}

/// Where the conversation went back, and what that left.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    /// By source and line.
    rewinds: Vec<Rewind>,
    left: OffBranch,
}

impl Branches {
    /// Takes in further rewinds.
    pub fn extend(&mut self, rewinds: impl IntoIterator<Item = Rewind>) {
        let before = self.rewinds.len();
        self.rewinds.extend(rewinds);
        if self.rewinds.len() > before {
            self.rewinds.sort_by_key(|rewind| (rewind.at.source(), rewind.at.line));
            self.left = self.off(self.count());
        }
    }

    /// Where the conversation went back, by source and line.
    pub fn rewinds(&self) -> &[Rewind] {
        &self.rewinds
    }

    /// How many branches there are: every rewind leaves one.
    pub fn count(&self) -> usize {
        self.rewinds.len() + 1
    }

    /// What is not on a branch, by its number from 1: each ends where the next one begins. The last is the one that
    /// was kept.
    pub fn off(&self, number: usize) -> OffBranch {
        let end = self.rewinds.get(number.saturating_sub(1));
        let mut off = Vec::new();
        for rewinds in self.rewinds.chunk_by(|a, b| a.at.source() == b.at.source()) {
            let Some(source) = rewinds.first().map(|rewind| rewind.at.source()) else { continue };
            let end = end.filter(|end| end.at.source() == source);
            let mut upto = rewinds.len();
            if let Some(end) = end {
                upto = rewinds.partition_point(|rewind| rewind.at.line < end.at.line);
                off.push(Stretch { source, after: end.at.line.saturating_sub(1), before: u32::MAX });
            }
            // A rewind counts unless the line that a later one went back to stands before it.
            while let Some(rewind) = upto.checked_sub(1).and_then(|at| rewinds.get(at)) {
                off.push(Stretch { source, after: rewind.back_to, before: rewind.at.line });
                upto = rewinds[..upto - 1].partition_point(|earlier| earlier.at.line <= rewind.back_to);
            }
        }
        off.sort_unstable();
        OffBranch(off)
    }
}

/// Deeper nesting than this is not followed: parent links may run in circles.
const DEEPEST: usize = 8;

impl Session {
    /// Whether an event is not on a branch.
    pub fn is_off(&self, event: &Event, off: &OffBranch) -> bool {
        !off.0.is_empty() && self.stretch(event, off).is_some()
    }

    /// Whether an event is on a branch that was left.
    pub fn is_left(&self, event: &Event) -> bool {
        self.is_off(event, &self.branches.left)
    }

    /// The event at which the branch of an event was left, where it was and the event is there.
    pub fn left_at(&self, ix: EventIx) -> Option<EventIx> {
        let stretch = self.stretch(self.events.get(ix.at())?, &self.branches.left)?;
        let there = |event: &Event| event.at.source() == stretch.source && event.at.line >= stretch.before;
        let later = self.events.iter().skip(ix.at()).position(there)?;
        u32::try_from(ix.at() + later).ok().map(EventIx)
    }

    /// The stretch in which an event stands; a subagent stands where the call that started it does.
    fn stretch(&self, event: &Event, off: &OffBranch) -> Option<Stretch> {
        let mut agent = event.agent;
        let mut found = off.at(event.at);
        for _ in 0..DEEPEST {
            if found.is_some() || agent == AgentIx(0) {
                break;
            }
            let Agent { call, parent, .. } = *self.agents.get(agent.at())?;
            found = call
                .and_then(|(source, call)| self.calls.get(source.at())?.get(call.at()))
                .and_then(|call| off.at(call.used));
            agent = parent;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: u32) -> LineRef {
        LineRef::new(SourceIx(0), u64::from(line), 1, line)
    }

    /// Rewinds as (line, back to); a branch; the lines of 1..=30 that are on it.
    fn check(rewinds: &[(u32, u32)], number: usize, expect: &str) {
        let mut branches = Branches::default();
        branches.extend(rewinds.iter().map(|&(at, back_to)| Rewind { at: line(at), back_to }));
        let off = branches.off(number);
        let mut on = String::new();
        let mut start = None;
        for at in 1..=31 {
            let here = at <= 30 && off.at(line(at)).is_none();
            match (start, here) {
                (None, true) => start = Some(at),
                (Some(first), false) => {
                    on.push_str(&format!("{first}-{} ", at - 1));
                    start = None;
                }
                _ => {}
            }
        }
        assert_eq!(on.trim_end(), expect, "{rewinds:?} branch {number}");
    }

    #[test]
    fn without_a_rewind_everything_is_on_the_only_branch() {
        check(&[], 1, "1-30");
    }

    #[test]
    fn a_rewind_leaves_what_stands_between() {
        check(&[(10, 4)], 2, "1-4 10-30");
        check(&[(10, 4)], 1, "1-9");
    }

    #[test]
    fn rewinds_in_a_row_leave_a_branch_each() {
        check(&[(10, 4), (20, 4)], 3, "1-4 20-30");
        check(&[(10, 4), (20, 4)], 2, "1-4 10-19");
        check(&[(10, 4), (20, 4)], 1, "1-9");
        check(&[(10, 4), (20, 12)], 3, "1-4 10-12 20-30");
    }

    #[test]
    fn going_back_onto_a_left_branch_keeps_it_again() {
        check(&[(10, 4), (20, 7)], 3, "1-7 20-30");
        check(&[(10, 4), (20, 7)], 2, "1-4 10-19");
    }

    #[test]
    fn branches_of_one_source_leave_others_alone() {
        let mut branches = Branches::default();
        branches.extend([Rewind { at: line(10), back_to: 4 }]);
        let elsewhere = LineRef::new(SourceIx(1), 7, 1, 7);
        assert!(branches.off(2).at(elsewhere).is_none());
        assert!(branches.off(2).at(line(7)).is_some());
    }
}
