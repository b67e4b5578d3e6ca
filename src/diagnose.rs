//! The doctor: what went wrong in a session, with the evidence for it.
//!
//! Owns diagnoses. Must not know any screen, nor start anything.

pub mod stop_loop;
