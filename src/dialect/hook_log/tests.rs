use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::SourceIx;

fn read(text: &[u8]) -> (Shared, Output, HookLog) {
    let (mut shared, mut out, mut log) = (Shared::new(), Output::default(), HookLog::new());
    let mut offset = 0;
    for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        let at = LineRef::new(SourceIx(3), offset, bare.len() as u32, number as u32 + 1);
        log.line(at, bare, &mut shared, &mut out);
        offset += line.len() as u64;
    }
    log.end(&mut shared, &mut out);
    (shared, out, log)
}

fn names(shared: &Shared, out: &Output) -> Vec<String> {
    out.events.iter().map(|event| shared.names.text(event.name).to_owned()).collect()
}

#[test]
fn every_event_points_at_its_own_input() {
    let text = "x {\"d\": [\r\n {\"hook_event_name\":\"A\",\"n\":1}, {\"hook_event_name\":\"A\",\"n\":1}\r\n]}\r\n\"{\\\"hook_event_name\\\":\\\"B\\\"}\"\r\n";
    let (shared, out, _) = read(text.as_bytes());
    assert_eq!(names(&shared, &out), ["A", "A", "B"]);
    assert_eq!(out.marks.len(), 3);
    for event in &out.events {
        let at = event.at;
        let bytes = &text.as_bytes()[at.offset() as usize..at.offset() as usize + at.len as usize];
        assert_eq!(extract_input(bytes).unwrap()["hook_event_name"], shared.names.text(event.name));
        assert_eq!(at.line as usize, text[..at.offset() as usize].matches('\n').count() + 1);
        assert_eq!(at.source(), SourceIx(3));
        assert_eq!((event.origin, event.evidence), (Origin::Recorded, Evidence::Recorded));
    }
}

#[test]
fn empty_lines_and_a_byte_order_mark_count() {
    let (_, out, _) = read(b"\n\r\n\n{\"hook_event_name\":\"A\"}\n");
    assert_eq!((out.events[0].at.line, out.events[0].at.offset()), (4, 4));
    let (mut shared, mut out, mut log) = (Shared::new(), Output::default(), HookLog::new());
    let line = b"{\"hook_event_name\":\"A\"}";
    log.line(LineRef::new(SourceIx(0), 3, line.len() as u32, 1), line, &mut shared, &mut out);
    assert_eq!((out.events[0].at.line, out.events[0].at.offset()), (1, 3));
    // A line of which only a start was handed on.
    let far = LineRef::new(SourceIx(0), 100_000, line.len() as u32, 2);
    log.line(far, line, &mut shared, &mut out);
    assert_eq!(out.events[1].at, far);
}

#[test]
fn fields_of_the_input_become_context_agent_and_calls() {
    let lines = [
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/h/.claude/p/s.jsonl", "cwd": "/p",
            "permission_mode": "plan", "effort": {"level": "high"}, "prompt_id": "p1", "tool_name": "Bash",
            "tool_use_id": "t1", "agent_id": "a1", "agent_type": "checker"}),
        json!({"hook_event_name": "PostToolUseFailure", "session_id": "s", "transcript_path": "/h/.claude/p/s.jsonl",
            "tool_name": "Bash", "tool_use_id": "t1", "agent_id": "a1"}),
        json!({"hook_event_name": "Brandnew", "session_id": "s", "transcript_path": "/x"}),
        json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/x", "stop_hook_active": true}),
    ];
    let text = lines.map(|line| line.to_string()).join("\n");
    let (shared, out, _) = read(text.as_bytes());
    let [pre, post, new, stop] = &out.events[..] else { panic!("four events") };
    let text = |name: Name| shared.names.text(name);
    let context = shared.contexts[pre.context.at()];
    assert_eq!(
        [context.session, context.cwd, context.mode, context.effort, context.prompt].map(text),
        ["s", "/p", "plan", "high", "p1"]
    );
    assert_eq!(context.dialect, Name::NONE);
    assert_eq!(text(pre.subject), "Bash");
    assert_eq!((text(shared.agents[1].id), text(shared.agents[1].kind)), ("a1", "checker"));
    assert_eq!((pre.agent, post.agent, new.agent), (AgentIx(1), AgentIx(1), AgentIx(0)));
    assert_eq!(pre.calls, post.calls);
    assert_eq!(out.calls.last().unwrap().1.ending, Ending::Failed);
    assert_eq!(text(new.name), "Brandnew");
    assert_eq!(stop.stop_hook_active, Some(true));
    assert_eq!(out.id.as_deref(), Some("s"));
}

#[test]
fn times_come_from_wrapper_then_text_then_the_input() {
    let (_, out, _) = read(
        b"2026-11-02T08:00:00Z {\"ts\":1793606401,\"x\":{\"hook_event_name\":\"A\"}}\n\
          2026-11-02T08:00:02Z pre\n{\"hook_event_name\":\"A\"}\n\
          {\"hook_event_name\":\"A\",\"timestamp\":\"2026-11-02T08:00:03Z\"}\n{\"hook_event_name\":\"A\"} 2026-11-02T08:00:09Z\n{\"hook_event_name\":\"A\"}",
    );
    let times: Vec<_> = out.events.iter().map(|event| event.time.millis().map(|at| at - 1_793_606_400_000)).collect();
    assert_eq!(times, [Some(1000), Some(2000), Some(3000), None, None]);
}

#[test]
fn an_input_that_breaks_off_is_reported_and_what_follows_is_read() {
    let (shared, out, log) = read(
        b"{\"hook_event_name\":\"A\",\"cut\":\"of\n{\"hook_event_name\":\"B\"}\n{\"x\": json}\n{\"ts\":1,\"d\":{\"hook_event_name\":\"C\"}\n{\"debug\":true}\n",
    );
    assert_eq!(names(&shared, &out), ["B", "C"]);
    let lines: Vec<_> = out.diagnostics.iter().map(|diagnostic| diagnostic.place.line).collect();
    assert_eq!(lines, [Some(1)]);
    assert_eq!(log.other_objects(), 1);
}

#[test]
fn the_agent_is_told_by_transcript_folder_turn_and_what_is_missing() {
    let check = |input: Value, expect: &str| assert_eq!(dialect_of(&input), expect, "{input}");
    check(json!({"transcript_path": "/h/.codex/sessions/x.jsonl"}), "codex");
    check(json!({"turn_id": "t", "transcript_path": null}), "codex");
    check(json!({"turn_id": "t", "transcript_path": "/h/.claude/projects/x.jsonl"}), "claude-code");
    check(json!({"transcript_path": "/elsewhere/x.jsonl"}), "claude-code");
    check(json!({"transcript_path": "C:\\Users\\m\\.claude\\projects\\x.jsonl"}), "claude-code");
    check(json!({}), "devin");
    check(json!({"transcript_path": "/h/.gemini/tmp/x.json"}), "gemini-cli");
}

proptest! {
    #[test]
    fn any_bytes_are_read(text in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        "(\\{|\\}|\"|hook_event_name|:|,|\\\\|\n|\r|A){0,40}".prop_map(String::into_bytes),
    ]) {
        let (shared, out, _) = read(&text);
        for event in &out.events {
            let at = event.at.offset() as usize;
            prop_assert!(extract_input(&text[at..at + event.at.len as usize]).is_some());
            prop_assert!(!shared.names.text(event.name).is_empty() || event.name.is_some());
        }
    }
}
