//! Which events follow from transcripts.

mod file;
mod merge;
mod properties;
mod rules;
mod stops;
mod synthetic;
mod truth;
