//! Which event of a secondary source is which event of the session.

use std::collections::{HashMap, HashSet};

use super::{Identity, Part};
use crate::dialect::Format;
use crate::model::{Event, Session};

/// Where an event of the secondary source belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is this event of the primary.
    Same(usize),
    /// It is another trace of the same event as that one of the secondary's, which comes before it.
    Again(usize),
    /// The primary does not have it: it belongs after so many of the primary's events.
    New(usize),
    /// It belongs to another session, or nothing tells where it belongs.
    Elsewhere,
}

/// Events further apart than this are not taken for one without a key.
const NEAR: usize = 16;

/// A place for each event of the secondary.
pub(super) fn align(primary: &Part, secondary: &Part, takes: &dyn Fn(&str) -> bool) -> Vec<Place> {
    let mut aligning = Aligning::new(primary, secondary, takes);
    if aligning.without_session() {
        aligning.by_name_and_order();
    } else {
        aligning.by_key();
        aligning.between_anchors();
        aligning.near_by();
    }
    aligning.place_the_rest();
    aligning.places
}

struct Aligning<'a> {
    primary: &'a Part,
    secondary: &'a Part,
    places: Vec<Place>,
    /// Not yet dealt with.
    open: Vec<bool>,
    taken: Vec<bool>,
}

impl<'a> Aligning<'a> {
    fn new(primary: &'a Part, secondary: &'a Part, takes: &dyn Fn(&str) -> bool) -> Aligning<'a> {
        let session = &secondary.session;
        let ours = |event: &Event| session.text(session.context_of(event).session).is_none_or(takes);
        let open: Vec<bool> = session.events.iter().map(ours).collect();
        let taken = vec![false; primary.session.events.len()];
        Aligning { primary, secondary, places: vec![Place::Elsewhere; open.len()], open, taken }
    }

    /// A debug log names no session, no call, no prompt.
    fn without_session(&self) -> bool {
        let sources = &self.secondary.session.sources;
        !sources.is_empty() && sources.iter().all(|source| source.format == Format::DebugLog.name())
    }

    fn put(&mut self, event: usize, place: Place) {
        self.places[event] = place;
        self.open[event] = false;
        if let Place::Same(at) = place {
            self.taken[at] = true;
        }
    }

    /// Events that bear a key, such as the id of a call.
    fn by_key(&mut self) {
        let key = |part: &'a Part, at: usize| {
            let event = part.session.events.get(at)?;
            Some((part.session.names.text(event.name), part.ids.get(at)?.key.as_deref()?))
        };
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        for at in 0..self.primary.session.events.len() {
            if let Some(key) = key(self.primary, at) {
                known.entry(key).or_insert(at);
            }
        }
        let mut first: HashMap<(&str, &str), usize> = HashMap::new();
        for at in 0..self.places.len() {
            let Some(key) = key(self.secondary, at).filter(|_| self.open[at]) else { continue };
            match (first.get(&key), known.get(&key)) {
                (Some(&earlier), _) => self.put(at, Place::Again(earlier)),
                (None, Some(&same)) => self.put(at, Place::Same(same)),
                (None, None) => {}
            }
            first.entry(key).or_insert(at);
        }
    }

    /// Events that are the same in both and in the same order in both: (secondary, primary).
    fn anchors(&self) -> Vec<(usize, usize)> {
        let mut anchors: Vec<(usize, usize)> = Vec::new();
        for (at, place) in self.places.iter().enumerate() {
            if let Place::Same(same) = place
                && anchors.last().is_none_or(|(_, last)| same > last)
            {
                anchors.push((at, *same));
            }
        }
        anchors
    }

    /// Between two anchors, events of one name are the same in order.
    fn between_anchors(&mut self) {
        let ends = (self.places.len(), self.taken.len());
        let mut from = (0, 0);
        for (to_secondary, to_primary) in self.anchors().into_iter().chain([ends]) {
            self.segment(from.0..to_secondary, from.1..to_primary);
            from = (to_secondary + 1, to_primary + 1);
        }
    }

    fn segment(&mut self, secondary: std::ops::Range<usize>, primary: std::ops::Range<usize>) {
        let open: Vec<usize> = secondary.filter(|at| self.open[*at]).collect();
        let mut seen: HashSet<(&str, Option<&str>)> = HashSet::new();
        for &first in &open {
            let (name, agent) = (self.name(first), self.secondary.ids[first].agent.as_deref());
            if !seen.insert((name, agent)) {
                continue;
            }
            let ours: Vec<usize> = open
                .iter()
                .copied()
                .filter(|at| self.name(*at) == name && self.secondary.ids[*at].agent.as_deref() == agent)
                .collect();
            let there = &self.primary.session;
            let of_name = |at: &usize| there.names.text(there.events[*at].name) == name;
            let of_agent = |at: &usize| self.primary.ids[*at].agent.as_deref() == agent || name == "SubagentStop";
            let theirs: Vec<usize> =
                primary.clone().filter(|at| !self.taken[*at] && of_name(at) && of_agent(at)).collect();
            self.in_order(&ours, &theirs);
        }
    }

    /// `ours` are `theirs` in order. More of ours than of theirs: several handlers logged the same input.
    fn in_order(&mut self, ours: &[usize], theirs: &[usize]) {
        let handlers = if theirs.is_empty() { 1 } else { ours.len().div_ceil(theirs.len()) };
        let mut next = theirs.iter().copied().peekable();
        let mut last: Option<(usize, usize)> = None;
        for &at in ours {
            if let Some((earlier, times)) = last
                && times < handlers
                && self.same_input(earlier, at)
            {
                self.put(at, Place::Again(earlier));
                last = Some((earlier, times + 1));
                continue;
            }
            while next.peek().is_some_and(|there| !self.may_be_same(at, *there)) {
                next.next();
            }
            let Some(there) = next.next() else { continue };
            self.put(at, Place::Same(there));
            last = Some((at, 1));
        }
    }

    /// What is left may lie on the other side of an anchor: sources write what happens at once in either order.
    fn near_by(&mut self) {
        let mut before = 0;
        for at in 0..self.places.len() {
            if let Place::Same(same) = self.places[at] {
                before = same;
            }
            if !self.open[at] {
                continue;
            }
            let range = before.saturating_sub(NEAR)..(before + NEAR).min(self.taken.len());
            let near = range.filter(|there| !self.taken[*there] && self.may_be_same(at, *there));
            if let Some(there) = near.min_by_key(|there| there.abs_diff(before)) {
                self.put(at, Place::Same(there));
            }
        }
    }

    /// Runs of a debug log: as many firings of a name as the session has events are those events, in order.
    fn by_name_and_order(&mut self) {
        let hook =
            |session: &'a Session, event: &Event| (session.names.text(event.name), session.names.text(event.subject));
        let group = |session: &'a Session| {
            let mut groups: HashMap<(&'a str, &'a str), Vec<usize>> = HashMap::new();
            for (at, event) in session.events.iter().enumerate() {
                groups.entry(hook(session, event)).or_default().push(at);
            }
            groups
        };
        let mut there = group(&self.primary.session);
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, event) in self.primary.session.events.iter().enumerate() {
            by_name.entry(self.primary.session.names.text(event.name)).or_default().push(at);
        }
        for ((name, subject), ours) in group(&self.secondary.session) {
            // The log names a subject only where the client tests matchers on one.
            let theirs = match subject {
                "" => by_name.remove(name).unwrap_or_default(),
                _ => there.remove(&(name, subject)).unwrap_or_default(),
            };
            if ours.len() == theirs.len() {
                ours.iter().zip(theirs).for_each(|(at, same)| self.put(*at, Place::Same(same)));
            } else if !theirs.is_empty() {
                self.by_time(&ours, &theirs);
            }
        }
    }

    /// Each firing is the last event before it that is not another's. Without times nothing tells.
    fn by_time(&mut self, ours: &[usize], theirs: &[usize]) {
        for &at in ours {
            let time = self.secondary.session.events[at].time;
            let before = theirs.iter().copied().rfind(|there| {
                let of_event = self.primary.session.events[*there].time;
                !self.taken[*there] && !time.is_unknown() && !of_event.is_unknown() && of_event <= time
            });
            match before {
                Some(there) => self.put(at, Place::Same(there)),
                None => self.put(at, Place::Elsewhere),
            }
        }
    }

    /// Events that only the secondary knows come after what came before them there.
    fn place_the_rest(&mut self) {
        let mut after = 0;
        let mut previous: Option<usize> = None;
        for at in 0..self.places.len() {
            match self.places[at] {
                Place::Same(same) => after = after.max(same + 1),
                Place::Again(_) => {}
                _ if !self.open[at] => continue,
                _ => {
                    if let Some(earlier) = previous
                        && self.secondary.ids[at].key.is_none()
                        && matches!(self.places[earlier], Place::New(_) | Place::Same(_))
                        && self.name(earlier) == self.name(at)
                        && self.same_input(earlier, at)
                        && !self.alone_in_primary(at)
                    {
                        self.put(at, Place::Again(earlier));
                        continue;
                    }
                    after = self.later_by_time(at, after);
                    self.put(at, Place::New(after));
                }
            }
            if !matches!(self.places[at], Place::Again(_)) {
                previous = Some(at);
            }
        }
    }

    /// Whether the primary has events of this name that nothing was found for: then equal inputs are not one event.
    fn alone_in_primary(&self, at: usize) -> bool {
        let name = self.name(at);
        let session = &self.primary.session;
        let mut same = session.events.iter().zip(&self.taken);
        same.any(|(event, taken)| !taken && session.names.text(event.name) == name)
    }

    fn later_by_time(&self, at: usize, after: usize) -> usize {
        let time = self.secondary.session.events[at].time;
        if time.is_unknown() {
            return after;
        }
        let later = self.primary.session.events.iter().skip(after).take_while(|event| {
            // Not past what the secondary has too: its own order counts more.
            !event.time.is_unknown() && event.time <= time
        });
        let passed = later.zip(&self.taken[after.min(self.taken.len())..]).take_while(|(_, taken)| !**taken).count();
        after + passed
    }

    fn name(&self, at: usize) -> &'a str {
        let session = &self.secondary.session;
        session.names.text(session.events[at].name)
    }

    fn same_input(&self, one: usize, other: usize) -> bool {
        let input = |at: usize| self.secondary.ids[at].input;
        input(one).is_some() && input(one) == input(other)
    }

    fn may_be_same(&self, ours: usize, theirs: usize) -> bool {
        let (here, there) = (&self.secondary.session, &self.primary.session);
        let (event, other) = (&here.events[ours], &there.events[theirs]);
        let (id, other_id): (&Identity, &Identity) = (&self.secondary.ids[ours], &self.primary.ids[theirs]);
        let agree = |one: Option<&str>, other: Option<&str>| one.is_none() || other.is_none() || one == other;
        let session = |session: &'a Session, event: &Event| session.text(session.context_of(event).session);
        here.names.text(event.name) == there.names.text(other.name)
            && agree(id.key.as_deref(), other_id.key.as_deref())
            && agree(here.text(event.subject), there.text(other.subject))
            && agree(session(here, event), session(there, other))
            && (id.agent == other_id.agent
                || self.name(ours) == "SubagentStop" && agree(id.agent.as_deref(), other_id.agent.as_deref()))
            && (event.stop_hook_active.is_none()
                || other.stop_hook_active.is_none()
                || event.stop_hook_active == other.stop_hook_active)
    }
}
