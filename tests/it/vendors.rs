//! What the vendors of Cortex Code and Devin show on their hooks pages, written anew and run for real.

use std::path::Path;

use serde_json::{Value, json};

use crate::rows::{replayed, replayed_in, started};

/// An agent with files of hooks: where they stand, and its names of tools and fields.
struct Agent {
    id: &'static str,
    file: &'static str,
    shell: &'static str,
    read: &'static str,
    write: &'static str,
    project: &'static str,
}

const AGENTS: &[Agent] = &[
    Agent {
        id: "cortex-code",
        file: ".cortex/settings.json",
        shell: "Bash",
        read: "Read",
        write: "Write",
        project: "CORTEX_PROJECT_DIR",
    },
    Agent {
        id: "devin",
        file: ".devin/config.json",
        shell: "exec",
        read: "read",
        write: "write",
        project: "DEVIN_PROJECT_DIR",
    },
];

fn hooks(event: &str, matcher: Option<&str>, command: &str) -> String {
    let mut group = json!({"hooks": [{"type": "command", "command": command, "timeout": 10}]});
    if let Some(matcher) = matcher {
        group["matcher"] = matcher.into();
    }
    json!({"hooks": {event: [group]}}).to_string()
}

fn call(event: &str, tool: &str, input: Value) -> Value {
    json!({"hook_event_name": event, "tool_name": tool, "tool_input": input, "tool_use_id": "call_1"})
}

fn decisions(agent: &Agent, event: &str, matcher: Option<&str>, command: &str, inputs: &[Value]) -> Vec<Value> {
    let lines = replayed(agent.id, &[], agent.file, &hooks(event, matcher, command), inputs);
    lines.iter().filter(|line| line["kind"] == "event").map(|line| line["decision"].clone()).collect()
}

fn verdicts(decisions: &[Value]) -> Vec<&str> {
    decisions.iter().map(|decision| decision["verdict"].as_str().unwrap()).collect()
}

#[test]
fn destructive_commands_are_blocked() {
    let guard = r#"if grep -q '"rm -rf'; then echo 'No deleting here.' >&2; exit 2; fi"#;
    for agent in AGENTS {
        let command = |text: &str| call("PreToolUse", agent.shell, json!({"command": text}));
        let got =
            decisions(agent, "PreToolUse", Some(agent.shell), guard, &[command("rm -rf build"), command("ls build")]);
        assert_eq!(verdicts(&got), ["deny", "quiet"], "{}", agent.id);
        assert!(got[0]["reason"].as_str().unwrap().contains("No deleting here."), "{}", agent.id);
    }
}

#[test]
fn tools_that_only_read_are_allowed_unasked() {
    for agent in AGENTS {
        let answer = match agent.id {
            "devin" => r#"echo '{"decision": "approve"}'"#,
            _ => r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"#,
        };
        let matcher = format!("^{}$", agent.read);
        let inputs = [
            call("PreToolUse", agent.read, json!({"file_path": "a"})),
            call("PreToolUse", agent.shell, json!({"command": "ls"})),
        ];
        let got = decisions(agent, "PreToolUse", Some(&matcher), answer, &inputs);
        assert_eq!(verdicts(&got), ["allow", "none"], "{}", agent.id);
    }
}

#[test]
fn an_input_is_rewritten() {
    let answer = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "ls -l"}}}'"#;
    for agent in AGENTS {
        let got = decisions(
            agent,
            "PreToolUse",
            Some(agent.shell),
            answer,
            &[call("PreToolUse", agent.shell, json!({"command": "ls"}))],
        );
        assert_eq!(got[0]["updated_input"]["command"], "ls -l", "{}", agent.id);
    }
}

#[test]
fn writes_outside_the_sources_are_held_back() {
    let guard = r#"if grep -q '"file_path":"src/'; then exit 0; fi; echo 'Only below src/.' >&2; exit 2"#;
    for agent in AGENTS {
        let write = |path: &str| call("PreToolUse", agent.write, json!({"file_path": path}));
        let got = decisions(agent, "PreToolUse", Some(agent.write), guard, &[write("src/a.rs"), write("Cargo.toml")]);
        assert_eq!(verdicts(&got), ["quiet", "deny"], "{}", agent.id);
    }
}

#[test]
fn context_is_given_to_prompts_and_session_starts() {
    for agent in AGENTS {
        for (event, field) in
            [("UserPromptSubmit", json!({"prompt": "go"})), ("SessionStart", json!({"source": "startup"}))]
        {
            let answer = json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "Branch: main"}});
            let mut input = field;
            input["hook_event_name"] = event.into();
            let got = decisions(agent, event, None, &format!("echo '{answer}'"), &[input]);
            assert_eq!(got[0]["additional_context"], json!(["Branch: main"]), "{} {event}", agent.id);
        }
    }
}

#[test]
fn a_stop_is_put_off_once_with_a_reminder() {
    let remind = r#"if grep -q '"stop_hook_active":true'; then exit 0; fi; echo '{"decision": "block", "reason": "Run the tests first."}'"#;
    for agent in AGENTS {
        let stop = |again: bool| json!({"hook_event_name": "Stop", "stop_hook_active": again});
        let got = decisions(agent, "Stop", None, remind, &[stop(false), stop(true)]);
        assert_eq!(verdicts(&got), ["block", "quiet"], "{}", agent.id);
        assert_eq!((&got[0]["action"], &got[0]["reason"]), (&"turn-continues".into(), &"Run the tests first.".into()));
    }
}

/// What a handler wrote into the project folder, which it finds by its agent's variable.
fn logged(agent: &Agent, event: &str, input: Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("cat >>\"${}/audit.log\"", agent.project);
    replayed_in(folder.path(), agent.id, &[], agent.file, &hooks(event, None, &command), &[input]);
    let path: &Path = folder.path();
    std::fs::read_to_string(path.join("audit.log")).unwrap_or_default()
}

#[test]
fn calls_and_compactions_are_logged() {
    for agent in AGENTS {
        let audit = logged(agent, "PostToolUse", call("PostToolUse", agent.shell, json!({"command": "ls"})));
        assert!(audit.contains(r#""command":"ls""#), "{}: {audit}", agent.id);
        let (event, field) =
            if agent.id == "devin" { ("PostCompaction", "summary") } else { ("PreCompact", "trigger") };
        let compaction = logged(agent, event, json!({"hook_event_name": event, field: "manual"}));
        assert!(compaction.contains(event), "{}: {compaction}", agent.id);
    }
}

#[test]
fn matchers_of_the_pages_start_what_they_say() {
    const TOOLS: &[&str] =
        &["exec", "edit", "notebook_edit", "mcp__github__create_issue", "mcp__github__list", "mcp__jira__list"];
    for (matcher, fires) in [
        ("exec", &["exec"][..]),
        ("^exec$", &["exec"]),
        ("^(exec|edit)$", &["exec", "edit"]),
        ("^mcp__.*", &["mcp__github__create_issue", "mcp__github__list", "mcp__jira__list"]),
        ("^mcp__github__.*", &["mcp__github__create_issue", "mcp__github__list"]),
        ("^mcp__github__create_issue$", &["mcp__github__create_issue"]),
    ] {
        let inputs: Vec<Value> = TOOLS.iter().map(|tool| call("PreToolUse", tool, json!({}))).collect();
        for (agent, file) in [("cortex-code", ".cortex/settings.json"), ("devin", ".devin/config.json")] {
            let lines = replayed(agent, &[], file, &hooks("PreToolUse", Some(matcher), "exit 0"), &inputs);
            let events = lines.iter().filter(|line| line["kind"] == "event");
            let found: Vec<&str> =
                events.zip(TOOLS).filter(|(event, _)| !started(event).is_empty()).map(|(_, tool)| *tool).collect();
            assert_eq!(found, fires, "{agent} {matcher}");
        }
    }
}

#[test]
fn a_setup_script_may_hold_up_the_setup() {
    let agent = &AGENTS[0];
    let inputs = [json!({"hook_event_name": "Setup"})];
    assert_eq!(verdicts(&decisions(agent, "Setup", None, "echo ready", &inputs)), ["quiet"]);
    let got = decisions(agent, "Setup", None, "echo 'no compiler' >&2; exit 2", &inputs);
    assert_eq!(verdicts(&got), ["block"]);
}
