//! The command line: clap types, one file a subcommand, errors for people, exit codes.
//!
//! Owns words and exit codes. Must not know how anything is done.

pub mod convert;
pub mod match_cmd;
