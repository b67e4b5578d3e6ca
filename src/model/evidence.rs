//! How sure a fact is: one vocabulary for screen, JSON and reports.

use serde::{Deserialize, Serialize};

/// Where a fact comes from, from surest to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The agent, or a tap, wrote it down.
    Recorded,
    /// Run just now.
    Run,
    /// Follows from what was recorded.
    Derived,
    /// Rests on a rule that is undocumented or unmeasured.
    Assumed,
    /// Nothing tells.
    Unknown,
}

impl Evidence {
    /// The word shown to people.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::Recorded => "recorded",
            Evidence::Run => "run",
            Evidence::Derived => "derived",
            Evidence::Assumed => "assumed",
            Evidence::Unknown => "unknown",
        }
    }

    /// The weaker of two: a chain of facts is as sure as its weakest link.
    #[must_use]
    pub fn and(self, other: Evidence) -> Evidence {
        self.max(other)
    }
}

/// One of the five stages of a handler (considered, matched, selected, started, answered) at one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Yes, no, or not known.
    pub holds: Option<bool>,
    /// What says so. `Unknown` exactly when `holds` is `None`.
    pub evidence: Evidence,
    /// Why, in words for a person.
    pub why: String,
}

impl Stage {
    /// A stage that is known to hold, or known not to.
    pub fn known(holds: bool, evidence: Evidence, why: impl Into<String>) -> Stage {
        Stage { holds: Some(holds), evidence, why: why.into() }
    }

    /// A stage of which nothing tells.
    pub fn unknown(why: impl Into<String>) -> Stage {
        Stage { holds: None, evidence: Evidence::Unknown, why: why.into() }
    }
}
