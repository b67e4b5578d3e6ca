//! Texts inside lines, decoded as far as they are needed.
//!
//! Owns JSON string escapes. Must not know what a text says.

use std::borrow::Cow;

use super::lenient::Object;
use super::line::{Block, Raw};

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

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn only_the_head_of_a_long_text_is_decoded() {
        let raw: &RawValue = serde_json::from_str(r#""a\nb\u00e9\ud83d\ude00 long text""#).unwrap();
        assert_eq!(head(Some(raw), 6), "a\nb");
        assert_eq!(whole(Some(raw)), "a\nbé😀 long text");
        let list: &RawValue = serde_json::from_str(r#"[{"type":"image"},{"type":"text","text":"x"}]"#).unwrap();
        assert_eq!(head(Some(list), 10), "x");
    }
}
