//! Bytes into lines and JSON values: positioned reads, spools for streams and compressed files.
//!
//! Owns opened sources and where things stand in them. Must not know what a line means.
//!
//! A [`Source`] is a plain file, or the temporary copy of a stream or of compressed or UTF-16 data that a
//! thread fills. It is read in order by a [`Cursor`], and by position through a [`Store`], from any thread.
//! Positions are bytes of the UTF-8 text, after decompression. No line index is kept: memory does not grow
//! with a source.

mod around;
mod cursor;
mod decode;
mod error;
mod plain;
mod spool;
mod store;
pub mod values;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::model::{LineRef, SourceIx};

pub use around::{EXCERPT, Excerpt};
pub use cursor::{BLOCK, Cursor, Line, LineEnd, MAX_LINE, Next};
pub use decode::{Encoding, Packing};
pub use error::{Cause, SourceError, in_words};
pub use store::Store;

use decode::MAGIC;
use plain::Plain;
use spool::Spool;

/// Bodies on demand: the one way in which the core gets at what a source holds.
pub trait Lines: Send + Sync {
    /// The bytes at a place, without the line end. An error where they are no longer there: the source
    /// shrank, was overwritten, or can't be read.
    fn read(&self, at: LineRef) -> io::Result<Vec<u8>>;

    /// The JSON value at a place, read as leniently as [`values::parse_lenient`] does; `None` where it is none. One
    /// line may hold twenty thousand calls, each of which asks for it again: what reads from files keeps the last.
    ///
    /// # Errors
    /// As [`Lines::read`].
    fn value(&self, at: LineRef) -> io::Result<Option<Arc<Value>>> {
        Ok(value_of(&self.read(at)?))
    }
}

fn value_of(bytes: &[u8]) -> Option<Arc<Value>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    values::parse_lenient(bytes).map(Arc::new)
}

/// An opened source. Cheap to clone; all clones are the same source.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: String,
    stream: Stream,
    body: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    /// All of it is there at once, as fast as it can be read.
    No,
    /// It may pause for as long as it likes.
    Yes,
}

#[derive(Debug)]
enum Body {
    Plain(Plain),
    Spool(Arc<Spool>),
}

/// What is known of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// The file as given, or `-`.
    pub path: String,
    /// Bytes of text that can be read now.
    pub bytes: u64,
    /// Whether `bytes` is all (for now: a plain file may grow, see [`Source::more`]).
    pub complete: bool,
    /// How it was packed. Known once [`Source::prefix`] has returned or a line was read.
    pub packing: Packing,
    /// How it was encoded. Known as early as `packing`.
    pub encoding: Encoding,
}

/// How long a stream may pause after a line before its beginning is taken as it stands.
const PAUSE: Duration = Duration::from_millis(100);

impl Source {
    /// Opens a file: plain, gzip or zstd, UTF-8 or UTF-16, told by its first bytes. Pipes and devices are
    /// read as streams.
    ///
    /// # Errors
    /// No such file (with the nearest name as help), a folder, no permission, no space for the temporary
    /// copy. What goes wrong later is told by [`Cursor::next`].
    pub fn open(path: &Path) -> Result<Source, SourceError> {
        let name = path.display().to_string();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => error::missing(path),
            _ => SourceError::from_io(&name, &error),
        };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(SourceError::new(&name, Cause::Folder));
        }
        if !metadata.is_file() {
            return Source::spooled(&name, file, Stream::Yes, spool::LIMIT);
        }
        let mut start = Vec::with_capacity(MAGIC);
        (&file).take(MAGIC as u64).read_to_end(&mut start).map_err(failed)?;
        let plain = Packing::of(&start) == Packing::Plain && Encoding::of(&start) == Encoding::Utf8;
        // Files of /proc and the like have content and no size.
        if plain && metadata.len() >= start.len() as u64 {
            let body = Body::Plain(Plain::new(file, path.to_owned(), &metadata)?);
            return Ok(Source(Arc::new(Inner { path: name, stream: Stream::No, body })));
        }
        let whole = io::Cursor::new(start).chain(file);
        Source::spooled(&name, whole, Stream::No, spool::LIMIT)
    }

    /// Reads a stream, which may be compressed or UTF-16 too, while it arrives.
    ///
    /// # Errors
    /// No space for the temporary copy.
    pub fn from_reader(name: &str, input: impl Read + Send + 'static) -> Result<Source, SourceError> {
        Source::spooled(name, input, Stream::Yes, spool::LIMIT)
    }

    /// Standard input, named `-`.
    ///
    /// # Errors
    /// No space for the temporary copy.
    pub fn stdin() -> Result<Source, SourceError> {
        Source::from_reader("-", io::stdin())
    }

    fn spooled(
        name: &str,
        input: impl Read + Send + 'static,
        stream: Stream,
        limit: u64,
    ) -> Result<Source, SourceError> {
        let body = Body::Spool(Spool::start(name, input, limit)?);
        Ok(Source(Arc::new(Inner { path: name.to_owned(), stream, body })))
    }

    /// The file as given, or `-`.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What is known now.
    pub fn info(&self) -> Info {
        let path = self.0.path.clone();
        match &self.0.body {
            Body::Plain(plain) => {
                Info { path, bytes: plain.len(), complete: true, packing: Packing::Plain, encoding: Encoding::Utf8 }
            }
            Body::Spool(spool) => {
                let arrived = spool.arrived();
                Info {
                    path,
                    bytes: arrived.len,
                    complete: arrived.ended,
                    packing: arrived.packing,
                    encoding: arrived.encoding,
                }
            }
        }
    }

    /// Reads it line by line from its start. `ix` is what its places shall say.
    pub fn cursor(&self, ix: SourceIx) -> Cursor {
        Cursor::new(self.clone(), ix, BLOCK)
    }

    /// The first `n` bytes, or all there are: for finding out what it is. Waits for them; of a stream that
    /// pauses after a complete line, takes what has come.
    ///
    /// # Errors
    /// They can't be read. Damage further on is told by [`Cursor::next`].
    pub fn prefix(&self, n: usize) -> Result<Vec<u8>, SourceError> {
        if let Body::Spool(spool) = &self.0.body {
            while !spool.wait(n.saturating_sub(1) as u64, (self.0.stream == Stream::Yes).then_some(PAUSE)) {
                let have = self.start(n)?;
                if memchr::memchr(b'\n', &have).is_some() {
                    return Ok(have);
                }
            }
        }
        let have = self.start(n)?;
        match self.failure() {
            Some(failure) if have.is_empty() && n > 0 => Err(failure),
            _ => Ok(have),
        }
    }

    fn start(&self, n: usize) -> Result<Vec<u8>, SourceError> {
        let mut bytes = vec![0; n.min(usize::try_from(self.extent().0).unwrap_or(n))];
        let count = self.read_at(&mut bytes, 0)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Takes in what was appended to a plain file since it was opened or last asked; cursors that have come
    /// to the end then go on. How many bytes. 0 for streams, which need no asking.
    ///
    /// # Errors
    /// The file shrank, was overwritten, replaced or removed.
    pub fn more(&self) -> Result<u64, SourceError> {
        match &self.0.body {
            Body::Plain(plain) => plain.more(),
            Body::Spool(_) => Ok(0),
        }
    }

    /// Reads at most `buf.len()` bytes from a place; fewer only where the source ends for now.
    ///
    /// # Errors
    /// They can't be read, or the file is no longer what it was.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, SourceError> {
        let spool = match &self.0.body {
            Body::Plain(plain) => return plain.read_at(buf, offset),
            Body::Spool(spool) => spool,
        };
        let mut have = 0;
        while have < buf.len() {
            match spool.read_at(&mut buf[have..], offset + have as u64) {
                Ok(0) => break,
                Ok(count) => have += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SourceError::from_io(self.path(), &error)),
            }
        }
        Ok(have)
    }

    /// Reads exactly the bytes `offset .. offset + len`.
    fn read_exact_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, SourceError> {
        let there = self.extent().0;
        let end = offset.saturating_add(len as u64);
        let beyond = || SourceError::new(self.path(), Cause::Beyond { offset: end, len: there });
        // Asked first: a wrong place must not ask for gigabytes of memory.
        if end > there {
            return Err(beyond());
        }
        let mut bytes = vec![0; len];
        if self.read_at(&mut bytes, offset)? < len { Err(beyond()) } else { Ok(bytes) }
    }

    /// Bytes that can be read, and whether nothing more comes.
    fn extent(&self) -> (u64, bool) {
        match &self.0.body {
            Body::Plain(plain) => (plain.len(), true),
            Body::Spool(spool) => spool.extent(),
        }
    }

    /// Why a copy ended early.
    fn failure(&self) -> Option<SourceError> {
        match &self.0.body {
            Body::Plain(_) => None,
            Body::Spool(spool) => spool.arrived().failure,
        }
    }

    /// Waits until there are more than `have` bytes, it has ended, or the time is over.
    fn wait(&self, have: u64, time: Duration) -> bool {
        match &self.0.body {
            Body::Plain(_) => true,
            Body::Spool(spool) => spool.wait(have, Some(time)),
        }
    }
}

/// Whether the beginning of a source looks like anything but text: more than one byte in ten is a control
/// character or no UTF-8.
pub fn looks_binary(prefix: &[u8]) -> bool {
    let mut odd = 0;
    let mut rest = prefix;
    while !rest.is_empty() {
        let (text, bad) = match std::str::from_utf8(rest) {
            Ok(_) => (rest, 0),
            // Cut in the middle of a character.
            Err(error) if error.error_len().is_none() => (&rest[..error.valid_up_to()], 0),
            Err(error) => (&rest[..error.valid_up_to()], error.error_len().unwrap_or(1)),
        };
        odd += bad + text.iter().filter(|byte| byte.is_ascii_control() && !b"\t\n\r\x0c\x1b".contains(byte)).count();
        rest = if bad == 0 { &[] } else { &rest[text.len() + bad..] };
    }
    odd * 10 > prefix.len()
}

#[cfg(test)]
mod tests;
