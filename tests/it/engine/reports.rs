//! Text and JSON of the reports.

use std::time::Instant;

use clap::Parser;
use hookscope::cli::hooks::{self, HooksArgs};
use hookscope::cli::replay::{Form, Replay, ReplayArgs};
use hookscope::cli::show::{self, ShowArgs};
use hookscope::cli::style::Paint;
use hookscope::cli::view::View;
use hookscope::cli::{Exit, loop_cmd};
use hookscope::engine::{Mode, Tracer};
use hookscope::text::Charset;
use serde_json::Value;

use super::session::{Held, data, hold, tracer};

#[derive(Parser)]
struct Replays {
    #[command(flatten)]
    args: ReplayArgs,
}

#[derive(Parser)]
struct Shows {
    #[command(flatten)]
    args: ShowArgs,
}

const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "guard"}]},
                 {"matcher": "bash", "hooks": [{"type": "command", "command": "sh lint.sh"}]}],
  "PostToolUse": [{"hooks": [{"type": "command", "command": "fmt"}, {"type": "command", "command": "spell --all"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "notify"}]}]}}"#;

fn view<'a>(held: &'a Held, tracer: &'a Tracer) -> View<'a> {
    View {
        session: &held.session,
        tracer,
        lines: &held.lines,
        session_id: None,
        paint: Paint::Plain,
        fit: hookscope::cli::view::Fit::Terminal,
        of_several: false,
        charset: Charset::Unicode,
    }
}

/// What is written, with the settings' place and the time taken out.
fn steady(out: Vec<u8>, tracer: &Tracer) -> String {
    let path = tracer.plan().eras[0].set.files[0].path.clone();
    String::from_utf8(out).unwrap().replace(&path, "settings.json")
}

fn replay(held: &Held, tracer: &Tracer, form: Form, words: &[&str]) -> String {
    let args = Replays::parse_from(["replay", "session"].iter().chain(words)).args;
    let mut replay = Replay::new(&args, &hookscope::cli::Common::default(), form, Instant::now()).unwrap();
    let mut out = Vec::new();
    replay.session(&view(held, tracer), &mut out).unwrap();
    replay.finish(Paint::Plain, &mut out).unwrap();
    steady(out, tracer)
}

#[test]
fn replay_as_text() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let tracer = tracer(SETTINGS, Mode::Recorded);
    insta::assert_snapshot!(replay(&held, &tracer, Form::Text, &[]));
}

#[test]
fn an_event_as_text() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let tracer = tracer(SETTINGS, Mode::Recorded);
    let denied = replay(&held, &tracer, Form::Json, &["--where", "verdict:deny"]);
    let seq = serde_json::from_str::<Value>(denied.lines().next().unwrap()).unwrap()["seq"].to_string();
    let args = Shows::parse_from(["show", "session", "--event", &seq]).args;
    let mut out = Vec::new();
    show::run(&args, Form::Text, &view(&held, &tracer), &mut out).unwrap();
    insta::assert_snapshot!(steady(out, &tracer));
}

#[test]
fn hooks_as_text() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let tracer = tracer(SETTINGS, Mode::Recorded);
    let args = HooksArgs { sessions: Vec::new(), mode: None, filter: None };
    let mut out = Vec::new();
    hooks::run(&args, Form::Text, &view(&held, &tracer), &mut out).unwrap();
    insta::assert_snapshot!(steady(out, &tracer));
}

#[test]
fn loops_as_text_and_found() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "gate --changelog"}]}]}}"#;
    let tracer = tracer(settings, Mode::Recorded);
    let mut out = Vec::new();
    assert_eq!(loop_cmd::run(Form::Text, &view(&held, &tracer), &mut out).unwrap(), Exit::Found);
    insta::assert_snapshot!(steady(out, &tracer));
    let clean = data("t01-v1.0-basic.jsonl");
    let mut out = Vec::new();
    assert_eq!(loop_cmd::run(Form::Json, &view(&clean, &tracer), &mut out).unwrap(), Exit::Done);
    assert_eq!(serde_json::from_slice::<Value>(&out).unwrap()["verdict"], "clean");
}

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn replay_as_json_has_the_keys_of_the_contract() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let tracer = tracer(SETTINGS, Mode::Recorded);
    let text = replay(&held, &tracer, Form::Json, &["--inputs"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let event = lines.iter().find(|line| line["decision"]["verdict"] == "deny").unwrap();
    assert_eq!(
        keys(event),
        [
            "kind",
            "seq",
            "event",
            "session_id",
            "time",
            "subject",
            "sub",
            "tool_use_id",
            "origin",
            "source",
            "input",
            "groups",
            "runs",
            "decision",
            "recorded",
            "changed",
            "hypothetical"
        ]
    );
    assert_eq!(event["tool_use_id"], "toolu_04B");
    assert_eq!(event["input"]["tool_name"], "Bash");
    assert_eq!(keys(&event["groups"][0]), ["id", "scope", "path", "line", "matcher", "matched", "why", "handlers"]);
    assert_eq!(keys(&event["groups"][0]["handlers"][0]), ["id", "selected", "why", "started", "evidence"]);
    assert_eq!(
        keys(&event["runs"][0]),
        [
            "handler",
            "type",
            "command",
            "evidence",
            "exit_code",
            "signal",
            "duration_ms",
            "stdout",
            "stderr",
            "timed_out",
            "outcome",
            "says",
            "notes"
        ]
    );
    assert_eq!(
        keys(&event["decision"]),
        [
            "verdict",
            "reason",
            "decided_by",
            "rule",
            "action",
            "effect",
            "permission",
            "overruled",
            "updated_input",
            "updated_output",
            "additional_context",
            "system_messages",
            "initial_prompt",
            "updated_permissions",
            "evidence",
            "assumed"
        ]
    );
    let summary = lines.last().unwrap();
    assert_eq!(keys(summary), ["kind", "events", "matched", "verdicts", "changed", "elapsed_ms"]);
    assert_eq!(summary["events"], lines.len() - 1);
}

#[test]
fn without_inputs_no_text_of_the_session_is_left() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let tracer = tracer(SETTINGS, Mode::Recorded);
    let text = replay(&held, &tracer, Form::Json, &["--no-inputs"]);
    for words in ["pushes are done", "second pair of eyes", "not found", "formatted"] {
        assert!(!text.contains(words), "{words}");
    }
}

#[test]
fn escape_sequences_never_reach_the_terminal() {
    let evil = "Ev\u{1b}[31mil\u{9b}2J\u{202e}";
    let line = serde_json::json!({
        "type": "assistant", "uuid": "u1", "sessionId": evil, "version": evil, "timestamp": "2026-03-02T09:00:03Z",
        "cwd": evil, "message": {"id": "m", "role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": evil, "input": {"command": evil}}]},
    });
    let answer = serde_json::json!({
        "type": "user", "uuid": "u2", "parentUuid": "u1", "timestamp": "2026-03-02T09:00:04Z", "version": "2.1.332",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
            "content": format!("PreToolUse:x hook error: [guard]: {evil}\nmore")}]},
    });
    let held = hold("session", &format!("{line}\n{answer}\n"));
    let tracer =
        tracer(r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard"}]}]}}"#, Mode::Recorded);
    assert!(!held.session.events.is_empty());
    for form in [Form::Text, Form::Json] {
        let mut all = replay(&held, &tracer, form, &["--inputs"]);
        for event in 1..=held.session.events.len() {
            let args = Shows::parse_from(["show", "session", "--event", &event.to_string()]).args;
            let mut out = Vec::new();
            show::run(&args, form, &view(&held, &tracer), &mut out).unwrap();
            all.push_str(&String::from_utf8(out).unwrap());
        }
        let raw = all.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(raw, None, "{all:?}");
    }
}
