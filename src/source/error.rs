//! What can go wrong with a source, in words for a person.

use std::io;
use std::path::Path;

use crate::model::{Diagnostic, Level, Place};

/// A source that can't be used, or not to its end: which, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {cause}")]
pub struct SourceError {
    /// The file as given, or `-`.
    pub path: String,
    /// Why.
    pub cause: Cause,
    /// What to do about it, one sentence.
    pub help: Option<String>,
}

/// Why a source can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// No such file.
    #[error("no such file")]
    NotFound,
    /// Not readable for this user.
    #[error("no permission to read it")]
    NoPermission,
    /// A folder: not a source itself, though it may hold some.
    #[error("is a folder, not a file")]
    Folder,
    /// The file lost bytes while it was open. Bytes.
    #[error("the file shrank from {from} to {to} bytes while open")]
    Shrank {
        /// Size that was known.
        from: u64,
        /// Size now.
        to: u64,
    },
    /// The bytes that were there are others now.
    #[error("the file was overwritten while open")]
    Overwritten,
    /// The name belongs to another file now, or to none.
    #[error("the file was replaced or removed while open")]
    Replaced,
    /// Compressed data that is cut off or damaged; what came before it could be read.
    #[error("the {format} data is damaged or cut off after {after} bytes of text ({message})")]
    Damaged {
        /// `gzip` or `zstd`.
        format: &'static str,
        /// Decompressed bytes that could be read.
        after: u64,
        /// The decoder's words.
        message: String,
    },
    /// The temporary file for a stream or compressed data could not be written any further.
    #[error("the temporary copy in {folder} could not be written beyond {after} bytes ({message})")]
    Spool {
        /// Folder of the temporary file.
        folder: String,
        /// Bytes that were written.
        after: u64,
        /// The system's words.
        message: String,
    },
    /// More than is kept of a stream or of compressed data. Bytes.
    #[error("more than {limit} bytes come out of it; the rest is left out")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// A place that lies beyond what there is.
    #[error("nothing at byte {offset}: there are {len} bytes")]
    Beyond {
        /// Where reading was to end.
        offset: u64,
        /// Bytes there are.
        len: u64,
    },
    /// More sources than can be numbered.
    #[error("too many files in one session: {limit} at most")]
    TooMany {
        /// The most.
        limit: usize,
    },
    /// Anything else the system says.
    #[error("{message}")]
    System {
        /// The system's kind.
        kind: io::ErrorKind,
        /// The system's words.
        message: String,
    },
}

impl SourceError {
    /// An error with the usual help for its cause.
    pub(super) fn new(path: &str, cause: Cause) -> SourceError {
        let help = match &cause {
            Cause::NoPermission => Some("check who may read it: ls -l"),
            Cause::Folder => Some("name a file in it, or open the folder as a set of sessions"),
            Cause::Shrank { .. } | Cause::Overwritten | Cause::Replaced => {
                Some("open it again to see what it holds now")
            }
            Cause::Damaged { .. } => Some("what came before is shown; for the rest, make or fetch the file again"),
            Cause::Spool { .. } => Some("free space there, or set TMPDIR to a folder with more"),
            Cause::TooLarge { .. } => {
                Some("cut it into parts, set TMPDIR to a folder with more space, or open the plain file")
            }
            Cause::TooMany { .. } => Some("open fewer files at once"),
            Cause::NotFound | Cause::Beyond { .. } | Cause::System { .. } => None,
        };
        SourceError { path: path.to_owned(), cause, help: help.map(str::to_owned) }
    }

    /// What the system said about `path`.
    pub(super) fn from_io(path: &str, error: &io::Error) -> SourceError {
        let cause = match error.kind() {
            io::ErrorKind::NotFound => Cause::NotFound,
            io::ErrorKind::PermissionDenied => Cause::NoPermission,
            io::ErrorKind::IsADirectory => Cause::Folder,
            kind => Cause::System { kind, message: error.to_string() },
        };
        SourceError::new(path, cause)
    }

    /// The same as a finding, for sources of which a part could be read.
    pub fn diagnostic(&self, line: Option<u32>) -> Diagnostic {
        Diagnostic {
            level: Level::Error,
            message: self.cause.to_string(),
            place: Place { path: self.path.clone(), line, column: None },
            help: self.help.clone(),
        }
    }
}

impl From<SourceError> for io::Error {
    fn from(error: SourceError) -> io::Error {
        let kind = match &error.cause {
            Cause::NotFound => io::ErrorKind::NotFound,
            Cause::NoPermission => io::ErrorKind::PermissionDenied,
            Cause::Folder => io::ErrorKind::IsADirectory,
            Cause::Shrank { .. } | Cause::Beyond { .. } => io::ErrorKind::UnexpectedEof,
            Cause::Damaged { .. } | Cause::Overwritten => io::ErrorKind::InvalidData,
            Cause::System { kind, .. } => *kind,
            Cause::Replaced | Cause::Spool { .. } | Cause::TooLarge { .. } | Cause::TooMany { .. } => {
                io::ErrorKind::Other
            }
        };
        io::Error::new(kind, error)
    }
}

/// For a file that is not there: the nearest name in its folder, or the part of the path that is missing.
pub(super) fn missing(path: &Path) -> SourceError {
    let mut error = SourceError::new(&path.display().to_string(), Cause::NotFound);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    error.help = if folder.is_dir() {
        nearest(path, folder).map(|name| format!("did you mean {}?", path.with_file_name(name).display()))
    } else {
        Some(format!("the folder {} does not exist either", folder.display()))
    };
    error
}

/// Names less alike than this (0 to 1) are no suggestion.
const ALIKE: f64 = 0.8;
/// Names looked at, so that a huge folder costs no noticeable time.
const NAMES: usize = 20_000;

fn nearest(path: &Path, folder: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let names = folder.read_dir().ok()?.take(NAMES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let rated = names.map(|name| (strsim::normalized_damerau_levenshtein(wanted, &name), name));
    rated.filter(|(alike, _)| *alike >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// What the system said, for a person: without the number that the standard library puts behind it.
pub fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        _ => {
            let text = error.to_string();
            let cut = text.split_once(" (os error ").and_then(|(before, rest)| Some((before, rest.split_once(')')?.1)));
            cut.map_or_else(|| text.clone(), |(before, after)| format!("{before}{after}")).to_lowercase()
        }
    }
}
