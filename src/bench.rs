//! Makes transcripts of any size in the real format, and measures how they are read. Kept out of the help.
//!
//! Owns made-up sessions and measurements. The only room beside `exec` that starts processes: `wc` and `jq`,
//! to have something to compare with, when a person asks for the measurement. Must not know how a session is
//! loaded: that comes in as a function.

mod generate;
mod measure;
mod random;
mod transcript;

pub use generate::{Made, Profile, generate, size};
pub use measure::{Comparison, Cost, Loading, Measured, Milestone, compare, measure, report, scan};
