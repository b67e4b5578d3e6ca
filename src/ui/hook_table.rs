//! The hooks of the session: the list, and the grids.

use super::canvas::{Canvas, Focused, row};
use super::header::counted;
use crate::app::hook_table::View;
use crate::app::{App, Area, HookTable, Tone};

/// Draws the screen.
pub fn draw(app: &App, table: &HookTable, on_top: Focused, canvas: &mut Canvas) {
    canvas.clear(app.reader_body());
    let (title, body) = app.hook_table_regions();
    let (name, end) = titles(app, table);
    canvas.title(title, name, on_top, &end);
    let Some(seen) = &table.seen else {
        let words = if app.inspect.is_some() { "The hooks are being counted." } else { "The settings are being read." };
        canvas.text(inset(row(body, 0)), words, Tone::Dim);
        return message(app, body, canvas);
    };
    let (heads, entries) = app.hook_table_lines(table);
    for (at, line) in heads.iter().enumerate() {
        canvas.line(row(body, at), line);
    }
    let (_, list) = body.split_top(u16::try_from(heads.len()).unwrap_or(u16::MAX));
    let mut at = 0;
    if table.view == View::List && seen.hooks.is_empty() {
        canvas.text(
            inset(row(list, 0)),
            "No settings with hooks were found. What ran all the same stands at its event.",
            Tone::Plain,
        );
        at = 1;
    } else if entries.is_empty() {
        canvas.text(inset(row(list, 0)), "No event yet.", Tone::Plain);
    }
    for (place, entry) in entries.iter().enumerate().skip(table.cursor.top) {
        for (line_at, line) in entry.lines.iter().enumerate() {
            let area = row(list, at);
            at += 1;
            if area.is_empty() {
                continue;
            }
            canvas.line(area, line);
            if app.is_hit(&line.text()) {
                canvas.dress(area, canvas.theme.hit());
            }
            if place == table.cursor.at && line_at == 0 && !line.spans.is_empty() {
                canvas.text(area, ">", Tone::Strong);
                let style = if on_top == Focused::Yes { canvas.theme.selected() } else { canvas.theme.marked() };
                canvas.dress(area, style);
            }
        }
    }
    message(app, body, canvas);
}

fn titles(app: &App, table: &HookTable) -> (&'static str, String) {
    let name = match table.view {
        View::List => "Hooks of the session",
        View::Tools => "Tools and hooks",
        View::Events => "Events and hooks",
    };
    let Some(seen) = &table.seen else { return (name, String::new()) };
    let mut parts = vec![counted(seen.hooks.len(), "hook")];
    if table.view == View::List && seen.hooks.len() > 1 {
        parts.push(table.sort.words().to_owned());
    }
    match app.hook_table_hidden(table) {
        (0, 0) => {}
        (0, right) => parts.push(format!("{right} more to the right")),
        (left, 0) => parts.push(format!("{left} more to the left")),
        (left, right) => parts.push(format!("{left} more to the left, {right} to the right")),
    }
    if seen.events < app.session.read().events.len() {
        parts.push(format!("the first {}", counted(seen.events, "event")));
    }
    (name, parts.join(", "))
}

fn inset(area: Area) -> Area {
    let by = 2.min(area.width);
    Area { x: area.x + by, width: area.width - by, ..area }
}

/// Something to say once, on the last row.
pub fn message(app: &App, body: Area, canvas: &mut Canvas) {
    if let Some((words, tone)) = &app.message {
        let (_, last) = body.split_bottom(1);
        canvas.clear(last);
        canvas.text(last, &format!(" {words}"), *tone);
    }
}
