//! One event and one hook set under every agent's rules: against the table of what the clients did with one matcher,
//! and against what each of them makes of one answer.

use std::path::Path;

use hookscope::dialect::elsewhere::{Reads, ToolThere, reads, tool_there};
use hookscope::dialect::{self, claude_code};
use hookscope::engine::matrix::{AgentRow, Moment, matrix};
use hookscope::matcher::NoJudge;
use hookscope::model::{HookSet, Verdict};
use hookscope::settings::{self, Given, Request};
use serde_json::{Value, json};

/// The hooks of a settings file at this place below a folder.
fn hooks(folder: &Path, place: &str, settings: &Value) -> HookSet {
    let path = folder.join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, settings.to_string()).unwrap();
    let given = vec![Given { scope: None, path }];
    let mut plan = settings::plan(&Request { given, ..Request::default() }, None, &[]);
    plan.eras.remove(0).set
}

fn group(event: &str, matcher: Option<&str>) -> Value {
    let handlers = json!([{"type": "command", "command": "guard.sh"}]);
    let group = match matcher {
        Some(matcher) => json!({"matcher": matcher, "hooks": handlers}),
        None => json!({"hooks": handlers}),
    };
    json!({"hooks": {event: [group]}})
}

fn rows(place: &str, settings: &Value, event: &str, subject: Option<&str>, handed: bool) -> Vec<AgentRow> {
    let folder = tempfile::tempdir().unwrap();
    let set = hooks(folder.path(), place, settings);
    let here = &claude_code::DIALECT;
    let moment = Moment { here, version: None, set: &set, handed, event, subject, step: None };
    matrix(&moment, &NoJudge)
}

fn of<'a>(rows: &'a [AgentRow], agent: &str) -> &'a AgentRow {
    rows.iter().find(|row| row.dialect.id == agent).unwrap()
}

#[test]
fn one_matcher_has_as_many_answers_as_the_clients_gave() {
    // Subject: the shell tool. Columns: Codex, Gemini, Qwen (measured), Copilot in Claude Code's spelling (its pages).
    for (matcher, codex, gemini, qwen, copilot) in [
        (None, true, true, true, Some(true)),
        (Some(""), true, true, true, Some(true)),
        (Some("*"), true, true, true, Some(true)),
        (Some("Bash"), true, false, true, Some(true)),
        (Some("bash"), false, false, false, Some(true)),
        (Some("^Bash$"), true, false, false, Some(true)),
        (Some("Bash|Edit"), true, false, true, Some(true)),
        (Some("run_shell"), false, true, true, Some(false)),
        (Some(".*"), true, true, true, Some(true)),
        (Some("(?!x)"), false, true, true, Some(false)),
        (Some("["), false, false, false, Some(false)),
        (Some("|"), false, true, false, Some(false)),
        (Some("*|run_shell_command"), false, false, true, Some(false)),
        (Some(" Bash "), false, false, true, None),
    ] {
        let rows = rows("settings.json", &group("PreToolUse", matcher), "PreToolUse", Some("Bash"), true);
        let fires = |agent: &str| of(&rows, agent).would_run > 0;
        assert_eq!(fires("codex"), codex, "codex {matcher:?}");
        assert_eq!(fires("gemini-cli"), gemini, "gemini-cli {matcher:?}");
        assert_eq!(fires("qwen-code"), qwen, "qwen-code {matcher:?}");
        if let Some(copilot) = copilot {
            assert_eq!(fires("copilot-cli"), copilot, "copilot-cli {matcher:?}");
        }
        assert_eq!(of(&rows, "gemini-cli").runs, 0, "it says BeforeTool");
    }
}

#[test]
fn the_same_moment_bears_each_agents_own_name() {
    for (event, agent, there) in [
        ("PreToolUse", "gemini-cli", Some("BeforeTool")),
        ("PostToolUse", "gemini-cli", Some("AfterTool")),
        ("UserPromptSubmit", "gemini-cli", Some("BeforeAgent")),
        ("Stop", "gemini-cli", Some("AfterAgent")),
        ("PermissionRequest", "gemini-cli", None),
        ("SubagentStop", "gemini-cli", None),
        ("SubagentStop", "devin", None),
        ("PreCompact", "codex", Some("PreCompact")),
        ("PostToolBatch", "qwen-code", Some("PostToolBatch")),
        ("PostToolBatch", "codex", None),
        ("Stop", "devin", Some("Stop")),
    ] {
        let rows = rows("settings.json", &group(event, None), event, None, true);
        assert_eq!(of(&rows, agent).event, there, "{event} in {agent}");
    }
}

#[test]
fn the_same_tool_bears_each_agents_own_name() {
    let named = |name: &str| ToolThere::Named(name.to_owned());
    for (here, tool, there, expect) in [
        ("claude-code", "Bash", "devin", named("exec")),
        ("claude-code", "Bash", "codex", named("Bash")),
        ("claude-code", "Bash", "gemini-cli", named("run_shell_command")),
        ("claude-code", "Bash", "copilot-cli", named("bash")),
        ("claude-code", "Write", "codex", named("apply_patch")),
        ("claude-code", "Agent", "codex", named("spawn_agent")),
        ("claude-code", "NotebookEdit", "gemini-cli", ToolThere::Missing),
        ("claude-code", "mcp__demo__echo", "devin", ToolThere::Same("mcp__demo__echo".to_owned())),
        ("qwen-code", "run_shell_command", "claude-code", named("Bash")),
        ("copilot-cli", "view", "claude-code", named("Read")),
        ("gemini-cli", "replace", "claude-code", named("Edit")),
        ("devin", "exec", "qwen-code", named("run_shell_command")),
    ] {
        let by_id = |id| dialect::by_id(id).unwrap();
        assert_eq!(tool_there(tool, by_id(here), by_id(there)), expect, "{here} {tool} in {there}");
    }
}

#[test]
fn who_reads_whose_files() {
    let by_id = |id| dialect::by_id(id).unwrap();
    let path = "/w/.claude/settings.json";
    for (agent, expect) in
        [("claude-code", true), ("devin", true), ("copilot-cli", true), ("codex", false), ("gemini-cli", false)]
    {
        assert_eq!(!matches!(reads(path, by_id(agent)), Reads::No { .. }), expect, "{agent}");
    }
    assert!(matches!(reads("/w/.codex/hooks.json", by_id("claude-code")), Reads::No { .. }));
    assert_eq!(reads("/w/hooks.json", by_id("codex")), Reads::Own);
}

#[test]
fn a_file_that_is_not_read_runs_nothing_and_the_row_says_what_it_would_do_elsewhere() {
    let rows = rows(".claude/settings.json", &group("PreToolUse", Some("Bash")), "PreToolUse", Some("Bash"), false);
    let codex = of(&rows, "codex");
    assert_eq!((codex.runs, codex.would_run, codex.decision.verdict), (0, 1, Verdict::None));
    assert_eq!(codex.why, "does not read .claude/settings.json (seen on 0.171.0); in .codex/hooks.json: it would run");
    let devin = of(&rows, "devin");
    assert_eq!((devin.runs, devin.word()), (0, "none"));
    assert_eq!(devin.changes[0].after, "\"matcher\": \"Bash|exec\"");
    let copilot = of(&rows, "copilot-cli");
    assert_eq!((copilot.runs, copilot.word()), (1, "runs"));
    assert!(copilot.assumed.iter().any(|name| name == "reads-files-of-others"), "its pages say so, nobody saw it");
}

#[test]
fn one_event_that_devin_does_not_know_costs_it_the_whole_file() {
    let mut settings = group("PreToolUse", Some("exec"));
    settings["hooks"]["SubagentStart"] = json!([{"hooks": [{"type": "command", "command": "x"}]}]);
    let rows = rows(".claude/settings.json", &settings, "PreToolUse", Some("Bash"), false);
    let devin = of(&rows, "devin");
    assert_eq!(devin.runs, 0);
    assert!(devin.why.starts_with("drops .claude/settings.json whole: it has SubagentStart"), "{}", devin.why);
}

#[test]
fn changes_are_the_smallest_that_make_it_match() {
    let after = |matcher: &str, agent: &str, handed: bool| {
        let place = if handed { "settings.json" } else { ".claude/settings.json" };
        let rows = rows(place, &group("PreToolUse", Some(matcher)), "PreToolUse", Some("Bash"), handed);
        let changes = &of(&rows, agent).changes;
        changes.iter().map(|change| change.after.clone()).collect::<Vec<_>>()
    };
    assert_eq!(after("Bash", "gemini-cli", true), ["\"BeforeTool\": [", "\"matcher\": \"run_shell_command\""]);
    assert_eq!(after("Bash|Edit", "devin", false), ["\"matcher\": \"Bash|exec|Edit\""]);
    assert_eq!(after("*", "devin", false), ["\"matcher\": \"\""]);
    assert_eq!(after("Bash", "codex", true), Vec::<String>::new());
    let rows = rows("settings.json", &group("PreToolUse", Some("Bash")), "PreToolUse", Some("Bash"), true);
    let change = of(&rows, "devin").changes[0].diff();
    assert!(change.contains("@@ -1 +1 @@\n-\"matcher\": \"Bash\"\n+\"matcher\": \"Bash|exec\"\n"), "{change}");
}

/// What the program prints, and how it ended.
fn hookscope(words: &[&str]) -> (String, Option<i32>) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_hookscope")).args(words).output().unwrap();
    (String::from_utf8(out.stdout).unwrap(), out.status.code())
}

#[test]
fn replay_tells_each_event_once_an_agent_and_counts_them_apart() {
    let (out, code) = hookscope(&["replay", "demo:refused", "--all-dialects", "--json"]);
    assert_eq!(code, Some(0));
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, events) = lines.split_last().unwrap();
    assert_eq!(events.len() as u64, summary["events"].as_u64().unwrap() * dialect::ALL.len() as u64);
    let at = |agent: &str| events.iter().find(|line| line["seq"] == 7 && line["dialect"] == agent).unwrap();
    assert_eq!(at("claude-code")["decision"]["verdict"], "deny");
    assert_eq!(at("codex")["decision"]["verdict"], "none", "it does not read the file");
    assert_eq!(at("copilot-cli")["decision"]["verdict"], "deny", "exit 2 is read alike");
    assert_eq!(at("gemini-cli")["there"]["event"], "BeforeTool");
    assert_eq!(at("devin")["there"]["subject"], "exec");
    assert_eq!(summary["dialects"]["claude-code"]["deny"], 1);
    assert_eq!(summary["dialects"]["codex"], json!({"none": summary["events"]}));
    // The session's own agent is told of as without the others.
    let (alone, _) = hookscope(&["replay", "demo:refused", "--json"]);
    let alone: Value = serde_json::from_str(alone.lines().nth(6).unwrap()).unwrap();
    assert_eq!(at("claude-code")["decision"], alone["decision"]);
}

#[test]
fn replay_text_has_a_row_an_agent_under_each_event() {
    let (out, code) = hookscope(&["replay", "demo:refused", "--all-dialects", "--where", "verdict:deny"]);
    assert_eq!(code, Some(0));
    assert!(dialect::ALL.iter().all(|known| out.lines().any(|line| line.trim_start().starts_with(known.id))), "{out}");
    assert!(out.contains("in .codex/hooks.json: deny"), "{out}");
    assert!(out.lines().any(|line| line.contains("copilot-cli") && line.contains("deny?")), "assumed is marked: {out}");
}
