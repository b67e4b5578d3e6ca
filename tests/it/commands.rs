//! The commands as a person types them: through the binary, on bundled and recorded sessions.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::logs::data;

/// Runs the binary where neither home nor project of this machine plays a part.
fn run_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .args(args)
        .env("HOME", folder.join("home"))
        .env_remove("CLAUDE_CONFIG_DIR")
        .current_dir(folder)
        .output()
        .unwrap()
}

fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    told(run_in(folder.path(), args))
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn out(args: &[&str]) -> String {
    let (code, out, err) = run(args);
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

/// One line on stderr, nothing on stdout, exit 2.
fn refused(args: &[&str]) -> String {
    let (code, out, err) = run(args);
    assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{args:?}: {err}");
    err
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn input(session: &str) -> String {
    format!(
        r#"{{"session_id":"{session}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}},"cwd":"/nowhere"}}"#
    )
}

#[test]
fn settings_that_are_none_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = data("transcripts").join("t04-v2.1.140-attachments.jsonl");
    let short = written(folder.path(), "short.jsonl", &input("one"));
    for command in
        [&["hooks", "demo:refused"][..], &["show", "demo:refused", "--event", "1"], &["replay", "demo:refused"]]
    {
        let with = |path: &str| refused(&[command, &["--settings", path]].concat());
        assert!(with(transcript.to_str().unwrap()).contains("not settings"));
        assert!(with(&short).contains("not settings"));
        assert!(with("nope.json").contains("no such file"));
    }
    // A handler that quotes a hook input.
    let quoting = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": format!("echo '{}'", input("x"))}]}]}});
    let quoting = written(folder.path(), "quoting.json", &quoting.to_string());
    assert_eq!(told(run_in(folder.path(), &["replay", "demo:refused", "--settings", &quoting])).0, 0);
}

#[test]
fn what_the_agent_refuses_of_given_settings_is_told_by_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let broken = written(folder.path(), "broken.json", "{\"hooks\": {\n");
    let (code, out, _) = told(run_in(folder.path(), &["replay", "demo:refused", "--json", "--settings", &broken]));
    let line: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((code, &line["kind"], &line["rejected"]), (0, &"settings".into(), &true.into()));
    assert!(line["why"].as_str().unwrap().contains("not valid JSON"));
    let (code, out, _) = told(run_in(folder.path(), &["hooks", "demo:refused", "--settings", &broken]));
    assert!(code == 0 && out.contains("not valid JSON"), "{out}");
}

#[test]
fn hooks_names_why_a_file_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), ".claude/settings.json", "{\"hooks\": {");
    let (code, out, _) = told(run_in(folder.path(), &["hooks"]));
    assert_eq!(code, 0);
    assert!(out.contains("the agent refuses the file: not valid JSON"), "{out}");
}

#[test]
fn hooks_without_a_session_are_those_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"guard.sh"}]}]}}"#;
    written(folder.path(), ".claude/settings.json", hooks);
    let (code, out, err) = told(run_in(folder.path(), &["hooks"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("guard.sh") && out.contains("PreToolUse") && out.contains("disableAllHooks"), "{out}");
    assert!(!out.contains("session"), "{out}");
    let (_, out, _) = told(run_in(folder.path(), &["hooks", "--json"]));
    let line: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&line["command"], &line["event"]), (&"guard.sh".into(), &"PreToolUse".into()));
}

#[test]
fn an_id_that_no_session_has_names_those_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let log = written(folder.path(), "log.jsonl", &format!("{}\n{}\n", input("one"), input("two")));
    for command in ["replay", "hooks", "loop"] {
        let line = refused(&[command, &log, "--session-id", "three"]);
        assert!(line.contains("one, two"), "{line}");
    }
    assert!(refused(&["show", &log, "--event", "1", "--session-id", "three"]).contains("one, two"));
    let transcript = data("transcripts").join("t04-v2.1.140-attachments.jsonl");
    let line = refused(&["replay", transcript.to_str().unwrap(), "--session-id", "three"]);
    assert!(line.contains("there are: "), "{line}");
    assert_eq!(out(&["replay", &log, "--session-id", "two", "--json"]).lines().count(), 2);
}

#[test]
fn hooks_that_are_switched_off_do_not_match() {
    let folder = tempfile::tempdir().unwrap();
    let hooks =
        r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"guard.sh"}]}]}}"#;
    let settings = written(folder.path(), "settings.json", hooks);
    let log = written(folder.path(), "log.jsonl", &input("one"));
    let all = out(&["replay", &log, "--settings", &settings, "--json"]);
    let summary: Value = serde_json::from_str(all.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["events"], &summary["matched"]), (&1.into(), &0.into()));
}

#[test]
fn words_that_are_missing_or_misspelt_are_named() {
    assert!(refused(&["match"]).contains("<PATTERN>"));
    assert!(refused(&["show", "demo:refused"]).contains("--event"));
    assert!(refused(&["replya", "x.jsonl"]).contains("did you mean hookscope replay?"));
    assert!(refused(&["hoks"]).contains("did you mean hookscope hooks?"));
}

#[test]
fn each_of_several_sessions_has_a_heading() {
    let text = out(&["replay", "demo:refused", "demo:banner"]);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("Session ")).collect();
    assert_eq!(heads.len(), 2, "{text}");
    assert!(heads[0].contains("refused") && heads[1].contains("banner"), "{heads:?}");
    assert!(!out(&["replay", "demo:refused"]).contains("Session "));
    let folder = tempfile::tempdir().unwrap();
    let log = written(folder.path(), "log.jsonl", &format!("{}\n{}\n", input("one"), input("two")));
    let text = out(&["replay", &log]);
    assert!(text.contains("Session one") && text.contains("Session two"), "{text}");
}

#[test]
fn demos_are_sessions_of_every_command() {
    assert!(out(&["replay", "demo:refused"]).contains("guard.sh"));
    assert!(out(&["show", "demo:refused", "--event", "1"]).contains("Event 1"));
    assert!(out(&["hooks", "demo:refused"]).contains("guard.sh"));
    assert!(out(&["match", "Bash", "--session", "demo:refused"]).contains("[Bash]"));
    let (code, text, _) = run(&["loop", "demo:stop-loop"]);
    assert_eq!(code, 1);
    assert!(text.contains("ci.sh"), "{text}");
    assert!(refused(&["replay", "demo:nothing"]).contains("no demo is called"));
}

#[test]
fn a_demo_is_seen_under_the_settings_that_are_given() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"other.sh"}]}]}}"#;
    let settings = written(folder.path(), "settings.json", hooks);
    let text = out(&["hooks", "demo:refused", "--settings", &settings]);
    assert!(text.contains("other.sh") && !text.contains("fmt.sh"), "{text}");
    // The hook that refused is not among them: its command is named all the same.
    let text = out(&["replay", "demo:refused", "--settings", &settings]);
    assert!(text.contains("guard.sh") && text.contains("not in these settings"), "{text}");
}

#[test]
fn a_matcher_of_an_unknown_event_is_warned_of() {
    let text = out(&["match", "Bash", "Bash", "--event", "PretoolUse"]);
    assert!(text.contains("no event") && text.contains("PreToolUse"), "{text}");
}

#[test]
fn an_input_that_is_put_together_says_so_beside_it() {
    let (code, text, note) = run(&["show", "demo:refused", "--event", "1", "--stdin"]);
    assert_eq!(code, 0);
    assert!(serde_json::from_str::<Value>(&text).unwrap()["hook_event_name"].is_string());
    assert!(note.contains("reconstructed"), "{note}");
    let folder = tempfile::tempdir().unwrap();
    let log = written(folder.path(), "log.jsonl", &input("one"));
    let (_, _, note) = run(&["show", &log, "--event", "1", "--stdin"]);
    assert_eq!(note, "");
    let text = out(&["show", &log, "--event", "1", "--settings", &{
        let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"guard.sh"}]}]}}"#;
        written(folder.path(), "settings.json", hooks)
    }]);
    assert!(text.contains("UNKNOWN") && !text.contains("(unknown)"), "{text}");
}

#[test]
fn nothing_is_cut_for_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let matcher = "Bash|mcp__a_very_long_server_name__and_a_very_long_tool_name";
    let command = "a_guard_with_a_name_that_no_column_of_the_screen_could_hold.sh";
    let hooks = serde_json::json!({"hooks":{"PreToolUse":[{"matcher":matcher,"hooks":[{"type":"command","command":command}]}]}});
    let settings = written(folder.path(), "settings.json", &hooks.to_string());
    let text = out(&["hooks", "demo:refused", "--settings", &settings]);
    assert!(text.contains(matcher) && text.contains(command), "{text}");
}

#[test]
fn a_source_of_which_a_part_is_lost_is_named_on_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(data("transcripts").join("t04-v2.1.140-attachments.jsonl")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut packed, &whole).unwrap();
    let packed = packed.finish().unwrap();
    let path = folder.path().join("cut.jsonl.gz");
    std::fs::write(&path, &packed[..packed.len() - 2_000]).unwrap();
    let (code, out, err) = told(run_in(folder.path(), &["replay", path.to_str().unwrap()]));
    assert!(code == 0 && out.contains("SessionStart"), "{out}");
    assert!(err.contains("only a part of it is here") && err.lines().count() == 1, "{err}");
}

#[test]
fn an_endless_matcher_is_written_whole_and_widens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let matcher = "a|".repeat(50_000);
    let group = |matcher: &str| serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]});
    let settings = serde_json::json!({"hooks": {"PreToolUse": [group(&matcher), group("Bash")]}});
    written(folder.path(), ".claude/settings.json", &settings.to_string());
    let (code, out, err) = told(run_in(folder.path(), &["hooks"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(&matcher) && out.lines().any(|line| line.contains(" Bash ") && line.len() < 400));
}

#[test]
fn no_json_of_match_moves_the_cursor() {
    let folder = tempfile::tempdir().unwrap();
    for args in
        [&["match", "--json", "x\u{7f}\u{9b}\u{202e}", "Bash"][..], &["match", "--json", "--all-dialects", "\u{9b}"]]
    {
        let (code, out, _) = told(run_in(folder.path(), args));
        assert_eq!(code, 0);
        assert!(!out.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')), "{out:?}");
    }
}

#[test]
fn the_text_of_a_replay_says_why_a_line_could_not_be_read_and_who_else_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = data("transcripts").join("t06-broken-lines.jsonl");
    let (_, out, _) = told(run_in(folder.path(), &["replay", path.to_str().unwrap()]));
    assert!(out.contains("line 4: the line is a number, not a JSON object"), "{out}");
    let handler = |word: &str| serde_json::json!({"type": "command", "command": format!("echo {word} >&2; exit 2")});
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler("one"), handler("two")]}]}});
    let settings = written(folder.path(), "settings.json", &settings.to_string());
    let log = written(folder.path(), "log.jsonl", &input("s"));
    let (_, out, _) = told(run_in(folder.path(), &["replay", &log, "--settings", &settings, "--run"]));
    assert!(out.contains("and 1 more"), "{out}");
}

#[test]
fn events_outside_the_wrapper_are_told_of_another_agents_file() {
    let folder = tempfile::tempdir().unwrap();
    let bare = written(folder.path(), ".devin/config.json", r#"{"PreToolUse":[]}"#);
    let log = written(folder.path(), "log.jsonl", &input("s"));
    let (_, out, _) = told(run_in(folder.path(), &["replay", &log, "--settings", &bare, "--json"]));
    let line: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!((&line["kind"], &line["dropped"]), (&"settings".into(), &"project:PreToolUse".into()));
    assert!(line["why"].as_str().unwrap().contains("outside `hooks`"));
}
