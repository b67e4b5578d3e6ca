//! Integration tests, one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod settings;
//! The integration tests, in one binary: one module an area.
// Clippy's leave for tests does not reach the functions that tests share.
mod matcher;
//! All integration tests in one binary.
mod engine;
//! Integration tests, one binary: a module an area.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod source;
//! The integration tests: one binary, one module an area.
mod logs;
