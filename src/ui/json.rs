//! The event pane: the hook input as rows that fold.

use super::canvas::{Canvas, Focused, row};
use crate::app::{App, Area, JsonKind, Line, Tone};

/// Draws the rows in view.
pub fn draw(app: &App, focused: Focused, area: Area, canvas: &mut Canvas) {
    let json = &app.detail.json;
    let cursor = app.detail.event_cursor;
    let shown = json.shown();
    // Values of one level stand under each other, as far as names are short.
    for (at, &position) in shown.iter().enumerate().skip(cursor.top).take(usize::from(area.height)) {
        let Some(it) = json.rows.get(position) else { continue };
        let fold = match (json.has_children(position), json.is_closed(position)) {
            (false, _) => "  ",
            (true, true) => canvas.mark("▸ ", "+ "),
            (true, false) => canvas.mark("▾ ", "v "),
        };
        let indent = "  ".repeat(usize::from(it.depth).min(20));
        let mut line = Line::new().and(format!("{indent}{fold}"), Tone::Dim);
        if let Some(key) = &it.key {
            let width = siblings_width(app, position);
            line =
                line.and(format!("{key:<width$}  "), if it.kind == JsonKind::Aside { Tone::Dim } else { Tone::Strong });
        }
        let tone = match it.kind {
            JsonKind::Container | JsonKind::Aside => Tone::Dim,
            JsonKind::Scalar => Tone::Good,
            JsonKind::Text | JsonKind::LongText | JsonKind::TextLine => Tone::Plain,
        };
        // No more than fills the row is copied.
        let mut cut = it.text.len().min(usize::from(area.width) * 16);
        while !it.text.is_char_boundary(cut) {
            cut -= 1;
        }
        line = line.and(&it.text[..cut], tone);
        let area = row(area, at - cursor.top);
        canvas.line(area, &line);
        if app.is_hit(&it.text) || it.key.as_deref().is_some_and(|key| app.is_hit(key)) {
            canvas.dress(area, canvas.theme.hit());
        }
        if focused == Focused::Yes && at == cursor.at {
            canvas.dress(area, canvas.theme.selected());
        }
    }
}

/// The longest short name among a row's neighbours.
fn siblings_width(app: &App, position: usize) -> usize {
    let rows = &app.detail.json.rows;
    let Some(it) = rows.get(position) else { return 0 };
    let from = it.parent.map_or(0, |parent| parent + 1);
    let end = it.parent.and_then(|parent| rows.get(parent)).map_or(rows.len(), |parent| parent.end);
    let mut longest = 0;
    let mut at = from;
    // Long lists need no look at every neighbour.
    for _ in 0..64 {
        let Some(row) = rows.get(at).filter(|_| at < end) else { break };
        let width = row.key.as_deref().map_or(0, |key| key.chars().count());
        if width <= 24 {
            longest = longest.max(width);
        }
        at = row.end.max(at + 1);
    }
    longest
}
