//! Matchers of the other agents: against what their clients did, and against the vendors' own examples.

use std::path::Path;
use std::process::Command;

use hookscope::dialect::match_report::counterpart;
use hookscope::dialect::{self, ALL};
use hookscope::dialect::{Candidate, Circumstances, Dialect, Joined};
use hookscope::model::{
    Action, Decision, Evidence, Handler, HandlerKind, HookRun, MatcherGroup, Matching, Position, Verdict,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What one client did with one subject under many matchers; `null` is no matcher.
#[derive(Deserialize)]
struct Observed {
    dialect: String,
    version: String,
    event: String,
    subject: String,
    fired: Vec<Option<String>>,
    silent: Vec<Option<String>>,
}

fn fires(dialect: &str, event: &str, matcher: Option<&str>, version: Option<&str>, subject: &str) -> Option<bool> {
    let dialect = dialect::by_id(dialect).unwrap();
    dialect.matching.compile(matcher, event, version).test(subject).matched
}

#[test]
fn every_observed_matcher_fires_where_the_real_client_fired_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth/matchers-of-other-agents.jsonl");
    let mut held = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: Observed = serde_json::from_str(line).unwrap();
        let both = [(&row.fired, true), (&row.silent, false)];
        for (matcher, fired) in both.into_iter().flat_map(|(list, fired)| list.iter().map(move |one| (one, fired))) {
            let found = fires(&row.dialect, &row.event, matcher.as_deref(), Some(&row.version), &row.subject);
            assert_eq!(found, Some(fired), "{} {} {matcher:?} on {:?}", row.dialect, row.event, row.subject);
            held += 1;
        }
    }
    assert_eq!(held, 361);
}

#[test]
fn matchers_of_the_vendors_examples_mean_what_their_pages_say() {
    for (agent, event, matcher, subject, expect) in [
        // Devin: a regular expression, searched anywhere in the name.
        ("devin", "PreToolUse", "exec", "exec", true),
        ("devin", "PreToolUse", "edit", "notebook_edit", true),
        ("devin", "PreToolUse", "^exec$", "exec", true),
        ("devin", "PreToolUse", "^exec$", "execute", false),
        ("devin", "PreToolUse", "^(exec|edit)$", "edit", true),
        ("devin", "PreToolUse", "^(exec|edit)$", "notebook_edit", false),
        ("devin", "PreToolUse", "^mcp__.*", "mcp__github__create_issue", true),
        ("devin", "PreToolUse", "^mcp__.*", "exec", false),
        ("devin", "PreToolUse", "^mcp__github__.*", "mcp__github__create_issue", true),
        ("devin", "PreToolUse", "^mcp__github__.*", "mcp__gitlab__create_issue", false),
        ("devin", "PreToolUse", "^mcp__github__create_issue$", "mcp__github__create_issue", true),
        ("devin", "PreToolUse", "^mcp__github__create_issue$", "mcp__github__create_issues", false),
        ("devin", "PreToolUse", "mcp__github", "mcp__github__create_issue", true),
        ("devin", "PostToolUse", "write", "todo_write", true),
        ("devin", "PreToolUse", "Bash", "exec", false),
        ("devin", "PreToolUse", "edit, write", "edit", false),
        ("devin", "PreToolUse", "", "exec", true),
        ("devin", "PreToolUse", "*", "exec", false),
        ("devin", "SessionStart", "startup", "startup", false),
        ("devin", "SessionStart", "", "startup", true),
        // Cortex Code: Claude Code's spelling gates tools whose names are written small.
        ("cortex-code", "PreToolUse", "Bash", "bash", true),
        ("cortex-code", "PreToolUse", "Bash", "Bash", true),
        ("cortex-code", "PreToolUse", "Edit|Write|MultiEdit", "write", true),
        ("cortex-code", "PreToolUse", "snowflake_.*", "snowflake_sql_execute", true),
        ("cortex-code", "PreToolUse", "mcp__github__.*", "mcp__github__create_issue", true),
        ("cortex-code", "PreToolUse", "*", "anything", true),
        ("cortex-code", "Stop", "x", "", true),
        ("cortex-sdk", "PostToolUseFailure", ".*", "bash", true),
        // Codex: a list, or a regular expression of Rust.
        ("codex", "PreToolUse", "Bash, Read", "Bash", false),
        ("codex", "PostToolUse", "^Write$", "apply_patch", true),
        ("codex", "PreCompact", "auto", "manual", false),
        ("codex", "Stop", "[", "", true),
        // Qwen Code: names first, then the whole as a regular expression.
        ("qwen-code", "PreToolUse", "read_.* | edit", "read_file", true),
        ("qwen-code", "PreToolUse", "^(Bash)$", "run_shell_command", false),
        ("qwen-code", "PreToolUse", ".*|x", "write_file", true),
        // Copilot CLI: the whole name, and two spellings of an event.
        ("copilot-cli", "preToolUse", "bash", "bash", true),
        ("copilot-cli", "preToolUse", "Bash", "bash", false),
        ("copilot-cli", "preToolUse", "edi", "edit", false),
        ("copilot-cli", "preToolUse", "bash|edit", "edit", true),
        ("copilot-cli", "preToolUse", "*", "bash", false),
        ("copilot-cli", "PreToolUse", "Bash", "bash", true),
        ("copilot-cli", "PreToolUse", "^Bash$", "bash", true),
        ("copilot-cli", "PreToolUse", "*", "bash", true),
        ("copilot-cli", "PreToolUse", "run_shell", "bash", false),
        ("copilot-cli", "PreToolUse", "Edit|Write", "create", true),
        ("copilot-cli", "PreToolUse", "Edit", "apply_patch", true),
        ("copilot-cli", "PreToolUse", "Bash", "powershell", true),
        ("copilot-cli", "PreToolUse", "powershell", "bash", false),
    ] {
        assert_eq!(
            fires(agent, event, Some(matcher), None, subject),
            Some(expect),
            "{agent} {event} {matcher} {subject}"
        );
    }
}

#[test]
fn each_agents_tables_are_whole() {
    for dialect in ALL {
        let rules = dialect.matching.rules;
        for rule in rules {
            assert_eq!(rules.iter().filter(|other| other.name == rule.name).count(), 1, "{} {}", dialect.id, rule.name);
            assert!(!rule.source.is_empty() && !rule.versions.is_empty(), "{} {}", dialect.id, rule.name);
        }
        for spec in dialect.events {
            let same = dialect.events.iter().filter(|other| other.name == spec.name);
            assert_eq!(same.count(), 1, "{} {}", dialect.id, spec.name);
            for matcher in [None, Some(""), Some("Bash"), Some("a|b"), Some("a.*"), Some("["), Some("*")] {
                let read = dialect.matching.compile(matcher, spec.name, None);
                let name = (dialect.matching.rule_name)(&read, spec.name);
                assert!(dialect.matching.rule_text(name).is_some(), "{} {} {matcher:?}: {name}", dialect.id, spec.name);
            }
            let assumed = (dialect.matching.assumption)(spec.name);
            assert!(
                assumed.is_none_or(|name| dialect.matching.rule_text(name).is_some()),
                "{} {}",
                dialect.id,
                spec.name
            );
        }
    }
}

#[test]
fn a_moment_has_its_name_in_every_agent() {
    for (event, agent, expect) in [
        ("PreToolUse", "gemini-cli", Some("BeforeTool")),
        ("BeforeTool", "claude-code", Some("PreToolUse")),
        ("BeforeTool", "copilot-cli", Some("preToolUse")),
        ("PreToolUse", "copilot-cli", Some("PreToolUse")),
        ("AfterAgent", "codex", Some("Stop")),
        ("UserPromptSubmit", "gemini-cli", Some("BeforeAgent")),
        ("UserPromptExpansion", "gemini-cli", None),
        ("PostToolUseFailure", "codex", None),
        ("SubagentStart", "devin", None),
        ("Nonsense", "devin", None),
    ] {
        assert_eq!(counterpart(event, dialect::by_id(agent).unwrap()), expect, "{event} in {agent}");
    }
}

fn hookscope(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_hookscope")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn one_matcher_in_every_agent_is_a_line_each() {
    let (code, text, _) = hookscope(&["match", "Bash", "--all-dialects"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let (_, text, _) = hookscope(&["match", "^(?!Bash)", "Bash", "exec", "--event", "Stop", "--all-dialects"]);
    insta::assert_snapshot!(text);
    let (_, text, _) = hookscope(&["match", "(?!Bash).*", "Bash", "--all-dialects", "--json"]);
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: &str| rows.iter().find(|row| row["dialect"] == id).unwrap();
    assert_eq!(rows.len(), ALL.len());
    assert_eq!((&of("codex")["kind"], &of("codex")["engine"]), (&"invalid".into(), &"rust".into()));
    assert_eq!((&of("gemini-cli")["event"], &of("gemini-cli")["kind"]), (&"BeforeTool".into(), &"regex".into()));
}

#[test]
fn one_agents_reading_is_asked_for_by_name() {
    let (code, text, _) = hookscope(&["match", "write", "--dialect", "devin"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let (_, text, _) = hookscope(&["match", "(?=x)", "Bash", "--dialect", "codex"]);
    insta::assert_snapshot!(text);
    let (_, text, _) = hookscope(&["match", "[Bash", "[Bash", "--event", "BeforeTool", "--dialect", "gemini"]);
    insta::assert_snapshot!(text);
    let (code, _, said) = hookscope(&["replay", "x.jsonl", "--dialect", "cursor"]);
    assert_eq!((code, said.contains("this agent's rules are not there yet")), (2, true), "{said}");
    let (code, _, said) = hookscope(&["match", "x", "--dialect", "cdex"]);
    assert_eq!((code, said.contains("no such agent")), (2, true), "{said}");
}

/// What a client did after one handler's answer.
#[derive(Deserialize)]
struct Answered {
    id: String,
    dialect: String,
    event: String,
    handler: Printed,
    refused: bool,
    #[serde(default)]
    words: Option<String>,
    #[serde(default)]
    context: bool,
}

#[derive(Deserialize, Default)]
struct Printed {
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    exit: i32,
}

/// The decision of handlers that ended in this order, `(place, answer)` each.
fn decided(dialect: &'static Dialect, event: &str, subject: &str, all: &[(usize, Printed)]) -> Decision {
    let group = MatcherGroup {
        id: format!("project:{event}/0"),
        event: event.to_owned(),
        file: 0,
        position: Position { line: 1, column: 1 },
        matcher_position: None,
        matcher: Matching::Absent,
        handlers: Vec::new(),
        limited_to: None,
    };
    let joined = all.iter().map(|(place, printed)| {
        let handler = Handler {
            id: format!("project:{event}/0/{place}"),
            kind: HandlerKind::Command { command: "x".into(), args: None, shell: None },
            position: Position { line: 1, column: 1 },
            timeout: None,
            condition: None,
            background: false,
            held_back: None,
            raw: Value::Null,
        };
        let run = HookRun {
            handler: handler.id.clone(),
            kind: "command",
            command: Some("x".into()),
            evidence: Evidence::Run,
            exit_code: Some(printed.exit),
            signal: None,
            duration_ms: None,
            stdout: Some(printed.stdout.clone()),
            stderr: Some(printed.stderr.clone()),
            timed_out: false,
            outcome: None,
            says: None,
            notes: Vec::new(),
            lost: false,
            sources: Vec::new(),
        };
        let candidate = Candidate { group: &group, handler: &handler, label: "x" };
        Joined { place: (0, *place), ..(dialect.behaviour.heard)(event, None, &candidate, run) }
    });
    let joined: Vec<Joined> = joined.collect();
    let at = Circumstances {
        event,
        class: dialect.event(event).unwrap().class,
        subject: Some(subject),
        version: None,
        mode: None,
        blocks_before: 0,
        cap: dialect.stop.cap,
        has_rules: false,
    };
    (dialect.behaviour.decide)(&at, &joined)
}

#[test]
fn every_observed_answer_does_what_it_did_to_the_real_client() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth/answers-of-other-agents.jsonl");
    let mut wrong = Vec::new();
    let mut held = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: Answered = serde_json::from_str(line).unwrap();
        let dialect = dialect::by_id(&row.dialect).unwrap();
        let subject = if row.dialect == "codex" { "Bash" } else { "run_shell_command" };
        let decision = decided(dialect, &row.event, subject, &[(0, row.handler)]);
        let rejected = decision.action == Some(Action::InputRejected);
        // What ends a turn at its end refuses nothing.
        let ends = decision.action == Some(Action::TurnEnds);
        let refused = rejected || !ends && matches!(decision.verdict, Verdict::Deny | Verdict::Block | Verdict::Halt);
        let told = decision.reason.clone().unwrap_or_default();
        let words =
            rejected || row.words.as_deref().is_none_or(|words| !told.is_empty() && words.contains(told.as_str()));
        // What the model reads stands in what it was given, its introduction included.
        let sees = decision.model_sees.iter().map(|text| text.words.as_str());
        let words = words
            && (rejected || row.words.as_deref().is_none_or(|words| sees.into_iter().all(|seen| words.contains(seen))));
        let context = !row.context || !decision.additional_context.is_empty();
        let silent = row.context
            || !matches!(row.event.as_str(), "SessionStart" | "UserPromptSubmit")
            || decision.additional_context.is_empty();
        if refused == row.refused && words && context && silent {
            held += 1;
        } else {
            wrong.push(format!(
                "{} {} {}: {:?} {:?} {:?}",
                row.dialect, row.event, row.id, decision.verdict, decision.reason, decision.additional_context
            ));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(held, 96);
}

#[test]
fn several_answers_combine_as_they_did() {
    let deny = |word: &str| Printed { stderr: word.to_owned(), exit: 2, ..Printed::default() };
    let json = |value: Value| Printed { stdout: value.to_string(), ..Printed::default() };
    let codex = dialect::by_id("codex").unwrap();
    // The second one finishes first; the first one in the settings gives the words.
    let both = decided(codex, "PreToolUse", "Bash", &[(1, deny("b")), (0, deny("a"))]);
    assert_eq!((both.verdict, both.reason.as_deref()), (Verdict::Deny, Some("a")));
    let rewrite = |command: &str| {
        json(
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": command}}}),
        )
    };
    let last = decided(codex, "PreToolUse", "Bash", &[(1, rewrite("b")), (0, rewrite("a"))]);
    assert_eq!(last.updated_input, Some(json!({"command": "a"})));
    let refused = decided(codex, "PreToolUse", "Bash", &[(0, rewrite("a")), (1, deny("b"))]);
    assert_eq!((refused.verdict, refused.reason.as_deref(), refused.updated_input), (Verdict::Deny, Some("b"), None));
    let stop = |value: Value| json(value);
    let ended = decided(
        codex,
        "Stop",
        "",
        &[(0, stop(json!({"decision": "block", "reason": "a"}))), (1, stop(json!({"continue": false})))],
    );
    assert_eq!((ended.verdict, ended.action), (Verdict::Halt, Some(Action::TurnEnds)));
    let context =
        |text: &str| json(json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text}}));
    let ordered = decided(codex, "PreToolUse", "Bash", &[(1, context("b")), (0, context("a"))]);
    assert_eq!(ordered.additional_context, ["a", "b"]);
    let beside = decided(codex, "PreToolUse", "Bash", &[(0, deny("a")), (1, context("b"))]);
    assert_eq!((beside.verdict, beside.additional_context), (Verdict::Deny, vec!["b".to_owned()]));

    let qwen = dialect::by_id("qwen-code").unwrap();
    let both = decided(qwen, "PreToolUse", "run_shell_command", &[(0, deny("a")), (1, deny("b"))]);
    assert_eq!(both.reason.as_deref(), Some("a\nb"));
    let gemini = dialect::by_id("gemini-cli").unwrap();
    let allow = json(json!({"decision": "allow", "reason": "fine"}));
    let both = decided(gemini, "BeforeTool", "run_shell_command", &[(0, allow), (1, deny("b"))]);
    assert_eq!((both.verdict, both.reason.as_deref()), (Verdict::Deny, Some("fine\nb")));
}

#[test]
fn another_agents_tool_name_is_told_by_the_name_it_has_here() {
    for (dialect, matcher, words) in [
        ("devin", "Bash", Some("Devin CLI calls this tool `exec`")),
        ("gemini-cli", "Bash|Edit", Some("Gemini CLI calls this tool `replace`")),
        ("claude-code", "run_shell_command", Some("Claude Code calls this tool `Bash`")),
        // Other names that count here are no slip, and neither is what is written in another case alone.
        ("codex", "Edit|Write", None),
        ("qwen-code", "Bash", None),
        ("cortex-code", "Bash|bash", None),
        ("devin", "^exec$", None),
        ("claude-code", "bash", None),
    ] {
        let (code, text, _) = hookscope(&["match", matcher, "--dialect", dialect]);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, 0);
        match words {
            Some(words) => assert!(text.contains(words), "{dialect} {matcher}: {text}"),
            None => assert!(!text.contains("another agent's name"), "{dialect} {matcher}: {text}"),
        }
    }
    // Without an event it is the one before a tool, by the agent's own word.
    let (_, text, _) = hookscope(&["match", "replace", "--dialect", "gemini"]);
    assert!(text.contains("BeforeTool") && !text.contains("PreToolUse"), "{text}");
}

#[test]
fn an_agent_is_told_by_its_folder_by_its_own_events_and_by_what_it_leaves_out() {
    use hookscope::dialect::hook_log::dialect_of;
    for (input, expect) in [
        (json!({"transcript_path": "/h/.qwen/x.jsonl", "hook_event_name": "PreToolUse"}), "qwen-code"),
        (
            json!({"transcript_path": "/h/.claude/x.jsonl", "turn_id": "t", "hook_event_name": "MessageDisplay"}),
            "claude-code",
        ),
        (json!({"cwd": "/p", "hook_event_name": "BeforeTool"}), "gemini-cli"),
        (json!({"hook_event_name": "PostCompaction"}), "devin"),
        (json!({"cwd": "/p", "turn_id": "t", "hook_event_name": "Stop"}), "codex"),
        (json!({"hook_event_name": "Stop"}), "devin"),
        (json!({"cwd": "/p", "hook_event_name": "Stop"}), "claude-code"),
    ] {
        assert_eq!(dialect_of(&input), expect, "{input}");
    }
}
