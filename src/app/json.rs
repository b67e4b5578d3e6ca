//! A JSON value as flat rows: moving, folding and searching are index arithmetic, no tree is walked.

use std::collections::HashSet;

use serde_json::Value;

use super::doc::{Hit, contains};
use super::{Cursor, Way};

/// Of a text, no more than this is kept for showing.
const TEXT_SHOWN: usize = 64 * 1024;
/// No more rows than this are made of one value.
const ROWS: usize = 100_000;
/// Fields that every hook input has: folded away under one row, beneath what is special about the event.
const COMMON: [&str; 9] = [
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "permission_mode",
    "prompt_id",
    "effort",
    "agent_id",
    "agent_type",
];

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// An object or a list; `text` says how much is in it.
    Container,
    /// A text on one line.
    Text,
    /// A text of several lines; the lines are rows beneath it.
    LongText,
    /// A line of a long text.
    TextLine,
    /// A number, `true`, `false`, `null`.
    Scalar,
    /// Not in the value: a heading over common fields, or a remark that there is more.
    Aside,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonRow {
    /// How deep it stands.
    pub depth: u16,
    /// Field name or position, none at the top.
    pub key: Option<String>,
    /// What is shown beside it.
    pub text: String,
    /// What it is.
    pub kind: JsonKind,
    /// The row it belongs to.
    pub parent: Option<usize>,
    /// The row after its last descendant.
    pub end: usize,
    /// JSON pointer of the value.
    pub pointer: String,
    /// The same for a person: `tool_input.command`.
    pub path: String,
}

/// The rows of one value, some of them folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonRows {
    /// All rows.
    pub rows: Vec<JsonRow>,
    closed: HashSet<usize>,
    shown: Vec<usize>,
}

impl JsonRows {
    /// Flattens a hook input: its own fields first, the common ones folded under one row.
    pub fn of_input(value: &Value) -> JsonRows {
        let mut rows = JsonRows::default();
        match value {
            Value::Object(map) => {
                let common = |key: &&String| COMMON.contains(&key.as_str());
                for (key, value) in map.iter().filter(|(key, _)| !common(key)) {
                    rows.add(Some(key.clone()), value, 0, None, "", "");
                }
                let count = map.keys().filter(common).count();
                if count > 0 {
                    let at = rows.rows.len();
                    let fields = if count == 1 { "field" } else { "fields" };
                    rows.push(Some("session".into()), format!("({count} {fields})"), JsonKind::Aside, 0, None, "", "");
                    for (key, value) in map.iter().filter(|(key, _)| common(key)) {
                        rows.add(Some(key.clone()), value, 1, Some(at), "", "");
                    }
                    rows.rows[at].end = rows.rows.len();
                    if at > 0 {
                        rows.closed.insert(at);
                    }
                }
            }
            other => rows.add(None, other, 0, None, "", ""),
        }
        rows.refresh();
        rows
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a row, in order")]
    fn push(
        &mut self,
        key: Option<String>,
        text: String,
        kind: JsonKind,
        depth: u16,
        parent: Option<usize>,
        pointer: &str,
        path: &str,
    ) {
        let end = self.rows.len() + 1;
        self.rows.push(JsonRow { depth, key, text, kind, parent, end, pointer: pointer.into(), path: path.into() });
    }

    fn add(&mut self, key: Option<String>, value: &Value, depth: u16, parent: Option<usize>, above: &str, path: &str) {
        if self.rows.len() >= ROWS {
            if self.rows.last().is_some_and(|row| row.kind != JsonKind::Aside) {
                self.push(
                    None,
                    format!("more than {ROWS} rows: the rest is not shown"),
                    JsonKind::Aside,
                    depth,
                    parent,
                    above,
                    path,
                );
            }
            return;
        }
        let (pointer, path) = match &key {
            None => (above.to_owned(), path.to_owned()),
            Some(key) => (format!("{above}/{}", key.replace('~', "~0").replace('/', "~1")), join(path, key)),
        };
        let at = self.rows.len();
        match value {
            Value::Object(map) => {
                self.push(key, counted(map.len(), "field", "{}"), JsonKind::Container, depth, parent, &pointer, &path);
                for (key, value) in map {
                    self.add(Some(key.clone()), value, depth + 1, Some(at), &pointer, &path);
                }
            }
            Value::Array(list) => {
                self.push(key, counted(list.len(), "item", "[]"), JsonKind::Container, depth, parent, &pointer, &path);
                for (position, value) in list.iter().enumerate() {
                    self.add(Some(position.to_string()), value, depth + 1, Some(at), &pointer, &path);
                }
            }
            Value::String(text) => self.add_text(key, text, depth, parent, &pointer, &path),
            scalar => self.push(key, scalar.to_string(), JsonKind::Scalar, depth, parent, &pointer, &path),
        }
        self.rows[at].end = self.rows.len();
    }

    fn add_text(
        &mut self,
        key: Option<String>,
        text: &str,
        depth: u16,
        parent: Option<usize>,
        pointer: &str,
        path: &str,
    ) {
        let mut end = text.len().min(TEXT_SHOWN);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let shown = &text[..end];
        let size =
            if end < text.len() { format!(" (the first 64 KB of {})", bytes(text.len())) } else { String::new() };
        let body = shown.strip_suffix('\n').unwrap_or(shown);
        if !body.contains('\n') {
            self.push(key, format!("\"{shown}\"{size}"), JsonKind::Text, depth, parent, pointer, path);
            return;
        }
        let at = self.rows.len();
        let lines = body.split('\n').count();
        let first = body.split('\n').next().unwrap_or_default();
        self.push(key, format!("\"{first}\" ({lines} lines){size}"), JsonKind::LongText, depth, parent, pointer, path);
        for line in body.split('\n') {
            let line = line.trim_end_matches('\r').replace('\t', "    ");
            self.push(None, line, JsonKind::TextLine, depth + 1, Some(at), pointer, path);
        }
        if lines > 12 {
            self.closed.insert(at);
        }
    }

    /// Rows that no fold hides, as positions in `rows`.
    pub fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// Whether a row has rows beneath it.
    pub fn has_children(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|it| it.end > row + 1)
    }

    /// Whether what is beneath a row is hidden.
    pub fn is_closed(&self, row: usize) -> bool {
        self.closed.contains(&row)
    }

    /// The row under a cursor among the shown ones.
    pub fn at(&self, cursor: Cursor) -> Option<(usize, &JsonRow)> {
        let row = *self.shown.get(cursor.at)?;
        Some((row, self.rows.get(row)?))
    }

    /// Folds or unfolds the row under the cursor; on a leaf, the row it belongs to. Gives the cursor's new place.
    pub fn toggle(&mut self, at: usize) -> usize {
        let Some(&row) = self.shown.get(at) else { return at };
        let row = if self.has_children(row) { row } else { self.rows[row].parent.unwrap_or(row) };
        if self.has_children(row) && !self.closed.remove(&row) {
            self.closed.insert(row);
        }
        self.refresh();
        self.shown.binary_search(&row).unwrap_or_else(|next| next.saturating_sub(1))
    }

    /// Folds everything, or unfolds everything where anything is folded.
    pub fn toggle_all(&mut self) {
        if self.closed.is_empty() {
            self.closed = (0..self.rows.len()).filter(|&row| self.has_children(row)).collect();
        } else {
            self.closed.clear();
        }
        self.refresh();
    }

    /// The next row that holds `needle`, going round; opens what hides it. The hit's line is its place among the
    /// shown rows.
    pub fn find(&mut self, needle: &str, at: usize, way: Way) -> Option<Hit> {
        let from = self.shown.get(at).copied().unwrap_or(0);
        let holds = |row: &usize| {
            let row = &self.rows[*row];
            contains(&row.text, needle) || row.key.as_deref().is_some_and(|key| contains(key, needle))
        };
        let hits: Vec<usize> = (0..self.rows.len()).filter(holds).collect();
        let hit = Hit::next(&hits, from, way)?;
        let mut above = self.rows[hit.at].parent;
        while let Some(row) = above {
            self.closed.remove(&row);
            above = self.rows[row].parent;
        }
        self.refresh();
        let at = self.shown.binary_search(&hit.at).ok()?;
        Some(Hit { at, ..hit })
    }

    fn refresh(&mut self) {
        self.shown.clear();
        let mut row = 0;
        while let Some(it) = self.rows.get(row) {
            self.shown.push(row);
            row = if self.closed.contains(&row) { it.end.max(row + 1) } else { row + 1 };
        }
    }
}

fn join(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match (path.is_empty(), key.parse::<usize>().is_ok(), plain) {
        (_, true, _) => format!("{path}[{key}]"),
        (true, _, true) => key.to_owned(),
        (false, _, true) => format!("{path}.{key}"),
        (_, _, false) => format!("{path}[{key:?}]"),
    }
}

fn counted(count: usize, what: &str, empty: &str) -> String {
    match count {
        0 => empty.to_owned(),
        1 => format!("(1 {what})"),
        _ => format!("({count} {what}s)"),
    }
}

/// A size for a person.
pub fn bytes(count: usize) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{} KB", count / 1024),
        _ => format!("{}.{} MB", count / 1_048_576, count % 1_048_576 * 10 / 1_048_576),
    }
}
