//! The engine: against what real clients did, and over sessions.

mod session;
mod truth;
