//! Claude Code: settings-file hooks, transcripts, streams, debug log.
//!
//! Owns the rules of this agent, by version. Must not know screens or processes.

pub mod debug_log;
pub mod events;
pub mod matching;
pub mod stream;
pub mod tools;

use super::Dialect;

/// The table.
pub static DIALECT: Dialect =
    Dialect { id: "claude-code", name: "Claude Code", newest: "2.1.332", events: events::EVENTS, tools: tools::TOOLS };
