//! Copilot CLI: events in both spellings, tools and matchers.
//!
//! Owns what is known of this agent, from its documents up to 1.0.102; nothing of it was measured. Must not know
//! screens or processes.

mod answers;

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rewrite, Rule, StopRule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, TriedOn};

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "copilot-cli",
    name: "Copilot CLI",
    folders: &[".copilot", ".github"],
    newest: "1.0.102",
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
    stop: StopRule { cap: Some(8), tools_reset: false },
    behaviour: &answers::BEHAVIOUR,
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec::new("sessionStart", None, Ignored, Start, "A session begins or resumes.", &[]),
    EventSpec::new("sessionEnd", None, Ignored, Notice, "A session ends.", &[]),
    EventSpec::new("userPromptSubmitted", None, Ignored, Prompt, "A prompt is submitted.", &[]),
    EventSpec::new("userPromptTransformed", None, Ignored, Notice, "A prompt was transformed.", &[]),
    EventSpec::new("preToolUse", Some("toolName"), Tested, BeforeTool, "A tool call is about to run.", &[]),
    EventSpec::new("postToolUse", Some("toolName"), Tested, AfterTool, "A tool call succeeded.", &[]),
    EventSpec::new("postToolUseFailure", Some("toolName"), Tested, AfterTool, "A tool call failed.", &[]),
    EventSpec::new("permissionRequest", Some("toolName"), Tested, Permission, "A permission decision is needed.", &[]),
    EventSpec::new("agentStop", None, Ignored, Stop, "The agent is about to end its turn.", &[]),
    EventSpec::new("subagentStart", Some("agentName"), Tested, Start, "A subagent is started.", &[]),
    EventSpec::new("subagentStop", Some("agentName"), Tested, SubagentStop, "A subagent is about to finish.", &[]),
    EventSpec::new(
        "preCompact",
        Some("trigger"),
        Tested,
        BeforeCompaction,
        "The conversation is about to be compacted.",
        &["manual", "auto"],
    ),
    EventSpec::new("notification", Some("notificationType"), Tested, Notice, "The client notifies the user.", &[]),
    EventSpec::new("errorOccurred", None, Ignored, Notice, "An error occurred.", &[]),
    EventSpec::new("SessionStart", None, Ignored, Start, "sessionStart, with inputs in Claude Code's spelling.", &[]),
    EventSpec::new("SessionEnd", None, Ignored, Notice, "sessionEnd, with inputs in Claude Code's spelling.", &[]),
    EventSpec::new(
        "UserPromptSubmit",
        None,
        Ignored,
        Prompt,
        "userPromptSubmitted, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "PreToolUse",
        Some("tool_name"),
        Tested,
        BeforeTool,
        "preToolUse, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "PostToolUse",
        Some("tool_name"),
        Tested,
        AfterTool,
        "postToolUse, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "PostToolUseFailure",
        Some("tool_name"),
        Tested,
        AfterTool,
        "postToolUseFailure, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "PermissionRequest",
        Some("tool_name"),
        Tested,
        Permission,
        "permissionRequest, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new("Stop", None, Ignored, Stop, "agentStop, with inputs in Claude Code's spelling.", &[]),
    EventSpec::new(
        "SubagentStart",
        Some("agent_name"),
        Tested,
        Start,
        "subagentStart, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "SubagentStop",
        Some("agent_name"),
        Tested,
        SubagentStop,
        "subagentStop, with inputs in Claude Code's spelling.",
        &[],
    ),
    EventSpec::new(
        "PreCompact",
        Some("trigger"),
        Tested,
        BeforeCompaction,
        "preCompact, with inputs in Claude Code's spelling.",
        &["manual", "auto"],
    ),
    EventSpec::new(
        "Notification",
        Some("notification_type"),
        Tested,
        Notice,
        "notification, with inputs in Claude Code's spelling.",
        &[],
    ),
];

/// Its tools, as hooks see them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "bash", aliases: &["Bash"] },
    ToolSpec { name: "powershell", aliases: &["Bash"] },
    ToolSpec { name: "view", aliases: &["Read"] },
    ToolSpec { name: "create", aliases: &["Write"] },
    ToolSpec { name: "edit", aliases: &["Edit"] },
    ToolSpec { name: "str_replace_editor", aliases: &["Edit"] },
    ToolSpec { name: "apply_patch", aliases: &["Edit"] },
    ToolSpec { name: "grep", aliases: &["Grep"] },
    ToolSpec { name: "rg", aliases: &["Grep"] },
    ToolSpec { name: "glob", aliases: &["Glob"] },
    ToolSpec { name: "task", aliases: &["Agent", "Task"] },
    ToolSpec { name: "update_todo", aliases: &["TodoWrite"] },
    ToolSpec { name: "ask_user", aliases: &["AskUserQuestion"] },
];

/// How it reads matchers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher matches everything; under PreToolUse and PermissionRequest an empty one, `*` and `**` do too.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "matcher-exact-list",
        text: "Under PreToolUse and PermissionRequest a name, or several with bars between them, is compared with the tool's own name and with Claude Code's name for it.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "matcher-regex",
        text: "A regular expression that must fit the whole value, case included; under PreToolUse and PermissionRequest it is held against Claude Code's name of the tool.",
        versions: "1.0.102",
        source: "vendor's documentation; that its engine is JavaScript's is assumed",
    },
    Rule {
        name: "matcher-invalid",
        text: "A pattern that does not compile skips its entry.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "matcher-ignored",
        text: "Events without a tool, agent, trigger or notification type do not look at a matcher.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
];

/// Events that read matchers as Claude Code does, where they bear its names.
const CLAUDE_RULES: &[&str] = &["PreToolUse", "PermissionRequest"];

fn rule(event: &str, _: Option<&str>) -> MatcherRule {
    let attention = matching::attention(&DIALECT, event);
    let plain = MatcherRule { attention, match_all: &[], whole: true, ..MatcherRule::regex(Engine::JavaScript) };
    if !CLAUDE_RULES.contains(&event) {
        return plain;
    }
    MatcherRule {
        match_all: &["", "*", "**"],
        lists: Lists::OfMarks,
        list_marks: "_-|",
        tools: TOOLS,
        tried_on: TriedOn::OtherNames,
        ..plain
    }
}

fn hints(matcher: &Matcher, event: &str, _: Option<&str>, known: &[&str]) -> Vec<Hint> {
    matching::hints_of(&DIALECT, matcher, event, known)
}
