//! Strict JSON into positioned nodes.

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;
use serde_json::Number;

use super::node::{Kind, Member, Node, Object};
use crate::model::Position;

/// Why a text can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// For a person.
    pub why: String,
    /// Where.
    pub position: Option<Position>,
}

/// Reads a text as `JSON.parse` would: no comments, no trailing commas, of equal names the last one. `None` for a
/// text of nothing but blanks. A byte order mark at the start is passed over, as the client does.
pub fn read(text: &str) -> Result<Option<Node>, Fault> {
    read_as(text, false)
}

/// As [`read`], but comments and trailing commas are let pass.
pub fn read_with_comments(text: &str) -> Result<Option<Node>, Fault> {
    read_as(text, true)
}

fn read_as(text: &str, loose: bool) -> Result<Option<Node>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\r')) {
        return Ok(None);
    }
    let options = ParseOptions {
        allow_comments: loose,
        allow_loose_object_property_names: false,
        allow_trailing_commas: loose,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut cursor = Cursor::new(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let why = lower_first(&error.kind().to_string());
        Fault { why: format!("not valid JSON: {why}"), position: Some(Cursor::new(text).at(error.range().start)) }
    })?;
    // The positioned parser lets a few things pass (odd blanks, control characters in texts) that JSON does not.
    if !loose && let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        let message = error.to_string();
        let why = message.split(" at line ").next().unwrap_or_default();
        let position = line_and_byte(text, error.line(), error.column());
        return Err(Fault { why: format!("not valid JSON: {why}"), position: Some(position) });
    }
    Ok(parsed.value.as_ref().map(|value| node(value, &mut cursor)))
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The position of a 1-based line and a 1-based byte in it.
fn line_and_byte(text: &str, line: usize, byte: usize) -> Position {
    let start = match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line - 2).map_or(0, |(at, _)| at + 1),
    };
    let mut end = (start + byte.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let column = text[start.min(end)..end].chars().count() + 1;
    Position { line: small(line.max(1)), column: small(column) }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn node(value: &Value<'_>, cursor: &mut Cursor<'_>) -> Node {
    let at = cursor.at(value.start());
    let kind = match value {
        Value::NullKeyword(_) => Kind::Null,
        Value::BooleanLit(literal) => Kind::Bool(literal.value),
        Value::NumberLit(literal) => Kind::Number(number(literal.value)),
        Value::StringLit(literal) => Kind::Text(literal.value.clone().into_owned()),
        Value::Array(array) => Kind::List(array.elements.iter().map(|element| node(element, cursor)).collect()),
        Value::Object(object) => {
            let members = object.properties.iter().map(|property| Member {
                at: cursor.at(property.start()),
                name: match &property.name {
                    ObjectPropName::String(literal) => literal.value.clone().into_owned(),
                    ObjectPropName::Word(word) => word.value.to_owned(),
                },
                value: node(&property.value, cursor),
            });
            Kind::Object(Object::new(members.collect()))
        }
    };
    Node { at, kind }
}

/// `1e999` is infinite in JavaScript and nothing in JSON values here: the largest number stands for it.
fn number(text: &str) -> Number {
    text.parse().ok().or_else(|| Number::from_f64(f64::MAX)).unwrap_or_else(|| Number::from(u64::MAX))
}

/// Turns byte offsets, asked for in rising order, into lines and columns in one pass over the text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    byte: usize,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, byte: 0, line: 1, column: 1 }
    }

    pub(super) fn at(&mut self, byte: usize) -> Position {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if byte < self.byte {
            *self = Cursor::new(self.text);
        }
        for c in self.text[self.byte..byte].chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.byte = byte;
        Position { line: small(self.line), column: small(self.column) }
    }
}
