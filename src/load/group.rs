//! Which files belong to one session: a transcript, its subagents, streams, debug logs and hook logs beside it.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::dialect::{Format, PREFIX, Role, recognise};
use crate::source::in_words;
use crate::source::values::{Finder, Found, Kind, parse_lenient};

/// Folders within folders are looked at this deep: `~/.claude/projects/DIR/SESSION/subagents` needs four.
const DEEPEST: usize = 8;
/// More files than this in one folder named by a person are not looked at.
const MOST_FILES: usize = 100_000;
/// Folders that hold no sessions, but many files.
const PASSED_OVER: &[&str] = &[".git", "node_modules", "target", ".cache", "tool-results"];
/// Enough to tell most files; the rest are read up to [`PREFIX`].
const FIRST_LOOK: usize = 16 << 10;

/// The files of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFiles {
    /// Its id, as far as a file tells.
    pub id: String,
    /// Its transcript; none where only other sources are there.
    pub main: Vec<PathBuf>,
    /// Transcripts of its subagents, each with the description beside it.
    pub subagents: Vec<(PathBuf, Option<PathBuf>)>,
    /// Streams, in order of name.
    pub streams: Vec<PathBuf>,
    /// Debug logs of the client.
    pub debug_logs: Vec<PathBuf>,
    /// Logs of hook inputs.
    pub hook_logs: Vec<PathBuf>,
    /// hookscope recordings.
    pub recordings: Vec<PathBuf>,
    /// Ids of other sessions that were found and that share a source with this one.
    pub elsewhere: Vec<String>,
}

impl SessionFiles {
    /// Whether an event with this session id, read from a source that several sessions may share, belongs here.
    pub fn takes(&self, session_id: &str) -> bool {
        session_id == self.id || !self.elsewhere.iter().any(|other| other == session_id)
    }

    /// Every file, the main transcript first.
    pub fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let subagents = self.subagents.iter().map(|(path, _)| path);
        let others = [&self.streams, &self.debug_logs, &self.hook_logs, &self.recordings].into_iter().flatten();
        self.main.iter().chain(subagents).chain(others)
    }
}

/// What was found in the paths that a person named.
#[derive(Debug, Default)]
pub struct Grouped {
    /// At least one session, in the order of the paths.
    pub sessions: Vec<SessionFiles>,
    /// Files that belong to no session: settings, scripts, notes, sessions of agents that can't be opened.
    pub aside: Vec<(PathBuf, Format)>,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// A file or folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Which.
    pub path: PathBuf,
    /// Why, for a person.
    pub why: String,
}

/// Why there is nothing to open.
#[derive(Debug, Error)]
pub enum NoSession {
    /// A named file is of a kind that can't be opened.
    #[error("{}: {}", path.display(), what(*format))]
    NotASession {
        /// Which.
        path: PathBuf,
        /// What it is.
        format: Format,
    },
    /// A named file or folder can't be read.
    #[error("{}: {}", path.display(), why)]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Folders without sessions.
    #[error(
        "{}: no session found among {files} files; looked for transcripts (*.jsonl below ~/.claude/projects), \
         stream-json output, logs of hook inputs and hookscope recordings{}",
        path.display(),
        not_yet.as_ref().map_or(String::new(), |(path, format)| format!("; {} is {}, which can't be opened yet", path.display(), format.words()))
    )]
    NothingFound {
        /// The first folder.
        path: PathBuf,
        /// How many files were looked at.
        files: usize,
        /// A session of an agent that can't be opened, if there was one.
        not_yet: Option<(PathBuf, Format)>,
    },
    /// No path at all.
    #[error("no session named")]
    NoPath,
}

impl NoSession {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            NoSession::NotASession { format, .. } if format.role() == Role::NotYet => {
                "Claude Code transcripts, streams, hook logs and hookscope recordings can be opened"
            }
            NoSession::NotASession { .. } | NoSession::NothingFound { .. } | NoSession::NoPath => {
                "name a transcript, a stream, a hook log or a folder with some; `hookscope sessions` lists those on this machine"
            }
            NoSession::Unreadable { .. } => "check the path and its permissions",
        }
    }
}

fn what(format: Format) -> String {
    match format.role() {
        Role::NotYet => format!("this is {}, which can't be opened yet", format.words()),
        _ => format!("this is {}, not a session", format.words()),
    }
}

/// Reads the first bytes of a file, decompressed.
pub type Peek<'a> = &'a dyn Fn(&Path, usize) -> io::Result<Vec<u8>>;

/// Finds the sessions in files and folders. Opens regular files only, and follows links to files, not to folders.
pub fn group(paths: &[PathBuf], peek: Peek) -> Result<Grouped, NoSession> {
    let mut walk = Walk::default();
    for path in paths {
        walk.named(path);
    }
    let mut files = Vec::new();
    let mut grouped = Grouped { unreadable: walk.unreadable, ..Grouped::default() };
    for (path, named) in &walk.files {
        match look(path, peek) {
            Ok(file) if *named == Named::Beside && file.format != Format::SubagentTranscript => {}
            Ok(file) if file.format.role() == Role::Session => files.push(File { named: *named, ..file }),
            Ok(file) if *named == Named::AsFile && paths.len() == 1 => {
                return Err(NoSession::NotASession { path: path.clone(), format: file.format });
            }
            Ok(file) => grouped.aside.push((path.clone(), file.format)),
            Err(why) => grouped.unreadable.push(Unreadable { path: path.clone(), why: in_words(&why) }),
        }
    }
    assemble(files, &mut grouped);
    if grouped.sessions.is_empty() {
        return Err(nothing(paths, walk.files.len(), &grouped));
    }
    Ok(grouped)
}

fn nothing(paths: &[PathBuf], files: usize, grouped: &Grouped) -> NoSession {
    let Some(first) = paths.first() else { return NoSession::NoPath };
    let named = |path: &Path| paths.iter().any(|named| named == path);
    if let Some(bad) = grouped.unreadable.iter().find(|bad| named(&bad.path)) {
        return NoSession::Unreadable { path: bad.path.clone(), why: bad.why.clone() };
    }
    if let Some((path, format)) = grouped.aside.iter().find(|(path, _)| named(path)) {
        return NoSession::NotASession { path: path.clone(), format: *format };
    }
    let not_yet = grouped.aside.iter().find(|(_, format)| format.role() == Role::NotYet).cloned();
    NoSession::NothingFound { path: first.clone(), files, not_yet }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    AsFile,
    ByFolder,
    /// Not at all: it stands beside a named transcript, and counts only if it belongs to it.
    Beside,
}

/// Files to look at, each once.
#[derive(Default)]
struct Walk {
    files: Vec<(PathBuf, Named)>,
    known: HashSet<PathBuf>,
    unreadable: Vec<Unreadable>,
}

impl Walk {
    fn named(&mut self, path: &Path) {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                // A session's own folder: its transcript stands beside it.
                if path.join("subagents").is_dir()
                    && let Ok(whole) = path.canonicalize()
                    && let (Some(name), Some(parent)) = (whole.file_name(), path.parent())
                {
                    let transcript = parent.join(format!("{}.jsonl", name.to_string_lossy()));
                    if transcript.is_file() {
                        self.file(&transcript, Named::ByFolder);
                    }
                }
                self.folder(path, 0);
            }
            Ok(meta) => {
                self.one(path, &meta, Named::AsFile);
                self.beside(path);
            }
            Err(error) => self.fail(path, &in_words(&error)),
        }
    }

    /// The subagents of a transcript: in its folder, or (older clients) beside it.
    fn beside(&mut self, path: &Path) {
        let own = path.with_extension("").join("subagents");
        if own.is_dir() {
            self.folder(&own, 0);
        }
        let Some(parent) = path.parent() else { return };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let is_agent = |name: &str| name.starts_with("agent-") && name.ends_with(".jsonl");
        if path.file_name().is_some_and(|name| is_agent(&name.to_string_lossy())) {
            return;
        }
        let Ok(entries) = std::fs::read_dir(parent) else { return };
        let mut agents: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| is_agent(&entry.file_name().to_string_lossy()))
            .map(|entry| if path.parent() == Some(Path::new("")) { entry.file_name().into() } else { entry.path() })
            .filter(|agent| agent.is_file())
            .collect();
        agents.sort();
        for agent in agents {
            self.file(&agent, Named::Beside);
        }
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.fail(folder, &in_words(&error)),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if self.files.len() >= MOST_FILES {
                return self.fail(folder, "too many files: name a folder further in");
            }
            let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
            if meta.is_dir() {
                let passed_over = path.file_name().is_some_and(|name| PASSED_OVER.iter().any(|over| name == *over));
                if depth < DEEPEST && !passed_over {
                    self.folder(&path, depth + 1);
                }
            } else if meta.is_symlink() {
                // Links to folders could lead round in a ring.
                if path.is_file() {
                    self.file(&path, Named::ByFolder);
                }
            } else if meta.is_file() {
                self.file(&path, Named::ByFolder);
            }
        }
    }

    fn one(&mut self, path: &Path, meta: &Metadata, named: Named) {
        if meta.is_file() {
            self.file(path, named);
        } else {
            self.fail(path, "not a regular file; a stream is read from stdin: `hookscope - < FILE`");
        }
    }

    fn file(&mut self, path: &Path, named: Named) {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.known.insert(whole) {
            self.files.push((path.to_owned(), named));
        }
    }

    fn fail(&mut self, path: &Path, why: &str) {
        self.unreadable.push(Unreadable { path: path.to_owned(), why: why.to_owned() });
    }
}

/// A file that a session can be read from.
struct File {
    path: PathBuf,
    named: Named,
    format: Format,
    /// Session ids seen at its start, the most telling first.
    ids: Vec<String>,
}

fn look(path: &Path, peek: Peek) -> io::Result<File> {
    let mut start = peek(path, FIRST_LOOK)?;
    let mut format = recognise(&start);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut ids = session_ids(&start, format);
    let undecided = match format {
        // Where name and content agree and a session is told, there is nothing more to look for.
        Format::SubagentTranscript => !stem.starts_with("agent-") || ids.is_empty(),
        Format::UnknownText | Format::HookInputLog => true,
        _ => false,
    };
    if start.len() >= FIRST_LOOK && undecided {
        start = peek(path, PREFIX)?;
        format = recognise(&start);
        ids = session_ids(&start, format);
    }
    // A resumed transcript may begin with lines of another session; its name is its own id.
    if let Some(own) = ids.iter().position(|id| *id == stem) {
        ids.swap(0, own);
    }
    Ok(File { path: path.to_owned(), named: Named::ByFolder, format, ids })
}

fn session_ids(start: &[u8], format: Format) -> Vec<String> {
    if format.role() != Role::Session {
        return Vec::new();
    }
    let key = match format {
        Format::Transcript | Format::SubagentTranscript => "sessionId",
        Format::DebugLog => return Vec::new(),
        _ => "session_id",
    };
    let mut ids: Vec<String> = Vec::new();
    let mut finder = Finder::new();
    let mut each = |found: Found| {
        if found.kind == Kind::Broken || memchr::memmem::find(found.bytes, key.as_bytes()).is_none() {
            return;
        }
        if format == Format::HookInputLog {
            for input in crate::dialect::hook_log::inputs(found.bytes) {
                add(&mut ids, input.get(key));
            }
        } else {
            add(&mut ids, parse_lenient(found.bytes).as_ref().and_then(|object| object.get(key)));
        }
    };
    finder.push(start, &mut each);
    ids
}

fn add(ids: &mut Vec<String>, id: Option<&Value>) {
    if let Some(id) = id.and_then(Value::as_str)
        && !ids.iter().any(|known| known == id)
    {
        ids.push(id.to_owned());
    }
}

/// Puts files that tell the same session id together. Only transcripts and recordings are sessions of their own
/// whatever else is there.
fn assemble(files: Vec<File>, grouped: &mut Grouped) {
    let sessions = &mut grouped.sessions;
    let first_id = |file: &File| file.ids.first().cloned().unwrap_or_default();
    for file in &files {
        match file.format {
            Format::Transcript => {
                sessions.push(SessionFiles { id: first_id(file), main: vec![file.path.clone()], ..Default::default() });
            }
            Format::Recording => {
                let recordings = vec![file.path.clone()];
                sessions.push(SessionFiles { id: first_id(file), recordings, ..Default::default() });
            }
            _ => {}
        }
    }
    // Streams before logs: a log without a transcript may belong to a stream.
    for format in [Format::SubagentTranscript, Format::Stream, Format::HookInputLog] {
        for file in files.iter().filter(|file| file.format == format) {
            attach(file, sessions);
        }
    }
    for file in files.iter().filter(|file| file.format == Format::DebugLog) {
        attach_debug_log(file, sessions, &mut grouped.aside);
    }
}

fn attach(file: &File, sessions: &mut Vec<SessionFiles>) {
    let mut taken: Vec<usize> = Vec::new();
    for id in &file.ids {
        let nearest = sessions
            .iter()
            .enumerate()
            .filter(|(_, session)| session.id == *id && session.recordings.is_empty())
            // Copies of one session in several folders: the nearest one.
            .max_by_key(|(at, session)| {
                (session.all().map(|path| shared_parts(path, &file.path)).max(), usize::MAX - at)
            });
        match nearest {
            Some((at, _)) if !taken.contains(&at) => taken.push(at),
            _ => {}
        }
        if file.format == Format::SubagentTranscript {
            break;
        }
    }
    if taken.is_empty() {
        if file.named == Named::Beside {
            return;
        }
        sessions.push(SessionFiles { id: file.ids.first().cloned().unwrap_or_default(), ..Default::default() });
        taken.push(sessions.len() - 1);
    }
    let ids: Vec<String> = taken.iter().map(|at| sessions[*at].id.clone()).collect();
    for at in taken {
        let session = &mut sessions[at];
        match file.format {
            Format::SubagentTranscript => {
                let meta = file.path.with_extension("meta.json");
                session.subagents.push((file.path.clone(), meta.is_file().then_some(meta)));
            }
            Format::Stream => session.streams.push(file.path.clone()),
            _ => session.hook_logs.push(file.path.clone()),
        }
        for id in &ids {
            if *id != session.id && !session.elsewhere.contains(id) {
                session.elsewhere.push(id.clone());
            }
        }
    }
}

fn shared_parts(one: &Path, other: &Path) -> usize {
    one.components().zip(other.components()).take_while(|(one, other)| one == other).count()
}

/// A debug log names no session: it belongs to the only one below its folder, or to the only one at all.
fn attach_debug_log(file: &File, sessions: &mut Vec<SessionFiles>, aside: &mut Vec<(PathBuf, Format)>) {
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let near: Vec<usize> = sessions
        .iter()
        .enumerate()
        .filter(|(_, session)| session.recordings.is_empty() && session.all().any(|path| path.starts_with(folder)))
        .map(|(at, _)| at)
        .collect();
    match (near[..].first(), near.len(), sessions.len()) {
        (Some(&only), 1, _) => sessions[only].debug_logs.push(file.path.clone()),
        (None, _, 1) => sessions[0].debug_logs.push(file.path.clone()),
        (_, _, 0) => {
            sessions.push(SessionFiles { debug_logs: vec![file.path.clone()], ..Default::default() });
        }
        _ => aside.push((file.path.clone(), file.format)),
    }
}

#[cfg(test)]
mod tests;
