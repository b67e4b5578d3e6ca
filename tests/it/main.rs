//! The integration tests: one binary, one module an area.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod demos;
mod engine;
mod logs;
mod matcher;
mod reconstruct;
mod screen;
mod settings;
mod source;
mod stream;
mod tidy;
//! The integration tests, in one binary: one module an area.
// Clippy's leave for tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod join;
