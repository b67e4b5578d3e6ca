//! The integration tests: one binary, one module an area.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod attribution;
mod branches;
mod cases;
mod commands;
mod demos;
mod engine;
mod hooks_screen;
mod join;
mod lab;
mod logs;
mod loops_screen;
mod matcher;
mod matrix;
mod picker;
mod pty;
mod reconstruct;
mod record;
mod replay_json;
mod rows;
mod run;
mod screen;
mod settings;
mod source;
mod stream;
mod tidy;
mod vendors;
