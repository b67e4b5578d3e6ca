//! Integration tests, one binary: a module an area.

mod source;
