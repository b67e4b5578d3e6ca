//! Copilot CLI: events in both spellings, tools and matchers.
//!
//! Owns what is known of this agent, from its documents up to 1.0.102; nothing of it was measured. Must not know
//! screens or processes.

use super::EventClass::{
    AfterTool, BeforeCompaction, BeforeTool, Notice, Permission, Prompt, Start, Stop, SubagentStop,
};
use super::MatcherUse::{Ignored, Tested};
use super::matching::{self, Matching};
use super::{Dialect, EventSpec, Rule, ToolSpec};
use crate::matcher::{Engine, Hint, Lists, Matcher, MatcherRule, TriedOn};

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "copilot-cli",
    name: "Copilot CLI",
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
};

/// Its events.
pub static EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "sessionStart",
        subject: None,
        matcher: Ignored,
        class: Start,
        fires: "A session begins or resumes.",
        values: &[],
    },
    EventSpec {
        name: "sessionEnd",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "A session ends.",
        values: &[],
    },
    EventSpec {
        name: "userPromptSubmitted",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "A prompt is submitted.",
        values: &[],
    },
    EventSpec {
        name: "userPromptTransformed",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "A prompt was transformed.",
        values: &[],
    },
    EventSpec {
        name: "preToolUse",
        subject: Some("toolName"),
        matcher: Tested,
        class: BeforeTool,
        fires: "A tool call is about to run.",
        values: &[],
    },
    EventSpec {
        name: "postToolUse",
        subject: Some("toolName"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call succeeded.",
        values: &[],
    },
    EventSpec {
        name: "postToolUseFailure",
        subject: Some("toolName"),
        matcher: Tested,
        class: AfterTool,
        fires: "A tool call failed.",
        values: &[],
    },
    EventSpec {
        name: "permissionRequest",
        subject: Some("toolName"),
        matcher: Tested,
        class: Permission,
        fires: "A permission decision is needed.",
        values: &[],
    },
    EventSpec {
        name: "agentStop",
        subject: None,
        matcher: Ignored,
        class: Stop,
        fires: "The agent is about to end its turn.",
        values: &[],
    },
    EventSpec {
        name: "subagentStart",
        subject: Some("agentName"),
        matcher: Tested,
        class: Start,
        fires: "A subagent is started.",
        values: &[],
    },
    EventSpec {
        name: "subagentStop",
        subject: Some("agentName"),
        matcher: Tested,
        class: SubagentStop,
        fires: "A subagent is about to finish.",
        values: &[],
    },
    EventSpec {
        name: "preCompact",
        subject: Some("trigger"),
        matcher: Tested,
        class: BeforeCompaction,
        fires: "The conversation is about to be compacted.",
        values: &["manual", "auto"],
    },
    EventSpec {
        name: "notification",
        subject: Some("notificationType"),
        matcher: Tested,
        class: Notice,
        fires: "The client notifies the user.",
        values: &[],
    },
    EventSpec {
        name: "errorOccurred",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "An error occurred.",
        values: &[],
    },
    EventSpec {
        name: "SessionStart",
        subject: None,
        matcher: Ignored,
        class: Start,
        fires: "sessionStart, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "SessionEnd",
        subject: None,
        matcher: Ignored,
        class: Notice,
        fires: "sessionEnd, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "UserPromptSubmit",
        subject: None,
        matcher: Ignored,
        class: Prompt,
        fires: "userPromptSubmitted, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "PreToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: BeforeTool,
        fires: "preToolUse, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUse",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "postToolUse, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "PostToolUseFailure",
        subject: Some("tool_name"),
        matcher: Tested,
        class: AfterTool,
        fires: "postToolUseFailure, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "PermissionRequest",
        subject: Some("tool_name"),
        matcher: Tested,
        class: Permission,
        fires: "permissionRequest, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "Stop",
        subject: None,
        matcher: Ignored,
        class: Stop,
        fires: "agentStop, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStart",
        subject: Some("agent_name"),
        matcher: Tested,
        class: Start,
        fires: "subagentStart, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "SubagentStop",
        subject: Some("agent_name"),
        matcher: Tested,
        class: SubagentStop,
        fires: "subagentStop, with inputs in Claude Code's spelling.",
        values: &[],
    },
    EventSpec {
        name: "PreCompact",
        subject: Some("trigger"),
        matcher: Tested,
        class: BeforeCompaction,
        fires: "preCompact, with inputs in Claude Code's spelling.",
        values: &["manual", "auto"],
    },
    EventSpec {
        name: "Notification",
        subject: Some("notification_type"),
        matcher: Tested,
        class: Notice,
        fires: "notification, with inputs in Claude Code's spelling.",
        values: &[],
    },
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
