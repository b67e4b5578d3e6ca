//! All sources of a session, by index.

use std::io;
use std::sync::{PoisonError, RwLock};

use super::{Cause, Lines, Source, SourceError};
use crate::model::{LineRef, SourceIx};

/// Sources that a session was read from. Shared between threads: some read while others add.
#[derive(Debug, Default)]
pub struct Store {
    sources: RwLock<Vec<Source>>,
}

/// The last index stands for no source.
const MOST: usize = SourceIx::NONE.0 as usize;

impl Store {
    /// No sources.
    pub fn new() -> Store {
        Store::default()
    }

    /// Adds a source. Its index is its position, in order of adding.
    ///
    /// # Errors
    /// There are as many as can be numbered (65,535).
    pub fn add(&self, source: Source) -> Result<SourceIx, SourceError> {
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        match u16::try_from(sources.len()) {
            Ok(ix) if sources.len() < MOST => {
                sources.push(source);
                Ok(SourceIx(ix))
            }
            _ => Err(SourceError::new(source.path(), Cause::TooMany { limit: MOST })),
        }
    }

    /// The source with that index.
    pub fn get(&self, ix: SourceIx) -> Option<Source> {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).get(ix.at()).cloned()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The source that a place is in.
    pub(super) fn holder(&self, at: LineRef) -> io::Result<Source> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the place belongs to no opened source");
        if at.is_some() { self.get(at.source()).ok_or_else(missing) } else { Err(missing()) }
    }
}

impl Lines for Store {
    fn read(&self, at: LineRef) -> io::Result<Vec<u8>> {
        Ok(self.holder(at)?.read_exact_at(at.offset(), at.len as usize)?)
    }
}
