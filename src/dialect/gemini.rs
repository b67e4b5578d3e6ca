//! Gemini CLI: events, tools and matchers.
//!
//! Owns what is known of this agent, measured on 0.61.0. Must not know screens or processes.

mod answers;

use super::EventClass::{AfterTool, BeforeTool, Gate, Notice, Prompt, Start, Stop};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Engine, Hint, Invalid, Matcher, MatcherRule};

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "gemini-cli",
    name: "Gemini CLI",
    folders: &[".gemini"],
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
    runs_duplicates_once: true,
    rewrite: Rewrite::Merges,
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
        "A session begins, resumes or is cleared.",
        &["startup", "resume", "clear"],
    ),
    EventSpec::new(
        "SessionEnd",
        Some("reason"),
        Tested,
        Notice,
        "A session ends.",
        &["exit", "clear", "logout", "prompt_input_exit", "other"],
    ),
    EventSpec::new("BeforeAgent", None, Ignored, Prompt, "A prompt is submitted; again for each retry.", &[]),
    EventSpec::new("AfterAgent", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("BeforeTool", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("AfterTool", Some("tool_name"), Tested, AfterTool, "A tool call is over.", &[]),
    EventSpec::new("BeforeModel", None, Ignored, Gate, "A request to the model is about to be sent.", &[]),
    EventSpec::new("AfterModel", None, Ignored, Gate, "A piece of the model's answer came.", &[]),
    EventSpec::new("BeforeToolSelection", None, Ignored, Gate, "The tools for a request are about to be chosen.", &[]),
    EventSpec::new(
        "PreCompress",
        Some("trigger"),
        Tested,
        Notice,
        "A turn begins: whether to compress is looked at.",
        &["manual", "auto"],
    ),
    EventSpec::new(
        "Notification",
        Some("notification_type"),
        Tested,
        Notice,
        "The client notifies the user.",
        &["ToolPermission"],
    ),
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
