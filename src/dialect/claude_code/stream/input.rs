//! The hook input of an event that was read from a stream, as far as the stream tells.

use serde_json::{Map, Value, json};

use crate::dialect::claude_code::input::WITH_MODE;
use crate::model::{Call, Event, LineRef, Name, Session};
use crate::source::values::parse_lenient;

/// The hook input an event's handlers get, without the fields that the stream does not tell (`transcript_path`,
/// `prompt_id` …). `read` gives the bytes at a place.
pub fn hook_input(session: &Session, event: &Event, read: &dyn Fn(LineRef) -> Option<Vec<u8>>) -> Value {
    let mut input = Map::new();
    let context = session.context_of(event);
    let name = session.names.text(event.name);
    let mut put = |key: &str, name: Name| {
        if let Some(text) = session.names.get(name) {
            input.insert(key.to_owned(), json!(text));
        }
    };
    put("session_id", context.session);
    put("cwd", context.cwd);
    if WITH_MODE.contains(&name) {
        put("permission_mode", context.mode);
    }
    let agent = session.agent_of(event);
    put("agent_id", agent.id);
    put("agent_type", agent.kind);
    put("hook_event_name", event.name);
    let subject = crate::dialect::claude_code::DIALECT.event(name).and_then(|spec| spec.subject);
    if let Some(field) = subject.filter(|field| !matches!(*field, "tool_name" | "agent_type")) {
        put(field, event.subject);
    }
    let object = |at: LineRef| read(at).and_then(|bytes| parse_lenient(&bytes));
    let calls = session.calls_of(event);
    match name {
        "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" => {
            if let Some(call) = calls.first() {
                tool(&mut input, session, call, &object, name);
            }
        }
        "PostToolBatch" => {
            let list = calls.iter().map(|call| {
                let mut one = Map::new();
                tool(&mut one, session, call, &object, "");
                if let Some(block) = block(object(call.answered), call.answered_block) {
                    one.insert("tool_response".to_owned(), block.get("content").cloned().unwrap_or(Value::Null));
                }
                Value::Object(one)
            });
            input.insert("tool_calls".to_owned(), list.collect());
        }
        _ => {}
    }
    if let Some(active) = event.stop_hook_active {
        input.insert("stop_hook_active".to_owned(), json!(active));
    }
    if name == "StopFailure"
        && let Some(text) = block(object(event.at), 0).as_ref().and_then(|block| block.get("text"))
    {
        input.insert("last_assistant_message".to_owned(), text.clone());
    }
    Value::Object(input)
}

fn tool(
    input: &mut Map<String, Value>,
    session: &Session,
    call: &Call,
    object: &dyn Fn(LineRef) -> Option<Value>,
    event: &str,
) {
    input.insert("tool_name".to_owned(), json!(session.names.text(call.tool)));
    if let Some(block) = block(object(call.used), call.used_block) {
        if let Some(arguments) = block.get("input") {
            input.insert("tool_input".to_owned(), arguments.clone());
        }
        if let Some(id) = block.get("id").filter(|_| event != "PermissionRequest") {
            input.insert("tool_use_id".to_owned(), id.clone());
        }
    }
    if !matches!(event, "PostToolUse" | "PostToolUseFailure") {
        return;
    }
    let Some(answer) = object(call.answered) else { return };
    if event == "PostToolUse" {
        if let Some(response) = answer.get("tool_use_result") {
            input.insert("tool_response".to_owned(), response.clone());
        }
    } else if let Some(Value::String(text)) =
        block(Some(answer), call.answered_block).as_ref().and_then(|block| block.get("content"))
    {
        input.insert("error".to_owned(), json!(text));
    }
}

fn block(line: Option<Value>, block: u16) -> Option<Value> {
    line?.get("message")?.get("content")?.get(usize::from(block)).cloned()
}
