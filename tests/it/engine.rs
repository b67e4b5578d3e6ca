//! The engine: against what real clients did, and over sessions.

mod reports;
mod session;
mod truth;
