//! The integration tests: one binary, one module an area.

mod join;
mod logs;
mod stream;
