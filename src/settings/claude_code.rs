//! Claude Code's settings as a table: where they stand, what a hook file must look like, who loads what.
//!
//! Sources: the vendor's hooks, settings and SDK pages; the loader of client 2.1.332; `--setting-sources` is not
//! sent by the SDKs (Python 0.2.189, TypeScript 0.3.332) unless the program names sources.

use super::version::Version;

/// A settings file that every session of the agent may have.
#[derive(Debug)]
pub(super) struct Place {
    /// Its scope.
    pub scope: &'static str,
    /// Where the path starts.
    pub base: Base,
    /// From there.
    pub path: &'static str,
    /// Its word in `--setting-sources` and the SDK option; none: read whatever these say.
    pub source: Option<&'static str>,
}

/// Where a place's path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// A system folder for managed settings.
    Managed,
    /// `~/.claude`, or what `CLAUDE_CONFIG_DIR` says.
    Config,
    /// The folder in which the session started. Its parents are not searched.
    Start,
    /// The repository's root since [`LOCAL_AT_ROOT`], before that as `Start`.
    Root,
}

/// In the agent's order of reading: what comes later overrides what came before.
pub(super) const PLACES: &[Place] = &[
    Place { scope: "user", base: Base::Config, path: "settings.json", source: Some("user") },
    Place { scope: "project", base: Base::Start, path: ".claude/settings.json", source: Some("project") },
    Place { scope: "local", base: Base::Root, path: ".claude/settings.local.json", source: Some("local") },
    Place { scope: "managed", base: Base::Managed, path: "managed-settings.json", source: None },
];

/// A folder beside `managed-settings.json` whose files are laid over it, by name.
pub(super) const MANAGED_DROP_INS: &str = "managed-settings.d";

/// Folders for managed settings: Linux, macOS, Windows.
pub(super) const MANAGED_FOLDERS: &[(&str, &str)] = &[
    ("linux", "/etc/claude-code"),
    ("macos", "/Library/Application Support/ClaudeCode"),
    ("windows", "C:\\Program Files\\ClaudeCode"),
];

/// Scopes whose single-valued settings win, the strongest first. Others (`settings`, own names) stand for
/// `--settings`, between `managed` and `local`.
pub(super) const STRENGTH: &[&str] = &["managed", "", "local", "project", "user"];

/// From here on local settings are those of the repository's root (unconfirmed: the vendor's page only).
pub(super) const LOCAL_AT_ROOT: Version = Version(2, 1, 211);

/// From here on an unknown event only loses its own hooks.
pub(super) const UNKNOWN_EVENT_TOLERATED: Version = Version(2, 1, 101);

/// In these versions a fault under a guard event cost its own entry only.
pub(super) const GUARD_FAULT_TOLERATED: std::ops::RangeInclusive<Version> = Version(2, 1, 122)..=Version(2, 1, 200);

/// How a program was started, and what that means for its settings.
#[derive(Debug)]
pub(super) struct EntryPoint {
    /// `entrypoint` of a transcript line.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// Sources that are read where nothing is said, from the newest version down to the given one.
    pub sources: &'static [(Version, &'static [&'static str])],
    /// What is taken for granted about the sources, where they are not known.
    pub assumed: Option<&'static str>,
    /// Whether hooks of settings files wait until the folder is trusted.
    pub needs_trust: bool,
}

const ALL: &[&str] = &["user", "project", "local"];
const ANY: Version = Version(0, 0, 0);

/// Entry points that are known. Others are treated as the first.
pub(super) const ENTRY_POINTS: &[EntryPoint] = &[
    EntryPoint { id: "cli", name: "the terminal", sources: &[(ANY, ALL)], assumed: None, needs_trust: true },
    EntryPoint { id: "sdk-cli", name: "print mode", sources: &[(ANY, ALL)], assumed: None, needs_trust: false },
    EntryPoint { id: "sdk-ts", name: "an SDK program", sources: SDK, assumed: Some(SDK_ASSUMED), needs_trust: false },
    EntryPoint { id: "sdk-py", name: "an SDK program", sources: SDK, assumed: Some(SDK_ASSUMED), needs_trust: false },
    EntryPoint { id: "claude-vscode", name: "an editor", sources: &[(ANY, ALL)], assumed: None, needs_trust: true },
    EntryPoint {
        id: "claude-desktop",
        name: "the desktop app",
        sources: &[(ANY, ALL)],
        assumed: None,
        needs_trust: true,
    },
    EntryPoint {
        id: "remote",
        name: "a cloud session on another machine",
        sources: &[(ANY, &["project"])],
        assumed: None,
        needs_trust: false,
    },
];

// The first SDK releases (clients 2.0) read no settings files unless told to; later ones read what the terminal
// reads.
const SDK: &[(Version, &[&str])] = &[(Version(2, 1, 0), ALL), (ANY, &[])];
const SDK_ASSUMED: &str = "the SDK program left its setting sources at their default (a session does not record them)";

/// Variables of a handler's command that stand for a folder.
pub(super) const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";
/// As `PROJECT_VARIABLE`, for hooks of a plugin.
pub(super) const PLUGIN_VARIABLE: &str = "CLAUDE_PLUGIN_ROOT";

/// Events that settings may name.
pub(super) const EVENTS: &[&str] = &[
    "SessionStart",
    "Setup",
    "SessionEnd",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "MessageDisplay",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreSkillShellCommand",
];

/// Events under which a fault makes the client refuse the whole file.
pub(super) const GUARD_EVENTS: &[&str] = &["PreToolUse", "PermissionRequest", "PreSkillShellCommand"];

/// Keys of a settings file that are not searched for misplaced guard events.
pub(super) const NOT_SEARCHED: &[&str] = &["env", "mcpServers", "enabledPlugins", "pluginConfigs"];

/// How deep a misplaced guard event is looked for.
pub(super) const SEARCH_DEPTH: usize = 3;

/// What a field must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// A text.
    Text,
    /// A URL.
    Url,
    /// A boolean.
    Bool,
    /// A number above 0.
    Positive,
    /// A list of texts.
    Texts,
    /// An object.
    Object,
    /// An object with texts.
    TextObject,
    /// One of these texts.
    OneOf(&'static [&'static str]),
}

/// A type of handler.
#[derive(Debug)]
pub(super) struct HandlerType {
    /// Its `type`.
    pub word: &'static str,
    /// Fields that must be there.
    pub required: &'static [(&'static str, Wants)],
    /// Fields that may be there.
    pub optional: &'static [(&'static str, Wants)],
}

/// Fields that any handler may have. Further fields are passed over.
pub(super) const COMMON_FIELDS: &[(&str, Wants)] =
    &[("if", Wants::Text), ("timeout", Wants::Positive), ("statusMessage", Wants::Text), ("once", Wants::Bool)];

const ON_FAILURE: Wants = Wants::OneOf(&["continue", "block"]);

/// The types. An unknown `onFailure` of `mcp_tool` is read as `block`, so it is no fault.
pub(super) const HANDLER_TYPES: &[HandlerType] = &[
    HandlerType {
        word: "command",
        required: &[("command", Wants::Text)],
        optional: &[
            ("args", Wants::Texts),
            ("shell", Wants::OneOf(&["bash", "powershell"])),
            ("async", Wants::Bool),
            ("asyncRewake", Wants::Bool),
            ("onFailure", ON_FAILURE),
        ],
    },
    HandlerType {
        word: "http",
        required: &[("url", Wants::Url)],
        optional: &[("headers", Wants::TextObject), ("allowedEnvVars", Wants::Texts), ("onFailure", ON_FAILURE)],
    },
    HandlerType {
        word: "mcp_tool",
        required: &[("server", Wants::Text), ("tool", Wants::Text)],
        optional: &[("input", Wants::Object)],
    },
    HandlerType {
        word: "prompt",
        required: &[("prompt", Wants::Text)],
        optional: &[("model", Wants::Text), ("continueOnBlock", Wants::Bool)],
    },
    HandlerType { word: "agent", required: &[("prompt", Wants::Text)], optional: &[("model", Wants::Text)] },
];

#[cfg(test)]
mod tests {
    use super::EVENTS;

    #[test]
    fn settings_may_name_every_event_of_the_dialect() {
        for event in crate::dialect::claude_code::DIALECT.events {
            assert!(EVENTS.contains(&event.name), "{}", event.name);
        }
    }
}
