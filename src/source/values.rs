//! JSON values in free text: logs that people's own hooks write hold them one a line, indented, one right after
//! another, behind a time, between separators and tracebacks.
//!
//! Owns where outermost values start and end. Must not know what they mean.

use serde::de::IgnoredAny;
use serde_json::Value;

/// No value is longer than this; an opening brace whose value would be is text.
pub const LONGEST: usize = 256 << 20;
/// As deep as `serde_json` reads. It also bounds how often a byte is looked at again after a value that broke off.
const DEEPEST: usize = 120;
/// Skipped text kept before a value: enough for a time, a level and a few words.
const LEADING: usize = 512;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A JSON object.
    Object,
    /// A JSON string, quotes included, that holds what looks like an encoded object.
    Text,
    /// The start of an object that broke off or went wrong: text, as far as JSON goes. Objects inside of it follow.
    Broken,
}

/// An outermost value in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    /// What it is.
    pub kind: Kind,
    /// Where it starts, in bytes from the start of the text.
    pub offset: u64,
    /// The line on which it starts, 1-based.
    pub line: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Up to 512 bytes of text right before it, back to the value before. What follows the value before on that
    /// one's last line is left out, unless this one starts on the same line.
    pub leading: &'a [u8],
}

/// Finds the outermost JSON objects in text that arrives in pieces. Keeps no more than the value that is being read.
#[derive(Debug)]
pub struct Finder {
    /// What can't be decided yet.
    buffer: Vec<u8>,
    /// Everything before this place in `buffer` is dealt with.
    done: usize,
    /// Offset of `buffer[0]` in the text.
    base: u64,
    line: u32,
    leading: Vec<u8>,
    /// The text since the last value is still on that value's last line.
    beside_value: bool,
    /// The last byte that was dealt with.
    before: u8,
    /// No string starts before this offset: an attempt has already run over it.
    no_string_before: u64,
    attempt: Attempt,
    line_has: LineHas,
    stray_lines: u32,
    longest: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct LineHas {
    value: bool,
    text: bool,
}

#[derive(Debug)]
enum Attempt {
    None,
    Object { grammar: Grammar, read: usize },
    Text { read: usize },
}

enum Progress {
    More,
    Went(usize),
    Wrong,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder::new()
    }
}

impl Finder {
    /// At the start of a text.
    pub fn new() -> Finder {
        Finder {
            buffer: Vec::new(),
            done: 0,
            base: 0,
            line: 1,
            leading: Vec::new(),
            beside_value: false,
            before: b'\n',
            no_string_before: 0,
            attempt: Attempt::None,
            line_has: LineHas::default(),
            stray_lines: 0,
            longest: LONGEST,
        }
    }

    /// The next piece of the text.
    pub fn push(&mut self, piece: &[u8], each: &mut dyn FnMut(Found)) {
        self.buffer.extend_from_slice(piece);
        self.advance(each);
        self.base += self.done as u64;
        self.buffer.drain(..self.done);
        self.done = 0;
    }

    /// The text has ended: what was begun and not closed is text. Afterwards the finder may go on with more text.
    pub fn end(&mut self, each: &mut dyn FnMut(Found)) {
        while !matches!(self.attempt, Attempt::None) {
            self.give_up(self.buffer.len(), each);
            self.advance(each);
        }
        self.base += self.done as u64;
        self.buffer.drain(..self.done);
        self.done = 0;
        if self.line_has.text && !self.line_has.value {
            self.stray_lines += 1;
            self.line_has = LineHas::default();
        }
    }

    /// How far the text was taken in, in bytes.
    pub fn offset(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// Lines so far that hold text and no part of a value.
    pub fn stray_lines(&self) -> u32 {
        self.stray_lines
    }

    fn advance(&mut self, each: &mut dyn FnMut(Found)) {
        loop {
            let progress = match &mut self.attempt {
                Attempt::None => {
                    if !self.begin() {
                        return;
                    }
                    continue;
                }
                Attempt::Object { grammar, read } => {
                    let start = self.done + *read;
                    let (used, progress) = grammar.read(&self.buffer[start..]);
                    *read += used;
                    match progress {
                        Progress::Went(_) => Progress::Went(*read),
                        other => other,
                    }
                }
                Attempt::Text { read } => {
                    let (used, progress) = close_string(&self.buffer[self.done..], *read);
                    *read = used;
                    progress
                }
            };
            match progress {
                Progress::More if self.buffer.len() - self.done <= self.longest => return,
                Progress::More => self.give_up(self.buffer.len(), each),
                Progress::Wrong => {
                    let read = match &self.attempt {
                        Attempt::Object { read, .. } | Attempt::Text { read } => *read,
                        Attempt::None => 0,
                    };
                    self.give_up(self.done + read, each);
                }
                Progress::Went(length) => self.take(length, each),
            }
        }
    }

    /// Skips text up to the next place where a value may start. False where there is none yet.
    fn begin(&mut self) -> bool {
        let mut at = self.done;
        while let Some(found) = memchr::memchr2(b'{', b'"', &self.buffer[at..]) {
            let place = at + found;
            if self.buffer[place] == b'{' {
                self.skip(place);
                self.attempt = Attempt::Object { grammar: Grammar::new(), read: 0 };
                return true;
            }
            let before = if place > 0 { self.buffer[place - 1] } else { self.before };
            if before != b'\\' && self.base + place as u64 >= self.no_string_before {
                self.skip(place);
                self.attempt = Attempt::Text { read: 1 };
                return true;
            }
            at = place + 1;
        }
        self.skip(self.buffer.len());
        false
    }

    /// What was begun is no value; its first byte is text.
    fn give_up(&mut self, upto: usize, each: &mut dyn FnMut(Found)) {
        let attempt = std::mem::replace(&mut self.attempt, Attempt::None);
        match attempt {
            Attempt::None => return,
            // All that is open is part of something too deep to be a value: trying each opening inside of it again
            // would run into the same limit a few bytes on.
            Attempt::Object { grammar, .. } if grammar.too_deep => {
                if grammar.named {
                    let bytes = &self.buffer[self.done..upto];
                    each(Found { kind: Kind::Broken, bytes, ..self.here() });
                }
                self.skip(upto);
                return;
            }
            Attempt::Object { grammar, .. } if grammar.named => {
                let bytes = &self.buffer[self.done..upto];
                each(Found { kind: Kind::Broken, bytes, ..self.here() });
            }
            Attempt::Object { .. } => {}
            Attempt::Text { .. } => self.no_string_before = self.base + upto as u64,
        }
        self.skip(self.done + 1);
    }

    fn take(&mut self, length: usize, each: &mut dyn FnMut(Found)) {
        let end = self.done + length;
        let bytes = &self.buffer[self.done..end];
        let kind = match self.attempt {
            Attempt::Text { .. } if encodes_object(bytes) => Kind::Text,
            // A pair of quotes around something else. The second may open another string.
            Attempt::Text { .. } | Attempt::None => {
                self.attempt = Attempt::None;
                self.skip(self.done + 1);
                return;
            }
            Attempt::Object { .. } => Kind::Object,
        };
        if kind == Kind::Object && serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
            self.give_up(end, each);
            return;
        }
        each(Found { kind, bytes, ..self.here() });
        self.attempt = Attempt::None;
        self.leading.clear();
        self.beside_value = true;
        self.line_has.value = true;
        let lines = count_lines(&self.buffer[self.done..end]);
        self.line = self.line.saturating_add(lines);
        if lines > 0 {
            self.line_has = LineHas { value: true, text: false };
        }
        self.before = b'}';
        self.done = end;
    }

    fn here(&self) -> Found<'_> {
        Found {
            kind: Kind::Broken,
            offset: self.base + self.done as u64,
            line: self.line,
            bytes: &[],
            leading: &self.leading,
        }
    }

    /// Everything up to `end` is text.
    fn skip(&mut self, end: usize) {
        let text = &self.buffer[self.done..end];
        let Some(&last) = text.last() else { return };
        self.before = last;
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let has = self.line_has;
            if !has.value && (has.text || !rest[..end].trim_ascii().is_empty()) {
                self.stray_lines = self.stray_lines.saturating_add(1);
            }
            self.line_has = LineHas::default();
            self.line = self.line.saturating_add(1);
            if self.beside_value {
                self.leading.clear();
                self.beside_value = false;
            } else {
                keep_last(&mut self.leading, &rest[..=end]);
            }
            rest = &rest[end + 1..];
        }
        self.line_has.text |= !rest.trim_ascii().is_empty();
        keep_last(&mut self.leading, rest);
        self.done = end;
    }
}

/// Appends, and keeps the last [`LEADING`] bytes.
fn keep_last(tail: &mut Vec<u8>, text: &[u8]) {
    let text = &text[text.len().saturating_sub(LEADING)..];
    let over = (tail.len() + text.len()).saturating_sub(LEADING);
    tail.drain(..over.min(tail.len()));
    tail.extend_from_slice(text);
}

fn count_lines(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

/// Looks for the end of the string that starts at `bytes[0]`, from `read` on. A string ends on its line.
fn close_string(bytes: &[u8], read: usize) -> (usize, Progress) {
    let mut at = read;
    loop {
        let Some(found) = memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]) else {
            return (bytes.len(), Progress::More);
        };
        at += found;
        match bytes[at] {
            b'"' => return (at + 1, Progress::Went(at + 1)),
            b'\n' => return (at, Progress::Wrong),
            _ if at + 1 < bytes.len() => at += 2,
            _ => return (at, Progress::More),
        }
    }
}

/// Whether a string, quotes included, may hold an object written as JSON.
fn encodes_object(string: &[u8]) -> bool {
    memchr::memchr(b'{', string).is_some()
        && memchr::memmem::find(string, b"\\\"").is_some()
        && serde_json::from_slice::<IgnoredAny>(string).is_ok()
}

/// The JSON grammar, one byte after another, so that text which is no JSON is seen at its first wrong byte.
/// Numbers and words are taken by their letters only; a value that is complete gets checked again as a whole.
#[derive(Debug)]
struct Grammar {
    state: State,
    /// Open brackets, `true` for an object.
    open: Vec<bool>,
    /// At least one key with its colon was read.
    named: bool,
    /// It went wrong for its depth alone.
    too_deep: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    KeyOrEnd,
    Key,
    InKey,
    Colon,
    Value,
    ValueOrEnd,
    InString,
    InWord,
    After,
}

impl Grammar {
    fn new() -> Grammar {
        Grammar { state: State::Start, open: Vec::new(), named: false, too_deep: false }
    }

    /// Reads on: how many bytes it took, and what came of it.
    fn read(&mut self, bytes: &[u8]) -> (usize, Progress) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if matches!(self.state, State::InString | State::InKey) {
                let Some(found) = memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]) else {
                    return (bytes.len(), Progress::More);
                };
                at += found;
                match bytes[at] {
                    b'"' if self.state == State::InKey => self.state = State::Colon,
                    b'"' => self.state = State::After,
                    b'\n' => return (at, Progress::Wrong),
                    _ if at + 1 < bytes.len() => at += 1,
                    _ => return (at, Progress::More),
                }
                at += 1;
                continue;
            }
            if self.state == State::InWord {
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.') {
                    at += 1;
                    continue;
                }
                self.state = State::After;
            }
            if byte.is_ascii_whitespace() && self.state != State::Start {
                at += 1;
                continue;
            }
            match self.step(byte) {
                Progress::More => at += 1,
                Progress::Went(_) => return (at + 1, Progress::Went(at + 1)),
                Progress::Wrong => return (at, Progress::Wrong),
            }
        }
        (at, Progress::More)
    }

    fn step(&mut self, byte: u8) -> Progress {
        let in_object = self.open.last().copied().unwrap_or(false);
        self.state = match (self.state, byte) {
            (State::Start | State::Value | State::ValueOrEnd, b'{') => return self.enter(true, State::KeyOrEnd),
            (State::Value | State::ValueOrEnd, b'[') => return self.enter(false, State::ValueOrEnd),
            (State::Value | State::ValueOrEnd, b'"') => State::InString,
            (State::KeyOrEnd | State::Key, b'"') => State::InKey,
            (State::KeyOrEnd, b'}') => return self.leave(),
            (State::ValueOrEnd, b']') => return self.leave(),
            (State::Colon, b':') => {
                self.named = true;
                State::Value
            }
            (State::After, b',') if in_object => State::Key,
            (State::After, b',') => State::Value,
            (State::After, b'}') if in_object => return self.leave(),
            (State::After, b']') if !in_object => return self.leave(),
            (State::Value | State::ValueOrEnd, byte) if starts_word(byte) => State::InWord,
            _ => return Progress::Wrong,
        };
        Progress::More
    }

    fn enter(&mut self, object: bool, state: State) -> Progress {
        if self.open.len() == DEEPEST {
            self.too_deep = true;
            return Progress::Wrong;
        }
        self.open.push(object);
        self.state = state;
        Progress::More
    }

    fn leave(&mut self) -> Progress {
        self.open.pop();
        self.state = State::After;
        if self.open.is_empty() { Progress::Went(0) } else { Progress::More }
    }
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b't' | b'f' | b'n')
}

/// Reads a value that may hold what JSON forbids but agents write all the same: half surrogate pairs, bytes that
/// are not UTF-8. These become U+FFFD. `None` where it is no JSON even so.
pub fn parse_lenient(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok().or_else(|| {
        let text = String::from_utf8_lossy(bytes);
        serde_json::from_str(&mend_surrogates(&text)).ok()
    })
}

/// Replaces escapes of half surrogate pairs.
fn mend_surrogates(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let (before, escape) = rest.split_at(place);
        mended.push_str(before);
        let unit = |from: usize| escape.get(from..from + 6).and_then(code_unit);
        let length = match unit(0) {
            Some(0xD800..=0xDBFF) if matches!(unit(6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            Some(_) => 6,
            None => escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end),
        };
        mended.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    mended.push_str(rest);
    mended
}

fn code_unit(escape: &str) -> Option<u16> {
    u16::from_str_radix(escape.strip_prefix("\\u")?, 16).ok()
}

#[cfg(test)]
mod tests;
