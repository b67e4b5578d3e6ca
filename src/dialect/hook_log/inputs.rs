//! Hook inputs inside a value: as it stands, inside wrappers and lists, or encoded as a string.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::time;
use crate::model::Time;
use crate::source::values::{Finder, Found, Kind, parse_lenient};

/// The key that makes an object a hook input.
const NAME: &str = "hook_event_name";
/// Strings within strings within …
const ENCODED_AT_MOST: u8 = 4;

/// A hook input and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Input {
    /// Its bytes within the value it was found in, encoded as they are there.
    pub(super) range: Range<usize>,
    /// The input.
    pub(super) value: Value,
    /// The time that the nearest wrapper tells.
    pub(super) time: Time,
    /// How many strings it is wrapped in.
    encoded: u8,
}

/// All inputs of an outermost value, in order. An input that a wrapper holds twice, once encoded, counts once.
pub(super) fn inputs_in(bytes: &[u8]) -> Vec<Input> {
    if memchr::memmem::find(bytes, NAME.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    match std::str::from_utf8(bytes) {
        Ok(text) => search(text, &Position::start(), Time::UNKNOWN, 0, &mut found),
        // Places can't be told in mended text; the value as a whole stands for them.
        Err(_) => {
            search(&String::from_utf8_lossy(bytes), &Position::start(), Time::UNKNOWN, 0, &mut found);
            found.iter_mut().for_each(|input| input.range = 0..bytes.len());
        }
    }
    let mut once: Vec<Input> = Vec::with_capacity(found.len());
    for input in found {
        let again = once.iter().any(|known| known.encoded != input.encoded && known.value == input.value);
        if !again {
            once.push(input);
        }
    }
    once
}

/// The hook inputs of an outermost value, in order.
pub fn inputs(bytes: &[u8]) -> Vec<Value> {
    inputs_in(bytes).into_iter().map(|input| input.value).collect()
}

/// The hook input at the place of an event that was read from a log: `bytes` is what stands there, encoded or not.
pub fn extract_input(bytes: &[u8]) -> Option<Value> {
    let mut text = Cow::Borrowed(bytes);
    for _ in 0..=ENCODED_AT_MOST {
        if let Some(first) = inputs_in(&text).into_iter().next() {
            return Some(first.value);
        }
        let quoted = [b"\"", &*text, b"\""].concat();
        let Some(Value::String(inner)) = parse_lenient(&quoted) else { return None };
        text = Cow::Owned(inner.into_bytes());
    }
    None
}

fn search(json: &str, at: &Position, time: Time, encoded: u8, found: &mut Vec<Input>) {
    if !json.contains(NAME) {
        return;
    }
    match json.as_bytes().first() {
        Some(b'{') => {
            let Ok(Entries(entries)) = serde_json::from_str(json) else { return };
            let is_input = entries.iter().any(|(key, value)| key == NAME && value.get().starts_with('"'));
            if is_input {
                let Some(value) = parse_lenient(json.as_bytes()) else { return };
                found.push(Input { range: at.range(0, json.len()), value, time, encoded });
                return;
            }
            let own = time::from_keys(|wanted| {
                let (_, value) = entries.iter().find(|(key, _)| key == wanted)?;
                serde_json::from_str(value.get()).ok()
            });
            let time = if own.is_unknown() { time } else { own };
            for (_, value) in entries {
                search(value.get(), &at.inside(json, value.get()), time, encoded, found);
            }
        }
        Some(b'[') => {
            let Ok(Items(items)) = serde_json::from_str(json) else { return };
            for value in items {
                search(value.get(), &at.inside(json, value.get()), time, encoded, found);
            }
        }
        Some(b'"') if encoded < ENCODED_AT_MOST => {
            let decoded = Decoded::new(json);
            let inner = Position::decoded(at, &decoded);
            let mut finder = Finder::new();
            let mut each = |value: Found| {
                if value.kind == Kind::Broken {
                    return;
                }
                let before = time::from_text(&String::from_utf8_lossy(value.leading));
                let time = if before.is_unknown() { time } else { before };
                let start = usize::try_from(value.offset).unwrap_or(usize::MAX);
                let Some(part) = decoded.text.get(start..start + value.bytes.len()) else { return };
                search(part, &inner.inside(&decoded.text, part), time, encoded + 1, found);
            };
            finder.push(decoded.text.as_bytes(), &mut each);
            finder.end(&mut each);
        }
        _ => {}
    }
}

/// Where a part of a text stands in the outermost value, through any number of encodings.
struct Position<'a> {
    start: usize,
    decoded: Option<(&'a Position<'a>, &'a Decoded)>,
}

impl<'a> Position<'a> {
    fn start() -> Position<'static> {
        Position { start: 0, decoded: None }
    }

    fn decoded(outer: &'a Position<'a>, decoded: &'a Decoded) -> Position<'a> {
        Position { start: 0, decoded: Some((outer, decoded)) }
    }

    /// The position of `part`, which is a slice of `whole`, which stands here.
    fn inside(&self, whole: &str, part: &str) -> Position<'a> {
        let offset = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
        Position { start: self.start + offset, decoded: self.decoded }
    }

    fn range(&self, from: usize, to: usize) -> Range<usize> {
        let (from, to) = (self.start + from, self.start + to);
        match self.decoded {
            None => from..to,
            Some((outer, decoded)) => outer.range(decoded.raw(from), decoded.raw(to)),
        }
    }
}

/// A JSON string's text, and where each part of it stands in the string as written.
struct Decoded {
    text: String,
    /// After each escape: offset in the text, offset as written.
    escapes: Vec<(usize, usize)>,
}

impl Decoded {
    fn new(literal: &str) -> Decoded {
        let inner_end = literal.len().saturating_sub(1).max(1);
        let mut decoded = Decoded { text: String::new(), escapes: Vec::new() };
        let mut at = 1;
        while let Some(place) = literal[at..inner_end].find('\\').map(|place| at + place) {
            decoded.text.push_str(&literal[at..place]);
            let (read, length) = read_escape(&literal[place..inner_end]);
            decoded.text.push(read);
            at = place + length;
            decoded.escapes.push((decoded.text.len(), at));
        }
        decoded.text.push_str(&literal[at..inner_end]);
        decoded
    }

    fn raw(&self, offset: usize) -> usize {
        let known = self.escapes.partition_point(|(text, _)| *text <= offset);
        let (text, raw) = if known == 0 { (0, 1) } else { self.escapes[known - 1] };
        raw + (offset - text)
    }
}

/// The character of the escape at the start of `text` and its length as written. What is no escape is U+FFFD.
fn read_escape(text: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let simple = |read: char| (read, 2);
    match text.as_bytes().get(1) {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(&plain @ (b'"' | b'\\' | b'/')) => simple(char::from(plain)),
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            (Some(one), _) => (char::from_u32(one).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            (None, _) => (char::REPLACEMENT_CHARACTER, 2),
        },
        _ => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// An object's entries in order, repeated keys included.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                // Keys are read as raw values: one that is no text must not spoil the object.
                while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
                    let key = serde_json::from_str::<String>(key.get()).map_or(Cow::Borrowed(key.get()), Cow::Owned);
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element::<&'de RawValue>()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(Read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(json: &str, expect: &[(&str, Option<i64>)]) {
        let found = inputs_in(json.as_bytes());
        let seen: Vec<_> =
            found.iter().map(|input| (input.value[NAME].as_str().unwrap(), input.time.millis())).collect();
        assert_eq!(seen, expect, "{json}");
        for input in found {
            let bytes = &json.as_bytes()[input.range];
            assert_eq!(extract_input(bytes).as_ref(), Some(&input.value), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn inputs_are_found_at_any_depth_and_the_outermost_counts() {
        check(r#"{"hook_event_name":"A"}"#, &[("A", None)]);
        check(r#"{"data":{"x":[1,{"hook_event_name":"A"}]}}"#, &[("A", None)]);
        check(r#"{"hook_event_name":"A","tool_response":{"hook_event_name":"B"}}"#, &[("A", None)]);
        check(r#"{"hook_event_name":7,"x":{"hook_event_name":"B"}}"#, &[("B", None)]);
        check(r#"[{"hook_event_name":"A"},{"hook_event_name":"A"}]"#, &[("A", None), ("A", None)]);
        check(r#"{"hook_event_name":null}"#, &[]);
        check(r#"{"hookEventName":"A"}"#, &[]);
    }

    #[test]
    fn the_nearest_wrapper_tells_the_time() {
        let at = Some(1_793_606_400_000);
        check(r#"{"ts":1793606400,"in":{"hook_event_name":"A"}}"#, &[("A", at)]);
        check(r#"{"ts":1,"a":{"time":"2026-11-02T08:00:00Z","b":[{"hook_event_name":"A"}]}}"#, &[("A", at)]);
        check(r#"{"t_ms":0.0,"hook":"rec:A","stdin":{"hook_event_name":"A"}}"#, &[("A", None)]);
    }

    #[test]
    fn encoded_inputs_are_found_through_any_number_of_strings() {
        let input = json!({"hook_event_name": "A", "prompt": "é \"q\" \\ \n 😀 {\"x\":1}"}).to_string();
        let once = json!({"msg": input}).to_string();
        let twice = json!({"log": format!("2026-11-02T08:00:00Z got {once} end")}).to_string();
        check(&once, &[("A", None)]);
        check(&twice, &[("A", Some(1_793_606_400_000))]);
        check(&json!(once).to_string(), &[("A", None)]);
        check(r#"{"m":"\u007b\u0022hook_event_name\u0022:\u0022A\u0022\u007d"}"#, &[("A", None)]);
        check(r#"{"m":"{\"hook_event_name\":\"A\"}{\"hook_event_name\":\"B\"}"}"#, &[("A", None), ("B", None)]);
    }

    #[test]
    fn an_input_given_twice_in_one_wrapper_counts_once() {
        check(r#"{"raw":"{\"hook_event_name\":\"A\"}","parsed":{"hook_event_name":"A"}}"#, &[("A", None)]);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_hide_an_input() {
        let found = inputs_in(b"{\"d\":{\"hook_event_name\":\"A\",\"p\":\"\xff\"}}");
        assert_eq!(found.len(), 1);
        assert_eq!(extract_input(b"{\"d\":{\"hook_event_name\":\"A\",\"p\":\"\xff\"}}").unwrap()["p"], "\u{fffd}");
        check(r#"{"d":{"hook_event_name":"A","p":"\ud83d"}}"#, &[("A", None)]);
    }

    proptest! {
        #[test]
        fn any_text_survives_any_wrapping(text in ".{0,40}", layers in prop::collection::vec(0_u8..3, 0..4)) {
            let input = json!({"hook_event_name": "X", "prompt": text});
            let mut value = input.clone();
            let mut encoded = 0;
            for layer in layers {
                value = match layer {
                    0 => json!({"a": [value], "b": "{"}),
                    1 => json!([1, value]),
                    _ => { encoded += 1; json!({"s": value.to_string()}) }
                };
            }
            prop_assume!(encoded <= ENCODED_AT_MOST);
            let json = value.to_string();
            let found = inputs_in(json.as_bytes());
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].value, &input);
            prop_assert_eq!(extract_input(&json.as_bytes()[found[0].range.clone()]), Some(input));
        }

        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let with_name = [&bytes[..], b"{\"hook_event_name\":\"", &bytes, b"\\u00"].concat();
            inputs_in(&with_name);
            extract_input(&with_name);
        }
    }
}
