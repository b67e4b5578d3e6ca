//! A source line by line, in large positioned reads.

use std::ops::Range;
use std::time::Duration;

use memchr::memchr;

use super::{Source, SourceError};
use crate::model::{LineRef, SourceIx};

/// Bytes asked for at a time.
pub const BLOCK: usize = 1 << 20;
/// Of a longer line only so many bytes are given: memory stays bounded whatever is opened.
pub const MAX_LINE: usize = 256 << 20;

/// Where a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// At a line feed, or carriage return and line feed.
    Newline,
    /// At the end of the source, for now: its writer may not be done with it. When the source goes on, the
    /// line comes again, whole.
    Missing,
    /// Only its first [`MAX_LINE`] bytes are given.
    Cut {
        /// Bytes of the whole line.
        length: u64,
    },
}

/// A line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where `bytes` stand.
    pub at: LineRef,
    /// Its bytes, without line end and byte order mark.
    pub bytes: &'a [u8],
    /// Where it ends.
    pub end: LineEnd,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<'a> {
    /// A line, which may be empty.
    Line(Line<'a>),
    /// Nothing yet: see [`Cursor::wait`].
    Pending,
    /// The source can't be read any further. Told once, after every line before it; then `End`.
    Failed(SourceError),
    /// The source has ended. After [`Source::more`] took something in, there are lines again.
    End,
}

/// Reads a source in order.
#[derive(Debug)]
pub struct Cursor {
    source: Source,
    ix: SourceIx,
    block: usize,
    max_line: usize,
    buf: Vec<u8>,
    /// Where `buf` starts in the source.
    base: u64,
    /// The next line starts here in `buf`.
    start: usize,
    /// So far `buf` is filled.
    end: usize,
    /// Bytes from `start` that hold no line feed.
    searched: usize,
    /// Bytes of an overlong line that were read and let go, at `start + max_line`.
    dropped: u64,
    /// Number of the line at `start`.
    line: u32,
    /// The unfinished last line was given.
    tail_given: bool,
    failure: Failure,
}

#[derive(Debug)]
enum Failure {
    None,
    Found(SourceError),
    Told,
}

/// What [`Cursor::step`] found, in places instead of references.
enum Step {
    Line { range: Range<usize>, offset: u64, number: u32, end: LineEnd },
    Pending,
    Failed(SourceError),
    End,
}

/// What came of asking for more bytes.
enum Filled {
    Some,
    NotYet,
    Ended,
}

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

impl Cursor {
    pub(super) fn new(source: Source, ix: SourceIx, block: usize) -> Cursor {
        Cursor {
            source,
            ix,
            block,
            max_line: MAX_LINE,
            buf: Vec::new(),
            base: 0,
            start: 0,
            end: 0,
            searched: 0,
            dropped: 0,
            line: 1,
            tail_given: false,
            failure: Failure::None,
        }
    }

    #[cfg(test)]
    pub(super) fn with_max_line(mut self, max_line: usize) -> Cursor {
        self.max_line = max_line;
        self
    }

    #[cfg(test)]
    pub(super) fn buffered(&self) -> usize {
        self.buf.len()
    }

    /// The next line. Reads only what has arrived, never waits for a stream.
    #[expect(clippy::should_implement_trait, reason = "lines borrow from the cursor, which an iterator can't say")]
    pub fn next(&mut self) -> Next<'_> {
        match self.step() {
            Step::Line { range, offset, number, end } => {
                // A line is no longer than `max_line`, which fits.
                let len = u32::try_from(range.len()).unwrap_or(u32::MAX);
                let at = LineRef::new(self.ix, offset, len, number);
                Next::Line(Line { at, bytes: &self.buf[range], end })
            }
            Step::Pending => Next::Pending,
            Step::Failed(failure) => Next::Failed(failure),
            Step::End => Next::End,
        }
    }

    /// Bytes of the source that were given as lines, with their ends.
    pub fn read_bytes(&self) -> u64 {
        if self.tail_given { self.filled() } else { self.base + self.start as u64 }
    }

    /// Bytes in all, once that is known.
    pub fn total_bytes(&self) -> Option<u64> {
        let (len, ended) = self.source.extent();
        ended.then_some(len)
    }

    /// Waits, after [`Next::Pending`], until there may be something or the time is over; tells which.
    pub fn wait(&self, time: Duration) -> bool {
        self.source.wait(self.filled(), time)
    }

    /// The source it reads.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Where in the source the next byte is read.
    fn filled(&self) -> u64 {
        self.base + self.dropped + self.end as u64
    }

    fn step(&mut self) -> Step {
        loop {
            let from = self.start + self.searched;
            if let Some(found) = memchr(b'\n', &self.buf[from..self.end]) {
                return self.complete(from + found);
            }
            self.searched = self.end - self.start;
            if self.searched > self.max_line {
                self.dropped += (self.searched - self.max_line) as u64;
                self.searched = self.max_line;
                self.end = self.start + self.max_line;
            }
            match self.fill() {
                Ok(Filled::Some) => self.tail_given = false,
                Ok(Filled::NotYet) => return Step::Pending,
                Ok(Filled::Ended) => {
                    if matches!(self.failure, Failure::None)
                        && let Some(failure) = self.source.failure()
                    {
                        self.failure = Failure::Found(failure);
                    }
                    return self.last();
                }
                Err(failure) => {
                    if matches!(self.failure, Failure::None) {
                        self.failure = Failure::Found(failure);
                    }
                    return self.last();
                }
            }
        }
    }

    /// The line whose line feed is at `feed` in the buffer.
    fn complete(&mut self, feed: usize) -> Step {
        let length = self.dropped + (feed - self.start) as u64;
        let end = if length > self.max_line as u64 { LineEnd::Cut { length } } else { LineEnd::Newline };
        let (mut range, offset) = self.without_mark(self.start..feed.min(self.start + self.max_line));
        if end == LineEnd::Newline && self.buf[range.clone()].ends_with(b"\r") {
            range.end -= 1;
        }
        let number = self.line;
        self.base += self.dropped;
        self.dropped = 0;
        self.start = feed + 1;
        self.searched = 0;
        self.line = self.line.saturating_add(1);
        Step::Line { range, offset, number, end }
    }

    /// At the end: what stands after the last line feed, then why it ended, then nothing.
    fn last(&mut self) -> Step {
        if self.start == self.end {
            self.base += self.end as u64;
            (self.start, self.end, self.buf) = (0, 0, Vec::new());
        } else if !self.tail_given {
            self.tail_given = true;
            let end = match self.dropped {
                0 => LineEnd::Missing,
                dropped => LineEnd::Cut { length: dropped + self.max_line as u64 },
            };
            let (range, offset) = self.without_mark(self.start..self.end);
            return Step::Line { range, offset, number: self.line, end };
        }
        match std::mem::replace(&mut self.failure, Failure::Told) {
            Failure::Found(failure) => Step::Failed(failure),
            untold => {
                self.failure = untold;
                Step::End
            }
        }
    }

    /// Leaves out a byte order mark at the start of the source. The range in the buffer, and where it stands
    /// in the source.
    fn without_mark(&self, range: Range<usize>) -> (Range<usize>, u64) {
        let offset = self.base + range.start as u64;
        if offset == 0 && self.buf[range.clone()].starts_with(BOM) {
            (range.start + BOM.len()..range.end, BOM.len() as u64)
        } else {
            (range, offset)
        }
    }

    /// Reads the next block behind what is unfinished.
    fn fill(&mut self) -> Result<Filled, SourceError> {
        let (len, ended) = self.source.extent();
        let place = self.filled();
        if place >= len {
            return Ok(if ended { Filled::Ended } else { Filled::NotYet });
        }
        let there = usize::try_from(len - place).unwrap_or(usize::MAX);
        self.make_room(there);
        let wanted = there.min(self.buf.len() - self.end);
        let count = self.source.read_at(&mut self.buf[self.end..self.end + wanted], place)?;
        self.end += count;
        Ok(if count > 0 { Filled::Some } else { Filled::Ended })
    }

    /// Moves what is unfinished to the front, and makes the buffer fit what is there to be read: larger for a
    /// long line, smaller after it, small for a small source, since many may be open at once.
    fn make_room(&mut self, there: usize) {
        let unfinished = self.start..self.end;
        // As much again as there is, so that a long line is copied only a few times.
        let wanted = there.min(self.block.max(unfinished.len()));
        let free = self.buf.len() - unfinished.len();
        let too_large = self.buf.len() > self.block * 2 && unfinished.len() < self.block / 2;
        if free < wanted.div_ceil(2) || too_large {
            let mut other = vec![0; unfinished.len() + wanted];
            other[..unfinished.len()].copy_from_slice(&self.buf[unfinished.clone()]);
            self.buf = other;
        } else if unfinished.start > 0 {
            self.buf.copy_within(unfinished.clone(), 0);
        }
        self.base += unfinished.start as u64;
        self.start = 0;
        self.end = unfinished.len();
    }
}
