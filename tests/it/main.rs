//! The integration tests: one binary, one module an area.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod demos;
mod engine;
mod logs;
mod matcher;
mod settings;
mod source;
mod tidy;
//! Everything that is tested through the library's front, in one binary.
mod reconstruct;
//! Integration tests, one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
