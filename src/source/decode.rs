//! From the bytes of a file or stream to UTF-8 text: gzip, zstd and UTF-16, told by their first bytes.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How the bytes of a source are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// As they are.
    #[default]
    Plain,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Packing {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Plain => "plain",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// By magic number; names say nothing.
    pub(super) fn of(start: &[u8]) -> Packing {
        match start {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            // A skippable frame: a zstd file may begin with one.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
}

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8, or bytes that are no text.
    #[default]
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

impl Encoding {
    /// By byte order mark.
    pub(super) fn of(start: &[u8]) -> Encoding {
        match start {
            [0xff, 0xfe, ..] => Encoding::Utf16Le,
            [0xfe, 0xff, ..] => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        }
    }
}

/// Bytes needed to tell packing and encoding.
pub(super) const MAGIC: usize = 4;
/// Windows up to this are decoded (`zstd --long`); larger ones would take too much memory.
const ZSTD_WINDOW: u64 = 128 << 20;

/// A reader that hands on text, and what it found out about its input.
pub(super) struct Decoded {
    /// The text.
    pub(super) text: Box<dyn Read + Send>,
    /// How it was packed.
    pub(super) packing: Packing,
    /// How it was encoded.
    pub(super) encoding: Encoding,
    /// Set once the input itself failed: then an error is not the decoder's.
    pub(super) input_failed: Arc<AtomicBool>,
}

/// Looks at the first bytes and puts the decoders in place.
///
/// # Errors
/// What the input says while its first bytes are read.
pub(super) fn decode(input: impl Read + Send + 'static) -> io::Result<Decoded> {
    let input_failed = Arc::new(AtomicBool::new(false));
    let watched = Watched { input, failed: Arc::clone(&input_failed) };
    let Peeked { start, whole } = peek(watched)?;
    let packing = Packing::of(&start);
    let unpacked: Box<dyn Read + Send> = match packing {
        Packing::Plain => Box::new(whole),
        Packing::Gzip => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole))),
        Packing::Zstd => Box::new(Zstd::new(BufReader::with_capacity(1 << 16, whole))),
    };
    let (start, whole) = match packing {
        Packing::Plain => (start, unpacked),
        // A damaged head is reported when the text is read.
        Packing::Gzip | Packing::Zstd => match peek(unpacked) {
            Ok(Peeked { start, whole }) => (start, Box::new(whole) as Box<dyn Read + Send>),
            Err(error) => (Vec::new(), Box::new(Fails(Some(error))) as Box<dyn Read + Send>),
        },
    };
    let encoding = Encoding::of(&start);
    let text: Box<dyn Read + Send> = match encoding {
        Encoding::Utf8 => whole,
        Encoding::Utf16Le => Box::new(Utf16::new(whole, u16::from_le_bytes)),
        Encoding::Utf16Be => Box::new(Utf16::new(whole, u16::from_be_bytes)),
    };
    Ok(Decoded { text, packing, encoding, input_failed })
}

/// The first bytes of a reader, and a reader that still has them. Asks for no more than it must: a stream may
/// pause after its first line.
fn peek<R: Read>(mut input: R) -> io::Result<Peeked<R>> {
    let mut start = vec![0; MAGIC];
    let mut have = 0;
    while have < MAGIC {
        match input.read(&mut start[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What was read before the failure is still text; the failure comes again or the input ends.
            Err(_) if have > 0 => break,
            Err(error) => return Err(error),
        }
    }
    start.truncate(have);
    let whole = Cursor::new(start.clone()).chain(input);
    Ok(Peeked { start, whole })
}

/// What came of peeking.
struct Peeked<R> {
    start: Vec<u8>,
    whole: io::Chain<Cursor<Vec<u8>>, R>,
}

/// Notes whether the input itself failed.
struct Watched<R> {
    input: R,
    failed: Arc<AtomicBool>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let result = self.input.read(buf);
        if result.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.failed.store(true, Ordering::Relaxed);
        }
        result
    }
}

struct Fails(Option<io::Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// All frames of a zstd file, skippable ones left out, checksums held against the data.
struct Zstd<R> {
    input: R,
    frame: FrameDecoder,
    within: bool,
    /// What is wrong with the frame; told after all that could be decoded of it.
    broken: Option<io::Error>,
}

/// An empty last block and room for a checksum. The decoder holds a window of text back until a frame ends, so
/// a damaged one is ended with this.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

impl<R: BufRead> Zstd<R> {
    fn new(input: R) -> Zstd<R> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(ZSTD_WINDOW);
        Zstd { input, frame, within: false, broken: None }
    }

    /// Starts the next frame; `false` where there is none.
    fn start(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.frame.reset(&mut self.input) {
                Ok(()) => {
                    self.within = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.input).take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
        Ok(false)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.within = false;
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(stored), Some(computed)) if stored != computed => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum does not fit the data"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.within && !self.start()? {
                return Ok(0);
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.frame.decode_blocks(&mut self.input, strategy) {
                    let again = self.frame.decode_blocks(&LAST_BLOCK[..], BlockDecodingStrategy::UptoBlocks(1));
                    let error = io::Error::new(io::ErrorKind::InvalidData, error);
                    if again.is_err() {
                        return Err(error);
                    }
                    self.broken = Some(error);
                }
            }
            match self.frame.read(buf)? {
                0 => self.finish()?,
                count => return Ok(count),
            }
        }
    }
}

/// UTF-16 to UTF-8 without the mark. Halves of characters become U+FFFD.
struct Utf16<R> {
    input: R,
    unit: fn([u8; 2]) -> u16,
    raw: Vec<u8>,
    /// A first half, or a first byte, whose other half has not come yet.
    carried: Vec<u8>,
    text: Vec<u8>,
    given: usize,
    at_start: bool,
}

impl<R: Read> Utf16<R> {
    fn new(input: R, unit: fn([u8; 2]) -> u16) -> Utf16<R> {
        let raw = vec![0; 1 << 16];
        Utf16 { input, unit, raw, carried: Vec::new(), text: Vec::new(), given: 0, at_start: true }
    }

    /// Reads on until there is text; `false` at the end.
    fn more(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.given = 0;
        while self.text.is_empty() {
            let count = self.input.read(&mut self.raw)?;
            if count == 0 {
                let rest = std::mem::take(&mut self.carried);
                if !rest.is_empty() {
                    self.text.extend("\u{fffd}".as_bytes());
                }
                break;
            }
            self.carried.extend(&self.raw[..count]);
            self.transcode();
        }
        Ok(!self.text.is_empty())
    }

    fn transcode(&mut self) {
        let mut units: Vec<u16> = self.carried.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])).collect();
        // A first half at the end waits for its second half.
        if units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
        }
        self.carried.drain(..units.len() * 2);
        let skip = usize::from(std::mem::take(&mut self.at_start) && units.first() == Some(&0xfeff));
        let mut utf8 = [0; 4];
        for char in char::decode_utf16(units.into_iter().skip(skip)) {
            let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.text.extend(char.encode_utf8(&mut utf8).as_bytes());
        }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || (self.given == self.text.len() && !self.more()?) {
            return Ok(0);
        }
        let count = buf.len().min(self.text.len() - self.given);
        buf[..count].copy_from_slice(&self.text[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
