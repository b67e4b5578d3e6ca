//! TOML into positioned nodes.
//!
//! Owns the way from a TOML text to the nodes that JSON and YAML become too. Must not know what any key means.

use serde_json::Number;
use toml_edit::{Document, Item, Table, TableLike, Value};

use super::json::{Cursor, Fault};
use super::node::{Kind, Member, Node, Object};
use crate::model::Position;

/// Reads a TOML text; `None` for a text of nothing but blanks and comments.
pub fn read(text: &str) -> Result<Option<Node>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map(|span| Cursor::new(text).at(span.start));
        let message = error.message();
        let why = message.lines().next().unwrap_or(message);
        Fault { why: format!("not valid TOML: {why}"), position: at }
    })?;
    let table = document.as_table();
    let start = Position { line: 1, column: 1 };
    let object = members(table, &|key| table.key(key).and_then(toml_edit::Key::span), start, text);
    Ok((!table.is_empty()).then_some(Node { at: start, kind: Kind::Object(object) }))
}

/// Where a key or value starts; what is written nowhere itself (a table made by a dotted key) is where its owner is.
fn at(span: Option<std::ops::Range<usize>>, owner: Position, text: &str) -> Position {
    span.map_or(owner, |span| Cursor::new(text).at(span.start))
}

fn members(
    table: &dyn TableLike,
    key_span: &dyn Fn(&str) -> Option<std::ops::Range<usize>>,
    owner: Position,
    text: &str,
) -> Object {
    let members = table.iter().map(|(name, item)| {
        let place = at(key_span(name), owner, text);
        Member { name: name.to_owned(), at: place, value: node(item, place, text) }
    });
    Object::new(members.collect())
}

fn table(table: &Table, owner: Position, text: &str) -> Node {
    let place = at(table.span(), owner, text);
    let object = members(table, &|key| table.key(key).and_then(toml_edit::Key::span), place, text);
    Node { at: place, kind: Kind::Object(object) }
}

fn node(item: &Item, owner: Position, text: &str) -> Node {
    match item {
        Item::None => Node { at: owner, kind: Kind::Null },
        Item::Value(it) => value(it, owner, text),
        Item::Table(it) => table(it, owner, text),
        Item::ArrayOfTables(tables) => {
            let list: Vec<Node> = tables.iter().map(|it| table(it, owner, text)).collect();
            Node { at: list.first().map_or(owner, |first| first.at), kind: Kind::List(list) }
        }
    }
}

fn value(value: &Value, owner: Position, text: &str) -> Node {
    let place = at(value.span(), owner, text);
    let kind = match value {
        Value::String(it) => Kind::Text(it.value().clone()),
        Value::Integer(it) => Kind::Number(Number::from(*it.value())),
        // JSON has no infinity.
        Value::Float(it) => Number::from_f64(*it.value()).map_or(Kind::Null, Kind::Number),
        Value::Boolean(it) => Kind::Bool(*it.value()),
        Value::Datetime(it) => Kind::Text(it.value().to_string()),
        Value::Array(list) => Kind::List(list.iter().map(|it| self::value(it, place, text)).collect()),
        Value::InlineTable(it) => {
            Kind::Object(members(it, &|key| it.key(key).and_then(toml_edit::Key::span), place, text))
        }
    };
    Node { at: place, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_inline_tables_and_dotted_keys_keep_their_lines() {
        let text = "model = \"m\"\n\n[[hooks.Stop]]\nmatcher = \"*\"\n\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"a\"\n\n\
                    [hooks.state.\"/x:stop:0:0\"]\nenabled = false\n";
        let root = read(text).unwrap().unwrap();
        let hooks = root.object().unwrap().get("hooks").unwrap().object().unwrap();
        let group = &hooks.get("Stop").unwrap().list().unwrap()[0];
        assert_eq!(group.at.line, 3);
        let handler = &group.object().unwrap().get("hooks").unwrap().list().unwrap()[0];
        assert_eq!((handler.at.line, handler.object().unwrap().text("command")), (6, Some("a")));
        let state = hooks.get("state").unwrap().object().unwrap().get("/x:stop:0:0").unwrap();
        assert_eq!(state.object().unwrap().bool("enabled"), Some(false));

        let text = "hooks.Stop = [\n  { hooks = [{ type = \"command\", command = \"b\" }] },\n]\n";
        let root = read(text).unwrap().unwrap();
        let group =
            &root.object().unwrap().get("hooks").unwrap().object().unwrap().get("Stop").unwrap().list().unwrap()[0];
        assert_eq!((group.at.line, group.at.column), (2, 3));
    }

    #[test]
    fn a_broken_text_says_where() {
        let fault = read("a = 1\nb = [\n").unwrap_err();
        assert!(fault.why.starts_with("not valid TOML: "), "{}", fault.why);
        assert!(fault.position.is_some_and(|at| at.line >= 2));
        assert_eq!(read("# nothing\n").unwrap(), None);
    }
}
