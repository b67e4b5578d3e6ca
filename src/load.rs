//! Which files make a session, reading them in batches, joining several sources into one session.
//!
//! Owns the way from paths to [`crate::model::Session`]s. Must not know any screen.

pub mod demo;
pub mod discover;
