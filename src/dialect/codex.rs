//! Codex CLI: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.171.0. Must not know screens or processes.

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "codex",
    name: "Codex CLI",
    newest: "0.171.0",
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
        fires: "A session begins, resumes, is cleared, compacted or forked.",
        values: &["startup", "resume", "clear", "compact", "fork"],
    },
    EventSpec {
        name: "SessionEnd",
        subject: Some("reason"),
        matcher: Tested,
        class: Notice,
        fires: "A session ends.",
        values: &["other"],
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
        fires: "An approval is about to be asked for; never in codex exec.",
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
        name: "Interrupt",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "The person interrupts the turn.",
        values: &[],
    },
    EventSpec {
        name: "PreModelRequest",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "A request to the model is about to be sent.",
        values: &[],
    },
    EventSpec {
        name: "PostModelRequest",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "A request to the model is over.",
        values: &[],
    },
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "Bash", aliases: &[] },
    ToolSpec { name: "apply_patch", aliases: &["Write", "Edit"] },
    ToolSpec { name: "spawn_agent", aliases: &[] },
    ToolSpec { name: "update_plan", aliases: &[] },
    ToolSpec { name: "view_image", aliases: &[] },
    ToolSpec { name: "web_search", aliases: &[] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher, an empty one and `*` match everything.",
        versions: "all known",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "matcher-exact-list",
        text: "A text of letters, digits, _ and | is a list; a name matches if it equals one of its parts, case included. Nothing is trimmed, an empty part matches nothing.",
        versions: "all known",
        source: "measured on 0.171.0; source",
    },
    Rule {
        name: "matcher-regex",
        text: "Any other text, a space or a hyphen in it included, is a regular expression of Rust, searched anywhere in the name, case included, without look-around. apply_patch is tried as Write and Edit too.",
        versions: "all known",
        source: "measured on 0.171.0; source",
    },
    Rule {
        name: "matcher-invalid",
        text: "A pattern that does not compile drops its group, with a warning at the start; the rest of the file stays.",
        versions: "all known",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "matcher-ignored",
        text: "UserPromptSubmit, Stop and the model events ignore their matchers, invalid ones too: every group fires.",
        versions: "all known",
        source: "measured on 0.171.0 (UserPromptSubmit, Stop, PreModelRequest); Interrupt and PostModelRequest by analogy",
    },
];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    let on_tools = matching::on_tools(&DIALECT, event);
    MatcherRule {
        attention: matching::attention(&DIALECT, event),
        match_all: &["", "*"],
        lists: Lists::OfMarks,
        list_marks: "_|",
        tools: if on_tools { TOOLS } else { &[] },
        servers: on_tools.then_some(SERVERS),
        ..MatcherRule::regex(Engine::Rust)
    }
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
