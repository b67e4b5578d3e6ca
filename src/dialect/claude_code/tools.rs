//! Tool names of Claude Code, as hooks see them.
//!
//! From the tool lists of recorded sessions of 2.1.197 and 2.1.332, older transcripts, and the legacy names in the
//! code of 2.1.332. MCP tools are named `mcp__SERVER__TOOL` and are known from sessions only.

use crate::dialect::ToolSpec;

/// Every tool known by name, common ones first. A client version has only some of them.
pub static TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "Bash", aliases: &[] },
    ToolSpec { name: "PowerShell", aliases: &[] },
    ToolSpec { name: "Read", aliases: &[] },
    ToolSpec { name: "Edit", aliases: &[] },
    ToolSpec { name: "Write", aliases: &[] },
    ToolSpec { name: "NotebookEdit", aliases: &[] },
    ToolSpec { name: "Glob", aliases: &[] },
    ToolSpec { name: "Grep", aliases: &[] },
    ToolSpec { name: "WebFetch", aliases: &[] },
    ToolSpec { name: "WebSearch", aliases: &[] },
    ToolSpec { name: "Agent", aliases: &["Task"] },
    ToolSpec { name: "TodoWrite", aliases: &[] },
    ToolSpec { name: "Skill", aliases: &[] },
    ToolSpec { name: "ToolSearch", aliases: &[] },
    ToolSpec { name: "AskUserQuestion", aliases: &[] },
    ToolSpec { name: "EnterPlanMode", aliases: &[] },
    ToolSpec { name: "ExitPlanMode", aliases: &[] },
    ToolSpec { name: "EnterWorktree", aliases: &[] },
    ToolSpec { name: "ExitWorktree", aliases: &[] },
    ToolSpec { name: "TaskCreate", aliases: &[] },
    ToolSpec { name: "TaskGet", aliases: &[] },
    ToolSpec { name: "TaskList", aliases: &[] },
    ToolSpec { name: "TaskUpdate", aliases: &[] },
    ToolSpec { name: "TaskOutput", aliases: &[] },
    ToolSpec { name: "TaskStop", aliases: &["KillShell", "KillBash"] },
    ToolSpec { name: "Monitor", aliases: &[] },
    ToolSpec { name: "Workflow", aliases: &[] },
    ToolSpec { name: "SendMessage", aliases: &[] },
    ToolSpec { name: "SendUserMessage", aliases: &["Brief"] },
    ToolSpec { name: "ListAgents", aliases: &["ListPeers"] },
    ToolSpec { name: "SetGoal", aliases: &["ProposeGoal"] },
    ToolSpec { name: "ReportFindings", aliases: &[] },
    ToolSpec { name: "ScheduleWakeup", aliases: &[] },
    ToolSpec { name: "CronCreate", aliases: &[] },
    ToolSpec { name: "CronDelete", aliases: &[] },
    ToolSpec { name: "CronList", aliases: &[] },
    ToolSpec { name: "ListMcpResourcesTool", aliases: &["ListMcpResources"] },
    ToolSpec { name: "ReadMcpResourceTool", aliases: &["ReadMcpResource"] },
    ToolSpec { name: "ReadMcpResourceDirTool", aliases: &["ReadMcpResourceDir"] },
    // Of older clients.
    ToolSpec { name: "MultiEdit", aliases: &[] },
    ToolSpec { name: "NotebookRead", aliases: &[] },
    ToolSpec { name: "LS", aliases: &[] },
    ToolSpec { name: "SlashCommand", aliases: &[] },
    ToolSpec { name: "BashOutput", aliases: &[] },
];
