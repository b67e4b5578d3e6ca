//! Sessions on this machine: where they are, what they are about, and (later, in the background) rough counts.
//!
//! Owns the folders in which agents keep their sessions, and what a glance at a file tells. Must not know what
//! events a session has: that takes a reader. Opens files, starts nothing.

mod peek;
mod scan;

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::model::{Diagnostic, Level, Place, Time};
use crate::source::in_words;

pub use scan::{Counts, Scanned, scan, scan_in_background};

/// A folder in which an agent keeps its sessions, one folder below it a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Dialect id.
    pub dialect: &'static str,
    /// The folder; it need not exist.
    pub folder: PathBuf,
}

/// Where Claude Code keeps its sessions: `projects` below `CLAUDE_CONFIG_DIR`, without it below `~/.claude`.
/// Both come from the caller, who knows the environment. Empty where neither is given.
pub fn claude_code_roots(config_dir: Option<&OsStr>, home: Option<&Path>) -> Vec<Root> {
    let config = match config_dir {
        Some(dir) if !dir.is_empty() => Some(PathBuf::from(dir)),
        _ => home.map(|home| home.join(".claude")),
    };
    let root = config.map(|config| Root { dialect: "claude-code", folder: config.join("projects") });
    root.into_iter().collect()
}

/// A session file that was found, with what its first and last lines tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Dialect id of its root.
    pub dialect: &'static str,
    /// The session's own file.
    pub path: PathBuf,
    /// From the file's name.
    pub session_id: String,
    /// The working folder that its lines name first; the folder's name is a lossy form of it and is not used.
    pub project: Option<String>,
    /// The title that it carries: given by the person, else by the client.
    pub title: Option<String>,
    /// The first prompt, its first 300 characters.
    pub prompt: Option<String>,
    /// Size of the session's own file.
    pub bytes: u64,
    /// When the file was last written to.
    pub modified: Time,
    /// Time of the last line that has one.
    pub last_activity: Time,
}

impl Found {
    /// What to call it: title, first prompt, or its id.
    pub fn label(&self) -> &str {
        self.title.as_deref().or(self.prompt.as_deref()).unwrap_or(&self.session_id)
    }

    /// The time it is ordered by: the last activity, where no line tells the file's time.
    pub fn at(&self) -> Time {
        if self.last_activity.is_unknown() { self.modified } else { self.last_activity }
    }
}

/// What was found below some roots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Newest first.
    pub sessions: Vec<Found>,
    /// Files and folders that could not be read, one each.
    pub problems: Vec<Diagnostic>,
    /// The folders that were looked into, and whether each is there.
    pub looked_in: Vec<(PathBuf, bool)>,
}

/// Lists the sessions below the roots. Reads at most 128 KB of each file.
pub fn list(roots: &[Root]) -> Listing {
    let mut listing = Listing::default();
    for root in roots {
        match entries(&root.folder) {
            Ok(projects) => {
                listing.looked_in.push((root.folder.clone(), true));
                for project in projects.iter().filter(|path| path.is_dir()) {
                    list_project(root.dialect, project, &mut listing);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                listing.looked_in.push((root.folder.clone(), false));
            }
            Err(error) => {
                listing.looked_in.push((root.folder.clone(), true));
                listing.problems.push(unreadable(&root.folder, &error));
            }
        }
    }
    listing.sessions.sort_by(|a, b| b.at().cmp(&a.at()).then_with(|| a.path.cmp(&b.path)));
    listing
}

/// A session that a person named, by a file of its own or of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Dialect id.
    pub dialect: &'static str,
    /// Its first file.
    pub path: PathBuf,
    /// Its id; the file's name, where that is all there is.
    pub session_id: String,
}

/// Describes sessions, in their order. Reads at most 128 KB of each.
pub fn describe(named: &[Named]) -> Listing {
    let mut listing = Listing::default();
    for Named { dialect, path, session_id } in named {
        let told = fs::metadata(path).and_then(|metadata| found(dialect, path, session_id.clone(), &metadata));
        match told {
            Ok(found) => listing.sessions.push(found),
            Err(error) => listing.problems.push(unreadable(path, &error)),
        }
    }
    listing
}

fn list_project(dialect: &'static str, folder: &Path, listing: &mut Listing) {
    let paths = match entries(folder) {
        Ok(paths) => paths,
        Err(error) => return listing.problems.push(unreadable(folder, &error)),
    };
    for path in paths {
        let Some(session_id) = session_id(&path) else { continue };
        // `metadata` follows links; anything but a file (a pipe would block) is none of ours.
        let found = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => continue,
            Ok(metadata) => found(dialect, &path, session_id, &metadata),
            Err(error) => Err(error),
        };
        match found {
            Ok(found) => listing.sessions.push(found),
            Err(error) => listing.problems.push(unreadable(&path, &error)),
        }
    }
}

fn found(dialect: &'static str, path: &Path, session_id: String, metadata: &Metadata) -> io::Result<Found> {
    let glance = peek::peek(path, metadata.len())?;
    Ok(Found {
        dialect,
        path: path.to_owned(),
        session_id,
        project: glance.cwd,
        title: glance.title,
        prompt: glance.prompt,
        bytes: metadata.len(),
        modified: modified(metadata),
        last_activity: glance.last,
    })
}

/// The id in the name of a session's own file. Clients before 2.1 kept subagents' files beside it.
fn session_id(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    (!name.starts_with("agent-") && !name.is_empty()).then(|| name.to_owned())
}

fn modified(metadata: &Metadata) -> Time {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).map_or(Time::UNKNOWN, Time)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Files of a session's subagents, in order of name. Missing or unreadable folders have none.
fn subagent_files(path: &Path) -> Vec<PathBuf> {
    let mut files = entries(&path.with_extension("").join("subagents")).unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file());
    files.sort();
    files
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic {
        level: Level::Warning,
        message: format!("cannot be read: {}", in_words(error)),
        place: Place { path: path.display().to_string(), line: None, column: None },
        help: (error.kind() == io::ErrorKind::PermissionDenied)
            .then(|| "give yourself the right to read it, or leave it".to_owned()),
    }
}

#[cfg(test)]
mod tests;
