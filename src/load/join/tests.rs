use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::dialect::hook_log::HookLog;
use crate::dialect::{Output, Reader, Shared};
use crate::model::{Delta, EventIx, MarkKind, Origin, SourceInfo};

/// A log of inputs, one a line, as a part.
fn log(lines: &[Value]) -> Part {
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let (mut shared, mut out, mut reader) = (Shared::new(), Output::default(), HookLog::new());
    let mut offset = 0;
    for (number, line) in text.split('\n').enumerate() {
        let at = LineRef::new(SourceIx(0), offset, line.len() as u32, number as u32 + 1);
        reader.line(at, line.as_bytes(), &mut shared, &mut out);
        offset += line.len() as u64 + 1;
    }
    reader.end(&mut shared, &mut out);
    let mut session = Session::new("claude-code");
    session.agents = shared.agents.clone();
    session.apply(Delta {
        names: shared.names.since(1),
        id: out.id,
        sources: vec![SourceInfo { path: "log".into(), format: "hook-input-log", bytes: 0 }],
        contexts: shared.contexts,
        calls: out.calls.into_iter().map(|(ix, call)| (SourceIx(0), ix, call)).collect(),
        events: out.events,
        marks: out.marks,
        ..Delta::default()
    });
    Part::new(session, &|at| {
        let start = at.offset() as usize;
        text.as_bytes().get(start..start + at.len as usize).map(<[u8]>::to_vec)
    })
}

/// The same, as if a transcript had been the source: no inputs, derived events.
fn derived(lines: &[Value]) -> Part {
    let mut part = log(lines);
    for event in &mut part.session.events {
        event.origin = Origin::Derived;
        event.evidence = crate::model::Evidence::Derived;
        event.marks = (crate::model::MarkIx::NONE, crate::model::MarkIx::NONE);
    }
    part.session.marks.clear();
    part.ids.iter_mut().for_each(|id| id.input = None);
    part
}

fn input(name: &str, more: Value) -> Value {
    let mut input = json!({"hook_event_name": name, "session_id": "s", "transcript_path": "/x"});
    if let (Some(input), Value::Object(more)) = (input.as_object_mut(), more) {
        input.extend(more);
    }
    input
}

fn call(name: &str, id: &str) -> Value {
    input(name, json!({"tool_name": "Bash", "tool_use_id": id}))
}

/// `Name*` recorded, with the number of inputs that were logged of it.
fn shown(part: &Part) -> Vec<String> {
    let session = &part.session;
    let show = |(ix, event): (usize, &Event)| {
        let logged = session.marks_of(EventIx(ix as u32)).filter(|mark| mark.kind == MarkKind::InputLogged).count();
        format!("{}{}", session.names.text(event.name), if logged == 0 { String::new() } else { logged.to_string() })
    };
    session.events.iter().enumerate().map(show).collect()
}

fn check(transcript: &[Value], logged: &[Value], expect: &[&str]) {
    let joined = join(derived(transcript), log(logged), &|id| id == "s");
    assert_eq!(shown(&joined), expect);
    assert_eq!(joined.ids.len(), joined.session.events.len());
}

#[test]
fn what_the_log_has_too_is_one_event_and_recorded() {
    let all = [input("UserPromptSubmit", json!({})), call("PreToolUse", "a"), call("PostToolUse", "a")];
    check(&all, &all, &["UserPromptSubmit1", "PreToolUse1", "PostToolUse1"]);
    check(&all, &all[1..2], &["UserPromptSubmit", "PreToolUse1", "PostToolUse"]);
    let joined = join(derived(&all), log(&all[1..]), &|_| true);
    let origins: Vec<_> = joined.session.events.iter().map(|event| event.origin).collect();
    assert_eq!(origins, [Origin::Derived, Origin::Recorded, Origin::Recorded]);
    assert_eq!(joined.session.sources.len(), 2);
}

#[test]
fn calls_are_told_apart_by_their_ids_whatever_the_order() {
    let [a, b] = ["a", "b"].map(|id| call("PostToolUse", id));
    check(&[a.clone(), b.clone()], &[b.clone(), a.clone()], &["PostToolUse1", "PostToolUse1"]);
    check(&[a.clone(), b.clone()], &[b], &["PostToolUse", "PostToolUse1"]);
}

#[test]
fn two_handlers_of_one_event_are_one_event() {
    let stop = |active: bool| input("Stop", json!({"stop_hook_active": active}));
    let pre = call("PreToolUse", "a");
    check(&[pre.clone(), stop(false)], &[pre.clone(), pre, stop(false), stop(false)], &["PreToolUse2", "Stop2"]);
    let rounds = [stop(false), stop(true), stop(true)];
    check(&rounds, &rounds, &["Stop1", "Stop1", "Stop1"]);
    let twice: Vec<Value> = rounds.iter().flat_map(|stop| [stop.clone(), stop.clone()]).collect();
    check(&rounds, &twice, &["Stop2", "Stop2", "Stop2"]);
}

#[test]
fn what_only_the_log_knows_stands_where_it_happened() {
    let display = || input("MessageDisplay", json!({"index": 0}));
    let known =
        [input("SessionStart", json!({})), call("PreToolUse", "a"), call("PostToolUse", "a"), input("Stop", json!({}))];
    let logged = [
        known[0].clone(),
        known[1].clone(),
        input("PermissionRequest", json!({"tool_name": "Bash"})),
        known[2].clone(),
        display(),
        display(),
        known[3].clone(),
        input("SessionEnd", json!({"reason": "other"})),
    ];
    let expect = [
        "SessionStart1",
        "PreToolUse1",
        "PermissionRequest1",
        "PostToolUse1",
        "MessageDisplay2",
        "Stop1",
        "SessionEnd1",
    ];
    check(&known, &logged, &expect);
    let at = |time: &str, name: &str| input(name, json!({"timestamp": format!("2026-11-02T08:00:{time}Z")}));
    check(&[at("01", "A"), at("02", "B"), at("04", "C")], &[at("03", "N")], &["A", "B", "N1", "C"]);
}

#[test]
fn events_of_other_sessions_are_left_out() {
    let mut other = input("Stop", json!({}));
    other["session_id"] = json!("t");
    check(&[input("Stop", json!({}))], &[other, input("Stop", json!({}))], &["Stop1"]);
}

#[test]
fn subagents_are_told_apart() {
    let stop =
        |agent: &str| input("SubagentStop", json!({"agent_id": agent, "agent_type": "x", "stop_hook_active": false}));
    let joined = join(derived(&[stop("a"), stop("b")]), log(&[stop("b"), stop("a")]), &|_| true);
    assert_eq!(shown(&joined), ["SubagentStop1", "SubagentStop1"]);
    assert_eq!(joined.session.agents.len(), 3);
}

#[test]
fn a_later_run_is_appended_and_not_taken_for_the_first() {
    let run = [input("SessionStart", json!({})), input("Stop", json!({}))];
    let joined = append(log(&run), log(&run));
    assert_eq!(shown(&joined), ["SessionStart1", "Stop1", "SessionStart1", "Stop1"]);
}

proptest! {
    #[test]
    fn no_input_is_lost_and_no_event_of_the_session_either(
        transcript in prop::collection::vec((0_usize..6, 0_u8..3), 0..20),
        logged in prop::collection::vec((0_usize..6, 0_u8..3), 0..20),
    ) {
        let make = |picks: &[(usize, u8)]| -> Vec<Value> {
            picks.iter().map(|(pick, n)| match pick {
                0 => call("PreToolUse", &n.to_string()),
                1 => call("PostToolUse", &n.to_string()),
                2 => input("Stop", json!({"stop_hook_active": *n == 0})),
                3 => input("UserPromptSubmit", json!({})),
                4 => input("SubagentStop", json!({"agent_id": n.to_string()})),
                _ => input("Other", json!({"n": n})),
            }).collect()
        };
        let joined = join(derived(&make(&transcript)), log(&make(&logged)), &|_| true);
        prop_assert_eq!(joined.session.marks.len(), logged.len());
        prop_assert!(joined.session.events.len() >= transcript.len());
        prop_assert!(joined.session.events.len() <= transcript.len() + logged.len());
        let linked: usize = (0..joined.session.events.len())
            .map(|ix| joined.session.marks_of(EventIx(ix as u32)).count()).sum();
        prop_assert_eq!(linked, logged.len());
    }
}
