//! `replay --json` as other programs see it: through the binary, on recorded streams and transcripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::logs::data;

/// Event lines of `replay --json`; neither home nor project of this machine plays a part.
fn replay(args: &[&str]) -> Vec<Value> {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .args(["replay", "--json"])
        .args(args)
        .env("HOME", home.path())
        .env_remove("CLAUDE_CONFIG_DIR")
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == "event").collect()
}

fn stream(run: &str) -> PathBuf {
    data("streams").join(run).join("stream-1.jsonl")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// `event verdict action reason` of every event that is decided.
fn decided(events: &[Value]) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |event: &Value| {
        let decision = &event["decision"];
        let parts = [&event["event"], &decision["verdict"], &decision["action"], &decision["reason"]];
        parts.map(word).join(" ")
    };
    let open = |event: &&Value| !matches!(event["decision"]["verdict"].as_str(), Some("quiet" | "unknown"));
    events.iter().filter(open).map(line).collect()
}

#[test]
fn a_stream_alone_tells_what_its_handlers_answered() {
    let decided = decided(&replay(&[text(&stream("outcomes"))]));
    assert_eq!(
        decided,
        [
            "PreToolUse allow auto-allowed -",
            "PreToolUse deny blocked R-DENY",
            "PreToolUse ask asks-user R-ASK",
            "PreToolUse allow auto-allowed -",
            "PostToolUse block feedback-to-model WHY-POST",
            "PreToolUse deny blocked blocked by exit two",
            "PostToolUse block feedback-to-model post exit two",
        ]
    );
}

#[test]
fn a_refused_permission_is_no_refusal_before_the_call() {
    let decided = decided(&replay(&[text(&stream("permission"))]));
    assert_eq!(
        decided,
        [
            "PermissionRequest allow auto-allowed -",
            "PermissionRequest deny denied Not today.",
            "PermissionRequest allow auto-allowed -",
        ]
    );
}

#[test]
fn an_answer_from_the_background_decides_nothing() {
    let events = replay(&[text(&stream("async-hooks"))]);
    assert_eq!(decided(&events), Vec::<String>::new());
    let runs = events.iter().flat_map(|event| event["runs"].as_array().unwrap());
    let late = runs.filter(|run| run["outcome"] == "async").count();
    assert_eq!(late, 5);
}

#[test]
fn without_the_sessions_folder_nothing_is_called_none() {
    let transcript = data("transcripts").join("t04-v2.1.140-attachments.jsonl");
    for mode in ["recorded", "match"] {
        let events = replay(&[text(&transcript), "--mode", mode]);
        assert!(!events.is_empty());
        assert!(events.iter().all(|event| event["decision"]["verdict"] != "none"), "{mode}");
    }
}

#[test]
fn an_action_is_always_a_word() {
    for mode in ["recorded", "match"] {
        for event in replay(&[text(&stream("tools")), "--mode", mode]) {
            assert!(event["decision"]["action"].is_string(), "{event}");
        }
    }
}

#[test]
fn only_what_the_hook_input_has_is_the_id_of_the_call() {
    for event in replay(&[text(&stream("permission"))]) {
        let of_call = matches!(event["event"].as_str(), Some("PreToolUse" | "PostToolUse" | "PostToolUseFailure"));
        assert_eq!(event["tool_use_id"].is_string(), of_call, "{}", event["event"]);
    }
}

#[test]
fn as_many_answers_as_handlers_prove_that_all_were_started() {
    let settings = tempfile::NamedTempFile::new().unwrap();
    let handlers = ["\"$LAB_BIN/play\" pre", "\"$LAB_BIN/rec\" PreToolUse"];
    let handlers = handlers.map(|command| serde_json::json!({"type": "command", "command": command}));
    let hooks = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": handlers}]}});
    std::fs::write(settings.path(), hooks.to_string()).unwrap();
    let given = format!("project={}", text(settings.path()));
    let events = replay(&[text(&stream("outcomes")), "--settings", &given]);
    for event in events.iter().filter(|event| event["event"] == "PreToolUse") {
        for handler in event["groups"][0]["handlers"].as_array().unwrap() {
            assert_eq!(handler["started"], true, "{event}");
            assert_ne!(handler["evidence"], "unknown", "{event}");
        }
    }
}

#[test]
fn a_log_of_hook_inputs_keeps_the_ids_of_the_calls() {
    let events = replay(&[text(&data("streams/tools/inputs.jsonl"))]);
    let calls: Vec<&Value> = events.iter().filter(|event| event["event"] == "PreToolUse").collect();
    assert!(!calls.is_empty() && calls.iter().all(|event| event["tool_use_id"].is_string()));
}

/// What `convert` makes of a session, beside other recordings of this test.
fn recording_of(source: &Path, folder: &Path) -> PathBuf {
    let converted = Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .arg("convert")
        .arg(source)
        .env("HOME", folder)
        .env_remove("CLAUDE_CONFIG_DIR")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(converted.status.success(), "{}", String::from_utf8_lossy(&converted.stderr));
    let recording = folder.join("recording.jsonl");
    std::fs::write(&recording, converted.stdout).unwrap();
    recording
}

/// Files of a folder of the data, in order, that `wanted` takes by path.
fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// That a recording tells what its source tells, but for the places of the lines.
fn assert_reads_back(source: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let recording = recording_of(source, folder.path());
    let once = replay(&[text(source), "--inputs"]);
    let again = replay(&[text(&recording), "--inputs"]);
    assert_eq!(once.len(), again.len(), "{}", source.display());
    for (mut one, mut two) in once.into_iter().zip(again) {
        for event in [&mut one, &mut two] {
            event.as_object_mut().unwrap().remove("source").unwrap();
        }
        assert_eq!(one, two, "{}", source.display());
    }
}

#[test]
fn a_recording_of_a_transcript_tells_the_same() {
    let transcripts = files(&data("transcripts"), &|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    assert!(transcripts.len() >= 8);
    transcripts.iter().for_each(|transcript| assert_reads_back(transcript));
}

#[test]
fn a_recording_of_a_stream_tells_the_same() {
    let streams = files(&data("streams"), &|path| path.ends_with("stream-1.jsonl"));
    assert!(streams.len() >= 20);
    streams.iter().for_each(|stream| assert_reads_back(stream));
}

#[test]
fn a_recording_of_a_demo_tells_the_same() {
    let demos = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions"), &|path| path.ends_with("session.jsonl"));
    assert!(demos.len() >= 7);
    demos.iter().for_each(|demo| assert_reads_back(demo));
}

#[test]
fn a_recording_of_joined_sources_tells_the_same() {
    for run in ["outcomes", "subagent"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(stream(run), folder.path().join("stream-1.jsonl")).unwrap();
        std::fs::copy(data("streams").join(run).join("debug.txt"), folder.path().join("debug-hooks.txt")).unwrap();
        assert_reads_back(folder.path());
    }
}

#[test]
fn stream_and_debug_log_tell_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(stream("outcomes"), folder.path().join("stream-1.jsonl")).unwrap();
    std::fs::copy(data("streams/outcomes/debug.txt"), folder.path().join("debug-hooks.txt")).unwrap();
    let events = replay(&[text(folder.path())]);
    let play = |event: &Value| {
        let runs = event["runs"].as_array().unwrap().clone();
        assert!(runs.len() <= 2, "{}: {runs:?}", event["seq"]);
        runs.into_iter().find(|run| run["command"].as_str().is_some_and(|command| command.contains("play")))
    };
    let refusal = events.iter().filter_map(play).find(|run| run["says"] == "deny").unwrap();
    assert_eq!(refusal["exit_code"], 0);
    assert_eq!(refusal["duration_ms"], 120.0);
    assert!(refusal["stdout"].as_str().unwrap().contains("R-DENY"));
    let killed = events.iter().filter_map(play).find(|run| run["exit_code"] == 137).unwrap();
    assert_eq!(killed["outcome"], "non_blocking_error");
    let stopped = events.iter().filter_map(play).find(|run| run["timed_out"] == true).unwrap();
    assert_eq!((&stopped["outcome"], &stopped["duration_ms"]), (&Value::from("timeout"), &Value::from(1064.0)));
}

#[test]
fn one_message_with_twenty_thousand_calls_is_replayed_in_order() {
    const CALLS: usize = 20_000;
    let line = |kind: &str, parent: Value, content: Vec<Value>| {
        json!({
            "type": kind, "uuid": kind, "parentUuid": parent, "sessionId": "s", "version": "2.1.150", "cwd": "/nope",
            "timestamp": "2026-11-30T10:00:00.000Z", "isSidechain": false,
            "message": {"role": kind, "id": "m", "content": content},
        })
        .to_string()
    };
    let used =
        (0..CALLS).map(|ix| json!({"type": "tool_use", "id": format!("toolu_{ix}"), "name": "Read", "input": {}}));
    let answered =
        (0..CALLS).map(|ix| json!({"type": "tool_result", "tool_use_id": format!("toolu_{ix}"), "content": ""}));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let lines = [line("assistant", Value::Null, used.collect()), line("user", json!("assistant"), answered.collect())];
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let events = replay(&[text(&path)]);
    for name in ["PreToolUse", "PostToolUse"] {
        let of_name = events.iter().filter(|event| event["event"] == name);
        let ids: Vec<&str> = of_name.map(|event| event["tool_use_id"].as_str().unwrap()).collect();
        assert_eq!(ids, (0..CALLS).map(|ix| format!("toolu_{ix}")).collect::<Vec<_>>(), "{name}");
    }
}
