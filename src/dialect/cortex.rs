//! Cortex Code: events of its file hooks and of its SDK's callbacks, tools and matchers.
//!
//! Owns what is known of this agent, from its documents and packages; nothing of it was measured. Must not know
//! screens or processes.

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Gate, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "cortex-code",
    name: "Cortex Code",
    newest: "1.1.53",
    events: EVENTS,
    tools: TOOLS,
    matching: Matching { rule, hints, rule_name: matching::rule_by_kind, assumption, rules: RULES },
};

/// The table of its SDK.
pub static SDK: Dialect = Dialect {
    id: "cortex-sdk",
    name: "Cortex Code Agent SDK",
    newest: "1.0.7",
    events: SDK_EVENTS,
    tools: TOOLS,
    matching: Matching {
        rule: sdk_rule,
        hints: sdk_hints,
        rule_name: matching::rule_by_kind,
        assumption: sdk_assumption,
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
        fires: "A session ends.",
        values: &["clear", "logout", "prompt_input_exit", "other"],
    },
    EventSpec {
        name: "Setup",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "The client is set up.",
        values: &[],
    },
    EventSpec {
        name: "UserPromptSubmit",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "A prompt is submitted, before the model sees it.",
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
        name: "PermissionRequest",
        subject: Some("tool_name"),
        matcher: Tested,
        class: Permission,
        fires: "A permission decision is needed.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call is over.",
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
        name: "SubagentStop",
        subject: None,
        matcher: Ignored,
        class: SubagentStop,
        fires: "A subagent is about to finish.",
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
        name: "Notification",
        subject: Some("notification_type"),
        matcher: Tested,
        class: Notice,
        fires: "The client notifies the user.",
        values: &[],
    },
];

/// Events of the SDK.
pub static SDK_EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "UserPromptSubmit",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "A prompt is submitted, before the model sees it.",
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
        name: "PermissionRequest",
        subject: Some("tool_name"),
        matcher: Tested,
        class: Permission,
        fires: "A permission decision is needed.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call is over.",
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
        name: "Stop",
        subject: None,
        matcher: Ignored,
        class: Stop,
        fires: "The agent is about to end its turn.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStart",
        subject: None,
        matcher: Ignored,
        class: Start,
        fires: "A subagent is started.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStop",
        subject: None,
        matcher: Ignored,
        class: SubagentStop,
        fires: "A subagent is about to finish.",
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
        name: "Notification",
        subject: Some("notification_type"),
        matcher: Tested,
        class: Notice,
        fires: "The client notifies the user.",
        values: &[],
    },
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "Bash", aliases: &["bash"] },
    ToolSpec { name: "Read", aliases: &["read"] },
    ToolSpec { name: "Write", aliases: &["write"] },
    ToolSpec { name: "Edit", aliases: &["edit"] },
    ToolSpec { name: "Grep", aliases: &["grep"] },
    ToolSpec { name: "Glob", aliases: &["glob"] },
    ToolSpec { name: "WebFetch", aliases: &["web_fetch"] },
    ToolSpec { name: "Task", aliases: &["task"] },
    ToolSpec { name: "Skill", aliases: &["skill"] },
    ToolSpec { name: "AskUserQuestion", aliases: &["ask_user_question"] },
    ToolSpec { name: "snowflake_sql_execute", aliases: &[] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher, an empty one and `*` match everything.",
        versions: "all known",
        source: "vendor's pages and the guide that comes with the client",
    },
    Rule {
        name: "matcher-exact-list",
        text: "Names alone, with bars between them, are compared whole with the tool's name, in either spelling: `Bash` for bash, too.",
        versions: "all known",
        source: "vendor's pages (`Bash` is that tool only); a shipped plugin gates edits with `Edit|Write`. That the comparison is Claude Code's, and that the lower-case spelling counts as well, is assumed",
    },
    Rule {
        name: "matcher-regex",
        text: "Any other text is a regular expression, searched anywhere in the name.",
        versions: "all known",
        source: "vendor's pages (a regular expression); engine and anchoring are assumed as in Claude Code",
    },
    Rule {
        name: "matcher-invalid",
        text: "A pattern that does not compile is taken never to match.",
        versions: "all known",
        source: "assumed as in Claude Code",
    },
    Rule {
        name: "matcher-ignored",
        text: "UserPromptSubmit, Stop and events without a documented subject ignore their matchers.",
        versions: "all known",
        source: "vendor's pages (UserPromptSubmit, Stop); the others are assumed",
    },
    Rule {
        name: "matcher-as-in-claude-code",
        text: "Matchers are taken to be read as Claude Code reads them: the vendor says only that they are regular expressions.",
        versions: "all known",
        source: "assumed",
    },
];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    rule_of(&DIALECT, event)
}

fn sdk_rule(event: &str, _: Option<&str>) -> MatcherRule {
    rule_of(&SDK, event)
}

fn rule_of(dialect: &Dialect, event: &str) -> MatcherRule {
    let on_tools = matching::on_tools(dialect, event);
    MatcherRule {
        attention: matching::attention(dialect, event),
        match_all: &["", "*"],
        lists: Lists::OfMarks,
        list_marks: "_-|, ",
        separators: &['|', ','],
        tools: if on_tools { TOOLS } else { &[] },
        servers: on_tools.then_some(SERVERS),
        ..MatcherRule::regex(Engine::JavaScript)
    }
}

/// Events for which the vendor says how a matcher is treated.
const IGNORED_FOR_SURE: &[&str] = &["UserPromptSubmit", "Stop"];

fn assumption(event: &str) -> Option<&'static str> {
    (!IGNORED_FOR_SURE.contains(&event)).then_some("matcher-as-in-claude-code")
}

fn sdk_assumption(event: &str) -> Option<&'static str> {
    assumption(event)
}

fn sdk_hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&SDK, matcher, event, known)
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
