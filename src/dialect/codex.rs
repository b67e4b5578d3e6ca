//! Codex CLI: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.171.0. Must not know screens or processes.

mod answers;

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, ServerNames};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "codex",
    name: "Codex CLI",
    folders: &[".codex"],
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
    runs_duplicates_once: false,
    rewrite: Rewrite::Replaces,
    stop: StopRule { cap: None, tools_reset: false },
    behaviour: &answers::BEHAVIOUR,
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec::new(
        "SessionStart",
        Some("source"),
        Tested,
        Start,
        "A session begins, resumes, is cleared, compacted or forked.",
        &["startup", "resume", "clear", "compact", "fork"],
    ),
    EventSpec::new("SessionEnd", Some("reason"), Tested, Notice, "A session ends.", &["other"]),
    EventSpec::new("UserPromptSubmit", None, Ignored, Prompt, "A prompt is submitted, before the model sees it.", &[]),
    EventSpec::new("PreToolUse", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new(
        "PermissionRequest",
        Some("tool_name"),
        Tested,
        Permission,
        "An approval is about to be asked for; never in codex exec.",
        &[],
    ),
    EventSpec::new("PostToolUse", Some("tool_name"), Tested, AfterTool, "A tool call is over.", &[]),
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
    EventSpec::new("SubagentStart", Some("agent_type"), Tested, Start, "A subagent is started.", &[]),
    EventSpec::new("SubagentStop", Some("agent_type"), Tested, SubagentStop, "A subagent is about to finish.", &[]),
    EventSpec::new("Stop", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("Interrupt", None, Ignored, Notice, "The person interrupts the turn.", &[]),
    EventSpec::new("PreModelRequest", None, Ignored, Notice, "A request to the model is about to be sent.", &[]),
    EventSpec::new("PostModelRequest", None, Ignored, Notice, "A request to the model is over.", &[]),
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
