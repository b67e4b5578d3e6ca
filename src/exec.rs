//! The only code that starts processes.
//!
//! Owns what runs, for how long, and what is kept of it. Must not know screens.

pub mod judge;
pub mod run;
