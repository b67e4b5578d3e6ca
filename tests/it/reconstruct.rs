//! Which events follow from transcripts.

mod merge;
mod properties;
mod synthetic;
mod truth;
