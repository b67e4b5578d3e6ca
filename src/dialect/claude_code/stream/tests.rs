use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Ending, SourceIx};

fn read(lines: &[Value]) -> (Shared, Output) {
    let (mut shared, mut out, mut reader) = (Shared::new(), Output::default(), StreamReader::new());
    for (number, line) in lines.iter().enumerate() {
        let at = LineRef::new(SourceIx(0), number as u64, 1, number as u32 + 1);
        reader.line(at, line.to_string().as_bytes(), &mut shared, &mut out);
    }
    reader.end(&mut shared, &mut out);
    (shared, out)
}

fn check(lines: &[Value], expect: &[&str]) {
    let (shared, out) = read(lines);
    let text = |name: Name| shared.names.text(name).to_owned();
    let seen: Vec<String> = out
        .events
        .iter()
        .map(|event| format!("{} {}", text(event.name), text(event.subject)).trim().to_owned())
        .collect();
    assert_eq!(seen, expect);
    assert!(out.marks.iter().all(|mark| mark.event.at() < out.events.len()));
}

fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/p", "claude_code_version": "2.1.332"})
}

fn started(id: &str, name: &str) -> Value {
    let event = name.split(':').next();
    json!({"type": "system", "subtype": "hook_started", "hook_id": id, "hook_name": name, "hook_event": event, "session_id": "s"})
}

fn response(id: &str, name: &str, stdout: &str, exit_code: i32) -> Value {
    let event = name.split(':').next();
    json!({"type": "system", "subtype": "hook_response", "hook_id": id, "hook_name": name, "hook_event": event,
        "stdout": stdout, "exit_code": exit_code, "session_id": "s"})
}

fn call(message: &str, id: &str, tool: &str) -> Value {
    json!({"type": "assistant", "session_id": "s", "message": {"id": message, "content": [
        {"type": "tool_use", "id": id, "name": tool, "input": {}}]}})
}

fn answer(id: &str, text: &str, is_error: bool) -> Value {
    json!({"type": "user", "session_id": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]}})
}

fn says(text: &str) -> Value {
    json!({"type": "assistant", "session_id": "s", "message": {"id": "m9", "content": [{"type": "text", "text": text}]}})
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "terminal_reason": "completed", "session_id": "s"})
}

#[test]
fn handlers_of_one_firing_are_one_event() {
    check(
        &[
            started("1", "SessionStart:startup"),
            started("2", "SessionStart:startup"),
            response("1", "SessionStart:startup", "", 0),
            response("2", "SessionStart:startup", "", 0),
            started("3", "UserPromptSubmit"),
            init(),
        ],
        &["SessionStart startup", "UserPromptSubmit"],
    );
}

#[test]
fn calls_side_by_side_fire_once_each() {
    let calls = [call("m", "a", "Bash"), call("m", "b", "Bash")];
    let one = |id: &str| started(id, "PreToolUse:Bash");
    let ends = [answer("b", "x", false), answer("a", "x", false), says("done"), result()];
    let expect = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse Bash",
        "PreToolUse Bash",
        "PostToolUse Bash",
        "PostToolUse Bash",
        "PostToolBatch",
        "Stop",
        "SessionEnd other",
    ];
    let [a, b] = calls;
    check(&[&[init(), a.clone(), one("1"), b.clone(), one("2")][..], &ends].concat(), &expect);
    check(&[&[init(), a.clone(), b.clone(), one("1"), one("2")][..], &ends].concat(), &expect);
    check(&[&[init(), a, b][..], &ends].concat(), &expect);
}

#[test]
fn a_refused_call_has_no_event_after_it() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let expect = ["SessionStart", "UserPromptSubmit", "PreToolUse Bash", "PostToolBatch", "Stop", "SessionEnd other"];
    let ask = [init(), call("m", "a", "Bash"), started("1", "PreToolUse:Bash")];
    let end = [says("well"), result()];
    for (stdout, code, text) in [
        (deny, 0, "no"),
        ("", 2, "PreToolUse:Bash hook error: [x]: no"),
        ("", 0, "Claude requested permissions to use Bash, but you haven't granted it yet."),
    ] {
        let middle = [response("1", "PreToolUse:Bash", stdout, code), answer("a", text, true)];
        check(&[&ask[..], &middle, &end].concat(), &expect);
    }
    let (_, out) = read(&[&ask[..], &[response("1", "PreToolUse:Bash", deny, 0), answer("a", "no", true)]].concat());
    assert_eq!(out.calls.last().unwrap().1.ending, Ending::DeniedByHook);
}

#[test]
fn a_call_refused_before_hooks_has_no_event() {
    check(
        &[
            init(),
            call("m", "a", "Nope"),
            answer("a", "<tool_use_error>Error: No such tool", true),
            says("x"),
            result(),
        ],
        &["SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "SessionEnd other"],
    );
}

#[test]
fn stops_that_are_sent_back_count_and_set_the_flag() {
    let back = json!({"type": "user", "session_id": "s", "isSynthetic": true,
        "message": {"content": [{"type": "text", "text": "Stop hook feedback:\nno"}]}});
    let (shared, out) = read(&[init(), says("a"), back.clone(), says("b"), back, says("c"), result()]);
    let flags: Vec<_> = out
        .events
        .iter()
        .filter(|event| shared.names.text(event.name) == "Stop")
        .map(|event| event.stop_hook_active)
        .collect();
    assert_eq!(flags, [Some(false), Some(true), Some(true)]);
    assert_eq!(out.marks.iter().filter(|mark| mark.kind == MarkKind::StopFeedback).count(), 2);
}

#[test]
fn folder_and_version_reach_the_events_before_init() {
    let (shared, out) = read(&[started("1", "SessionStart:startup"), init()]);
    let context = shared.contexts[out.events[0].context.at()];
    assert_eq!([context.cwd, context.version].map(|name| shared.names.text(name)), ["/p", "2.1.332"]);
}

#[test]
fn a_stream_that_breaks_off_tells_what_was_going_on() {
    check(&[init(), call("m", "a", "Bash")], &["SessionStart", "UserPromptSubmit", "PreToolUse Bash"]);
}

proptest! {
    #[test]
    fn any_lines_in_any_order_are_read(picks in prop::collection::vec((0_usize..14, 0_u8..4), 0..40)) {
        let lines: Vec<Value> = picks.iter().map(|(pick, n)| {
            let id = n.to_string();
            match pick {
                0 => init(),
                1 => started(&id, "PreToolUse:Bash"),
                2 => response(&id, "PreToolUse:Bash", "", 2),
                3 => call("m", &id, "Bash"),
                4 => answer(&id, "x", *n == 0),
                5 => says("x"),
                6 => result(),
                7 => started(&id, "PostToolUse:Bash"),
                8 => started(&id, "SubagentStop"),
                9 => json!({"type": "system", "subtype": "compact_boundary", "session_id": id}),
                10 => json!({"type": "system", "subtype": "status", "status": "compacting"}),
                11 => json!({"type": "system", "subtype": "task_started", "task_id": id, "tool_use_id": id, "subagent_type": "x"}),
                12 => json!({"type": "assistant", "parent_tool_use_id": id, "message": {"content": [{"type": "tool_use", "id": "t"}]}}),
                _ => json!([1]),
            }
        }).collect();
        let (_, out) = read(&lines);
        prop_assert!(out.marks.iter().all(|mark| mark.event.at() < out.events.len()));
        let started = picks.iter().filter(|(pick, _)| matches!(pick, 1 | 7 | 8)).count();
        prop_assert_eq!(out.marks.iter().filter(|mark| mark.kind == MarkKind::Started).count(), started);
    }
}

#[test]
fn a_refusal_that_the_agent_does_not_read_is_marked() {
    let refusal = r#"{"decision":"block","reason":"tests"}"#;
    for (stdout, lost) in [(format!("checking\n{refusal}"), true), (refusal.to_owned(), false), (String::new(), false)]
    {
        let (_, out) = read(&[init(), started("h", "Stop"), response("h", "Stop", &stdout, 0)]);
        let marked: Vec<bool> =
            out.marks.iter().filter(|mark| mark.kind == MarkKind::Response).map(|mark| mark.lost).collect();
        assert_eq!(marked, [lost], "{stdout}");
    }
}
