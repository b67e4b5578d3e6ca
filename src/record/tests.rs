use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::dialect::{Output, Reader, Shared};
use crate::model::{Evidence, HookRun, LineRef, MarkKind, Origin, Outcome, Says, SourceIx};

fn read(lines: &[&str]) -> (Shared, Output) {
    let (mut shared, mut out, mut reader) = (Shared::new(), Output::default(), RecordingReader::new());
    for (number, line) in lines.iter().enumerate() {
        let at = LineRef::new(SourceIx(0), number as u64, line.len() as u32, number as u32 + 1);
        reader.line(at, line.as_bytes(), &mut shared, &mut out);
    }
    reader.end(&mut shared, &mut out);
    (shared, out)
}

const HEAD: &str =
    r#"{"hookscope":1,"dialect":"claude-code","agent_version":"2.1.332","cwd":"/p","session_id":"s","mood":"kept"}"#;

#[test]
fn an_entry_is_an_event_with_its_runs() {
    let entry = r#"{"t":"2026-11-02T08:00:00Z","input":{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t"},
        "runs":[{"handler":"project:PreToolUse/0/0","type":"command","command":"guard.sh","exit_code":2,"duration_ms":3.1,
        "outcome":"blocking","says":"deny"}],"decision":null,"extra":[1]}"#;
    let (shared, out) = read(&[HEAD, entry, ""]);
    let event = &out.events[0];
    let context = shared.contexts[event.context.at()];
    let text = |name| shared.names.text(name);
    assert_eq!([text(event.name), text(event.subject)], ["PreToolUse", "Bash"]);
    assert_eq!([context.session, context.version, context.cwd].map(text), ["s", "2.1.332", "/p"]);
    assert_eq!(event.time.millis(), Some(1_793_606_400_000));
    assert_eq!((event.origin, event.evidence), (Origin::Recorded, Evidence::Recorded));
    let mark = &out.marks[0];
    assert_eq!(
        (mark.kind, mark.exit_code, mark.duration_ms, mark.says),
        (MarkKind::RecordedRun, Some(2), Some(3), Some(Says::Deny))
    );
    assert_eq!(text(mark.command), "guard.sh");
    assert_eq!(out.id.as_deref(), Some("s"));
}

#[test]
fn what_only_followed_stays_derived_and_versions_may_change() {
    let (shared, out) = read(&[
        HEAD,
        r#"{"input":{"hook_event_name":"Stop"},"origin":"derived","agent_version":"2.1.197"}"#,
        r#"{"input":{"hook_event_name":"Stop"}}"#,
    ]);
    let version = |at: usize| shared.names.text(shared.contexts[out.events[at].context.at()].version);
    assert_eq!((out.events[0].origin, version(0)), (Origin::Derived, "2.1.197"));
    assert_eq!((out.events[1].origin, version(1)), (Origin::Recorded, "2.1.332"));
}

#[test]
fn lines_that_are_none_are_events_with_a_diagnostic() {
    let (shared, out) = read(&[HEAD, "{\"input\":7}", "nonsense", "[]"]);
    assert_eq!(out.events.len(), 3);
    for (at, event) in out.events.iter().enumerate() {
        assert_eq!(shared.names.text(event.name), crate::model::Event::UNREADABLE);
        assert_eq!(event.diagnostic as usize, at);
    }
    let newer = parse(br#"{"hookscope":2,"dialect":"x"}"#).unwrap_err();
    assert!(newer.contains("reads up to format 1"), "{newer}");
}

#[test]
fn a_run_comes_back_as_it_was_written() {
    let run = HookRun::of_json(
        &json!({"handler": "h", "type": "prompt", "command": "c", "exit_code": null, "signal": 9,
        "duration_ms": 1.5, "stdout": "o", "stderr": "e", "timed_out": true, "outcome": "timeout", "says": null, "notes": ["n"]}),
    );
    assert_eq!((run.kind, run.signal, run.outcome), ("prompt", Some(9), Some(Outcome::Timeout)));
    let again = HookRun::of_json(&json!(run));
    assert_eq!(again, run);
}

fn any_map() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::collection::vec(".{0,4}".prop_map(Value::from), 0..3).prop_map(Value::from),
    ];
    prop::collection::vec(("x[a-z]{1,6}", value), 0..5).prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #[test]
    fn lines_survive_a_round_trip_with_fields_that_are_not_known(
        rest in any_map(), input in any_map(), run in any_map(), id in prop::option::of(".{0,8}"),
        t in prop::option::of(".{0,8}"), decided in prop::option::of(any_map()),
    ) {
        let header = Line::Header(Header {
            hookscope: 1, dialect: "claude-code".into(), agent_version: id.clone(), cwd: None, session_id: id, rest: rest.clone(),
        });
        prop_assert_eq!(parse(format(&header).as_bytes()).unwrap(), header);
        let entry = Line::Entry(Box::new(Entry {
            t, input, runs: vec![Value::Object(run)], decision: decided.map(Value::Object), rest,
        }));
        let text = format(&entry);
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(parse(text.as_bytes()).unwrap(), entry);
    }

    #[test]
    fn any_line_is_taken(line in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = parse(&line);
    }
}

#[test]
fn a_refusal_that_the_agent_does_not_read_is_marked() {
    let run = |stdout: &str, exit_code: i32| {
        json!({"input": {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t"}, "runs":
            [{"handler": "h", "type": "command", "command": "c", "exit_code": exit_code, "stdout": stdout}]})
        .to_string()
    };
    let refusal = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let cases = [(format!("checking\n{refusal}"), 0, true), (refusal.to_owned(), 0, false), (String::new(), 0, false)];
    for (stdout, exit_code, lost) in cases {
        let (_, out) = read(&[HEAD, &run(&stdout, exit_code)]);
        assert_eq!(out.marks[0].lost, lost, "{stdout}");
    }
    let unknown = r#"{"input":{"hook_event_name":"Stop"},"runs":[{"handler":"h","type":"command"}]}"#;
    assert!(!read(&[HEAD, unknown]).1.marks[0].lost);
}
