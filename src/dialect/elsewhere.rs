//! What one agent's tools and settings files are to another agent.
//!
//! Owns which names mean the same tool and who reads whose files. Must not know what a hook does there.

use super::Dialect;

/// Tools that do the same, by their names in different agents.
pub(super) const SAME_TOOLS: &[&[&str]] = &[
    &["Bash", "exec", "run_shell_command", "bash"],
    &["Read", "read", "read_file", "view"],
    &["Write", "write", "write_file", "create"],
    &["Edit", "edit", "replace", "str_replace_editor", "apply_patch"],
    &["Grep", "grep", "grep_search"],
    &["Glob", "glob"],
    &["WebFetch", "webfetch", "web_fetch"],
    &["WebSearch", "web_search", "google_web_search"],
    &["TodoWrite", "todo_write", "write_todos", "update_todo"],
    &["Agent", "Task", "run_subagent", "spawn_agent", "task", "agent"],
];

/// A tool of one agent, in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolThere {
    /// It bears this name.
    Named(String),
    /// It is known to neither (a server's tool, a newer one): taken to bear the same name.
    Same(String),
    /// That agent is not known to have one like it.
    Missing,
}

impl ToolThere {
    /// The name to test matchers on, if there is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            ToolThere::Named(name) | ToolThere::Same(name) => Some(name),
            ToolThere::Missing => None,
        }
    }
}

/// What a tool that `here` calls `tool` is to `there`.
pub fn tool_there(tool: &str, here: &Dialect, there: &Dialect) -> ToolThere {
    if std::ptr::eq(here, there) {
        return ToolThere::Named(tool.to_owned());
    }
    let own = there.tools.iter().find(|spec| spec.name == tool);
    let by_alias = || there.tools.iter().find(|spec| spec.aliases.contains(&tool));
    let spec = here.tools.iter().find(|spec| spec.name == tool || spec.aliases.contains(&tool));
    // The other agent's tables of aliases know this agent's names better than any list of ours.
    let by_other_alias = || {
        let aliases = spec.map_or(&[][..], |spec| spec.aliases);
        there
            .tools
            .iter()
            .find(|it| aliases.contains(&it.name) || it.aliases.iter().any(|alias| aliases.contains(alias)))
    };
    let by_list = || {
        let same = SAME_TOOLS.iter().find(|names| names.contains(&tool))?;
        let places = same.iter().filter_map(|name| there.tools.iter().find(|spec| spec.name == *name));
        places.into_iter().next()
    };
    match own.or_else(by_alias).or_else(by_other_alias).or_else(by_list) {
        Some(spec) => ToolThere::Named(spec.name.to_owned()),
        None if spec.is_some() => ToolThere::Missing,
        None => ToolThere::Same(tool.to_owned()),
    }
}

/// Whether an agent reads a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// It stands in a folder of its own, or in no agent's folder: then it is taken to be handed over.
    Own,
    /// It is another agent's, and is read as well.
    Shared {
        /// What says so.
        source: &'static str,
        /// Whether that was seen; else it is the vendor's word.
        measured: bool,
    },
    /// It is another agent's.
    No {
        /// What there is to say about it.
        why: &'static str,
    },
}

/// Who reads another agent's files: the folder's owner, the reader, what says so.
const SHARED: &[(&str, &str, Reads)] = &[
    ("claude-code", "devin", Reads::Shared { source: "seen first-hand in September 2026", measured: true }),
    ("claude-code", "copilot-cli", Reads::Shared { source: "the vendor's pages", measured: false }),
    ("claude-code", "codex", Reads::No { why: "seen on 0.171.0" }),
    ("claude-code", "cortex-code", Reads::No { why: "not since 1.1.47" }),
];

/// Whether an agent reads the file at this path.
pub fn reads(path: &str, there: &Dialect) -> Reads {
    let Some(owner) = super::by_folder(path) else { return Reads::Own };
    if owner.id == there.id {
        return Reads::Own;
    }
    let row = SHARED.iter().find(|(folder, reader, _)| *folder == owner.id && *reader == there.id);
    row.map_or(Reads::No { why: "" }, |(_, _, reads)| *reads)
}
