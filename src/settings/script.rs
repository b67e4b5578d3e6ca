//! Scripts that command handlers name, and whether they are still what they were.

use std::path::{Path, PathBuf};

use super::Request;
use super::claude_code::{PLUGIN_VARIABLE, PROJECT_VARIABLE};
use super::file;
use crate::model::{Handler, HandlerKind, Time, simple_commands};

/// Folders that a command's variables stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    pub project: Option<PathBuf>,
    pub home: Option<PathBuf>,
    pub plugin: Option<PathBuf>,
}

impl Folders {
    pub fn of(request: &Request) -> Folders {
        Folders { project: request.start().cloned(), home: request.home.clone(), plugin: None }
    }
}

/// A remark if the script of a handler changed after a session began.
///
/// `cwd` is the project folder, for relative paths and `$CLAUDE_PROJECT_DIR`; `span` the session's first and last
/// known time. Only looks at the file; starts nothing.
pub fn script_state(handler: &Handler, cwd: &Path, span: (Time, Time)) -> Option<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let folders = Folders { project: Some(cwd.to_path_buf()), home, plugin: None };
    let (path, changed) = script(handler, &folders)?;
    if changed <= span.0 {
        return None;
    }
    let when = if changed > span.1 { "after this session" } else { "during this session" };
    Some(format!("{} changed {when}", name(&path)))
}

/// The script of a command handler, if there is one, and when it was last changed.
pub(super) fn script(handler: &Handler, folders: &Folders) -> Option<(PathBuf, Time)> {
    let HandlerKind::Command { command, args, .. } = &handler.kind else { return None };
    let words = match args {
        Some(args) => std::iter::once(command.clone()).chain(args.iter().cloned()).collect(),
        None => simple_commands(command).concat(),
    };
    // A bare word is looked up in PATH, which is not the session's business.
    let paths = words.iter().take(32).filter(|word| word.contains('/')).filter_map(|word| expand(word, folders));
    paths.filter(|path| !is_system(path)).find_map(|path| {
        let meta = std::fs::metadata(&path).ok().filter(|meta| meta.is_file())?;
        let changed = file::changed(&meta);
        (!changed.is_unknown()).then_some((path, changed))
    })
}

/// The name of a file, for people.
pub(super) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Interpreters are not the script: `/usr/bin/env`, `/bin/sh`.
fn is_system(path: &Path) -> bool {
    ["/bin", "/usr", "/sbin", "/opt/homebrew", "/nix"].iter().any(|folder| path.starts_with(folder))
}

/// A word of a command as a path: the agent's own variables and `~`, nothing else.
fn expand(word: &str, folders: &Folders) -> Option<PathBuf> {
    let mut rest = word;
    let mut base = folders.project.clone();
    if let Some(tail) = rest.strip_prefix("~/") {
        (base, rest) = (folders.home.clone(), tail);
    } else if let Some(tail) = rest.strip_prefix('$') {
        let (name, tail) = match tail.strip_prefix('{') {
            Some(tail) => tail.split_once('}')?,
            None => tail.split_at(tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len())),
        };
        base = match name {
            "HOME" => folders.home.clone(),
            PLUGIN_VARIABLE => folders.plugin.clone(),
            // Also with a default: `${CLAUDE_PROJECT_DIR:-.}`.
            name if name.split(':').next() == Some(PROJECT_VARIABLE) => folders.project.clone(),
            "PWD" => folders.project.clone(),
            _ => return None,
        };
        rest = tail.trim_start_matches('/');
    }
    if rest.contains(['$', '`', '*', '?']) {
        return None;
    }
    Some(base?.join(rest))
}
