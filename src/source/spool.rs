//! Temporary copies of what can't be read by position: streams, compressed files, UTF-16.
//!
//! A thread copies; readers see what has arrived so far and may wait for more. The copy has no name, so that
//! it is gone with the process.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use nix::sys::statvfs::{Statvfs, statvfs};

use super::decode::{Decoded, Encoding, Packing, decode};
use super::error::{Cause, SourceError};

/// Bytes kept of one stream or compressed file, where the disk has room: far beyond any session, an end for a
/// compression bomb.
pub(super) const LIMIT: u64 = 64 << 30;
/// Bytes copied at a time.
const BLOCK: usize = 256 << 10;

/// How far a copy has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrived {
    /// Bytes that can be read.
    pub(super) len: u64,
    /// Nothing more comes.
    pub(super) ended: bool,
    /// Why it ended early.
    pub(super) failure: Option<SourceError>,
    /// As found in the first bytes.
    pub(super) packing: Packing,
    /// As found in the first bytes.
    pub(super) encoding: Encoding,
}

/// A temporary copy.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    arrived: Mutex<Arrived>,
    changed: Condvar,
}

impl Spool {
    /// Starts to copy `input`.
    ///
    /// # Errors
    /// No temporary file could be made, or no thread started.
    pub(super) fn start(path: &str, input: impl Read + Send + 'static, limit: u64) -> Result<Arc<Spool>, SourceError> {
        let folder = folder();
        let no_spool = |error: &io::Error| {
            let folder = folder.display().to_string();
            SourceError::new(path, Cause::Spool { folder, after: 0, message: error.to_string() })
        };
        let file = tempfile::tempfile_in(&folder).map_err(|error| no_spool(&error))?;
        let spool = Arc::new(Spool { file, arrived: Mutex::default(), changed: Condvar::new() });
        let limit = limit.min(room(&folder));
        let copy = Copy { spool: Arc::downgrade(&spool), path: path.to_owned(), folder: folder.clone(), limit };
        std::thread::Builder::new()
            .name("spool".to_owned())
            .spawn(move || copy.run(input))
            .map_err(|error| no_spool(&error))?;
        Ok(spool)
    }

    /// How far it has come.
    pub(super) fn arrived(&self) -> Arrived {
        self.lock().clone()
    }

    /// Length and end alone, without copying a failure.
    pub(super) fn extent(&self) -> (u64, bool) {
        let arrived = self.lock();
        (arrived.len, arrived.ended)
    }

    /// Waits until there are more than `have` bytes, the end has come, or the time is over. Whether one of
    /// the first two is so.
    pub(super) fn wait(&self, have: u64, time: Option<Duration>) -> bool {
        let until = time.map(|time| Instant::now() + time);
        let mut arrived = self.lock();
        while arrived.len <= have && !arrived.ended {
            arrived = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(arrived).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return false,
                Some(left) => self.changed.wait_timeout(arrived, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        true
    }

    /// Reads from a place; fewer bytes where fewer have arrived.
    pub(super) fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buf, offset)
    }

    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, change: impl FnOnce(&mut Arrived)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

/// Where temporary copies go: `/var/tmp` rather than `/tmp`, which is often in memory.
fn folder() -> PathBuf {
    let large = PathBuf::from("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && large.is_dir() { large } else { std::env::temp_dir() }
}

/// Nine tenths of what is free: a disk that is full to the last byte breaks other programs.
#[allow(clippy::unnecessary_cast, reason = "not on every system are both 64 bits wide")]
fn room(folder: &Path) -> u64 {
    let free = |stat: Statvfs| (stat.blocks_available() as u64).saturating_mul(stat.fragment_size() as u64);
    statvfs(folder).map_or(u64::MAX, |stat| free(stat) / 10 * 9)
}

/// The copying thread. Holds its spool weakly: when nobody reads any more, it stops at the next block.
struct Copy {
    spool: Weak<Spool>,
    path: String,
    folder: PathBuf,
    limit: u64,
}

impl Copy {
    fn run(self, input: impl Read + Send + 'static) {
        // Also when a decoder panics: readers must not wait for ever.
        let mut end = End {
            spool: self.spool.clone(),
            failure: Some(SourceError::new(
                &self.path,
                Cause::System { kind: io::ErrorKind::Other, message: "reading it broke off".to_owned() },
            )),
        };
        end.failure = self.copy(input).err();
    }

    fn copy(&self, input: impl Read + Send + 'static) -> Result<(), SourceError> {
        let Decoded { mut text, packing, encoding, input_failed } =
            decode(input).map_err(|error| SourceError::from_io(&self.path, &error))?;
        if let Some(spool) = self.spool.upgrade() {
            spool.set(|arrived| (arrived.packing, arrived.encoding) = (packing, encoding));
        }
        let mut block = vec![0; BLOCK];
        let mut len = 0;
        loop {
            let count = match text.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if packing == Packing::Plain || input_failed.load(Ordering::Relaxed) => {
                    return Err(SourceError::from_io(&self.path, &error));
                }
                Err(error) => {
                    let cause = Cause::Damaged { format: packing.name(), after: len, message: error.to_string() };
                    return Err(SourceError::new(&self.path, cause));
                }
            };
            let Some(spool) = self.spool.upgrade() else { return Ok(()) };
            let room = usize::try_from(self.limit - len).unwrap_or(usize::MAX);
            let kept = count.min(room);
            spool.file.write_all_at(&block[..kept], len).map_err(|error| {
                let folder = self.folder.display().to_string();
                SourceError::new(&self.path, Cause::Spool { folder, after: len, message: error.to_string() })
            })?;
            len += kept as u64;
            spool.set(|arrived| arrived.len = len);
            if kept < count {
                return Err(SourceError::new(&self.path, Cause::TooLarge { limit: self.limit }));
            }
        }
    }
}

struct End {
    spool: Weak<Spool>,
    failure: Option<SourceError>,
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(spool) = self.spool.upgrade() {
            let failure = self.failure.take();
            spool.set(|arrived| (arrived.ended, arrived.failure) = (true, failure));
        }
    }
}
