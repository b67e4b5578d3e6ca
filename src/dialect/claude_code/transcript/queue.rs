//! Events that are not handed on yet, because something before them is still undecided.
//!
//! Owns order: what is pushed first comes out first. Must not know what events mean.

use std::collections::VecDeque;

use crate::dialect::Output;
use crate::model::{Event, EventIx, RunMark};

/// A place in the order, for the whole life of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot(u64);

/// Whether what stands at a place happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Undecided,
    Fires,
    Dropped,
}

#[derive(Debug)]
struct Held {
    state: State,
    event: Option<Event>,
    /// More events at the same place, after `event`.
    more: Vec<Event>,
    marks: Vec<RunMark>,
}

/// How many flushed places can still be marked.
const REMEMBERED: usize = 1 << 15;

/// The events held back.
#[derive(Debug, Default)]
pub(super) struct Queue {
    held: VecDeque<Held>,
    /// Slot number of the first held.
    first: u64,
    /// Event of the places flushed last, ending just before `first`.
    flushed: VecDeque<EventIx>,
    /// Marks for events that are out already.
    late: Vec<RunMark>,
    /// Events handed on.
    events: u32,
    /// Nothing is handed on for now.
    closed: bool,
}

impl Queue {
    /// An event that happened.
    pub(super) fn push(&mut self, event: Event) -> Slot {
        self.add(State::Fires, Some(event))
    }

    /// An event of which it is not known yet whether it happened.
    pub(super) fn push_undecided(&mut self, event: Event) -> Slot {
        self.add(State::Undecided, Some(event))
    }

    /// Room for events that may still be found to belong here.
    pub(super) fn reserve(&mut self) -> Slot {
        self.add(State::Undecided, None)
    }

    fn add(&mut self, state: State, event: Option<Event>) -> Slot {
        self.held.push_back(Held { state, event, more: Vec::new(), marks: Vec::new() });
        Slot(self.first + self.held.len() as u64 - 1)
    }

    fn held(&mut self, slot: Slot) -> Option<&mut Held> {
        let at = usize::try_from(slot.0.checked_sub(self.first)?).ok()?;
        self.held.get_mut(at)
    }

    /// It happened.
    pub(super) fn fires(&mut self, slot: Slot) {
        if let Some(held) = self.held(slot)
            && held.state == State::Undecided
        {
            held.state = State::Fires;
        }
    }

    /// It did not happen, unless that was decided before.
    pub(super) fn drop(&mut self, slot: Slot) {
        if let Some(held) = self.held(slot)
            && held.state == State::Undecided
        {
            held.state = State::Dropped;
        }
    }

    /// Whether it can still be decided or changed.
    pub(super) fn is_undecided(&mut self, slot: Slot) -> bool {
        self.held(slot).is_some_and(|held| held.state == State::Undecided)
    }

    /// The event held at a place.
    pub(super) fn event(&mut self, slot: Slot) -> Option<&mut Event> {
        self.held(slot)?.event.as_mut()
    }

    /// Adds an event to a reserved place.
    pub(super) fn extend(&mut self, slot: Slot, event: Event) {
        if let Some(held) = self.held(slot) {
            match held.event {
                None => held.event = Some(event),
                Some(_) => held.more.push(event),
            }
        }
    }

    /// Takes back the marks of a place that is still held.
    pub(super) fn clear_marks(&mut self, slot: Slot) {
        if let Some(held) = self.held(slot) {
            held.marks.clear();
        }
    }

    /// Adds a mark to the (first) event of a place.
    pub(super) fn mark(&mut self, slot: Slot, mut mark: RunMark) {
        if let Some(held) = self.held(slot) {
            held.marks.push(mark);
            return;
        }
        let back = self.first - slot.0;
        let at = (self.flushed.len() as u64).checked_sub(back).and_then(|at| self.flushed.get(at as usize));
        if let Some(&event) = at
            && event.is_some()
        {
            mark.event = event;
            self.late.push(mark);
        }
    }

    /// Keeps everything back until [`Queue::open`].
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Ends [`Queue::close`].
    pub(super) fn open(&mut self) {
        self.closed = false;
    }

    /// Whether everything is kept back.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many places are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Forgets everything held after a place.
    pub(super) fn truncate_after(&mut self, slot: Slot) {
        let keep = slot.0.checked_sub(self.first).map_or(0, |at| at + 1);
        self.held.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
    }

    /// Hands on everything that nothing undecided stands before.
    pub(super) fn flush(&mut self, out: &mut Output) {
        if self.closed {
            return;
        }
        out.marks.append(&mut self.late);
        while self.held.front().is_some_and(|held| held.state != State::Undecided) {
            let Some(held) = self.held.pop_front() else { break };
            self.first += 1;
            let mut ix = EventIx::NONE;
            if held.state == State::Fires
                && let Some(event) = held.event
            {
                ix = EventIx(self.events);
                for event in std::iter::once(event).chain(held.more) {
                    out.events.push(event);
                    self.events = self.events.saturating_add(1);
                }
                out.marks.extend(held.marks.into_iter().map(|mark| RunMark { event: ix, ..mark }));
            }
            if self.flushed.len() == REMEMBERED {
                self.flushed.pop_front();
            }
            self.flushed.push_back(ix);
        }
    }
}
