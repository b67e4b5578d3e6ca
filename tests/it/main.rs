//! Integration tests, one binary.

mod settings;
