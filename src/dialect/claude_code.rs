//! Claude Code: settings-file hooks, transcripts, streams, debug log.
//!
//! Owns the rules of this agent, by version. Must not know screens or processes.

mod input;
mod transcript;

pub use input::hook_input;
pub use transcript::{Rewind, SubagentMeta, Transcript, meta};

use super::Dialect;

/// The table.
pub static DIALECT: Dialect =
    Dialect { id: "claude-code", name: "Claude Code", newest: "2.1.332", events: &[], tools: &[] };
