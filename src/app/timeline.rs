//! Which events are seen: the filter, folded subagents, the selection. Positions are those among the seen events.

use std::collections::HashSet;

use super::Cursor;
use crate::engine::Row;
use crate::model::{AgentIx, EventIx, OffBranch, Session, Verdict};

/// A filter in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// As typed.
    pub expr: String,
    /// Events for which it holds, as far as looked.
    pub matches: Vec<EventIx>,
    /// Everything before this was looked at.
    pub upto: EventIx,
    /// Why there are none, once everything was looked at.
    pub why_empty: Option<String>,
    /// A request is under way.
    pub asked: bool,
}

/// A branch of the conversation that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// From 1; the last is the one that was kept.
    pub number: usize,
    off: OffBranch,
}

/// The events of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strand {
    /// Its first.
    pub first: EventIx,
    /// How many.
    pub count: u32,
}

/// What is seen of the session's events.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// Position of selection and view.
    pub cursor: Cursor,
    /// The filter in force.
    pub filter: Option<Filter>,
    /// Of the filter's requests.
    pub generation: u64,
    /// `None`: all of them.
    list: Option<Vec<EventIx>>,
    count: usize,
    folded: HashSet<AgentIx>,
    branch: Option<Branch>,
    strands: Vec<Option<Strand>>,
    /// The longest event name seen, in bytes: names of events are ASCII words.
    pub longest_name: usize,
    /// The longest subject seen, in bytes.
    pub longest_subject: usize,
}

/// Deeper nesting than this is not shown: parent links may run in circles.
const DEEPEST: usize = 8;

impl Timeline {
    /// How many events are seen.
    pub fn len(&self) -> usize {
        self.list.as_ref().map_or(self.count, Vec::len)
    }

    /// Whether none are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event at a position.
    pub fn event_at(&self, position: usize) -> Option<EventIx> {
        match &self.list {
            Some(list) => list.get(position).copied(),
            None => (position < self.count).then(|| u32::try_from(position).ok().map(EventIx)).flatten(),
        }
    }

    /// The position of an event, or where it would be.
    pub fn position(&self, event: EventIx) -> Result<usize, usize> {
        match &self.list {
            Some(list) => list.binary_search(&event),
            None if event.at() < self.count => Ok(event.at()),
            None => Err(self.count),
        }
    }

    /// The selected event.
    pub fn selected(&self) -> Option<EventIx> {
        self.event_at(self.cursor.at)
    }

    /// Selects an event; where it is not seen, the next one that is.
    pub fn select(&mut self, event: EventIx) {
        self.cursor.at = self.position(event).unwrap_or_else(|next| next.min(self.len().saturating_sub(1)));
    }

    /// Takes in the events from `from` on, which the session has got.
    pub fn grow(&mut self, session: &Session, from: usize) {
        for (at, event) in session.events.iter().enumerate().skip(from) {
            let Ok(ix) = u32::try_from(at).map(EventIx) else { break };
            let name = session.names.text(event.name).len() + 2 * depth(session, event.agent);
            self.longest_name = self.longest_name.max(name);
            self.longest_subject = self.longest_subject.max(session.names.text(event.subject).len());
            if self.strands.len() <= event.agent.at() {
                self.strands.resize(event.agent.at() + 1, None);
            }
            match &mut self.strands[event.agent.at()] {
                Some(strand) => strand.count += 1,
                none => *none = Some(Strand { first: ix, count: 1 }),
            }
        }
        self.count = session.events.len();
        if self.filter.is_none()
            && let Some(mut list) = self.list.take()
        {
            list.extend(
                self.unfolded(session, (from..self.count).filter_map(|at| u32::try_from(at).ok().map(EventIx))),
            );
            self.list = Some(list);
        }
    }

    fn unfolded(&self, session: &Session, events: impl Iterator<Item = EventIx>) -> Vec<EventIx> {
        events.filter(|&event| !self.hidden(session, event)).collect()
    }

    fn hidden(&self, session: &Session, event: EventIx) -> bool {
        if self.folded.is_empty() && self.branch.is_none() {
            return false;
        }
        let Some(it) = session.events.get(event.at()) else { return true };
        if self.branch.as_ref().is_some_and(|branch| session.is_off(it, &branch.off)) {
            return true;
        }
        let outermost = ancestry(session, it.agent).filter(|agent| self.folded.contains(agent)).last();
        outermost.is_some_and(|agent| self.strand(agent).is_none_or(|strand| strand.first != event))
    }

    /// The events of an agent.
    pub fn strand(&self, agent: AgentIx) -> Option<Strand> {
        self.strands.get(agent.at()).copied().flatten()
    }

    /// Whether an event stands for the whole of a subagent: its first.
    pub fn opens(&self, agent: AgentIx, event: EventIx) -> Option<Strand> {
        self.strand(agent).filter(|strand| agent.0 != 0 && strand.first == event && strand.count > 1)
    }

    /// Whether the events of an agent are folded away.
    pub fn is_folded(&self, agent: AgentIx) -> bool {
        self.folded.contains(&agent)
    }

    /// How many agents have events.
    pub fn agents(&self) -> usize {
        self.strands.iter().flatten().count()
    }

    /// Folds or unfolds an agent.
    pub fn fold(&mut self, session: &Session, agent: AgentIx) {
        if !self.folded.remove(&agent) {
            self.folded.insert(agent);
        }
        self.rebuild(session);
    }

    /// Folds every subagent, or unfolds all where any is folded.
    pub fn fold_all(&mut self, session: &Session) {
        if self.folded.is_empty() {
            let agents = (1..self.strands.len()).filter_map(|at| u16::try_from(at).ok().map(AgentIx));
            self.folded = agents.filter(|&agent| self.strand(agent).is_some()).collect();
        } else {
            self.folded.clear();
        }
        self.rebuild(session);
    }

    /// Makes the list anew and keeps the selection where it can.
    pub fn rebuild(&mut self, session: &Session) {
        let selected = self.selected();
        self.list = match &self.filter {
            None if self.folded.is_empty() && self.branch.is_none() => None,
            None => Some(self.unfolded(session, (0..self.count).filter_map(|at| u32::try_from(at).ok().map(EventIx)))),
            Some(filter) => Some(self.unfolded(session, filter.matches.iter().copied())),
        };
        match selected {
            Some(mut event) => {
                // Folded away with its subagent: what stands for that.
                if self.position(event).is_err()
                    && let Some(it) = session.events.get(event.at())
                    && let Some(agent) = ancestry(session, it.agent).filter(|agent| self.folded.contains(agent)).last()
                    && let Some(strand) = self.strand(agent)
                {
                    event = strand.first;
                }
                self.select(event);
            }
            None => self.cursor = Cursor::default(),
        }
    }

    /// The branch that alone is seen; none: all are.
    pub fn branch(&self) -> Option<usize> {
        self.branch.as_ref().map(|branch| branch.number)
    }

    /// Shows one branch alone, or all.
    pub fn choose_branch(&mut self, session: &Session, number: Option<usize>) {
        self.branch = number.map(|number| Branch { number, off: session.branches.off(number) });
        self.rebuild(session);
    }

    /// Sets or clears the filter. Its matches come later.
    pub fn set_filter(&mut self, session: &Session, expr: Option<String>) {
        self.generation += 1;
        self.filter =
            expr.map(|expr| Filter { expr, matches: Vec::new(), upto: EventIx(0), why_empty: None, asked: false });
        self.rebuild(session);
    }

    /// Takes an answer of the filter. `wanted` is what should be selected once it can be.
    pub fn filtered(
        &mut self,
        session: &Session,
        events: &[EventIx],
        upto: EventIx,
        why_empty: Option<String>,
        wanted: Option<EventIx>,
    ) {
        let Some(filter) = &mut self.filter else { return };
        filter.matches.extend_from_slice(events);
        filter.upto = upto;
        filter.why_empty = if filter.matches.is_empty() { why_empty } else { None };
        filter.asked = false;
        let more = self.unfolded(session, events.iter().copied());
        self.list.get_or_insert_default().extend(more);
        if let Some(event) = wanted {
            self.select(event);
        }
    }
}

/// An agent and those above it.
pub fn ancestry(session: &Session, agent: AgentIx) -> impl Iterator<Item = AgentIx> + '_ {
    let mut next = Some(agent);
    std::iter::from_fn(move || {
        let at = next.filter(|agent| agent.0 != 0 && agent.is_some())?;
        next = session.agents.get(at.at()).map(|agent| agent.parent);
        Some(at)
    })
    .take(DEEPEST)
}

/// How deep an agent is nested; 0 for the main one.
pub fn depth(session: &Session, agent: AgentIx) -> usize {
    if agent.0 == 0 { 0 } else { ancestry(session, agent).count() }
}

/// The verdict as a word; upper case for what stopped something, with the round in a run of stop blocks.
pub fn verdict_word(row: &Row) -> String {
    match row.verdict {
        Verdict::Block if row.round > 0 => format!("BLOCK {}", row.round),
        Verdict::Deny | Verdict::Block | Verdict::Halt => row.verdict.word().to_uppercase(),
        Verdict::None | Verdict::Quiet | Verdict::Unknown if row.lost => "LOST".to_owned(),
        Verdict::None | Verdict::Quiet | Verdict::Unknown if row.failed => "FAILED".to_owned(),
        _ => row.verdict.word().to_owned(),
    }
}
