//! Lines around a place, found by looking for line feeds in both directions.

use std::io;

use memchr::{memchr, memchr_iter, memrchr};

use super::cursor::BOM;
use super::{Source, SourceError, Store};
use crate::model::{LineRef, SourceIx};

/// Bytes of a line that an [`Excerpt`] gives at most.
pub const EXCERPT: usize = 64 << 10;
const BLOCK: u64 = 64 << 10;

/// The beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The whole line, without its end.
    pub at: LineRef,
    /// Its first bytes, [`EXCERPT`] at most.
    pub bytes: Vec<u8>,
    /// Bytes of the whole line, without its end; more than `at.len` only beyond 4 GB.
    pub length: u64,
}

impl Excerpt {
    /// Whether `bytes` is the whole line.
    pub fn is_whole(&self) -> bool {
        self.bytes.len() as u64 == self.length
    }
}

impl Store {
    /// Up to `n` lines before the line that `at` starts on, in file order.
    ///
    /// # Errors
    /// No such place, or the source can't be read there any more.
    pub fn lines_before(&self, at: LineRef, n: usize) -> io::Result<Vec<Excerpt>> {
        let source = self.holder(at)?;
        let mut blocks = Blocks::new(&source);
        let mut start = blocks.line_start(at.offset())?;
        let mut number = at.line;
        let mut found = Vec::new();
        while start > 0 && found.len() < n {
            let end = start - 1;
            start = blocks.line_start(end)?;
            number = number.saturating_sub(1);
            found.push(excerpt(&source, at.source(), start, end, number)?);
        }
        found.reverse();
        Ok(found)
    }

    /// Up to `n` lines after the line that `at` ends on. The last line of a source may be unfinished.
    ///
    /// # Errors
    /// No such place, or the source can't be read there any more.
    pub fn lines_after(&self, at: LineRef, n: usize) -> io::Result<Vec<Excerpt>> {
        let source = self.holder(at)?;
        let mut blocks = Blocks::new(&source);
        let last = at.offset() + u64::from(at.len);
        // A JSON value in a log may go over several lines.
        let mut number = at.line.saturating_add(blocks.count(at.offset(), last)?);
        let mut end = blocks.line_end(last)?;
        let mut found = Vec::new();
        while end < blocks.len && found.len() < n {
            let start = end + 1;
            if start >= blocks.len {
                break;
            }
            end = blocks.line_end(start)?;
            number = number.saturating_add(1);
            found.push(excerpt(&source, at.source(), start, end, number)?);
        }
        Ok(found)
    }
}

/// The line `start .. end`, where `end` is the place of its line feed or the end of the source.
fn excerpt(source: &Source, ix: SourceIx, start: u64, end: u64, number: u32) -> Result<Excerpt, SourceError> {
    let (len, _) = source.extent();
    let mut first =
        source.read_exact_at(start, usize::try_from(end - start).unwrap_or(EXCERPT).min(EXCERPT + BOM.len()))?;
    let (mut start, mut length) = (start, end - start);
    if start == 0 && first.starts_with(BOM) {
        first.drain(..BOM.len());
        (start, length) = (BOM.len() as u64, length - BOM.len() as u64);
    }
    // A carriage return belongs to the line end only where a line feed follows.
    if end < len && length > 0 && source.read_exact_at(end - 1, 1)? == b"\r" {
        length -= 1;
    }
    first.truncate(usize::try_from(length).unwrap_or(EXCERPT).min(EXCERPT));
    let at = LineRef::new(ix, start, u32::try_from(length).unwrap_or(u32::MAX), number);
    Ok(Excerpt { at, bytes: first, length })
}

/// One block of a source at a time.
struct Blocks<'a> {
    source: &'a Source,
    len: u64,
    bytes: Vec<u8>,
    base: u64,
}

impl<'a> Blocks<'a> {
    fn new(source: &'a Source) -> Blocks<'a> {
        Blocks { source, len: source.extent().0, bytes: Vec::new(), base: 0 }
    }

    /// Loads the aligned block with the byte at `place`, which exists.
    fn load(&mut self, place: u64) -> Result<(), SourceError> {
        let base = place / BLOCK * BLOCK;
        if self.bytes.is_empty() || self.base != base {
            let len = BLOCK.min(self.len - base);
            self.bytes = self.source.read_exact_at(base, usize::try_from(len).unwrap_or_default())?;
            self.base = base;
        }
        Ok(())
    }

    /// The start of the line that the byte at `place` (a line feed ends its line), or the end, belongs to.
    fn line_start(&mut self, place: u64) -> Result<u64, SourceError> {
        let mut end = place.min(self.len);
        while end > 0 {
            self.load(end - 1)?;
            let within = usize::try_from(end - self.base).unwrap_or(self.bytes.len());
            if let Some(feed) = memrchr(b'\n', &self.bytes[..within]) {
                return Ok(self.base + feed as u64 + 1);
            }
            end = self.base;
        }
        Ok(0)
    }

    /// The first line feed at or after `place`, or the end of the source.
    fn line_end(&mut self, place: u64) -> Result<u64, SourceError> {
        let mut start = place;
        while start < self.len {
            self.load(start)?;
            let within = usize::try_from(start - self.base).unwrap_or_default();
            if let Some(feed) = memchr(b'\n', &self.bytes[within..]) {
                return Ok(start + feed as u64);
            }
            start = self.base + self.bytes.len() as u64;
        }
        Ok(self.len)
    }

    /// Line feeds in `start .. end`.
    fn count(&mut self, start: u64, end: u64) -> Result<u32, SourceError> {
        let (mut start, end) = (start, end.min(self.len));
        let mut count = 0_usize;
        while start < end {
            self.load(start)?;
            let from = usize::try_from(start - self.base).unwrap_or_default();
            let to = usize::try_from(end - self.base).unwrap_or(usize::MAX).min(self.bytes.len());
            count += memchr_iter(b'\n', &self.bytes[from..to]).count();
            start = self.base + to as u64;
        }
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }
}
