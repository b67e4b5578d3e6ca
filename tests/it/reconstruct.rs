//! Which events follow from transcripts.

mod merge;
mod properties;
mod rules;
mod synthetic;
mod truth;
