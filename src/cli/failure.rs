//! Errors for people: one line with what, where and what to do; and exit codes.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; for commands that look for something: nothing found.
    Done,
    /// `lint`, `loop`, `diff`, `test`: something was found.
    Found,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Found => ExitCode::from(1),
        }
    }
}

/// The words or the input were unusable.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong, with file and place.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The reader of our output went away: nothing is wrong.
    pub broken_pipe: bool,
}

impl Failure {
    /// A failure with something to do about it.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: Some(help.into()), broken_pipe: false }
    }

    /// A failure that speaks for itself.
    pub fn plain(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: None, broken_pipe: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.message))?;
        if let Some(help) = &self.help {
            write!(f, " ({})", one_line(help))?;
        }
        Ok(())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure { message: error.to_string(), help: None, broken_pipe: error.kind() == io::ErrorKind::BrokenPipe }
    }
}

fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
