//! Matchers of the other agents: against what their clients did, and against the vendors' own examples.

use std::path::Path;
use std::process::Command;

use hookscope::dialect::match_report::counterpart;
use hookscope::dialect::{self, MATCHERS};
use serde::Deserialize;
use serde_json::Value;

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
    let dialect = dialect::with_matchers(dialect).unwrap();
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
    for dialect in MATCHERS {
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
        assert_eq!(counterpart(event, dialect::with_matchers(agent).unwrap()), expect, "{event} in {agent}");
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
    assert_eq!(rows.len(), MATCHERS.len());
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
    let (code, _, said) = hookscope(&["replay", "x.jsonl", "--dialect", "codex"]);
    assert_eq!((code, said.contains("only this agent's matchers are there yet")), (2, true), "{said}");
    let (code, _, said) = hookscope(&["match", "x", "--dialect", "cdex"]);
    assert_eq!((code, said.contains("no such agent")), (2, true), "{said}");
}
