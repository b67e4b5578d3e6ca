//! Lines with meaning, in an area, with a cursor.

use super::canvas::{Canvas, Focused, row};
use crate::app::{App, Area, Cursor, Doc};

/// Draws the lines in view.
pub fn draw(app: &App, doc: &Doc, cursor: Cursor, focused: Focused, area: Area, canvas: &mut Canvas) {
    for (at, line) in doc.lines.iter().enumerate().skip(cursor.top).take(usize::from(area.height)) {
        let area = row(area, at - cursor.top);
        canvas.line(area, line);
        if app.is_hit(&line.text()) {
            canvas.dress(area, canvas.theme.hit());
        }
        if focused == Focused::Yes && at == cursor.at {
            canvas.dress(area, canvas.theme.selected());
        }
    }
}
