//! What matchers are tested on in this session, with counts: kept up while it is read.

use std::collections::HashMap;

use crate::model::{Name, Session};

/// How often each subject occurred, by event.
#[derive(Debug, Clone, Default)]
pub struct Subjects {
    counts: HashMap<(Name, Name), u32>,
    /// Events before this are counted.
    upto: usize,
}

impl Subjects {
    /// Counts the events that came since the last time.
    pub fn count(&mut self, session: &Session) {
        for event in session.events.get(self.upto..).unwrap_or_default() {
            if event.subject.is_some() {
                *self.counts.entry((event.name, event.subject)).or_default() += 1;
            }
        }
        self.upto = session.events.len();
    }

    /// How many events are counted.
    pub fn upto(&self) -> usize {
        self.upto
    }

    /// The subjects of an event, most frequent first.
    pub fn of<'a>(&self, session: &'a Session, event: &str) -> Vec<(&'a str, u32)> {
        let Some(name) = session.names.find(event) else { return Vec::new() };
        let counted = self.counts.iter().filter(|((event, _), _)| *event == name);
        let mut all: Vec<(&str, u32)> =
            counted.map(|((_, subject), count)| (session.names.text(*subject), *count)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        all
    }

    /// Whether an event occurred with a subject.
    pub fn has(&self, session: &Session, event: &str) -> bool {
        session.names.find(event).is_some_and(|name| self.counts.keys().any(|(event, _)| *event == name))
    }
}
