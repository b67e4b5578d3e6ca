//! Gemini CLI: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.61.0. Must not know screens or processes.

use super::EventClass::{AfterTool, BeforeTool, Gate, Notice, Prompt, Start, Stop};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rule, ToolSpec};
use crate::matcher::{Engine, Hint, Invalid, Matcher, MatcherRule};

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "gemini-cli",
    name: "Gemini CLI",
    newest: "0.61.0",
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
        fires: "A session begins, resumes or is cleared.",
        values: &["startup", "resume", "clear"],
    },
    EventSpec {
        name: "SessionEnd",
        subject: Some("reason"),
        matcher: Tested,
        class: Notice,
        fires: "A session ends.",
        values: &["exit", "clear", "logout", "prompt_input_exit", "other"],
    },
    EventSpec {
        name: "BeforeAgent",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "A prompt is submitted; again for each retry.",
        values: &[],
    },
    EventSpec {
        name: "AfterAgent",
        subject: None,
        matcher: Ignored,
        class: Stop,
        fires: "The agent is about to end its turn.",
        values: &[],
    },
    EventSpec {
        name: "BeforeTool",
        subject: Some("tool_name"),
        matcher: Tested,
        class: BeforeTool,
        fires: "A tool call is about to run.",
        values: &[],
    },
    EventSpec {
        name: "AfterTool",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call is over.",
        values: &[],
    },
    EventSpec {
        name: "BeforeModel",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "A request to the model is about to be sent.",
        values: &[],
    },
    EventSpec {
        name: "AfterModel",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "A piece of the model's answer came.",
        values: &[],
    },
    EventSpec {
        name: "BeforeToolSelection",
        subject: None,
        matcher: Ignored,
        class: Gate,
        fires: "The tools for a request are about to be chosen.",
        values: &[],
    },
    EventSpec {
        name: "PreCompress",
        subject: Some("trigger"),
        matcher: Tested,
        class: Notice,
        fires: "A turn begins: whether to compress is looked at.",
        values: &["manual", "auto"],
    },
    EventSpec {
        name: "Notification",
        subject: Some("notification_type"),
        matcher: Tested,
        class: Notice,
        fires: "The client notifies the user.",
        values: &["ToolPermission"],
    },
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "run_shell_command", aliases: &[] },
    ToolSpec { name: "read_file", aliases: &[] },
    ToolSpec { name: "read_many_files", aliases: &[] },
    ToolSpec { name: "write_file", aliases: &[] },
    ToolSpec { name: "replace", aliases: &[] },
    ToolSpec { name: "list_directory", aliases: &[] },
    ToolSpec { name: "glob", aliases: &[] },
    ToolSpec { name: "grep_search", aliases: &[] },
    ToolSpec { name: "web_fetch", aliases: &[] },
    ToolSpec { name: "google_web_search", aliases: &[] },
    ToolSpec { name: "save_memory", aliases: &[] },
    ToolSpec { name: "write_todos", aliases: &[] },
    ToolSpec { name: "activate_skill", aliases: &[] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher, an empty one and `*` match everything.",
        versions: "all known",
        source: "measured on 0.61.0; source",
    },
    Rule {
        name: "matcher-regex",
        text: "On tool events the text, trimmed, is a JavaScript regular expression, searched anywhere in the tool's own name, case included. Names of other agents' tools match nothing.",
        versions: "all known",
        source: "measured on 0.61.0; source",
    },
    Rule {
        name: "matcher-literal",
        text: "A pattern that does not compile is compared as it stands; so is every matcher of an event without a tool.",
        versions: "all known",
        source: "measured on 0.61.0 (BeforeTool, SessionStart); source",
    },
    Rule {
        name: "matcher-ignored",
        text: "The agent and model events ignore their matchers: every group fires.",
        versions: "all known",
        source: "measured on 0.61.0 (BeforeAgent, AfterAgent); source",
    },
];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    let engine = if matching::on_tools(&DIALECT, event) { Engine::JavaScript } else { Engine::None };
    MatcherRule {
        attention: matching::attention(&DIALECT, event),
        trimmed: true,
        match_all: &["", "*"],
        invalid: Invalid::Literal,
        ..MatcherRule::regex(engine)
    }
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
