//! Everything that is tested through the library's front, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test ends where something is not as expected"
)]

mod reconstruct;
