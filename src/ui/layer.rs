//! What lies on top: texts to read, text fields, the palette, the list of bookmarks.

use super::canvas::{Canvas, Focused, row};
use super::doc;
use crate::app::{Action, App, Area, Ask, Asked, Bookmarks, Layer, Palette, Reader, Regions, Tone, keys_of};
use crate::engine::filter::FilterError;
use crate::text;

/// Draws the layers from the bottom up. Gives the place of the text cursor, if there is one.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) -> Option<(u16, u16)> {
    let mut cursor = None;
    let last = app.layers.len().saturating_sub(1);
    for (at, layer) in app.layers.iter().enumerate() {
        let on_top = Focused::when(at == last);
        cursor = match layer {
            Layer::Reader(reader) => {
                self::reader(app, reader, on_top, canvas);
                None
            }
            Layer::Bookmarks(list) => {
                bookmarks(app, list, on_top, canvas);
                None
            }
            Layer::Picker(picker) => {
                super::picker::draw(app, picker, canvas);
                None
            }
            Layer::HookTable(table) => {
                super::hook_table::draw(app, table, on_top, canvas);
                None
            }
            Layer::Loops(loops) => {
                super::loops::draw(app, loops, on_top, canvas);
                None
            }
            Layer::Lab(lab) => super::lab::draw(app, lab, on_top, canvas),
            Layer::Ask(ask) => Some(self::ask(ask, regions, canvas)),
            Layer::Palette(palette) => Some(self::palette(palette, regions, canvas)),
        };
    }
    cursor
}

fn reader(app: &App, reader: &Reader, on_top: Focused, canvas: &mut Canvas) {
    let area = app.reader_body();
    canvas.clear(area);
    let (title, body) = area.split_top(1);
    let doc = app.reader_doc(reader);
    let seen = (reader.cursor.top + usize::from(body.height)).min(doc.lines.len());
    let end = if seen < doc.lines.len() { format!("{seen} of {}", doc.lines.len()) } else { String::new() };
    canvas.title(title, &reader.title(canvas.charset), on_top, &end);
    let body = Area { x: body.x + 1, width: body.width.saturating_sub(1), ..body };
    doc::draw(app, &doc, reader.cursor, on_top, body, canvas);
    super::hook_table::message(app, area, canvas);
}

fn bookmarks(app: &App, list: &Bookmarks, on_top: Focused, canvas: &mut Canvas) {
    let area = app.reader_body();
    canvas.clear(area);
    let (title, body) = area.split_top(1);
    canvas.title(title, "Bookmarks", on_top, "");
    if app.bookmarks.is_empty() {
        canvas.text(row(body, 0), "  No event is bookmarked yet: B marks one, with a note.", Tone::Plain);
        return;
    }
    let session = app.session.read();
    for (at, bookmark) in app.bookmarks.iter().enumerate().skip(list.cursor.top).take(usize::from(body.height)) {
        let area = row(body, at - list.cursor.top);
        let event = session.events.get(bookmark.event.at());
        let name = event.map_or("", |event| session.names.text(event.name));
        let subject = event.map_or("", |event| session.names.text(event.subject));
        let words = format!(" {:>6}  {name:<18}  {subject:<10}  {}", bookmark.event.0 + 1, bookmark.note);
        canvas.text(area, &words, Tone::Plain);
        if at == list.cursor.at {
            canvas.dress(area, canvas.theme.selected());
        }
    }
}

/// A text field in one line. Gives the place of the cursor.
pub(super) fn field(sign: &str, field: &tui_input::Input, area: Area, canvas: &mut Canvas) -> (u16, u16) {
    canvas.clear(area);
    let x = canvas.text(area, &format!(" {sign}"), Tone::Key);
    let room = Area { x, width: (area.x + area.width).saturating_sub(x), ..area };
    // What stands before the cursor stays in view.
    let safe = |text: &str| text::safe_as(text, canvas.charset).into_owned();
    let before: String = field.value().chars().take(field.cursor()).collect();
    let after: String = field.value().chars().skip(field.cursor()).collect();
    let cells = usize::from(room.width).saturating_sub(1);
    let before = text::cut_start(&safe(&before), cells, canvas.charset);
    let used = u16::try_from(text::width(&before)).unwrap_or(0);
    let after = safe(&after);
    canvas.text(room, &before, Tone::Plain);
    canvas.text(Area { x: x + used, width: room.width.saturating_sub(used), ..room }, &after, Tone::Plain);
    ((x + used).min(area.x + area.width.saturating_sub(1)), area.y)
}

/// A list above the bottom line. Rows are pairs of a word and what it is about.
fn list(rows: &[(String, String)], chosen: Option<usize>, regions: &Regions, canvas: &mut Canvas) {
    let most = usize::from(regions.bottom.y.saturating_sub(3)).min(12);
    let count = rows.len().min(most);
    if count == 0 {
        return;
    }
    let top = chosen.map_or(0, |at| (at + 1).saturating_sub(count));
    let y = regions.bottom.y - u16::try_from(count).unwrap_or(0);
    let area = Area { y: y - 1, height: u16::try_from(count + 1).unwrap_or(1), ..regions.whole };
    canvas.clear(area);
    let (rule, body) = area.split_top(1);
    let end = if rows.len() > count { format!("{} of {}", top + count, rows.len()) } else { String::new() };
    canvas.rule(rule);
    if !end.is_empty() {
        canvas.text_right(rule, &format!(" {end}"), Tone::Dim);
    }
    let first = rows.iter().map(|(word, _)| text::width(word)).max().unwrap_or(0).min(usize::from(area.width) / 2);
    for (at, (word, about)) in rows.iter().enumerate().skip(top).take(count) {
        let area = row(body, at - top);
        let word = text::pad(&text::safe_as(word, canvas.charset), first, canvas.charset);
        let x = canvas.text(area, &format!("  {word}  "), Tone::Key);
        canvas.text(Area { x, width: (area.x + area.width).saturating_sub(x), ..area }, about, Tone::Plain);
        if chosen == Some(at) {
            canvas.dress(area, canvas.theme.selected());
        }
    }
}

fn ask(ask: &Ask, regions: &Regions, canvas: &mut Canvas) -> (u16, u16) {
    let rows: Vec<(String, String)> = ask.completions.iter().map(|it| (it.text.clone(), it.about.clone())).collect();
    list(&rows, ask.chosen, regions, canvas);
    let fault = ask.fault.as_ref().filter(|_| ask.refused);
    let words = |fault: &FilterError| match &fault.help {
        Some(help) => format!("column {}: {}; {help}", fault.column, fault.message),
        None => format!("column {}: {}", fault.column, fault.message),
    };
    if let Some(fault) = fault
        && !regions.status.is_empty()
        && rows.is_empty()
    {
        canvas.clear(regions.status);
        canvas.text(regions.status, &format!(" {}", words(fault)), Tone::Warn);
    }
    let place = field(ask.sign(), &ask.field, regions.bottom, canvas);
    let hint = match (&ask.asked, fault) {
        (_, Some(fault)) if !rows.is_empty() => format!("  {} ", words(fault)),
        (Asked::Filter, None) => "  Enter filter  Tab complete  Esc back  F1 help ".to_owned(),
        (Asked::Find(_), _) => "  Enter find  Esc back  F1 help ".to_owned(),
        (Asked::Sessions, _) => "  Enter open  Esc all sessions  F1 help ".to_owned(),
        (Asked::Note(_), _) => "  Enter keep  Esc back  F1 help ".to_owned(),
        (Asked::Filter, Some(_)) => String::new(),
    };
    hint_right(&hint, &ask.field, fault.is_some(), regions, canvas);
    place
}

fn hint_right(hint: &str, field: &tui_input::Input, faulty: bool, regions: &Regions, canvas: &mut Canvas) {
    let used = text::width(&text::safe_as(field.value(), canvas.charset)) + 10;
    let left = usize::from(regions.bottom.width).saturating_sub(used);
    if text::width(hint) <= left {
        canvas.text_right(regions.bottom, hint, if faulty { Tone::Warn } else { Tone::Dim });
    }
}

fn palette(palette: &Palette, regions: &Regions, canvas: &mut Canvas) -> (u16, u16) {
    let rows: Vec<(String, String)> = palette
        .choices()
        .into_iter()
        .map(|binding| (keys_of(binding, canvas.charset), binding.help.to_owned()))
        .collect();
    let rows = match palette.place() {
        Some(Action::GoTo(number)) => vec![(number.to_string(), format!("Go to event {number}"))],
        Some(_) => {
            let typed = palette.field.value().trim().to_owned();
            vec![(typed, "Go to the first event at that time (10:41 or 10:41:02) or later".to_owned())]
        }
        None if rows.is_empty() => {
            vec![(String::new(), "No action has these words; 57 and @10:41 go to an event".to_owned())]
        }
        None => rows,
    };
    list(&rows, Some(palette.cursor.at), regions, canvas);
    let place = field(":", &palette.field, regions.bottom, canvas);
    hint_right("  Enter do it  Esc back  F1 help ", &palette.field, false, regions, canvas);
    place
}
