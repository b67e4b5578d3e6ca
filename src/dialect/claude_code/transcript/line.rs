//! One transcript line as far as it is read: borrowed, lenient, without the bodies.
//!
//! Owns decoding. A field of an unexpected type counts as absent, so that no line is lost for a detail. Must not
//! know what a line means.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

use crate::model::Time;

/// A string field; anything else counts as absent.
#[derive(Debug, Default, Clone)]
pub struct Str<'a>(pub Option<Cow<'a, str>>);

impl Str<'_> {
    /// The text, where there is one.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text, empty where absent.
    pub fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether it is that text.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_deref() == Some(text)
    }
}

/// Visits whatever comes; what is not wanted is skipped and counts as absent.
macro_rules! skip_others {
    ($out:expr; $($method:ident: $ty:ty),*) => {
        $(fn $method<E: de::Error>(self, _: $ty) -> Result<Self::Value, E> { Ok($out) })*
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> { Ok($out) }
    };
}

macro_rules! skip_seq {
    ($out:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
}

macro_rules! skip_map {
    ($out:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
            type Value = Str<'a>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Str<'a>, E> {
                Ok(Str(Some(Cow::Borrowed(v))))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Str<'a>, E> {
                Ok(Str(Some(Cow::Owned(v.to_owned()))))
            }
            skip_others!(Str(None); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
            skip_seq!(Str(None));
            skip_map!(Str(None));
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// A boolean field; anything but `true` counts as `false`.
#[derive(Debug, Default, Clone, Copy)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Flag, E> {
                Ok(Flag(v))
            }
            skip_others!(Flag(false); visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
            skip_seq!(Flag(false));
            skip_map!(Flag(false));
        }
        deserializer.deserialize_any(V)
    }
}

/// A number field; anything else counts as absent.
#[derive(Debug, Default, Clone, Copy)]
pub struct Number(pub Option<f64>);

impl Number {
    /// As milliseconds, where it is a number that makes sense as such.
    pub fn millis(self) -> Option<u32> {
        self.0.filter(|n| *n >= 0.0 && *n <= f64::from(u32::MAX)).map(|n| n as u32)
    }

    /// As an exit code.
    pub fn code(self) -> Option<i32> {
        self.0.filter(|n| n.abs() <= f64::from(i32::MAX)).map(|n| n as i32)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Number, E> {
                Ok(Number(Some(v as f64)))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Number, E> {
                Ok(Number(Some(v as f64)))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Number, E> {
                Ok(Number(Some(v)))
            }
            skip_others!(Number(None); visit_bool: bool, visit_str: &str);
            skip_seq!(Number(None));
            skip_map!(Number(None));
        }
        deserializer.deserialize_any(V)
    }
}

/// An object field; anything else counts as absent.
#[derive(Debug, Clone)]
pub struct Object<T>(pub Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Object(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
            }
            skip_others!(Object(None); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
            skip_seq!(Object(None));
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// What a message holds.
#[derive(Debug, Default)]
pub enum Content<'a> {
    /// Nothing usable.
    #[default]
    None,
    /// Plain text.
    Text(Cow<'a, str>),
    /// Content blocks.
    Blocks(Vec<Object<Block<'a>>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
            type Value = Content<'a>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(v)))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(v.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::with_capacity(1);
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
            skip_others!(Content::None; visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
            skip_map!(Content::None);
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// A JSON value of which only the place is kept.
pub type Raw<'a> = Option<&'a RawValue>;

/// One content block.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub id: Str<'a>,
    #[serde(borrow)]
    pub name: Str<'a>,
    #[serde(borrow)]
    pub tool_use_id: Str<'a>,
    pub is_error: Flag,
    #[serde(borrow)]
    pub text: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
}

/// `message` of user and assistant lines.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub id: Str<'a>,
    #[serde(borrow)]
    pub model: Str<'a>,
    #[serde(borrow)]
    pub stop_reason: Str<'a>,
    #[serde(borrow)]
    pub content: Content<'a>,
}

/// `attachment`, and `data` of the older progress lines.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub hook_name: Str<'a>,
    #[serde(borrow)]
    pub hook_event: Str<'a>,
    #[serde(borrow, rename = "toolUseID")]
    pub tool_use_id: Str<'a>,
    #[serde(borrow)]
    pub tool_name: Str<'a>,
    #[serde(borrow)]
    pub command: Str<'a>,
    pub exit_code: Number,
    pub duration_ms: Number,
    #[serde(borrow)]
    pub decision: Str<'a>,
    #[serde(borrow)]
    pub command_mode: Str<'a>,
    pub is_meta: Flag,
    #[serde(borrow)]
    pub blocking_error: Object<BlockingError<'a>>,
    #[serde(borrow)]
    pub stdout: Raw<'a>,
    #[serde(borrow)]
    pub prompt: Raw<'a>,
    #[serde(borrow)]
    pub files: Raw<'a>,
}

/// `blockingError` of an attachment.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct BlockingError<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
}

/// `permissionDecision` of a tool result's line.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct PermissionDecision<'a> {
    #[serde(borrow)]
    pub decision: Str<'a>,
    #[serde(borrow)]
    pub source: Str<'a>,
    #[serde(borrow)]
    pub reason_type: Str<'a>,
    #[serde(borrow)]
    pub reason_code: Str<'a>,
}

/// `compactMetadata` of a boundary.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactMetadata<'a> {
    #[serde(borrow)]
    pub trigger: Str<'a>,
    pub duration_ms: Number,
}

/// `promptSubmitEnding` of an informational line.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct PromptSubmitEnding<'a> {
    #[serde(borrow)]
    pub ending: Object<PromptEnding<'a>>,
}

/// How the submission ended.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct PromptEnding<'a> {
    #[serde(borrow)]
    pub kind: Str<'a>,
}

/// `commandRun` of a local command's line.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct CommandRun<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
}

/// One entry of `hookInfos`.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct HookInfo<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
    pub duration_ms: Number,
}

/// A line's envelope.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub subtype: Str<'a>,
    #[serde(borrow)]
    pub uuid: Str<'a>,
    #[serde(borrow)]
    pub parent_uuid: Str<'a>,
    #[serde(borrow)]
    pub session_id: Str<'a>,
    #[serde(borrow)]
    pub timestamp: Str<'a>,
    #[serde(borrow)]
    pub cwd: Str<'a>,
    #[serde(borrow)]
    pub git_branch: Str<'a>,
    #[serde(borrow)]
    pub version: Str<'a>,
    #[serde(borrow)]
    pub entrypoint: Str<'a>,
    #[serde(borrow)]
    pub prompt_id: Str<'a>,
    #[serde(borrow)]
    pub permission_mode: Str<'a>,
    #[serde(borrow)]
    pub prompt_source: Str<'a>,
    #[serde(borrow)]
    pub per_turn_effort: Str<'a>,
    #[serde(borrow)]
    pub agent_id: Str<'a>,
    pub is_sidechain: Flag,
    pub is_meta: Flag,
    pub is_compact_summary: Flag,
    pub is_api_error_message: Flag,
    #[serde(borrow)]
    pub error: Str<'a>,
    #[serde(borrow)]
    pub message: Object<Message<'a>>,
    #[serde(borrow)]
    pub attachment: Object<Attachment<'a>>,
    #[serde(borrow)]
    pub data: Object<Attachment<'a>>,
    #[serde(borrow)]
    pub tool_use_result: Raw<'a>,
    #[serde(borrow)]
    pub tool_denial_kind: Str<'a>,
    #[serde(borrow)]
    pub permission_decision: Object<PermissionDecision<'a>>,
    #[serde(borrow, rename = "toolUseID")]
    pub tool_use_id: Str<'a>,
    #[serde(borrow)]
    pub forked_from: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub hook_infos: Raw<'a>,
    #[serde(borrow)]
    pub hook_errors: Raw<'a>,
    #[serde(borrow)]
    pub hook_additional_context: Raw<'a>,
    pub prevented_continuation: Flag,
    #[serde(borrow)]
    pub compact_metadata: Object<CompactMetadata<'a>>,
    #[serde(borrow)]
    pub prompt_submit_ending: Object<PromptSubmitEnding<'a>>,
    #[serde(borrow)]
    pub command_run: Object<CommandRun<'a>>,
    #[serde(borrow)]
    pub ai_title: Str<'a>,
    #[serde(borrow)]
    pub custom_title: Str<'a>,
    #[serde(borrow)]
    pub summary: Str<'a>,
    #[serde(borrow)]
    pub operation: Str<'a>,
}

impl Line<'_> {
    /// When it was written.
    pub fn time(&self) -> Time {
        self.timestamp.get().map_or(Time::UNKNOWN, time)
    }
}

/// Why a line is no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, one sentence.
    pub message: String,
    /// 1-based, in bytes, where it is known.
    pub column: Option<u32>,
    /// What to do or to know.
    pub help: &'static str,
}

/// What else was found while decoding a line that is usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    None,
    /// Bytes that are no UTF-8 were replaced.
    InvalidUtf8,
}

/// Decodes a line and hands it on. The fast way borrows everything; a line that it can't take (lone surrogates,
/// repeated keys, bytes that are no UTF-8) is mended and read again.
pub fn with_line<R>(bytes: &[u8], take: impl FnOnce(&Line, Repair) -> R) -> Result<R, Problem> {
    let (text, repair) = match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Repair::None),
        Err(_) => (String::from_utf8_lossy(bytes), Repair::InvalidUtf8),
    };
    if !text.starts_with('{') {
        return Err(not_an_object(&text));
    }
    let first = match serde_json::from_str::<Line>(&text) {
        Ok(line) => return Ok(take(&line, repair)),
        Err(error) => error,
    };
    // Lone surrogates and repeated keys are legal JSON text that the strict reading refuses.
    let mended = without_lone_surrogates(&text);
    let value: serde_json::Value = serde_json::from_str(&mended).map_err(|_| broken(&text, &first))?;
    let text = value.to_string();
    let line = serde_json::from_str::<Line>(&text).map_err(|_| broken(&text, &first))?;
    Ok(take(&line, repair))
}

/// A line as a whole, mended where the strict reading refuses it.
pub fn value(bytes: &[u8]) -> Option<serde_json::Value> {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).or_else(|_| serde_json::from_str(&without_lone_surrogates(&text))).ok()
}

fn not_an_object(text: &str) -> Problem {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => {
            let what = match text.as_bytes().first() {
                Some(b'[') => "a list",
                Some(b'"') => "a string",
                Some(b'n') => "null",
                Some(b't' | b'f') => "a boolean",
                _ => "a number",
            };
            Problem {
                message: format!("the line is {what}, not a JSON object"),
                column: Some(1),
                help: "every line of a transcript is one JSON object; the other lines are shown",
            }
        }
        Err(error) => broken(text, &error),
    }
}

fn broken(text: &str, error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let help = if error.is_eof() {
        "the line was cut off, as when the client is killed while writing; the other lines are shown"
    } else {
        "the other lines are shown"
    };
    let column = u32::try_from(error.column().clamp(1, text.len().max(1))).unwrap_or(u32::MAX);
    Problem { message: format!("the line is no valid JSON: {said}"), column: Some(column), help }
}

/// Replaces `\ud800`-like escapes that have no partner by `\ufffd`.
fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let unit = |at: usize| -> Option<u32> {
        (bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'u'))
            .then(|| text.get(at + 2..at + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok()))
            .flatten()
    };
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                let out = out.get_or_insert_with(|| bytes.to_vec());
                out[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            _ => at += 2,
        }
    }
    match out {
        Some(out) => Cow::Owned(String::from_utf8_lossy(&out).into_owned()),
        None => Cow::Borrowed(text),
    }
}

/// The text of a JSON string, or of the text blocks in a list, at most about `limit` bytes of it.
pub fn head(raw: Raw<'_>, limit: usize) -> Cow<'_, str> {
    let Some(raw) = raw else { return Cow::Borrowed("") };
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => unescaped_head(&text[1..text.len() - 1], limit),
        Some(b'[') => {
            let blocks: Vec<Object<Block>> = serde_json::from_str(text).unwrap_or_default();
            let first = blocks.into_iter().filter_map(|block| block.0).find(|block| block.kind.is("text"));
            match first.and_then(|block| block.text) {
                Some(text) if text.get().starts_with('"') => head(Some(text), limit),
                _ => Cow::Borrowed(""),
            }
        }
        _ => Cow::Borrowed(""),
    }
}

/// The whole text of a JSON string.
pub fn whole(raw: Raw<'_>) -> Cow<'_, str> {
    head(raw, usize::MAX)
}

fn unescaped_head(inner: &str, limit: usize) -> Cow<'_, str> {
    let mut end = inner.len().min(limit);
    while !inner.is_char_boundary(end) {
        end -= 1;
    }
    let part = &inner[..end];
    if !part.as_bytes().contains(&b'\\') {
        return Cow::Borrowed(part);
    }
    let mut out = String::with_capacity(part.len());
    let mut chars = part.chars();
    let mut high: Option<u32> = None;
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            high = None;
            continue;
        }
        let c = match chars.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let hex: String = chars.by_ref().take(4).collect();
                match u32::from_str_radix(&hex, 16) {
                    Ok(unit @ 0xD800..=0xDBFF) => {
                        high = Some(unit);
                        continue;
                    }
                    Ok(unit @ 0xDC00..=0xDFFF) => high
                        .take()
                        .and_then(|high| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00)))
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                    Ok(unit) => char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER),
                    Err(_) => break,
                }
            }
            Some(c) => c,
            None => break,
        };
        high = None;
        out.push(c);
    }
    Cow::Owned(out)
}

/// Milliseconds of an RFC 3339 time; the usual form (`2026-11-30T18:04:13.813Z`) without any library.
pub fn time(text: &str) -> Time {
    usual_time(text.as_bytes())
        .or_else(|| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond()))
        .map_or(Time::UNKNOWN, Time)
}

fn usual_time(b: &[u8]) -> Option<i64> {
    let shape = b.len() == 24
        && b[4] == b'-'
        && b[7] == b'-'
        && b[10] == b'T'
        && b[13] == b':'
        && b[16] == b':'
        && b[19] == b'.'
        && b[23] == b'Z';
    if !shape {
        return None;
    }
    let number = |from: usize, to: usize| {
        b[from..to].iter().try_fold(0i64, |n, &c| c.is_ascii_digit().then(|| n * 10 + i64::from(c - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second, milli) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days from civil, Howard Hinnant.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milli)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_times_are_read_as_the_library_reads_them() {
        for text in ["2026-11-30T18:04:13.813Z", "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"] {
            let slow = text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
            assert_eq!(usual_time(text.as_bytes()), Some(slow), "{text}");
        }
        assert_eq!(time("2026-11-30T20:04:13+02:00"), time("2026-11-30T18:04:13.000Z"));
        assert!(time("yesterday").is_unknown());
        assert!(time("2026-13-40T18:04:13.813Z").is_unknown());
    }

    #[test]
    fn fields_of_another_type_count_as_absent() {
        let text = r#"{"type":7,"uuid":["x"],"isMeta":"yes","message":"hello","attachment":null,"timestamp":{}}"#;
        with_line(text.as_bytes(), |line, _| {
            assert!(line.kind.get().is_none() && line.uuid.get().is_none() && !line.is_meta.0);
            assert!(line.message.0.is_none() && line.attachment.0.is_none());
        })
        .unwrap();
    }

    #[test]
    fn lone_surrogates_and_repeated_keys_do_not_cost_the_line() {
        for text in [
            r#"{"type":"user","message":{"content":"\ud83d half \\ud83d"}}"#,
            r#"{"type":"system","type":"user","message":{"content":"x"}}"#,
        ] {
            with_line(text.as_bytes(), |line, _| assert_eq!(line.kind.text(), "user")).unwrap();
        }
    }

    #[test]
    fn a_problem_names_what_and_where() {
        let check = |text: &str, message: &str, column| {
            let problem = with_line(text.as_bytes(), |_, _| ()).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.column, Some(column), "{text}");
        };
        check("[]", "a list", 1);
        check("null", "null", 1);
        check("42", "a number", 1);
        check(r#"{"a":1}{"b":2}"#, "trailing characters", 8);
        check(r#"{"a":"#, "EOF", 5);
        check("not json", "expected ident", 2);
    }

    #[test]
    fn only_the_head_of_a_long_text_is_decoded() {
        let raw: &RawValue = serde_json::from_str(r#""a\nb\u00e9\ud83d\ude00 long text""#).unwrap();
        assert_eq!(head(Some(raw), 6), "a\nb");
        assert_eq!(whole(Some(raw)), "a\nbé😀 long text");
        let list: &RawValue = serde_json::from_str(r#"[{"type":"image"},{"type":"text","text":"x"}]"#).unwrap();
        assert_eq!(head(Some(list), 10), "x");
    }
}
