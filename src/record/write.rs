//! Writing a session as a recording.

use serde_json::{Map, Value, json};

use super::{Entry, Header, VERSION};
use crate::model::{Context, HookRun, Origin, Session, Step};

/// The head of a session's recording: what held at its first events.
pub fn header_of(session: &Session) -> Header {
    let first = |pick: fn(Context) -> crate::model::Name| {
        let found = session.events.iter().map(|event| pick(session.context_of(event))).find(|name| name.is_some());
        found.and_then(|name| session.text(name)).map(str::to_owned)
    };
    Header {
        hookscope: VERSION,
        dialect: session.dialect.to_owned(),
        agent_version: first(|context| context.version),
        cwd: first(|context| context.cwd),
        session_id: Some(session.id.clone()).filter(|id| !id.is_empty()).or_else(|| first(|context| context.session)),
        rest: Map::new(),
    }
}

/// An event's line. `version` is the client's at this event, told where it is not the head's.
pub fn entry_of(step: &Step, version: Option<&str>, header: &Header) -> Entry {
    let mut input = match &step.input {
        Some(Value::Object(input)) => input.clone(),
        _ => Map::new(),
    };
    if !input.contains_key("hook_event_name") {
        input.insert("hook_event_name".to_owned(), Value::from(step.event.as_str()));
    }
    if let (Some(session), false) = (&step.session_id, input.contains_key("session_id")) {
        input.insert("session_id".to_owned(), Value::from(session.as_str()));
    }
    let mut rest = Map::new();
    if step.origin == Origin::Derived {
        rest.insert("origin".to_owned(), json!(step.origin));
    }
    if let Some(sub) = step.sub.as_ref().filter(|_| !input.contains_key("agent_id")) {
        // Old subagents have no id, by which an input would tell them.
        rest.insert("sub".to_owned(), json!(sub));
    }
    let tells = |subject: &str| input.values().any(|value| value.as_str() == Some(subject));
    if let Some(subject) = step.subject.as_ref().filter(|subject| !tells(subject)) {
        // A source may tell what a matcher is tested on, and not in which field of the input it stood.
        rest.insert("subject".to_owned(), json!(subject));
    }
    if let Some(at) = step.left_at {
        rest.insert("left_at".to_owned(), json!(at));
    }
    rest.insert("source".to_owned(), json!({ "path": step.source.path, "line": step.source.line }));
    if let Some(version) = version.filter(|version| header.agent_version.as_deref() != Some(*version)) {
        rest.insert("agent_version".to_owned(), json!(version));
    }
    if !step.diagnostics.is_empty() {
        rest.insert("diagnostics".to_owned(), json!(step.diagnostics));
    }
    Entry {
        t: step.time.clone(),
        input,
        runs: step.runs.iter().map(run_as_json).collect(),
        decision: Some(json!(step.decision)),
        rest,
    }
}

/// A refusal that the agent did not read is told beside what the contract has of a run.
fn run_as_json(run: &HookRun) -> Value {
    let mut written = json!(run);
    if let (true, Some(fields)) = (run.lost, written.as_object_mut()) {
        fields.insert("lost".to_owned(), Value::Bool(true));
    }
    written
}
