//! Claude Code: settings-file hooks, transcripts, streams, debug log.
//!
//! Owns the rules of this agent, by version. Must not know screens or processes.

mod behaviour;
mod condition;
mod conversation;
pub mod debug_log;
pub mod decide;
pub mod events;
mod input;
pub mod matching;
pub mod outcomes;
pub mod output;
pub mod rules;
mod start;
pub mod stream;
pub mod tools;
mod transcript;

pub use behaviour::BEHAVIOUR;
pub use input::hook_input;
pub(super) use start::heard;
pub use transcript::{SubagentMeta, Transcript, meta};

use super::matching::Matching;
use super::{Dialect, Rewrite, StopRule};

/// The table.
pub static DIALECT: Dialect = Dialect {
    id: "claude-code",
    name: "Claude Code",
    folders: &[".claude"],
    newest: "2.1.332",
    events: events::EVENTS,
    tools: tools::TOOLS,
    matching: Matching {
        rule: matching::rule,
        hints: matching::hints,
        rule_name: matching::rule_name,
        assumption: matching::assumption,
        rules: matching::RULES,
    },
    runs_duplicates_once: true,
    rewrite: Rewrite::Replaces,
    stop: StopRule { cap: Some(8), tools_reset: true },
    behaviour: &BEHAVIOUR,
};
