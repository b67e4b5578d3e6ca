//! What went wrong with data, for a person.

use serde::Serialize;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something is unusable.
    Error,
    /// Something is likely not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// Where: a file, and a place in it where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Place {
    /// The file as it should be shown.
    pub path: String,
    /// 1-based.
    pub line: Option<u32>,
    /// 1-based, in characters.
    pub column: Option<u32>,
}

/// A finding about data: what, where, and what to do. Never a reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// What is wrong, one sentence.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What to do, where something can be done.
    pub help: Option<String>,
}
