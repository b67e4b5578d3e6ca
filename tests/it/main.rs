//! Integration tests, one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod engine;
mod logs;
mod settings;
