//! Qwen Code: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.24.4. Must not know screens or processes.

use super::EventClass::{
    AfterBatch, AfterTool, BeforeCompaction, BeforeTool, Gate, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames, TriedOn};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "qwen-code",
    name: "Qwen Code",
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
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "SessionStart",
        subject: Some("source"),
        matcher: Tested,
        class: Start,
        fires: "A session begins, resumes, is cleared or compacted.",
        values: &["startup", "resume", "clear", "compact"],
    },
    EventSpec {
        name: "SessionEnd",
        subject: Some("reason"),
        matcher: Tested,
        class: Notice,
        fires: "A session ends; not in headless runs.",
        values: &["clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"],
    },
    EventSpec {
        name: "SessionDelete",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "A session is deleted.",
        values: &[],
    },
    EventSpec {
        name: "UserPromptSubmit",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "A prompt is submitted; again, empty, for each request with tool results.",
        values: &[],
    },
    EventSpec {
        name: "UserPromptExpansion",
        subject: Some("command_name"),
        matcher: Tested,
        class: Prompt,
        fires: "A slash command is about to expand.",
        values: &[],
    },
    EventSpec {
        name: "PreToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: BeforeTool,
        fires: "A tool call is about to run.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call succeeded.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUseFailure",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call failed.",
        values: &[],
    },
    EventSpec {
        name: "PostToolBatch",
        subject: None,
        matcher: Ignored,
        class: AfterBatch,
        fires: "Every call of a batch is over.",
        values: &[],
    },
    EventSpec {
        name: "PermissionRequest",
        subject: Some("tool_name"),
        matcher: Tested,
        class: Permission,
        fires: "A permission question is about to be shown.",
        values: &[],
    },
    EventSpec {
        name: "PermissionDenied",
        subject: Some("tool_name"),
        matcher: Tested,
        class: Notice,
        fires: "A call was denied.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStart",
        subject: Some("agent_type"),
        matcher: Tested,
        class: Start,
        fires: "A subagent is started.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStop",
        subject: Some("agent_type"),
        matcher: Tested,
        class: SubagentStop,
        fires: "A subagent is about to finish.",
        values: &[],
    },
    EventSpec {
        name: "Stop",
        subject: None,
        matcher: Ignored,
        class: Stop,
        fires: "The agent is about to end its turn.",
        values: &[],
    },
    EventSpec {
        name: "StopFailure",
        subject: Some("error"),
        matcher: Tested,
        class: Notice,
        fires: "A turn ended by an error.",
        values: &[],
    },
    EventSpec {
        name: "PreCompact",
        subject: Some("trigger"),
        matcher: Tested,
        class: BeforeCompaction,
        fires: "The conversation is about to be compacted.",
        values: &["manual", "auto"],
    },
    EventSpec {
        name: "PostCompact",
        subject: Some("trigger"),
        matcher: Tested,
        class: Notice,
        fires: "The conversation was compacted.",
        values: &["manual", "auto"],
    },
    EventSpec {
        name: "Notification",
        subject: Some("notification_type"),
        matcher: Tested,
        class: Notice,
        fires: "The client notifies the user.",
        values: &[],
    },
    EventSpec {
        name: "InstructionsLoaded",
        subject: Some("load_reason"),
        matcher: Tested,
        class: Notice,
        fires: "A memory or rules file enters the context.",
        values: &[],
    },
    EventSpec {
        name: "MessageDisplay",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "Text of the assistant is being displayed.",
        values: &[],
    },
    EventSpec {
        name: "TodoCreated",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "A to-do is created.",
        values: &[],
    },
    EventSpec {
        name: "TodoCompleted",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "A to-do is completed.",
        values: &[],
    },
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
