//! Which files make a session, and how several sources of one session become one list of events.
//!
//! Owns grouping, reading in batches, and joining. Must not know any screen.

pub mod demo;
pub mod discover;
pub mod group;
pub mod join;
pub mod open;
pub mod pipeline;
