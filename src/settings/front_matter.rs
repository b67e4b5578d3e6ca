//! The YAML block at the head of a skill's or subagent's file, into positioned nodes.

use saphyr::Scalar;
use saphyr_parser::{Event, Parser};
use serde_json::Number;

use super::json::Fault;
use super::node::{Kind, Member, Node, Object};
use crate::model::Position;

/// Deeper than any settings; the rest of the way is recursive.
const DEEPEST: usize = 128;

/// The front matter of a text: `None` where it has none or an empty one. Positions count from the start of the
/// text.
pub fn read(text: &str) -> Result<Option<Node>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(block) = block(text) else { return Ok(None) };
    yaml(block, 1)
}

/// What stands between the first line `---` and the next one.
fn block(text: &str) -> Option<&str> {
    let first = text.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let rest = &text[first.len()..];
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..end]);
        }
        end += line.len();
    }
    None
}

/// Reads one YAML document that starts `above` lines below the start of its file.
fn yaml(text: &str, above: u32) -> Result<Option<Node>, Fault> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    let mut places = Places { text, byte: 0, char: 0, line: 1 + above, column: 1, above };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Fault {
            why: format!("not valid YAML: {}", error.info()),
            position: Some(places.at(error.marker().index())),
        })?;
        let at = places.at(span.start.index());
        let done = match event {
            Event::Scalar(text, style, _, tag) => {
                let kind = match Scalar::parse_from_cow_and_metadata(text.clone(), style, tag.as_ref()) {
                    Some(Scalar::Null) => Kind::Null,
                    Some(Scalar::Boolean(value)) => Kind::Bool(value),
                    Some(Scalar::Integer(value)) => Kind::Number(Number::from(value)),
                    Some(Scalar::FloatingPoint(value)) => {
                        Number::from_f64(value.into_inner()).map_or(Kind::Null, Kind::Number)
                    }
                    Some(Scalar::String(text)) => Kind::Text(text.into_owned()),
                    None => Kind::Text(text.into_owned()),
                };
                Node { at, kind }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= DEEPEST => {
                return Err(Fault { why: "nested too deeply".into(), position: Some(at) });
            }
            Event::SequenceStart(..) => {
                open.push(Open { at, container: Container::List(Vec::new()) });
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open { at, container: Container::Object(Vec::new(), None) });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open { at, container: Container::List(list) }) => Node { at, kind: Kind::List(list) },
                Some(Open { at, container: Container::Object(members, _) }) => {
                    Node { at, kind: Kind::Object(Object::new(members)) }
                }
                None => continue,
            },
            // A few aliases of aliases can stand for gigabytes.
            Event::Alias(_) => {
                return Err(Fault { why: "a YAML alias, which hookscope does not follow".into(), position: Some(at) });
            }
            Event::DocumentEnd if root.is_some() => break,
            _ => continue,
        };
        match open.last_mut().map(|open| &mut open.container) {
            None => root = Some(done),
            Some(Container::List(list)) => list.push(done),
            Some(Container::Object(members, name)) => match name.take() {
                None => *name = Some((key(&done), done.at)),
                Some((name, at)) => members.push(Member { name, at, value: done }),
            },
        }
    }
    Ok(root.filter(|node| !node.is_null()))
}

fn key(node: &Node) -> String {
    match node.value() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Turns counts of characters, asked for mostly in rising order, into lines and columns. The parser's own lines
/// won't do: to YAML a lone carriage return ends a line, to editors and to JSON it does not.
struct Places<'a> {
    text: &'a str,
    byte: usize,
    char: usize,
    line: u32,
    column: u32,
    above: u32,
}

impl Places<'_> {
    fn at(&mut self, char: usize) -> Position {
        if char < self.char {
            (self.byte, self.char, self.line, self.column) = (0, 0, 1 + self.above, 1);
        }
        for c in self.text[self.byte..].chars().take(char - self.char) {
            self.byte += c.len_utf8();
            self.char += 1;
            (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        Position { line: self.line, column: self.column }
    }
}

struct Open {
    at: Position,
    container: Container,
}

enum Container {
    List(Vec<Node>),
    Object(Vec<Member>, Option<(String, Position)>),
}
