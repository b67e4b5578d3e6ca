//! Qwen Code: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.24.4. Must not know screens or processes.

mod answers;

use super::EventClass::{
    AfterBatch, AfterTool, BeforeCompaction, BeforeTool, Gate, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames, TriedOn};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "qwen-code",
    name: "Qwen Code",
    folders: &[".qwen"],
    newest: "0.24.4",
    events: EVENTS,
    tools: TOOLS,
    matching: Matching {
        rule,
        hints,
        rule_name: matching::rule_by_kind,
        assumption: matching::nothing_assumed,
        rules: RULES,
    },
    runs_duplicates_once: true,
    rewrite: Rewrite::Replaces,
    // Measured: the eighth block in a row is overruled.
    stop: StopRule { cap: Some(7), tools_reset: false },
    behaviour: &answers::BEHAVIOUR,
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec::new(
        "SessionStart",
        Some("source"),
        Tested,
        Start,
        "A session begins, resumes, is cleared or compacted.",
        &["startup", "resume", "clear", "compact"],
    ),
    EventSpec::new(
        "SessionEnd",
        Some("reason"),
        Tested,
        Notice,
        "A session ends; not in headless runs.",
        &["clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"],
    ),
    EventSpec::new("SessionDelete", None, Ignored, Notice, "A session is deleted.", &[]),
    EventSpec::new(
        "UserPromptSubmit",
        None,
        Ignored,
        Prompt,
        "A prompt is submitted; again, empty, for each request with tool results.",
        &[],
    ),
    EventSpec::new(
        "UserPromptExpansion",
        Some("command_name"),
        Tested,
        Prompt,
        "A slash command is about to expand.",
        &[],
    ),
    EventSpec::new("PreToolUse", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("PostToolUse", Some("tool_name"), Tested, AfterTool, "A tool call succeeded.", &[]),
    EventSpec::new("PostToolUseFailure", Some("tool_name"), Tested, AfterTool, "A tool call failed.", &[]),
    EventSpec::new("PostToolBatch", None, Ignored, AfterBatch, "Every call of a batch is over.", &[]),
    EventSpec::new(
        "PermissionRequest",
        Some("tool_name"),
        Tested,
        Permission,
        "A permission question is about to be shown.",
        &[],
    ),
    EventSpec::new("PermissionDenied", Some("tool_name"), Tested, Notice, "A call was denied.", &[]),
    EventSpec::new("SubagentStart", Some("agent_type"), Tested, Start, "A subagent is started.", &[]),
    EventSpec::new("SubagentStop", Some("agent_type"), Tested, SubagentStop, "A subagent is about to finish.", &[]),
    EventSpec::new("Stop", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("StopFailure", Some("error"), Tested, Notice, "A turn ended by an error.", &[]),
    EventSpec::new(
        "PreCompact",
        Some("trigger"),
        Tested,
        BeforeCompaction,
        "The conversation is about to be compacted.",
        &["manual", "auto"],
    ),
    EventSpec::new(
        "PostCompact",
        Some("trigger"),
        Tested,
        Notice,
        "The conversation was compacted.",
        &["manual", "auto"],
    ),
    EventSpec::new("Notification", Some("notification_type"), Tested, Notice, "The client notifies the user.", &[]),
    EventSpec::new(
        "InstructionsLoaded",
        Some("load_reason"),
        Tested,
        Notice,
        "A memory or rules file enters the context.",
        &[],
    ),
    EventSpec::new("MessageDisplay", None, Ignored, Notice, "Text of the assistant is being displayed.", &[]),
    EventSpec::new("TodoCreated", None, Ignored, Gate, "A to-do is created.", &[]),
    EventSpec::new("TodoCompleted", None, Ignored, Gate, "A to-do is completed.", &[]),
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "run_shell_command", aliases: &["Shell", "ShellTool", "Bash"] },
    ToolSpec { name: "read_file", aliases: &["ReadFile", "ReadFileTool", "Read"] },
    ToolSpec { name: "write_file", aliases: &["WriteFile", "WriteFileTool", "Write"] },
    ToolSpec { name: "edit", aliases: &["Edit", "EditTool", "replace"] },
    ToolSpec { name: "grep_search", aliases: &["Grep", "GrepTool", "SearchFiles", "search_file_content"] },
    ToolSpec { name: "glob", aliases: &["Glob", "GlobTool", "FindFiles"] },
    ToolSpec { name: "list_directory", aliases: &["ListFiles", "ListFilesTool", "ReadFolder"] },
    ToolSpec { name: "web_fetch", aliases: &["WebFetch", "WebFetchTool"] },
    ToolSpec { name: "web_search", aliases: &["WebSearch"] },
    ToolSpec { name: "todo_write", aliases: &["TodoWrite"] },
    ToolSpec { name: "save_memory", aliases: &["SaveMemory"] },
    ToolSpec { name: "agent", aliases: &["Agent", "Task", "task"] },
    ToolSpec { name: "skill", aliases: &["Skill"] },
    ToolSpec { name: "exit_plan_mode", aliases: &["ExitPlanMode"] },
    ToolSpec { name: "ask_user_question", aliases: &["AskUserQuestion"] },
    ToolSpec { name: "lsp", aliases: &["Lsp"] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher, an empty one, `*` and `.*` match everything; so does a list with one of the two in it.",
        versions: "all known",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "matcher-exact-list",
        text: "What stands between bars, trimmed, is compared with the tool's name and its other names, case included; a list of bars alone matches nothing.",
        versions: "all known",
        source: "measured on 0.24.4 (shell and write_file); source (the other tools)",
    },
    Rule {
        name: "matcher-regex",
        text: "A text that equals no name is a JavaScript regular expression, searched anywhere in the tool's own name; other names are never found by one.",
        versions: "all known",
        source: "measured on 0.24.4; source",
    },
    Rule {
        name: "matcher-invalid",
        text: "A pattern that does not compile never matches; only the debug log says so.",
        versions: "all known",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "matcher-ignored",
        text: "Stop, UserPromptSubmit, PostToolBatch, MessageDisplay and the to-do events ignore their matchers: every group fires.",
        versions: "all known",
        source: "measured on 0.24.4 (Stop, UserPromptSubmit); source",
    },
];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    let on_tools = matching::on_tools(&DIALECT, event);
    MatcherRule {
        attention: matching::attention(&DIALECT, event),
        trimmed: true,
        match_all: &["", "*", ".*"],
        lists: Lists::First,
        tools: if on_tools { TOOLS } else { &[] },
        tried_on: TriedOn::OwnName,
        servers: on_tools.then_some(SERVERS),
        ..MatcherRule::regex(Engine::JavaScript)
    }
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
