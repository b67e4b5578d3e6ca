//! Devin CLI: events, tools and matchers.
//!
//! Owns what is known of this agent, from its documents and captures of 3000.2 to 3000.11. Must not know screens or
//! processes.

mod answers;

use super::EventClass::{AfterTool, BeforeTool, Notice, Permission, Prompt, Start, Stop};
use super::MatcherUse::{Barred, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Attention, Engine, Hint, Matcher, MatcherRule, ServerNames};

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "devin",
    name: "Devin CLI",
    folders: &[".devin"],
    newest: "3000.11.3",
    events: EVENTS,
    tools: TOOLS,
    matching: Matching { rule, hints, rule_name: matching::rule_by_kind, assumption, rules: RULES },
    runs_duplicates_once: false,
    rewrite: Rewrite::Merges,
    stop: StopRule { cap: None, tools_reset: false },
    behaviour: &answers::BEHAVIOUR,
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec::new("PreToolUse", Some("tool_name"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("PostToolUse", Some("tool_name"), Tested, AfterTool, "A tool call is over, a failed one too.", &[]),
    EventSpec::new("PermissionRequest", Some("tool_name"), Tested, Permission, "A permission decision is needed.", &[]),
    EventSpec::new("UserPromptSubmit", None, Barred, Prompt, "A message of the user is sent.", &[]),
    EventSpec::new("Stop", None, Barred, Stop, "The agent, or a subagent, is about to end its turn.", &[]),
    EventSpec::new("PostCompaction", None, Barred, Notice, "A compaction succeeded.", &[]),
    EventSpec::new("SessionStart", None, Barred, Start, "A session starts.", &[]),
    EventSpec::new("SessionEnd", None, Barred, Notice, "A session ends.", &[]),
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "read", aliases: &[] },
    ToolSpec { name: "edit", aliases: &[] },
    ToolSpec { name: "write", aliases: &[] },
    ToolSpec { name: "grep", aliases: &[] },
    ToolSpec { name: "glob", aliases: &[] },
    ToolSpec { name: "exec", aliases: &[] },
    ToolSpec { name: "apply_patch", aliases: &[] },
    ToolSpec { name: "notebook_read", aliases: &[] },
    ToolSpec { name: "notebook_edit", aliases: &[] },
    ToolSpec { name: "find_file_by_name", aliases: &[] },
    ToolSpec { name: "code_search", aliases: &[] },
    ToolSpec { name: "web_search", aliases: &[] },
    ToolSpec { name: "webfetch", aliases: &[] },
    ToolSpec { name: "get_output", aliases: &[] },
    ToolSpec { name: "write_to_process", aliases: &[] },
    ToolSpec { name: "kill_shell", aliases: &[] },
    ToolSpec { name: "todo_write", aliases: &[] },
    ToolSpec { name: "exit_plan_mode", aliases: &[] },
    ToolSpec { name: "skill", aliases: &[] },
    ToolSpec { name: "run_subagent", aliases: &[] },
    ToolSpec { name: "read_subagent", aliases: &[] },
    ToolSpec { name: "request_scope", aliases: &[] },
    ToolSpec { name: "ask_user_question", aliases: &[] },
    ToolSpec { name: "browser_preview", aliases: &[] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher and an empty one match everything.",
        versions: "all known",
        source: "hooks page; first-hand on 3000.6 to 3000.11",
    },
    Rule {
        name: "matcher-regex",
        text: "Every other text is a regular expression, searched anywhere in the tool's name, case included: `write` also fires for todo_write, a comma and a space are looked for.",
        versions: "all known",
        source: "hooks page; first-hand in September 2026",
    },
    Rule {
        name: "matcher-invalid",
        text: "A pattern that does not compile, a bare `*` included, is taken never to match.",
        versions: "all known",
        source: "assumed: nobody has reported what Devin does with it",
    },
    Rule {
        name: "matcher-without-subject",
        text: "An event without a tool has nothing to test a matcher on: any but an empty one never fires.",
        versions: "all known",
        source: "first-hand on SessionStart (3000.6 to 3000.11); the other events by analogy",
    },
];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    let on_tools = matching::on_tools(&DIALECT, event);
    MatcherRule {
        attention: matching::attention(&DIALECT, event),
        servers: on_tools.then_some(SERVERS),
        ..MatcherRule::regex(Engine::Rust)
    }
}

/// Seen on SessionStart alone.
fn assumption(event: &str) -> Option<&'static str> {
    let barred = matching::attention(&DIALECT, event) == Attention::Barred;
    (barred && event != "SessionStart").then_some("matcher-without-subject")
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
