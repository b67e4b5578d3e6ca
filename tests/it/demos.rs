//! The bundled sessions hold together: their handlers are run for real on the events that their transcripts tell
//! of, and what they answer must be what the transcripts record.
//!
//! What an answer leaves in a transcript is written down here once more, apart from the program's own rules.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use hookscope::dialect::claude_code::DIALECT;
use hookscope::engine::Tracer;
use hookscope::load::demo::{ALL, CWD, Demo, FileKind};
use hookscope::load::discover::{Counts, Root, list, scan};
use hookscope::load::open::{From, load};
use hookscope::model::Action;
use hookscope::settings::Request;
use hookscope::source::Store;
use serde_json::{Value, json};
use tempfile::TempDir;

/// An event that a transcript tells of, with what its handlers get on stdin.
struct Fired {
    event: &'static str,
    subject: Option<String>,
    /// What its traces are filed under: the call, or the kind of moment.
    key: String,
    input: Value,
}

/// What one run of a handler gave.
struct Run {
    exit: i32,
    stdout: String,
    stderr: String,
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The lines of each file of the demo: the main one, then the subagents'.
fn chains(demo: &Demo) -> Vec<Vec<Value>> {
    let files = demo.files_of(FileKind::Transcript).chain(demo.files_of(FileKind::Subagent));
    files.map(|file| lines(file.text)).collect()
}

fn settings(demo: &Demo) -> Value {
    serde_json::from_str(demo.files_of(FileKind::Settings).next().unwrap().text).unwrap()
}

fn blocks(line: &Value) -> Vec<&Value> {
    line["message"]["content"].as_array().map(|blocks| blocks.iter().collect()).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

// --- Which events a transcript tells of ---

/// `agent_type` of each subagent, from the files that the client keeps beside theirs.
fn agent_type(demo: &Demo, id: &str) -> String {
    let meta = demo.files_of(FileKind::SubagentMeta).find(|file| file.path.contains(id)).unwrap();
    text(&serde_json::from_str::<Value>(meta.text).unwrap()["agentType"])
}

fn is_prompt(line: &Value) -> bool {
    line["message"]["content"].is_string() && line["isMeta"].is_null() && line["isCompactSummary"].is_null()
}

fn fired(demo: &Demo) -> Vec<Fired> {
    let mut fired = Vec::new();
    for chain in chains(demo) {
        let session = chain.iter().find_map(|line| line["sessionId"].as_str()).unwrap().to_owned();
        let agent = chain.iter().find_map(|line| line["agentId"].as_str()).map(str::to_owned);
        let kind = agent.as_deref().map(|id| agent_type(demo, id));
        let mut stops = 0;
        let mut push = |event: &'static str, subject: Option<String>, key: String, more: Value| {
            let mut input = json!({
                "session_id": session, "transcript_path": format!("/home/you/.claude/{session}.jsonl"), "cwd": CWD,
                "hook_event_name": event,
            });
            let fields = input.as_object_mut().unwrap();
            if let (Some(id), Some(kind)) = (&agent, &kind) {
                fields.insert("agent_id".to_owned(), json!(id));
                fields.insert("agent_type".to_owned(), json!(kind));
            }
            fields.extend(more.as_object().unwrap().clone());
            fired.push(Fired { event, subject, key, input });
        };
        match &kind {
            Some(kind) => push("SubagentStart", Some(kind.clone()), "start".to_owned(), json!({})),
            None => {
                push("SessionStart", Some("startup".to_owned()), "start".to_owned(), json!({ "source": "startup" }))
            }
        }
        let mut calls: Vec<Value> = Vec::new();
        for line in &chain {
            match line["type"].as_str().unwrap() {
                "assistant" => {
                    for block in blocks(line) {
                        if block["type"] == "tool_use" {
                            let more = json!({
                                "tool_name": block["name"], "tool_input": block["input"], "tool_use_id": block["id"],
                            });
                            push(
                                "PreToolUse",
                                block["name"].as_str().map(str::to_owned),
                                text(&block["id"]),
                                more.clone(),
                            );
                            calls.push(more);
                        } else if line["message"]["stop_reason"] == "end_turn" {
                            let more =
                                json!({ "stop_hook_active": stops > 0, "last_assistant_message": block["text"] });
                            match &kind {
                                Some(kind) => push("SubagentStop", Some(kind.clone()), "stop".to_owned(), more),
                                None => push("Stop", None, "stop".to_owned(), more),
                            }
                            stops += 1;
                        }
                    }
                }
                "user" if is_prompt(line) => stops = 0,
                "user" => {
                    for result in blocks(line) {
                        let mut more =
                            calls.iter().find(|call| call["tool_use_id"] == result["tool_use_id"]).unwrap().clone();
                        let event = match (result["is_error"] == true, line["toolDenialKind"].is_string()) {
                            (true, true) => continue,
                            (true, false) => "PostToolUseFailure",
                            (false, _) => "PostToolUse",
                        };
                        more["tool_response"] = line["toolUseResult"].clone();
                        push(event, Some(text(&more["tool_name"])), text(&result["tool_use_id"]), more);
                    }
                }
                "system" if line["subtype"] == "compact_boundary" => {
                    let trigger = json!({ "trigger": line["compactMetadata"]["trigger"] });
                    push("PreCompact", Some(text(&trigger["trigger"])), "compact".to_owned(), trigger.clone());
                    push(
                        "SessionStart",
                        Some("compact".to_owned()),
                        "compact".to_owned(),
                        json!({ "source": "compact" }),
                    );
                    push("PostCompact", Some(text(&trigger["trigger"])), "compact".to_owned(), trigger);
                }
                _ => {}
            }
        }
    }
    fired
}

/// The commands that the settings have for an event. The demos' matchers are names and lists of names.
fn commands(settings: &Value, event: &Fired) -> Vec<String> {
    let groups = settings["hooks"][event.event].as_array().cloned().unwrap_or_default();
    let matches = |group: &Value| {
        let Some(matcher) = group["matcher"].as_str() else { return true };
        assert!(matcher.chars().all(|c| c.is_alphanumeric() || c == '|'), "{matcher}: not a list of names");
        event.subject.as_deref().is_some_and(|subject| matcher.split('|').any(|name| name == subject))
    };
    let handlers = groups.iter().filter(|group| matches(group)).flat_map(|group| group["hooks"].as_array().unwrap());
    handlers.map(|handler| text(&handler["command"])).collect()
}

// --- Running the handlers ---

/// A folder with the demo's scripts in place, and a search path that has nothing but what POSIX promises.
struct Yard {
    folder: TempDir,
}

impl Yard {
    fn new(demo: &Demo) -> Yard {
        let folder = tempfile::tempdir().unwrap();
        let hooks = folder.path().join("project/.claude/hooks");
        fs::create_dir_all(&hooks).unwrap();
        for script in demo.files_of(FileKind::Script) {
            let path = hooks.join(script.path);
            fs::write(&path, script.text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for tool in ["cat", "grep", "sed"] {
            let found =
                ["/bin", "/usr/bin"].map(|place| Path::new(place).join(tool)).into_iter().find(|path| path.exists());
            symlink(found.unwrap(), bin.join(tool)).unwrap();
        }
        Yard { folder }
    }

    fn run(&self, command: &str, input: &Value) -> Run {
        let project = self.folder.path().join("project");
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .env_clear()
            .env("PATH", self.folder.path().join("bin"))
            .env("CLAUDE_PROJECT_DIR", &project)
            .current_dir(&project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A handler need not read its input: a closed pipe is no fault.
        let _ = writeln!(child.stdin.take().unwrap(), "{input}");
        let output = child.wait_with_output().unwrap();
        Run {
            exit: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        let mut open = vec![self.folder.path().to_owned()];
        let mut found = BTreeSet::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            found.insert(path);
        }
        found
    }
}

// --- Traces: what a run leaves, and what stands in a transcript ---

/// What the client writes down after a run, one text a trace.
fn traces_of(fired: &Fired, command: &str, run: &Run) -> Vec<String> {
    let key = &fired.key;
    let event = fired.event;
    let shown = run.stdout.trim();
    let failed = format!("[{command}]: {}", run.stderr);
    let answer = serde_json::from_str::<Value>(shown).ok().filter(Value::is_object);
    let specific = answer.as_ref().map(|answer| &answer["hookSpecificOutput"]);
    match (run.exit, event) {
        (2, "PreToolUse") => vec![format!("{key} refused {event}:{} hook error: {failed}", fired.input["tool_name"])],
        (2, "PostToolUse") => vec![format!("{key} blocking {command} {failed}")],
        (2, "Stop") => vec![format!("{key} feedback {failed}"), format!("{key} summary {failed}")],
        (0, "Stop") => vec![format!("{key} summary ")],
        (0, "PreCompact") => vec![format!("{key} compacted {command} {shown}")],
        (0, _) if specific.is_some_and(|specific| specific["permissionDecision"] == "deny") => {
            let reason = text(&specific.unwrap()["permissionDecisionReason"]);
            vec![format!("{key} refused {event}:{} hook error: {reason}", fired.input["tool_name"])]
        }
        (0, "SubagentStop") if answer.as_ref().is_some_and(|answer| answer["decision"] == "block") => {
            let reason = text(&answer.unwrap()["reason"]);
            vec![format!("{key} feedback {reason}"), format!("{key} blocking {command} {reason}")]
        }
        (0, _) => {
            let content = if answer.is_some() { "" } else { shown };
            let context = specific.and_then(|specific| specific["additionalContext"].as_str());
            let spoke = !(run.stdout.is_empty() && run.stderr.is_empty());
            let success = spoke.then(|| format!("{key} success {command} {content} {} {}", run.stdout, run.stderr));
            success.into_iter().chain(context.map(|words| format!("{key} context {words}"))).collect()
        }
        (code, "PreToolUse" | "PostToolUse") => {
            let words = if run.stderr.is_empty() { "No stderr output" } else { run.stderr.trim() };
            vec![format!("{key} failed {command} {code} Failed with non-blocking status code: {words} {}", run.stdout)]
        }
        (code, event) => panic!("exit {code} on {event}: add what it leaves"),
    }
}

/// What hooks left in the transcript.
fn traces_in(demo: &Demo) -> Vec<String> {
    let mut found = Vec::new();
    for line in chains(demo).concat() {
        let attachment = &line["attachment"];
        let key = match attachment["hookEvent"].as_str().unwrap_or_default() {
            "SessionStart" | "SubagentStart" => "start".to_owned(),
            "Stop" | "SubagentStop" => "stop".to_owned(),
            _ => text(&attachment["toolUseID"]),
        };
        let command = text(&attachment["command"]);
        match attachment["type"].as_str().unwrap_or_default() {
            "hook_success" => found.push(format!(
                "{key} success {command} {} {} {}",
                text(&attachment["content"]),
                text(&attachment["stdout"]),
                text(&attachment["stderr"])
            )),
            "hook_additional_context" => found.push(format!("{key} context {}", text(&attachment["content"][0]))),
            "hook_blocking_error" => {
                let error = &attachment["blockingError"];
                found.push(format!("{key} blocking {} {}", text(&error["command"]), text(&error["blockingError"])));
            }
            "hook_non_blocking_error" => found.push(format!(
                "{key} failed {command} {} {} {}",
                attachment["exitCode"],
                text(&attachment["stderr"]),
                text(&attachment["stdout"])
            )),
            kind => assert!(!kind.starts_with("hook_"), "{kind}: add it"),
        }
        if line["subtype"] == "stop_hook_summary" {
            found.push(format!("stop summary {}", text(&line["hookErrors"][0])));
        }
        let words = text(&line["message"]["content"]);
        if let Some(words) = words.strip_prefix("Stop hook feedback:\n") {
            found.push(format!("stop feedback {words}"));
        }
        if let Some(ran) = words.strip_prefix("<local-command-stdout>Compacted PreCompact [") {
            let (command, said) = ran.split_once("] completed successfully: ").unwrap();
            found
                .push(format!("compact compacted {command} {}", said.strip_suffix("</local-command-stdout>").unwrap()));
        }
        for block in blocks(&line) {
            let words = text(&block["content"]);
            if line["toolDenialKind"].is_string() {
                let (tool, rest) = words.strip_prefix("PreToolUse:").unwrap().split_once(' ').unwrap();
                found.push(format!("{} refused PreToolUse:\"{tool}\" {rest}", text(&block["tool_use_id"])));
            }
        }
    }
    found
}

/// What the demo's handlers leave when they are run in the yard.
fn traces_given(demo: &Demo, yard: &Yard) -> Vec<String> {
    let settings = settings(demo);
    let mut given = Vec::new();
    for event in fired(demo) {
        for command in commands(&settings, &event) {
            given.extend(traces_of(&event, &command, &yard.run(&command, &event.input)));
        }
    }
    given
}

#[test]
fn handlers_answer_as_the_transcripts_record() {
    for demo in ALL {
        let yard = Yard::new(demo);
        let before = yard.files();
        let mut given = traces_given(demo, &yard);
        let mut recorded = traces_in(demo);
        given.sort();
        recorded.sort();
        assert_eq!(given, recorded, "{}", demo.name);
        assert_eq!(yard.files(), before, "{}: a handler changed files", demo.name);
    }
}

#[test]
fn each_demo_records_as_many_traces_as_it_is_about() {
    let count = |name| traces_in(Demo::by_name(name).unwrap()).len();
    let counts = ["never-fires", "ignored", "refused", "stop-loop", "subagents", "compaction", "banner"].map(count);
    assert_eq!(counts, [0, 1, 2, 18, 5, 2, 3]);
}

#[test]
fn a_handler_that_answers_otherwise_is_noticed() {
    let demo = Demo::by_name("refused").unwrap();
    let yard = Yard::new(demo);
    let script = yard.folder.path().join("project/.claude/hooks/guard.sh");
    fs::write(&script, fs::read_to_string(&script).unwrap().replace("exit 2", "exit 1")).unwrap();
    assert_ne!(traces_given(demo, &yard).len(), 0);
    assert!(!traces_given(demo, &yard).contains(&traces_in(demo)[0]));
}

#[test]
fn scripts_are_plain_sh() {
    for demo in ALL {
        for script in demo.files_of(FileKind::Script) {
            let place = format!("{}/{}", demo.name, script.path);
            assert!(script.text.starts_with("#!/bin/sh\n"), "{place}");
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions").join(&place);
            let checked = Command::new("/bin/sh").arg("-n").arg(path).output().unwrap();
            assert!(checked.status.success(), "{place}: {}", String::from_utf8_lossy(&checked.stderr));
        }
    }
}

#[test]
fn every_script_is_named_by_the_settings_and_the_other_way_round() {
    for demo in ALL {
        let settings = settings(demo).to_string();
        let named: BTreeSet<&str> =
            settings.split("/.claude/hooks/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let there: BTreeSet<&str> = demo.files_of(FileKind::Script).map(|script| script.path).collect();
        assert_eq!(named, there, "{}", demo.name);
    }
}

#[test]
fn every_file_in_sessions_belongs_to_a_demo() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let mut open = vec![root.clone()];
    let mut there = BTreeSet::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            there.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
        }
    }
    let listed = ALL.iter().flat_map(|demo| demo.files.iter().map(move |file| format!("{}/{}", demo.name, file.path)));
    assert_eq!(listed.collect::<BTreeSet<_>>(), there);
}

#[test]
fn every_demo_says_that_it_is_made_up() {
    for demo in ALL {
        assert!(demo.sentence.starts_with("Made up: "), "{}", demo.name);
        let first = &chains(demo)[0][0];
        assert!(text(&first["aiTitle"]).starts_with("Made up: "), "{}: its title", demo.name);
        for script in demo.files_of(FileKind::Script) {
            assert!(script.text.contains("(Part of a made-up demo.)"), "{}: {}", demo.name, script.path);
        }
    }
}

#[test]
fn three_demos_answer_the_questions_of_the_picker() {
    let questions: Vec<_> = ALL.iter().take(3).map(|demo| (demo.name, demo.question.unwrap())).collect();
    let expect = [
        ("never-fires", "a hook did not fire"),
        ("ignored", "a decision was ignored"),
        ("stop-loop", "it will not stop"),
    ];
    assert_eq!(questions, expect);
    assert!(ALL.iter().skip(3).all(|demo| demo.question.is_none()));
}

#[test]
fn lines_hang_together_as_the_client_writes_them() {
    for demo in ALL {
        let mut sessions = HashSet::new();
        for chain in chains(demo) {
            let mut known = HashSet::new();
            for line in &chain {
                sessions.insert(text(&line["sessionId"]));
                let Some(uuid) = line["uuid"].as_str() else { continue };
                let parent = &line["parentUuid"];
                assert!(parent.as_str().is_none_or(|parent| known.contains(parent)), "{}: parent of {uuid}", demo.name);
                assert!(known.insert(uuid.to_owned()), "{}: {uuid} twice", demo.name);
                assert_eq!(line["version"], "2.1.332", "{}: {uuid}", demo.name);
                assert_eq!(line["cwd"], CWD, "{}: {uuid}", demo.name);
                assert_eq!(blocks(line).len().max(1), 1, "{}: {uuid} has several blocks", demo.name);
            }
        }
        assert_eq!(sessions.len(), 1, "{}", demo.name);
    }
}

#[test]
fn the_row_that_matters_is_there() {
    for demo in ALL {
        let is_it = |event: &&Fired| {
            event.event == demo.row.event
                && demo.row.sub.is_none_or(|sub| event.input["agent_type"] == sub)
                && demo.row.subject.is_none_or(|subject| event.subject.as_deref() == Some(subject))
        };
        let count = fired(demo).iter().filter(is_it).count();
        assert!(count >= demo.row.nth, "{}: {count} of them", demo.name);
    }
}

#[test]
fn the_stop_loop_ends_by_the_cap() {
    let chain = chains(Demo::by_name("stop-loop").unwrap()).remove(0);
    let blocked = chain.iter().filter(|line| line["hookErrors"].as_array().is_some_and(|errors| !errors.is_empty()));
    assert_eq!(blocked.count(), 9);
    let last = chain.iter().rfind(|line| line["uuid"].is_string()).unwrap();
    assert_eq!((&last["subtype"], &last["level"]), (&json!("informational"), &json!("warning")));
}

#[test]
fn a_quick_scan_of_the_demos_sees_denials_and_loops() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("-home-you-demo");
    for demo in ALL {
        for file in demo.files {
            let place = match file.kind {
                FileKind::Settings | FileKind::Script => continue,
                FileKind::Transcript => project.join(format!("{}.jsonl", demo.name)),
                FileKind::Subagent | FileKind::SubagentMeta => {
                    project.join(demo.name).join(file.path.strip_prefix("session/").unwrap())
                }
            };
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, file.text).unwrap();
        }
    }
    let listing = list(&[Root { dialect: "claude-code", folder: folder.path().to_owned() }]);
    assert_eq!(listing.problems, []);
    assert!(listing.sessions.iter().all(|found| found.project.as_deref() == Some(CWD)));
    let paths: Vec<PathBuf> = listing.sessions.iter().map(|found| found.path.clone()).collect();
    let mut counts: Vec<Counts> = Vec::new();
    scan(&paths, &AtomicBool::new(false), |batch| {
        counts.extend(batch.into_iter().map(|scanned| scanned.counts.unwrap()));
        ControlFlow::Continue(())
    });
    let seen: Vec<_> = listing
        .sessions
        .iter()
        .zip(&counts)
        .map(|(found, counts)| {
            let calls = (counts.prompts, counts.calls, counts.denials());
            (found.session_id.as_str(), calls, counts.stop_blocks, counts.suspected_loops)
        })
        .collect();
    // Newest first; prompts, calls, denials; prevented stops, loops.
    let expect = [
        ("banner", (1, 3, 0), 0, 0),
        ("compaction", (2, 5, 0), 0, 0),
        ("subagents", (2, 6, 1), 1, 0),
        ("stop-loop", (1, 3, 0), 9, 1),
        ("refused", (1, 5, 1), 0, 0),
        ("ignored", (1, 3, 0), 0, 0),
        ("never-fires", (1, 4, 0), 0, 0),
    ];
    assert_eq!(seen, expect);
    assert_eq!(listing.sessions[3].title.as_deref(), Some("Made up: a stop hook that never lets go"));
}

/// What hookscope itself makes of the row on which a demo opens: matched, considered, verdict, a failure, round, action.
#[test]
fn each_demo_opens_on_what_it_is_about() {
    let seen = |demo: &'static Demo| {
        let store = Store::new();
        let loaded = load(&From::Demo(demo), &Request::from_environment(), &store).unwrap();
        assert_eq!(loaded.session.diagnostics, [], "{}", demo.name);
        let ix = demo.event_in(&loaded.session).unwrap_or_else(|| panic!("{}: no such row", demo.name));
        let tracer = Tracer::new(&DIALECT, loaded.plan, Default::default());
        let row = tracer.row(&loaded.session, ix);
        let step = tracer.step(&loaded.session, ix, &store, Default::default()).unwrap();
        let verdict = row.verdict.word();
        (demo.name, row.matched, row.considered, verdict, row.failed, row.round, step.decision.action.unwrap())
    };
    let expect = [
        ("never-fires", 0, 1, "none", false, 0, Action::Proceeds),
        ("ignored", 1, 1, "quiet", true, 0, Action::Proceeds),
        ("stop-loop", 1, 1, "block", false, 9, Action::TurnEndsByCap),
        ("refused", 1, 1, "deny", false, 0, Action::Blocked),
        ("subagents", 1, 1, "deny", false, 0, Action::Blocked),
        ("compaction", 0, 1, "none", false, 0, Action::NoEffect),
        ("banner", 1, 1, "quiet", false, 0, Action::Proceeds),
    ];
    assert_eq!(ALL.iter().map(seen).collect::<Vec<_>>(), expect);
}
