//! All sources of a session, by index.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::Value;

use super::{Cause, Lines, Source, SourceError};
use crate::model::{LineRef, SourceIx};

/// Sources that a session was read from. Shared between threads: some read while others add.
#[derive(Debug, Default)]
pub struct Store {
    sources: RwLock<Vec<Source>>,
    /// The values that were asked for last, the latest at the end.
    values: Mutex<VecDeque<(LineRef, Option<Arc<Value>>)>>,
}

/// Values that are kept: a call's step asks for the line that made the call and for the one that answered it.
const KEPT: usize = 3;

/// Bytes of lines whose values are kept; a longer line is kept alone.
const KEPT_BYTES: u64 = 64 << 20;

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

    fn value(&self, at: LineRef) -> io::Result<Option<Arc<Value>>> {
        let kept = || self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().iter().find(|(place, _)| *place == at).map(|(_, value)| value.clone());
        if let Some(known) = known {
            // A source that has shrunk or was overwritten is an error here as well.
            self.holder(at)?.read_exact_at(at.offset(), 1.min(at.len as usize))?;
            return Ok(known);
        }
        let value = super::value_of(&self.read(at)?);
        let mut kept = kept();
        let bytes = |kept: &VecDeque<(LineRef, _)>| kept.iter().map(|(place, _)| u64::from(place.len)).sum::<u64>();
        while kept.len() >= KEPT || !kept.is_empty() && bytes(&kept) + u64::from(at.len) > KEPT_BYTES {
            kept.pop_front();
        }
        kept.push_back((at, value.clone()));
        Ok(value)
    }
}
