//! Handlers as real processes: what is kept of them, and that nothing of them outlives its limit.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hookscope::exec::run::{Ended, Running};
use hookscope::model::Start;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

fn sh(script: &str) -> Start {
    Start {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: std::env::temp_dir(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        input: Vec::new(),
        limit: Some(Duration::from_secs(30)),
    }
}

fn one(start: Start) -> Ended {
    Running::default().together(vec![start]).unwrap().remove(0).1
}

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.bytes.clone()).unwrap()
}

/// Whether a process runs on. A killed one takes a moment to go; one that waits for its parent to look is gone.
fn is_alive(id: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    let gone = || {
        let status = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    };
    while !gone() {
        if Instant::now() > until {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn output_exit_code_and_signal_are_told() {
    let ended = one(Start { input: b"in".to_vec(), ..sh("cat; echo err >&2; exit 3") });
    assert_eq!((text(&ended), ended.exit_code, ended.signal), ("in".to_owned(), Some(3), None));
    assert_eq!(ended.stderr.bytes, b"err\n");
    let ended = one(sh("kill -TERM $$"));
    assert_eq!((ended.exit_code, ended.signal, ended.timed_out), (None, Some(15), false));
}

#[test]
fn the_environment_is_the_given_one_alone() {
    let mut start = sh("env");
    start.env.push(("CLAUDE_PROJECT_DIR".into(), "/p".into()));
    let ended = one(start);
    let said = text(&ended);
    let names: Vec<&str> = said.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"CLAUDE_PROJECT_DIR") && !names.contains(&"HOME"), "{names:?}");
}

#[test]
fn a_handler_at_its_limit_dies_with_all_that_it_started() {
    let start = Start { limit: Some(Duration::from_millis(300)), ..sh("sleep 60 & echo $!; sleep 60") };
    let ended = one(start);
    assert!(ended.timed_out && !ended.left_behind);
    assert!(!is_alive(&text(&ended)), "the sleeper outlived its parent");
}

#[test]
fn what_is_left_behind_is_noticed_and_killed() {
    let ended = one(sh("sleep 60 & echo $!; exit 0"));
    assert_eq!((ended.exit_code, ended.left_behind, ended.timed_out), (Some(0), true, false));
    assert!(!is_alive(&text(&ended)));
    // One that holds no output open dies as well.
    let ended = one(sh("sleep 60 >/dev/null 2>&1 </dev/null & echo $!; exit 0"));
    assert!(!ended.left_behind && !is_alive(&text(&ended)));
}

#[test]
fn input_and_output_larger_than_a_pipe_do_not_wait_for_each_other() {
    let ended = one(Start { input: vec![b'x'; 3_000_000], ..sh("cat") });
    assert_eq!((ended.stdout.bytes.len(), ended.exit_code), (3_000_000, Some(0)));
    // Nobody reads the input: no error, no wait.
    let ended = one(Start { input: vec![b'x'; 3_000_000], ..sh("exit 0") });
    assert_eq!(ended.exit_code, Some(0));
}

#[test]
fn output_beyond_the_bound_is_counted_and_dropped() {
    let ended = one(sh("head -c 6000000 /dev/zero"));
    assert_eq!(ended.exit_code, Some(0));
    assert_eq!(ended.stdout.bytes.len() as u64 + ended.stdout.dropped, 6_000_000);
    assert!(ended.stdout.dropped > 0);
}

#[test]
fn handlers_run_together_and_come_back_as_they_finish() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let make = format!("mkfifo '{}'", pipe.display());
    assert_eq!(one(sh(&make)).exit_code, Some(0));
    // The first can only end once the second runs: one after the other would never end.
    let first = format!("read line <'{}'; echo $line", pipe.display());
    let second = format!("echo met >'{}'", pipe.display());
    let ended = Running::default().together(vec![sh(&first), sh(&second)]).unwrap();
    let said: BTreeMap<usize, String> = ended.iter().map(|(at, ended)| (*at, text(ended))).collect();
    assert_eq!(said[&0], "met\n");
}

#[test]
fn what_cannot_be_started_says_why() {
    let ended = one(Start { program: "/nowhere/guard".into(), ..sh("") });
    assert_eq!(ended.not_started.unwrap().kind(), std::io::ErrorKind::NotFound);
    let ended = one(Start { cwd: "/nowhere".into(), ..sh("true") });
    assert!(ended.not_started.is_some());
}

/// A session of hook inputs in a folder of its own, its settings, and what `replay --run --json` makes of them.
fn replayed(settings: &Value, inputs: &[Value], args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let (log, file) = (folder.path().join("hooks.jsonl"), folder.path().join("settings.json"));
    let cwd = folder.path().to_str().unwrap().to_owned();
    let lines = inputs.iter().map(|input| {
        let mut input = input.clone();
        input["cwd"] = cwd.clone().into();
        input["session_id"] = "s-1".into();
        format!("{input}\n")
    });
    std::fs::write(&log, lines.collect::<String>()).unwrap();
    std::fs::write(&file, settings.to_string()).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .args(["replay", log.to_str().unwrap(), "--settings", file.to_str().unwrap(), "--run", "--json"])
        .args(args)
        .env("SECRET_TOKEN", "hunter2")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn handler(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

fn bash(command: &str) -> Value {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"})
}

#[test]
fn handlers_are_run_on_the_recorded_input_and_decide() {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        handler("grep -q rm && { echo 'not that' >&2; exit 2; }; exit 0"),
        handler("exit 1"),
        handler("env; pwd"),
        {"type": "command", "command": "printenv", "args": ["CLAUDE_PROJECT_DIR"]},
        {"type": "prompt", "prompt": "is it fine?"},
    ]}]}});
    let lines = replayed(&settings, &[bash("rm x"), bash("ls")], &[]);
    let (denied, open) = (&lines[0], &lines[1]);
    assert_eq!(denied["decision"]["verdict"], "deny");
    assert_eq!((&denied["decision"]["reason"], &denied["decision"]["evidence"]), (&"not that".into(), &"run".into()));
    assert_eq!(
        (&denied["decision"]["rule"], &denied["decision"]["action"]),
        (&"exit-2-blocks".into(), &"blocked".into())
    );
    let run = |event: &Value, id: &str| {
        event["runs"].as_array().unwrap().iter().find(|run| run["handler"] == id).unwrap().clone()
    };
    assert_eq!(run(denied, "project:PreToolUse/0/1")["outcome"], "non_blocking_error");
    let env = run(denied, "project:PreToolUse/0/2");
    let env = env["stdout"].as_str().unwrap();
    assert!(env.contains("CLAUDE_CODE_SESSION_ID=s-1") && !env.contains("hunter2"), "{env}");
    let folder = run(denied, "project:PreToolUse/0/3")["stdout"].as_str().unwrap().trim().to_owned();
    assert!(env.trim_end().ends_with(&folder), "it runs in the session's folder");
    let prompt = run(denied, "project:PreToolUse/0/4");
    assert_eq!((&prompt["outcome"], &prompt["exit_code"]), (&"cannot_run".into(), &Value::Null));
    // Nobody decides, and one that could have was not asked.
    assert_eq!((&open["decision"]["verdict"], &open["decision"]["evidence"]), (&"unknown".into(), &"unknown".into()));
    let summary = lines.last().unwrap();
    assert_eq!((&summary["kind"], &summary["verdicts"]["deny"]), (&"summary".into(), &1.into()));
}

#[test]
fn a_handler_beyond_its_limit_has_no_say() {
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo no >&2; sleep 60; exit 2", "timeout": 0.2},
    ]}]}});
    let lines = replayed(&settings, &[bash("ls")], &[]);
    assert_eq!((&lines[0]["runs"][0]["timed_out"], &lines[0]["runs"][0]["outcome"]), (&true.into(), &"timeout".into()));
    assert_eq!(lines[0]["decision"]["verdict"], "quiet");
}

#[test]
fn a_failure_blocks_where_the_handler_asks_for_it() {
    let failing = |event: &str, command: &str| json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command, "onFailure": "block", "timeout": 0.3}]}]}});
    let verdict = |settings: &Value, input: Value, version: &str| {
        replayed(settings, &[input], &["--agent-version", version])[0]["decision"].clone()
    };
    for command in ["echo broken >&2; exit 1", "echo broken >&2; /nowhere/guard", "echo broken >&2; sleep 9"] {
        let decision = verdict(&failing("PreToolUse", command), bash("ls"), "2.1.332");
        assert_eq!(
            (&decision["verdict"], &decision["rule"]),
            (&"deny".into(), &"on-failure-blocks".into()),
            "{command}"
        );
        assert!(decision["reason"].as_str().unwrap().contains("broken"));
        let before = verdict(&failing("PreToolUse", command), bash("ls"), "2.1.290");
        assert_eq!(before["verdict"], "quiet", "{command}");
    }
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
    assert_eq!(verdict(&failing("Stop", "exit 1"), stop, "2.1.332")["verdict"], "quiet");
    assert_eq!(verdict(&failing("PreToolUse", "exit 0"), bash("ls"), "2.1.332")["verdict"], "quiet");
}

#[test]
fn stop_blocks_in_a_row_are_counted_against_the_cap() {
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": true});
    let settings = json!({"hooks": {"Stop": [{"hooks": [handler("echo more >&2; exit 2")]}]}});
    let mut inputs = vec![stop.clone(); 9];
    let actions = |inputs: &[Value]| {
        let lines = replayed(&settings, inputs, &["--where", "event:Stop"]);
        lines.iter().filter(|line| line["kind"] == "event").map(|line| line["decision"]["action"].clone()).collect()
    };
    let all: Vec<Value> = actions(&inputs);
    assert_eq!(all.iter().filter(|action| *action == "turn-continues").count(), 8);
    assert_eq!(all[8], "turn-ends-by-cap");
    // A tool call in between starts the count anew.
    inputs.insert(8, bash("ls"));
    let all: Vec<Value> = actions(&inputs);
    assert_eq!(all.iter().filter(|action| *action == "turn-continues").count(), 9);
}

#[test]
fn looking_is_not_running() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [handler(&format!("touch '{}'", mark.display()))]}]}});
    let (log, file) = (folder.path().join("hooks.jsonl"), folder.path().join("settings.json"));
    std::fs::write(&log, format!("{}\n", bash("ls"))).unwrap();
    std::fs::write(&file, settings.to_string()).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hookscope"));
        command.args(args).arg(&log).args(["--settings", file.to_str().unwrap()]).output().unwrap()
    };
    for args in [&["replay"][..], &["replay", "--mode", "match"], &["show"], &["hooks"], &["loop"]] {
        run(args);
        assert!(!mark.exists(), "{args:?}");
    }
    assert!(!run(&["replay", "--run", "--mode", "match"]).status.success());
    assert!(!mark.exists());
    assert!(run(&["replay", "--run"]).status.success());
    assert!(mark.exists());
}

/// A folder with a log of `count` tool calls in it and settings with this command, and `replay --run` on them.
fn replay_of(command: &str, count: usize) -> (tempfile::TempDir, std::process::Command) {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().to_str().unwrap();
    let mut input = bash("ls");
    input["cwd"] = cwd.into();
    std::fs::write(folder.path().join("log.jsonl"), format!("{input}\n").repeat(count)).unwrap();
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [handler(command)]}]}});
    std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_hookscope"));
    run.args(["replay", "--run", "--settings"]).arg(folder.path().join("settings.json"));
    run.arg(folder.path().join("log.jsonl"));
    (folder, run)
}

/// Waits for a text in a file that a handler writes.
fn written(path: &Path) -> String {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(Instant::now() < until, "nothing was written");
        std::thread::yield_now();
    }
}

#[test]
fn handlers_die_with_the_program_that_a_signal_ends() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let (folder, mut run) = replay_of("echo $$ >pid; exec sleep 60", 1);
        let mut run = run.stdout(std::process::Stdio::null()).spawn().unwrap();
        let id = written(&folder.path().join("pid"));
        kill(Pid::from_raw(i32::try_from(run.id()).unwrap()), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(128 + signal as i32));
        assert!(!is_alive(&id), "{signal}");
    }
}

#[test]
fn a_reader_that_leaves_stops_the_run() {
    let (folder, mut run) = replay_of("echo x >>ran", 50);
    let mut run = run.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(run.stdout.take());
    run.wait().unwrap();
    let ran = std::fs::read_to_string(folder.path().join("ran")).unwrap_or_default();
    assert!(ran.lines().count() < 5, "{} handlers ran", ran.lines().count());
}

#[test]
fn a_row_is_written_before_the_next_handler_runs() {
    // The second handler waits for a file that only the reader of the first row makes.
    let (folder, mut run) = replay_of("test -e first && until test -e seen; do sleep 0.01; done; touch first", 2);
    let mut run = run.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(run.stdout.take().unwrap()));
    assert!(lines.by_ref().map(Result::unwrap).any(|line| line.trim_start().starts_with("1 ")));
    std::fs::write(folder.path().join("seen"), "").unwrap();
    assert!(lines.map(Result::unwrap).any(|line| line.trim_start().starts_with("2 ")));
    assert!(run.wait().unwrap().success());
}

#[test]
fn an_environment_that_is_no_text_and_a_folder_that_is_gone_stop_nothing() {
    use std::os::unix::ffi::OsStrExt;
    let (folder, mut run) = replay_of("env >got", 1);
    let gone = tempfile::tempdir().unwrap();
    let inside = gone.path().join("gone");
    std::fs::create_dir(&inside).unwrap();
    let script = format!("cd '{}' && rmdir '{0}' && exec \"$@\"", inside.display());
    let args: Vec<_> = run.get_args().map(ToOwned::to_owned).collect();
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_hookscope")])
        .args(args)
        .env("CLAUDE_ODD", std::ffi::OsStr::from_bytes(b"\xff"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!written(&folder.path().join("got")).contains("CLAUDE_ODD"));
    run.env("FOO", std::ffi::OsStr::from_bytes(b"\xff"));
    assert!(run.output().unwrap().status.success());
}
