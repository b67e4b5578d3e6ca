//! The integration tests: one binary, one module an area.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod demos;
mod engine;
mod lab;
mod logs;
mod matcher;
mod picker;
mod reconstruct;
mod screen;
mod settings;
mod source;
mod stream;
mod tidy;
