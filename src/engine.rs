//! From events and hook sets to steps: select, resolve, describe, filter.
//!
//! Owns the order in which a dialect's rules are applied. Must not know processes, files, the clock, the
//! environment or any screen; bodies come through [`crate::source::Lines`].

use crate::model::{Evidence, Verdict};

/// An event in a line, cheap enough to be computed for a million of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Groups considered for this event.
    pub considered: u16,
    /// Groups that matched.
    pub matched: u16,
    /// What the hooks say together.
    pub verdict: Verdict,
    /// A handler failed without effect.
    pub failed: bool,
    /// Position in a run of consecutive stop blocks, from 1; 0 outside one.
    pub round: u16,
    /// Nothing tells whether a matched handler was started.
    pub started_unknown: bool,
    /// Longest duration of its handlers, which run side by side.
    pub took_ms: Option<u32>,
    /// How sure the verdict is.
    pub evidence: Evidence,
}
