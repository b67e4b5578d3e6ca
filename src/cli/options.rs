//! Options that mean the same everywhere.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct Common {
    /// Agent product: auto, claude-code, cortex-code, cortex-sdk, devin, codex, gemini-cli, qwen-code, copilot-cli
    #[arg(long, global = true, value_name = "NAME", help_heading = "Everywhere")]
    pub dialect: Option<String>,
    /// Client version for every line; else each line's own; else the newest known
    #[arg(long, global = true, value_name = "V", help_heading = "Everywhere")]
    pub agent_version: Option<String>,
    /// A settings file to use (repeatable, order kept); given, nothing is discovered
    #[arg(long, global = true, value_name = "[SCOPE=]FILE", help_heading = "Everywhere")]
    pub settings: Vec<String>,
    /// Codex's config.toml that says which hooks and folders are trusted; without it given files count as trusted
    #[arg(long, global = true, value_name = "CONFIG.toml", help_heading = "Everywhere")]
    pub trust_from: Option<PathBuf>,
    /// Discover settings from here instead of from the session's cwd
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub project: Option<PathBuf>,
    /// Only this session of a file or folder that holds several
    #[arg(long, global = true, value_name = "ID", help_heading = "Everywhere")]
    pub session_id: Option<String>,
    /// JSON instead of text
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Everywhere")]
    pub color: When,
    /// Only ASCII marks and borders
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub ascii: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
