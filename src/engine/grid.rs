//! Hooks against what happened: at which events and subjects each of them matched, and which nobody sees.

use std::collections::HashMap;

use super::Tracer;
use crate::model::{EventIx, Name, Session};

/// One event with one subject, over a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridRow {
    /// Event name.
    pub event: String,
    /// What a matcher is tested on; none where the event has nothing of the kind.
    pub subject: Option<String>,
    /// How often it happened.
    pub events: u64,
    /// Ids of the handlers whose group matched, with how often.
    pub matched: Vec<(String, u64)>,
}

/// Every event and subject of a session, in order of appearance. Reads no bodies: a million events take a pass over
/// the list, matchers are asked once a kind.
pub fn grid(tracer: &Tracer, session: &Session) -> Vec<GridRow> {
    // Events of one kind (era, name, subject, version) match alike: (first of them, how many).
    let mut kinds: HashMap<(usize, Name, Name, Name), (EventIx, u64)> = HashMap::new();
    for (ix, event) in session.events.iter().enumerate() {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        let version = session.context_of(event).version;
        let key = (tracer.plan().era_at(event.time), event.name, event.subject, version);
        kinds.entry(key).or_insert((ix, 0)).1 += 1;
    }
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_unstable_by_key(|(first, _)| *first);
    let mut rows: Vec<GridRow> = Vec::new();
    let mut places: HashMap<(Name, Name), usize> = HashMap::new();
    for (first, count) in kinds {
        let Some(event) = session.events.get(first.at()) else { continue };
        let at = *places.entry((event.name, event.subject)).or_insert_with(|| {
            rows.push(GridRow {
                event: session.names.text(event.name).to_owned(),
                subject: session.text(event.subject).map(str::to_owned),
                events: 0,
                matched: Vec::new(),
            });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.events += count;
        let (Some(selection), Some(set)) = (tracer.selection(session, first), tracer.set_at(event)) else { continue };
        for choice in selection.groups.iter().filter(|choice| choice.tested.matched == Some(true)) {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for chosen in choice.handlers.iter().filter(|chosen| chosen.not_considered.is_none()) {
                let Some(handler) = group.handlers.get(chosen.handler) else { continue };
                match row.matched.iter_mut().find(|(id, _)| *id == handler.id) {
                    Some((_, times)) => *times += count,
                    None => row.matched.push((handler.id.clone(), count)),
                }
            }
        }
    }
    rows
}
