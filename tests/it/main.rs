//! The integration tests: one binary, one module an area.

mod logs;
mod stream;
