//! The integration tests, in one binary: one module an area.

// Clippy's leave for tests does not reach the functions that tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod join;
mod logs;
mod matcher;
mod record;
mod stream;
