//! A process that is to be started, as plain data.

use std::path::PathBuf;
use std::time::Duration;

/// A process to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The program: looked up in the given `PATH`, unless it has a `/`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// What it gets on its standard input, which is closed then.
    pub input: Vec<u8>,
    /// After that it is killed, with everything it started; `None`: never.
    pub limit: Option<Duration>,
}
