//! Texts and times inside lines, decoded as far as they are needed.
//!
//! Owns JSON string escapes and RFC 3339. Must not know what a text says.

use std::borrow::Cow;

use super::lenient::Object;
use super::line::{Block, Raw};
use crate::model::Time;

/// Replaces `\ud800`-like escapes that have no partner by `\ufffd`.
pub(super) fn without_lone_surrogates(text: &str) -> Cow<'_, str> {
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
    use serde_json::value::RawValue;

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
    fn only_the_head_of_a_long_text_is_decoded() {
        let raw: &RawValue = serde_json::from_str(r#""a\nb\u00e9\ud83d\ude00 long text""#).unwrap();
        assert_eq!(head(Some(raw), 6), "a\nb");
        assert_eq!(whole(Some(raw)), "a\nbé😀 long text");
        let list: &RawValue = serde_json::from_str(r#"[{"type":"image"},{"type":"text","text":"x"}]"#).unwrap();
        assert_eq!(head(Some(list), 10), "x");
    }
}
