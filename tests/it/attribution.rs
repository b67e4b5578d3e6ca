//! Whose word decided: what a trace names is a fact, what is merely left over is none.

use std::process::Command;

use serde_json::{Value, json};

/// A transcript of shell calls, each answered with these words.
fn transcript(answers: &[&str]) -> String {
    let line = |second: usize, kind: &str, message: Value| {
        json!({"parentUuid": null, "isSidechain": false, "sessionId": "s1", "version": "2.1.332", "type": kind,
            "cwd": "/nowhere/at/all", "uuid": format!("{kind}{second}"), "message": message,
            "timestamp": format!("2026-11-20T08:00:0{second}.000Z")})
        .to_string()
    };
    let mut lines = vec![line(0, "user", json!({"role": "user", "content": "go"}))];
    for (at, words) in answers.iter().enumerate() {
        let id = format!("t{at}");
        let used = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "git push -f"}}]);
        lines.push(line(
            2 * at + 1,
            "assistant",
            json!({"id": format!("m{at}"), "role": "assistant", "model": "m", "stop_reason": "tool_use", "content": used}),
        ));
        let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": words}]);
        lines.push(line(2 * at + 2, "user", json!({"role": "user", "content": result})));
    }
    lines.join("\n")
}

const BY_JSON: &str = "PreToolUse:Bash hook error: No force push.";
const BY_EXIT: &str = "PreToolUse:Bash hook error: [guard.sh]: No force push.";
const BY_OTHER: &str = "PreToolUse:Bash hook error: [other.sh]: Not now.";

struct Session {
    folder: tempfile::TempDir,
}

impl Session {
    fn new(answers: &[&str]) -> Session {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("s1.jsonl"), transcript(answers)).unwrap();
        let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard.sh"}]}]}});
        std::fs::create_dir_all(folder.path().join("project/.claude")).unwrap();
        for name in ["given.json", "project/.claude/settings.json"] {
            std::fs::write(folder.path().join(name), hooks.to_string()).unwrap();
        }
        Session { folder }
    }

    fn said(&self, args: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_hookscope"))
            .args(args)
            .env("HOME", self.folder.path())
            .env_remove("CLAUDE_CONFIG_DIR")
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The decision at the first call.
    fn decision(&self, settings: &[&str]) -> Value {
        let text = self.said(&[&["replay", "s1.jsonl", "--json"], settings].concat());
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.find(|line| line["event"] == "PreToolUse").unwrap()["decision"].clone()
    }

    fn shown(&self) -> String {
        self.said(&["show", "s1.jsonl", "--event", "3", "--settings", "given.json"])
    }
}

const GIVEN: &[&str] = &["--settings", "given.json"];

fn by_and_evidence(decision: &Value) -> (&str, &str) {
    (decision["decided_by"].as_str().unwrap_or("-"), decision["evidence"].as_str().unwrap())
}

#[test]
fn a_handler_that_the_trace_names_is_a_fact() {
    let session = Session::new(&[BY_EXIT]);
    assert_eq!(by_and_evidence(&session.decision(GIVEN)), ("project:PreToolUse/0/0", "recorded"));
    assert!(!session.shown().contains("probably"));
}

#[test]
fn a_handler_that_is_only_left_over_is_probably_it() {
    let session = Session::new(&[BY_JSON]);
    // The folder of the session is not here, but settings are given: the handler is named all the same.
    assert_eq!(by_and_evidence(&session.decision(GIVEN)), ("project:PreToolUse/0/0", "derived"));
    let shown = session.shown();
    assert!(shown.contains("DENY, probably by guard.sh") && shown.contains("- probably guard.sh refuses"), "{shown}");
}

#[test]
fn elimination_among_settings_of_another_time_is_assumed() {
    let session = Session::new(&[BY_JSON]);
    let settings = std::fs::File::open(session.folder.path().join("project/.claude/settings.json")).unwrap();
    let at = |seconds| std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    // Before the session, then after it.
    for (written, evidence) in [(1_790_000_000, "derived"), (1_800_000_000, "assumed")] {
        settings.set_modified(at(written)).unwrap();
        let decision = session.decision(&["--project", "project"]);
        assert_eq!(by_and_evidence(&decision), ("project:PreToolUse/0/0", evidence));
    }
}

#[test]
fn elimination_is_assumed_where_the_session_had_hooks_that_these_settings_lack() {
    let session = Session::new(&[BY_JSON, BY_OTHER]);
    assert_eq!(by_and_evidence(&session.decision(GIVEN)), ("project:PreToolUse/0/0", "assumed"));
}

#[test]
fn the_model_reads_what_the_transcript_has_and_the_handler_stands_apart() {
    let shown = Session::new(&[BY_EXIT]).shown();
    assert!(shown.contains(&format!("the model reads (guard.sh): {BY_EXIT}\n")), "{shown}");
    let shown = Session::new(&[BY_JSON]).shown();
    assert!(shown.contains(&format!("the model reads (probably guard.sh): {BY_JSON}\n")), "{shown}");
}

#[test]
fn the_steps_tell_of_a_lost_refusal() {
    let session = Session::new(&[]);
    let shown = session.said(&["show", "demo:banner", "--event", "7"]);
    assert!(shown.contains("LOST: the refusal of guard.sh"), "{shown}");
}
