//! Discover settings, read them with positions, validate, merge scopes, find the versions of the past.
//!
//! Owns which files count for a session and what the agent makes of them. Reads files and git objects; nothing is
//! ever started. Must not know events' bodies or any screen.

mod agents;
mod claude_code;
mod codex_layers;
mod codex_trust;
mod discover;
mod file;
mod front_matter;
mod git;
mod given;
mod json;
mod node;
mod past;
mod plugins;
mod read;
mod script;
mod shape;
mod switches;
mod toml;
mod version;

use std::path::PathBuf;

use crate::model::{Plan, Time};
use version::Version;

pub use agents::{dialect_of_path, drops_file_of_unknown_event, own_file, runs_type};
pub use codex_trust::unusable_config;
pub use given::{Given, may_be_settings, unreadable};
pub use read::{Read, read_text};
pub use script::script_state;

/// Whether the folder was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// Nothing tells. A recorded session went past the question, so it is taken as trusted.
    #[default]
    Assumed,
    /// It was.
    Trusted,
    /// It was not: interactive sessions then hold settings-file hooks back.
    Untrusted,
}

/// A switch of the command line that the agent was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSwitch {
    /// `--bare`: no hooks at all.
    Bare,
    /// `--safe-mode`: managed hooks only.
    SafeMode,
}

/// What is known of a session that decides which settings it could load.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The folder in which the session started.
    pub cwd: Option<PathBuf>,
    /// `--project`: look here instead.
    pub project: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`: stands for `~/.claude`.
    pub config_dir: Option<PathBuf>,
    /// `CODEX_HOME`: stands for `~/.codex`.
    pub codex_home: Option<PathBuf>,
    /// The folder of Codex's settings for the whole machine, if any.
    pub codex_system: Option<PathBuf>,
    /// `--trust-from`: the `config.toml` that tells which Codex hooks and folders are trusted.
    pub trust_from: Option<PathBuf>,
    /// System folders with managed settings.
    pub managed: Vec<PathBuf>,
    /// `--settings`: these and nothing else.
    pub given: Vec<Given>,
    /// `entrypoint` of the session's lines (`cli`, `sdk-cli`, `sdk-ts` …).
    pub entrypoint: Option<String>,
    /// The agent, where it is known; else Claude Code.
    pub dialect: Option<&'static str>,
    /// Client version; none: the newest.
    pub version: Option<String>,
    /// The sources that were named at the start (`user`, `project`, `local`), where that is known.
    pub setting_sources: Option<Vec<String>>,
    /// Switches of the agent's command line, where they are known.
    pub started_with: Vec<StartSwitch>,
    /// Whether the folder was trusted.
    pub trust: Trust,
}

impl Request {
    /// Nothing but what the environment of hookscope itself tells: home folder, `CLAUDE_CONFIG_DIR`, system folders.
    pub fn from_environment() -> Request {
        let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let managed = claude_code::MANAGED_FOLDERS.iter().filter(|(os, _)| *os == std::env::consts::OS);
        Request {
            home: folder("HOME").or_else(|| folder("USERPROFILE")),
            config_dir: folder("CLAUDE_CONFIG_DIR"),
            codex_home: folder("CODEX_HOME"),
            codex_system: cfg!(unix).then(|| PathBuf::from("/etc/codex")),
            managed: managed.map(|(_, path)| PathBuf::from(path)).collect(),
            ..Request::default()
        }
    }

    /// `~/.claude`, or what stands for it.
    fn config(&self) -> Option<PathBuf> {
        self.config_dir.clone().or_else(|| Some(self.home.as_ref()?.join(".claude")))
    }

    /// Where project settings are looked for.
    fn start(&self) -> Option<&PathBuf> {
        self.project.as_ref().or(self.cwd.as_ref())
    }
}

/// The hooks that held for a session, by time.
///
/// `span` is the session's first and last known time, in milliseconds; without it there is one era. `changes` are
/// moments at which the session itself noticed that a settings file changed, with its path (ConfigChange events).
/// Never fails: what can't be read is a file with status rejected. A file named by `--settings` that is not there
/// has `found: false` in `looked_at`.
pub fn plan(request: &Request, span: Option<(Time, Time)>, changes: &[(Time, String)]) -> Plan {
    let other = request.dialect.and_then(agents::hook_file);
    let discovery = match (request.given.is_empty(), other) {
        (false, other) => given::collect(request, other),
        (true, Some(rules)) if rules.toml => codex_layers::discover(request, rules),
        (true, Some(rules)) => agents::discover(request, rules),
        (true, None) => discover::discover(request),
    };
    let eras = past::eras(request, &discovery, span, changes);
    let given = !request.given.is_empty();
    let blind = !given && request.start().is_none_or(|folder| !folder.is_dir());
    let trust_known = discovery.found.iter().any(|found| found.layer.is_some());
    Plan { eras, looked_at: discovery.looked_at, given, blind, trust_known, dialect: request.dialect }
}
