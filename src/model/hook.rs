//! Hooks as they stand in settings: sets, matcher groups, handlers, each with where it was defined.

use serde::Serialize;
use serde_json::Value;

use super::Time;

/// A place in a settings file. Both 1-based; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// What came of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// Its hooks count.
    Loaded,
    /// The agent refuses the whole file.
    Rejected {
        /// In the agent's consequence, for a person.
        why: String,
        /// Where the fault is, if it is at a place.
        position: Option<Position>,
    },
    /// This session could not have loaded it.
    NotLoadable {
        /// Because …
        why: String,
    },
}

/// A settings file that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsFile {
    /// `managed`, `user`, `project`, `local`, `plugin-NAME`, `skill-NAME`, `agent-NAME`, `settings` …;
    /// a second file of one scope is `project#2`. Matches `[a-z][a-z0-9-]*(#[0-9]+)?`.
    pub scope: String,
    /// As shown.
    pub path: String,
    /// What came of it.
    pub status: FileStatus,
    /// Groups and handlers of it that the agent drops.
    pub drops: Vec<Drop>,
    /// When it was last changed, where that is known.
    pub changed: Time,
    /// Where its text is from.
    pub origin: EraOrigin,
    /// What the agent warns of although the file counts, for a person.
    pub warnings: Vec<String>,
    /// `permissions` of the file, where it has the key.
    pub permissions: Option<Permissions>,
}

/// Permission rules of one file, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions {
    /// Rules with their places, by list.
    pub allow: Vec<(String, Position)>,
    /// As `allow`.
    pub ask: Vec<(String, Position)>,
    /// As `allow`.
    pub deny: Vec<(String, Position)>,
    /// `defaultMode`.
    pub default_mode: Option<String>,
}

/// A group or handler that the agent leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drop {
    /// Its id, as it would have been: `project:PreToolUse/0/0`.
    pub id: String,
    /// Why, for a person.
    pub why: String,
    /// Where.
    pub position: Position,
}

/// A switch that turns hooks off, and where it was thrown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// `disableAllHooks`, `allowManagedHooksOnly`, `--bare` …
    pub name: String,
    /// Index of the file in `HookSet::files`, where a file throws it.
    pub file: Option<usize>,
    /// Where in that file.
    pub position: Option<Position>,
    /// Scopes that it turns off; empty for all.
    pub scopes: Vec<String>,
    /// What it does, for a person.
    pub why: String,
}

/// How a group selects events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matching {
    /// No matcher given.
    Absent,
    /// This text, read by the dialect's rule.
    Text(String),
}

impl Matching {
    /// The text, if one was given.
    pub fn text(&self) -> Option<&str> {
        match self {
            Matching::Absent => None,
            Matching::Text(text) => Some(text),
        }
    }
}

/// A matcher group: one matcher, its handlers.
#[derive(Debug, Clone, PartialEq)]
pub struct MatcherGroup {
    /// `SCOPE:Event/GROUP`, the index as in the file.
    pub id: String,
    /// Event name as in the file.
    pub event: String,
    /// Index of its file in `HookSet::files`.
    pub file: usize,
    /// Where the group starts.
    pub position: Position,
    /// Where the matcher's text stands, if there is one.
    pub matcher_position: Option<Position>,
    /// The matcher.
    pub matcher: Matching,
    /// Its handlers that were not dropped.
    pub handlers: Vec<Handler>,
    /// Why this session could not run it although its file counts (subagent and skill front matter: only
    /// while it is active).
    pub limited_to: Option<String>,
}

/// What a handler is.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerKind {
    /// A shell command, or a program with arguments.
    Command {
        /// The command as written.
        command: String,
        /// Present: started without a shell.
        args: Option<Vec<String>>,
        /// `bash`, `powershell`.
        shell: Option<String>,
    },
    /// A request.
    Http {
        /// Where to.
        url: String,
    },
    /// A tool of a connected MCP server.
    McpTool {
        /// Server name.
        server: String,
        /// Tool name.
        tool: String,
    },
    /// A question to a model.
    Prompt {
        /// Its words.
        prompt: String,
    },
    /// A question to a model with tools.
    Agent {
        /// Its words.
        prompt: String,
    },
    /// A callback of an SDK program.
    Callback,
}

impl HandlerKind {
    /// Its command with its arguments, url, `server/tool` or prompt; a callback has none.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            HandlerKind::Command { command, args: Some(args), .. } if !args.is_empty() => {
                format!("{command} {}", args.join(" "))
            }
            HandlerKind::Command { command, .. } => command.clone(),
            HandlerKind::Http { url } => url.clone(),
            HandlerKind::McpTool { server, tool } => format!("{server}/{tool}"),
            HandlerKind::Prompt { prompt } | HandlerKind::Agent { prompt } => prompt.clone(),
            HandlerKind::Callback => return None,
        })
    }

    /// The `type` of the contract.
    pub fn word(&self) -> &'static str {
        match self {
            HandlerKind::Command { .. } => "command",
            HandlerKind::Http { .. } => "http",
            HandlerKind::McpTool { .. } => "mcp_tool",
            HandlerKind::Prompt { .. } => "prompt",
            HandlerKind::Agent { .. } => "agent",
            HandlerKind::Callback => "callback",
        }
    }
}

/// One handler.
#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    /// `SCOPE:Event/GROUP/HANDLER`, indices as in the file.
    pub id: String,
    /// What it is.
    pub kind: HandlerKind,
    /// Where it starts.
    pub position: Position,
    /// In the dialect's unit; none: the default.
    pub timeout: Option<f64>,
    /// The `if` condition.
    pub condition: Option<String>,
    /// `async` or `asyncRewake`.
    pub background: bool,
    /// Why the agent would not run it although it is set up: it is not trusted.
    pub held_back: Option<String>,
    /// The handler as written, unknown fields included.
    pub raw: Value,
}

/// A place where settings were looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// Which scope would be there.
    pub scope: String,
    /// Where.
    pub path: String,
    /// Whether something was there.
    pub found: bool,
}

/// All hooks that count together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookSet {
    /// The files, in the agent's order of reading.
    pub files: Vec<SettingsFile>,
    /// Groups of all loaded files, in that order.
    pub groups: Vec<MatcherGroup>,
    /// Switches that are thrown.
    pub switches: Vec<Switch>,
}

/// Where the text of a settings file is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EraOrigin {
    /// As it is now.
    Now,
    /// Given on the command line or bundled.
    Given,
    /// From git history.
    Commit {
        /// Abbreviated id.
        id: String,
    },
    /// From a recording.
    Recording,
}

/// A stretch of time in which one hook set holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Era {
    /// Events from here on; [`Time::UNKNOWN`] for the first era.
    pub from: Time,
    /// The hooks.
    pub set: HookSet,
    /// A remark for the screen ("settings as of now, changed after this event").
    pub note: Option<String>,
}

/// Which hooks hold when, and where they were looked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// In order of time; never empty once loaded.
    pub eras: Vec<Era>,
    /// Every place that was looked at.
    pub looked_at: Vec<LookedAt>,
    /// Whether settings were given, so that nothing was discovered.
    pub given: bool,
    /// Whether the folder that the session ran in is not here, so that hooks of it may be missing.
    pub blind: bool,
    /// Whether it was looked at which hooks the agent trusts, where it asks for that.
    pub trust_known: bool,
    /// Id of the agent whose hooks they are; none: the session's own.
    pub dialect: Option<&'static str>,
}

impl Plan {
    /// Index of the era at a time. Unknown times belong to the last one.
    pub fn era_at(&self, time: Time) -> usize {
        let last = self.eras.len().saturating_sub(1);
        if time.is_unknown() {
            return last;
        }
        self.eras.iter().rposition(|era| era.from.is_unknown() || era.from <= time).unwrap_or(0)
    }

    /// Whether there are any groups at all.
    pub fn has_hooks(&self) -> bool {
        self.eras.iter().any(|era| !era.set.groups.is_empty())
    }
}
