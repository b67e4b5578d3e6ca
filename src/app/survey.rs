//! One byte an event: whether a hook matched, whether something was decided, and what kind of thing it was. Enough
//! to jump and to draw where things happened, over a million events.

use crate::engine::Row;
use crate::model::{EventIx, Session, Verdict};

use super::{Inspect, Way};

/// What kind of thing happened, from least to most pressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing to see.
    Calm,
    /// A handler failed without effect, or its refusal was lost.
    Failed,
    /// A prompt, stop or compaction was prevented, or feedback given.
    Block,
    /// A call or permission was refused.
    Deny,
    /// Processing was stopped.
    Halt,
}

/// An event at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Glance(u8);

impl Glance {
    const MATCHED: u8 = 1;
    const DECIDED: u8 = 2;
    const CLASS: u8 = 4;

    /// Of a row.
    pub fn of(row: &Row) -> Glance {
        let class = match row.verdict {
            Verdict::Halt => 4,
            Verdict::Deny => 3,
            Verdict::Block => 2,
            _ if row.failed || row.lost => 1,
            _ => 0,
        };
        let decided =
            row.failed || row.lost || !matches!(row.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown);
        let mut bits = class * Self::CLASS;
        if row.matched > 0 {
            bits |= Self::MATCHED;
        }
        if decided {
            bits |= Self::DECIDED;
        }
        Glance(bits)
    }

    /// A hook matched.
    pub fn matched(self) -> bool {
        self.0 & Self::MATCHED != 0
    }

    /// Something was decided, or a handler failed or lost its refusal: worth a stop.
    pub fn decided(self) -> bool {
        self.0 & Self::DECIDED != 0
    }

    /// What kind of thing.
    pub fn class(self) -> Class {
        match self.0 / Self::CLASS {
            0 => Class::Calm,
            1 => Class::Failed,
            2 => Class::Block,
            3 => Class::Deny,
            _ => Class::Halt,
        }
    }
}

/// Events looked at in one go.
pub const BATCH: usize = 8192;

/// Events whose most pressing thing is kept, so that a frame need not look at each of a million.
const STRETCH: usize = 256;

/// All glances, as far as they are made.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// One an event.
    pub glances: Vec<Glance>,
    /// The most pressing thing in each [`STRETCH`] of them.
    peaks: Vec<Class>,
    /// The longest run of stop blocks: its last event and its rounds.
    pub longest: Option<(EventIx, u16)>,
    /// Answers of earlier generations are stale.
    pub generation: u64,
    /// A request is under way.
    pub asked: bool,
}

impl Survey {
    /// Starts anew: rows have changed.
    pub fn restart(&mut self) {
        *self = Survey { generation: self.generation + 1, ..Survey::default() };
    }

    /// Takes an answer, unless it is stale.
    pub fn add(&mut self, generation: u64, first: EventIx, glances: Vec<Glance>, rounds: &[(EventIx, u16)]) {
        if generation != self.generation || first.at() != self.glances.len() {
            return;
        }
        self.asked = false;
        for glance in glances {
            match self.peaks.last_mut().filter(|_| !self.glances.len().is_multiple_of(STRETCH)) {
                Some(peak) => *peak = glance.class().max(*peak),
                None => self.peaks.push(glance.class()),
            }
            self.glances.push(glance);
        }
        for &(event, round) in rounds {
            if self.longest.is_none_or(|(_, longest)| round > longest) {
                self.longest = Some((event, round));
            }
        }
    }

    /// The next event after `from` for which `wanted` holds.
    pub fn next(&self, from: EventIx, way: Way, wanted: impl Fn(Glance) -> bool) -> Option<EventIx> {
        let at = from.at();
        let found = match way {
            Way::Forward => {
                let start = at + 1;
                let rest = self.glances.get(start..)?;
                start + rest.iter().position(|&glance| wanted(glance))?
            }
            Way::Back => self.glances.get(..at.min(self.glances.len()))?.iter().rposition(|&glance| wanted(glance))?,
        };
        u32::try_from(found).ok().map(EventIx)
    }

    /// The most pressing thing in each of `cells` equal stretches of `events` events.
    pub fn strip(&self, events: usize, cells: usize) -> Vec<Class> {
        (0..cells)
            .map(|cell| {
                let from = cell * events / cells;
                // Where an event is wider than a cell, its first cell stands for it.
                if cell > 0 && (cell - 1) * events / cells == from && events < cells {
                    return Class::Calm;
                }
                let to = ((cell + 1) * events / cells).max(from + 1).min(self.glances.len());
                self.peak(from, to)
            })
            .collect()
    }

    /// The most pressing thing from one event up to another: whole stretches at once, what is left one by one.
    fn peak(&self, from: usize, to: usize) -> Class {
        let each = |from, to| self.glances.get(from..to).unwrap_or_default().iter().map(|glance| glance.class()).max();
        let (first, end) = (from.div_ceil(STRETCH), to / STRETCH);
        let found = if first < end {
            let whole = self.peaks.get(first..end).unwrap_or_default().iter().copied().max();
            whole.max(each(from, first * STRETCH)).max(each(end * STRETCH, to))
        } else {
            each(from, to)
        };
        found.unwrap_or(Class::Calm)
    }
}

/// Looks at a batch of events from `first` on.
pub fn look(inspect: &dyn Inspect, session: &Session, first: EventIx) -> (Vec<Glance>, Vec<(EventIx, u16)>) {
    let end = session.events.len().min(first.at() + BATCH);
    let mut rounds = Vec::new();
    let glances = (first.at()..end)
        .filter_map(|at| u32::try_from(at).ok().map(EventIx))
        .map(|event| {
            let row = inspect.row(session, event);
            if row.round > 1 {
                rounds.push((event, row.round));
            }
            Glance::of(&row)
        })
        .collect();
    (glances, rounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_shows_what_a_look_at_each_event_shows() {
        let events = 5 * STRETCH + 77;
        let mut survey = Survey::default();
        for first in (0..events).step_by(100) {
            let batch = (first..events.min(first + 100))
                .map(|at| Glance(if at % 397 == 5 { (at % 5) as u8 * Glance::CLASS } else { 0 }))
                .collect();
            survey.add(0, EventIx(first as u32), batch, &[]);
        }
        assert_eq!(survey.glances.len(), events);
        for cells in [1, 2, 3, 7, 80, 500] {
            let plain: Vec<Class> = (0..cells)
                .map(|cell| &survey.glances[cell * events / cells..(cell + 1) * events / cells])
                .map(|glances| glances.iter().map(|glance| glance.class()).max().unwrap_or(Class::Calm))
                .collect();
            assert_eq!(survey.strip(events, cells), plain, "{cells} cells");
            assert!(plain.iter().any(|class| *class > Class::Calm));
        }
    }
}
