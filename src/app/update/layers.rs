//! What actions do in what lies on top of the debugger.

use super::values::copy_line;
use super::{anywhere, leap, say, times, update};
use crate::app::screens;
use crate::app::state::Finding;
use crate::app::{Action, Amount, App, Ask, Asked, Bookmark, Effect, Layer, Tone, Way};

pub(super) fn in_layer(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    if matches!(action, Action::Clear | Action::Back) && !matches!(app.layers.last(), Some(Layer::Picker(_))) {
        if let Some(Layer::Ask(Ask { asked: Asked::Sessions, .. })) = app.layers.pop()
            && let Some(picker) = app.picking_mut()
        {
            picker.filter_by("");
        }
        return Vec::new();
    }
    match app.layers.last() {
        Some(Layer::Reader(_)) => in_reader(app, action, typed),
        Some(Layer::Ask(_)) => in_ask(app, action),
        Some(Layer::Palette(_)) => in_palette(app, action),
        Some(Layer::Bookmarks(_)) => in_bookmarks(app, action, typed),
        Some(Layer::Lab(_)) => screens::in_lab(app, action, typed),
        Some(Layer::HookTable(_)) => screens::in_hook_table(app, action, typed),
        Some(Layer::Loops(_)) => screens::in_loops(app, action, typed),
        Some(Layer::Picker(_)) => screens::in_picker(app, action, typed),
        None => Vec::new(),
    }
}

fn in_reader(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let height = usize::from(app.reader_body().height).saturating_sub(1);
    let Some(Layer::Reader(reader)) = app.layers.last() else { return Vec::new() };
    let doc = app.reader_doc(reader);
    let mut cursor = reader.cursor;
    match action {
        Action::Move(way, amount) => cursor.step(way, amount, times(typed), doc.lines.len(), height),
        Action::Find => {
            app.layers.push(Layer::Ask(Ask::new(Asked::Find(None), String::new())));
            return Vec::new();
        }
        Action::FindAgain(way) => {
            let Some(finding) = app.finding.clone() else { return say(app, "nothing to find yet: /") };
            match doc.find(&finding.text, cursor.at, way) {
                Some(hit) => {
                    cursor.at = hit.at;
                    app.message = Some((hit.words(&finding.text, "line", way), Tone::Plain));
                }
                None => return say(app, format!("\"{}\" is not here", finding.text)),
            }
            cursor.settle(doc.lines.len(), height);
        }
        Action::Copy => return copy_line(app, &doc, cursor),
        // Help on help closes it again.
        Action::Help => {
            app.layers.pop();
            return Vec::new();
        }
        other => return anywhere(app, other),
    }
    if let Some(Layer::Reader(reader)) = app.layers.last_mut() {
        reader.cursor = cursor;
    }
    Vec::new()
}

fn in_ask(app: &mut App, action: Action) -> Vec<Effect> {
    let Some(Layer::Ask(ask)) = app.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Accept => {
            let (asked, text) = (ask.asked, ask.field.value().to_owned());
            if asked == Asked::Filter && ask.fault.is_some() {
                ask.refused = true;
                return Vec::new();
            }
            app.layers.pop();
            accept(app, asked, text)
        }
        Action::Choose(way) if ask.asked == Asked::Sessions => {
            screens::move_in_picker(app, way, Amount::Line, 1);
            Vec::new()
        }
        Action::Choose(way) => {
            let count = ask.completions.len();
            if count > 0 {
                ask.chosen = Some(match (ask.chosen, way) {
                    (None, Way::Forward) => 0,
                    (None, Way::Back) => count - 1,
                    (Some(at), Way::Forward) => (at + 1) % count,
                    (Some(at), Way::Back) => (at + count - 1) % count,
                });
            }
            Vec::new()
        }
        Action::Complete => {
            if let Some(choice) = ask.completions.get(ask.chosen.unwrap_or(0)).cloned() {
                let text: Vec<char> = ask.field.value().chars().collect();
                let cursor = ask.field.cursor().min(text.len());
                let start = choice.start.min(cursor);
                let mut new: String = text[..start].iter().collect();
                new.push_str(&choice.text);
                let at = new.chars().count();
                new.extend(&text[cursor..]);
                ask.field = tui_input::Input::new(new).with_cursor(at);
                ask.chosen = None;
            }
            typed_in_ask(app);
            Vec::new()
        }
        other => anywhere(app, other),
    }
}

/// Brings what a field shows about its text up to date.
pub(in crate::app) fn typed_in_ask(app: &mut App) {
    let Some(Layer::Ask(ask)) = app.layers.last_mut() else { return };
    if ask.asked == Asked::Sessions {
        let text = ask.field.value().to_owned();
        if let Some(picker) = app.picking_mut() {
            picker.filter_by(&text);
        }
        return;
    }
    if ask.asked != Asked::Filter {
        return;
    }
    let Some(inspect) = &app.inspect else { return };
    let text = ask.field.value();
    ask.refused = false;
    ask.fault = if text.trim().is_empty() { None } else { inspect.filter(text).err() };
    ask.completions = inspect.complete(&app.session.read(), text, ask.field.cursor());
    ask.chosen = None;
}

fn accept(app: &mut App, asked: Asked, text: String) -> Vec<Effect> {
    match asked {
        Asked::Filter => update(app, Action::FilterBy(text)),
        Asked::Sessions if app.picking().is_some_and(|picker| picker.shown.is_empty()) => {
            say(app, "no session fits what you typed: Esc shows all")
        }
        Asked::Sessions => update(app, Action::Open),
        Asked::Note(event) => {
            app.bookmarks.retain(|bookmark| bookmark.event != event);
            app.bookmarks.push(Bookmark { event, note: text });
            app.bookmarks.sort_by_key(|bookmark| bookmark.event);
            say(app, format!("event {} is bookmarked: ' lists them", event.0 + 1))
        }
        Asked::Find(_) if text.is_empty() => Vec::new(),
        Asked::Find(_) => {
            let generation = app.finding.as_ref().map_or(0, |finding| finding.generation);
            app.finding = Some(Finding::new(text, generation));
            update(app, Action::FindAgain(Way::Forward))
        }
    }
}

fn in_palette(app: &mut App, action: Action) -> Vec<Effect> {
    let Some(Layer::Palette(palette)) = app.layers.last_mut() else { return Vec::new() };
    let choices = palette.choices();
    match action {
        Action::Choose(way) => {
            palette.cursor.step(way, Amount::Line, 1, choices.len(), usize::MAX);
            Vec::new()
        }
        Action::Accept => {
            let typed = palette.field.value().trim().to_owned();
            let chosen = palette.place();
            let chosen = chosen.or_else(|| choices.get(palette.cursor.at).map(|binding| binding.action.clone()));
            app.layers.pop();
            match chosen {
                Some(action) => update(app, action),
                None => say(app, format!("nothing is called \"{typed}\"")),
            }
        }
        Action::Palette => Vec::new(),
        other => anywhere(app, other),
    }
}

fn in_bookmarks(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let height = usize::from(app.reader_body().height).saturating_sub(1);
    let count = app.bookmarks.len();
    let Some(Layer::Bookmarks(list)) = app.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Move(way, amount) => list.cursor.step(way, amount, times(typed), count, height),
        Action::Open => {
            let event = app.bookmarks.get(list.cursor.at).map(|bookmark| bookmark.event);
            app.layers.pop();
            if let Some(event) = event {
                leap(app, event);
            }
        }
        Action::Fold => {
            if list.cursor.at < count {
                app.bookmarks.remove(list.cursor.at);
                list.cursor.settle(count - 1, height);
            }
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}
