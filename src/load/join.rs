//! Several sources of one session become one list of events: each fact keeps the place that it is from.
//!
//! Pure: bodies come through a function. What a source lists is upgraded to recorded; what only a secondary source
//! knows is put in at its place.

mod align;
mod merge;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::dialect::{Format, hook_log};
use crate::model::{Diagnostic, Event, Level, LineRef, Place, Session, SourceIx};
use crate::source::values::parse_lenient;

/// What tells an event from others of its name, as far as a source knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Id of the call, for what fires once a call; of the first call, for a batch; of the subagent that starts.
    pub key: Option<String>,
    /// Id of the subagent that it happened in, or that stops.
    pub agent: Option<String>,
    /// Of the whole hook input, where a source has it. Two handlers of one event log the same.
    pub input: Option<u64>,
}

/// A session and what tells its events apart.
#[derive(Debug, Clone)]
pub struct Part {
    /// The session as read from some of its sources.
    pub session: Session,
    /// One for each of its events.
    pub ids: Vec<Identity>,
}

impl Part {
    /// Finds out what tells the events apart. `read` gives the bytes at a place of this session's sources.
    pub fn new(session: Session, read: &dyn Fn(LineRef) -> Option<Vec<u8>>) -> Part {
        let mut known: HashMap<(SourceIx, u64, u16), Option<String>> = HashMap::new();
        let mut ids = Vec::with_capacity(session.events.len());
        for event in &session.events {
            ids.push(identify(&session, event, read, &mut known));
        }
        Part { session, ids }
    }
}

/// Joins a secondary source to a session. `takes` says whether an event with this session id belongs to it: a log
/// may hold several sessions.
pub fn join(primary: Part, secondary: Part, takes: &dyn Fn(&str) -> bool) -> Part {
    let of_streams = |part: &Part| {
        let sources = &part.session.sources;
        !sources.is_empty() && sources.iter().all(|source| source.format == Format::Stream.name())
    };
    if of_streams(&primary) && of_streams(&secondary) {
        // Each run has a stream of its own.
        return append(primary, secondary);
    }
    let places = align::align(&primary, &secondary, takes);
    let left = left_out(&secondary, &places);
    let mut whole = merge::merge(primary, secondary, &places);
    whole.session.diagnostics.extend(left);
    whole
}

/// What is said of firings in a debug log that fit no event. Those of a log of hook inputs are another session's.
fn left_out(secondary: &Part, places: &[align::Place]) -> Option<Diagnostic> {
    let source = secondary.session.sources.iter().find(|source| source.format == Format::DebugLog.name())?;
    let count = places.iter().filter(|place| **place == align::Place::Elsewhere).count();
    let firings = if count == 1 { "1 firing in it fits".to_owned() } else { format!("{count} firings in it fit") };
    (count > 0).then(|| Diagnostic {
        level: Level::Warning,
        message: format!("{firings} no event of the session, by name, subject and time: left out"),
        place: Place { path: source.path.clone(), line: None, column: None },
        help: None,
    })
}

/// Joins a source that goes on where the primary ends: the stream of the next run of a resumed session.
pub fn append(primary: Part, later: Part) -> Part {
    let end = primary.session.events.len();
    let places = vec![align::Place::New(end); later.session.events.len()];
    merge::merge(primary, later, &places)
}

fn identify(
    session: &Session,
    event: &Event,
    read: &dyn Fn(LineRef) -> Option<Vec<u8>>,
    known: &mut HashMap<(SourceIx, u64, u16), Option<String>>,
) -> Identity {
    let name = session.names.text(event.name);
    let agent = session.names.get(session.agent_of(event).id).map(str::to_owned);
    let format = session.sources.get(event.at.source().at()).map_or("", |source| source.format);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    if format == Format::HookInputLog.name() {
        let Some(input) = read(event.at).and_then(|bytes| hook_log::extract_input(&bytes)) else {
            return Identity { agent, ..Identity::default() };
        };
        let mut hasher = DefaultHasher::new();
        input.to_string().hash(&mut hasher);
        let call = text(&input, "tool_use_id")
            .or_else(|| input.get("tool_calls").and_then(|calls| text(calls.get(0)?, "tool_use_id")));
        let key = key_of(name, call, &agent);
        return Identity { key, agent: text(&input, "agent_id"), input: Some(hasher.finish()) };
    }
    let call = session.calls_of(event).first().and_then(|call| {
        let place = (call.used.source(), call.used.offset(), call.used_block);
        known
            .entry(place)
            .or_insert_with(|| {
                let line = parse_lenient(&read(call.used)?)?;
                let content = line.get("message")?.get("content")?;
                text(content.get(usize::from(call.used_block))?, "id")
            })
            .clone()
    });
    Identity { key: key_of(name, call, &agent), agent, input: None }
}

/// Only what can't happen twice is a key.
fn key_of(name: &str, call: Option<String>, agent: &Option<String>) -> Option<String> {
    match name {
        // Its input names no call.
        "PermissionRequest" => None,
        "SubagentStart" => agent.clone(),
        _ => call,
    }
}

#[cfg(test)]
mod tests;
