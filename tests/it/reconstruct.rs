//! Which events follow from transcripts.

mod merge;
mod truth;
