//! Cortex Code: events of its file hooks and of its SDK's callbacks, tools and matchers.
//!
//! Owns what is known of this agent, from its documents and packages; nothing of it was measured. Must not know
//! screens or processes.

mod answers;

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Gate, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "cortex-code",
    name: "Cortex Code",
    folders: &[".cortex", ".snowflake"],
    newest: "1.1.53",
    events: EVENTS,
    tools: TOOLS,
    matching: Matching { rule, hints, rule_name: matching::rule_by_kind, assumption, rules: RULES },
    runs_duplicates_once: true,
    rewrite: Rewrite::Replaces,
    stop: StopRule { cap: None, tools_reset: false },
    behaviour: &answers::BEHAVIOUR,
};

/// The table of its SDK.
pub static SDK: Dialect = Dialect {
    id: "cortex-sdk",
    name: "Cortex Code Agent SDK",
    folders: &[],
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
    runs_duplicates_once: true,
    rewrite: Rewrite::Replaces,
    stop: StopRule { cap: None, tools_reset: false },
    behaviour: &answers::SDK_BEHAVIOUR,
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
        "A session ends.",
        &["clear", "logout", "prompt_input_exit", "other"],
    ),
    EventSpec::new("Setup", None, Ignored, Gate, "The client is set up.", &[]),
    EventSpec::new("UserPromptSubmit", None, Ignored, Prompt, "A prompt is submitted, before the model sees it.", &[]),
    EventSpec::new("PreToolUse", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("PermissionRequest", Some("tool_name"), Tested, Permission, "A permission decision is needed.", &[]),
    EventSpec::new("PostToolUse", Some("tool_name"), Tested, AfterTool, "A tool call is over.", &[]),
    EventSpec::new("Stop", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("SubagentStop", None, Ignored, SubagentStop, "A subagent is about to finish.", &[]),
    EventSpec::new(
        "PreCompact",
        Some("trigger"),
        Tested,
        BeforeCompaction,
        "The conversation is about to be compacted.",
        &["manual", "auto"],
    ),
    EventSpec::new("Notification", Some("notification_type"), Tested, Notice, "The client notifies the user.", &[]),
];

/// Events of the SDK.
pub static SDK_EVENTS: &[EventSpec] = &[
    EventSpec::new("UserPromptSubmit", None, Ignored, Prompt, "A prompt is submitted, before the model sees it.", &[]),
    EventSpec::new("PreToolUse", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("PermissionRequest", Some("tool_name"), Tested, Permission, "A permission decision is needed.", &[]),
    EventSpec::new("PostToolUse", Some("tool_name"), Tested, AfterTool, "A tool call is over.", &[]),
    EventSpec::new("PostToolUseFailure", Some("tool_name"), Tested, AfterTool, "A tool call failed.", &[]),
    EventSpec::new("Stop", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("SubagentStart", None, Ignored, Start, "A subagent is started.", &[]),
    EventSpec::new("SubagentStop", None, Ignored, SubagentStop, "A subagent is about to finish.", &[]),
    EventSpec::new(
        "PreCompact",
        Some("trigger"),
        Tested,
        BeforeCompaction,
        "The conversation is about to be compacted.",
        &["manual", "auto"],
    ),
    EventSpec::new("Notification", Some("notification_type"), Tested, Notice, "The client notifies the user.", &[]),
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
