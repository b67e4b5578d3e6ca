//! Plain files, read by position. Notices when they shrink, are overwritten or replaced.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::{Cause, SourceError};

/// Bytes at the start and before the known end that are held against the file when it changes.
const SAMPLE: u64 = 256;

/// A plain file.
#[derive(Debug)]
pub(super) struct Plain {
    file: File,
    path: PathBuf,
    name: String,
    known: Mutex<Known>,
}

/// What was last seen of it.
#[derive(Debug)]
struct Known {
    /// Bytes that belong to the source; more may be there.
    len: u64,
    /// Last change, in seconds and nanoseconds.
    changed: (i64, i64),
    /// Its size at that time.
    size: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Plain {
    /// Takes an opened file.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn new(file: File, path: PathBuf, metadata: &Metadata) -> Result<Plain, SourceError> {
        let name = path.display().to_string();
        let len = metadata.len();
        let known = Known { len, changed: times(metadata), size: len, head: Vec::new(), tail: Vec::new() };
        let plain = Plain { file, path, name, known: Mutex::new(known) };
        plain.sample(&mut plain.lock(), len)?;
        Ok(plain)
    }

    /// Bytes that belong to the source.
    pub(super) fn len(&self) -> u64 {
        self.lock().len
    }

    /// Reads from a place; fewer bytes only at the end of the source.
    pub(super) fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, SourceError> {
        let len = self.check()?;
        let wanted = usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(buf.len());
        let mut have = 0;
        while have < wanted {
            match self.file.read_at(&mut buf[have..wanted], offset + have as u64) {
                Ok(0) => {
                    let to = self.file.metadata().map_or(offset + have as u64, |metadata| metadata.len());
                    return Err(self.error(Cause::Shrank { from: len, to }));
                }
                Ok(count) => have += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SourceError::from_io(&self.name, &error)),
            }
        }
        Ok(have)
    }

    /// Takes in what was appended since. How many bytes.
    pub(super) fn more(&self) -> Result<u64, SourceError> {
        let before = self.check()?;
        let open = self.metadata()?;
        match self.path.metadata() {
            Ok(named) if (named.dev(), named.ino()) == (open.dev(), open.ino()) => {}
            _ => return Err(self.error(Cause::Replaced)),
        }
        let mut known = self.lock();
        if known.size > known.len {
            let len = known.size;
            self.sample(&mut known, len)?;
        }
        Ok(known.len - before)
    }

    /// One `fstat`; reads two samples where the file has changed since. The length of the source.
    fn check(&self) -> Result<u64, SourceError> {
        let metadata = self.metadata()?;
        let mut known = self.lock();
        let now = (metadata.len(), times(&metadata));
        if now == (known.size, known.changed) {
            return Ok(known.len);
        }
        if metadata.len() < known.len {
            return Err(self.error(Cause::Shrank { from: known.len, to: metadata.len() }));
        }
        let (head, tail) = (self.at(0, known.len)?, self.at(known.len.saturating_sub(SAMPLE), known.len)?);
        if head != known.head || tail != known.tail {
            return Err(self.error(Cause::Overwritten));
        }
        (known.size, known.changed) = now;
        Ok(known.len)
    }

    fn sample(&self, known: &mut Known, len: u64) -> Result<(), SourceError> {
        known.head = self.at(0, len)?;
        known.tail = self.at(len.saturating_sub(SAMPLE), len)?;
        known.len = len;
        Ok(())
    }

    fn at(&self, start: u64, len: u64) -> Result<Vec<u8>, SourceError> {
        let mut bytes = vec![0; SAMPLE.min(len - start) as usize];
        match self.file.read_exact_at(&mut bytes, start) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                let to = self.metadata()?.len();
                Err(self.error(Cause::Shrank { from: len, to }))
            }
            Err(error) => Err(SourceError::from_io(&self.name, &error)),
        }
    }

    fn metadata(&self) -> Result<Metadata, SourceError> {
        self.file.metadata().map_err(|error| SourceError::from_io(&self.name, &error))
    }

    fn error(&self, cause: Cause) -> SourceError {
        SourceError::new(&self.name, cause)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn times(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}
