//! Bytes into lines and JSON values: positioned reads, spools for streams and compressed files.
//!
//! Owns opened sources and where things stand in them. Must not know what a line means.

pub mod values;

use std::io;

use crate::model::LineRef;

/// Bodies on demand: the one way in which the core gets at what a source holds.
pub trait Lines: Send + Sync {
    /// The bytes at a place, without the line end. An error where the source shrank, was replaced or is gone.
    fn read(&self, at: LineRef) -> io::Result<Vec<u8>>;
}
