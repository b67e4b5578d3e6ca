//! The mouse: click, wheel, drag of the divider.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::state::SeenRow;
use super::{App, Area, Effect, Focus, Layer, Shape, Way};
use crate::model::EventIx;

/// Lines a turn of the wheel moves.
const WHEEL: usize = 3;

/// Takes a mouse event.
pub fn mouse(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    let (x, y) = (event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollDown => wheel(app, x, y, Way::Forward),
        MouseEventKind::ScrollUp => wheel(app, x, y, Way::Back),
        MouseEventKind::Down(MouseButton::Left) if app.layers.is_empty() => press(app, x, y),
        MouseEventKind::Down(MouseButton::Left) => return super::screens::press(app, x, y),
        MouseEventKind::Drag(MouseButton::Left) if app.dragging => drag(app, x, y),
        MouseEventKind::Up(MouseButton::Left) => app.dragging = false,
        _ => {}
    }
    Vec::new()
}

fn wheel(app: &mut App, x: u16, y: u16, way: Way) {
    let height = usize::from(app.reader_body().height).saturating_sub(1);
    match app.layers.last() {
        Some(Layer::Reader(reader)) => {
            let len = app.reader_doc(reader).lines.len();
            if let Some(Layer::Reader(reader)) = app.layers.last_mut() {
                reader.cursor.scroll(way, WHEEL, len, height);
            }
        }
        Some(_) => super::screens::wheel(app, way, WHEEL),
        None => {
            let regions = app.regions();
            for pane in [Focus::Timeline, Focus::Event, Focus::Hooks, Focus::Decision] {
                let body = regions.pane(pane).body;
                if body.holds(x, y) {
                    let len = app.lines_in(pane);
                    app.cursor_mut(pane).scroll(way, WHEEL, len, usize::from(body.height));
                }
            }
        }
    }
}

fn press(app: &mut App, x: u16, y: u16) {
    app.message = None;
    let regions = app.regions();
    if regions.divider.holds(x, y) {
        app.dragging = true;
    } else if regions.tabs.holds(x, y) {
        match tab_at(app, regions.tabs, x) {
            Some(pane) => app.focus_on(pane),
            None => app.dragging = regions.shape == Shape::Stacked,
        }
    } else if regions.strip.holds(x, y) {
        let count = app.session.read().events.len();
        let at = usize::from(x - regions.strip.x) * count / usize::from(regions.strip.width.max(1));
        let from = EventIx(u32::try_from(at).unwrap_or(u32::MAX));
        // What the cell shows is somewhere in its stretch.
        let worth = |glance: super::Glance| glance.class() != super::Class::Calm;
        let end = (usize::from(x - regions.strip.x) + 1) * count / usize::from(regions.strip.width.max(1));
        let here = app.survey.glances.get(at).copied().is_some_and(worth);
        let next = if here { Some(from) } else { app.survey.next(from, Way::Forward, worth) };
        super::update::leap(app, next.filter(|event| event.at() < end).unwrap_or(from));
    } else {
        for pane in [Focus::Timeline, Focus::Event, Focus::Hooks, Focus::Decision] {
            let body = regions.pane(pane).body;
            if body.holds(x, y) {
                let row = usize::from(y - body.y);
                app.focus_on(pane);
                if pane == Focus::Timeline {
                    if let Some(SeenRow::Event(_, position) | SeenRow::Said(_, position)) =
                        app.seen_rows(usize::from(body.height)).get(row).copied().map(|row| event_row(app, row))
                    {
                        app.timeline.cursor.at = position;
                    }
                } else {
                    let len = app.lines_in(pane);
                    let cursor = app.cursor_mut(pane);
                    cursor.at = (cursor.top + row).min(len.saturating_sub(1));
                }
            } else if regions.pane(pane).title.holds(x, y) {
                app.focus_on(pane);
            }
        }
    }
}

/// A line of conversation stands for the event it belongs to.
fn event_row(app: &App, row: SeenRow) -> SeenRow {
    match row {
        SeenRow::Said(event, _) => SeenRow::Event(event, app.timeline.position(event).unwrap_or_else(|at| at)),
        row => row,
    }
}

fn drag(app: &mut App, x: u16, y: u16) {
    let percent =
        |at: u16, of: u16| u16::try_from(u32::from(at) * 100 / u32::from(of.max(1))).unwrap_or(50).clamp(15, 85);
    if app.regions().shape == Shape::Beside {
        app.dividers.0 = percent(x, app.size.0);
    } else {
        app.dividers.1 = Some(percent(y.saturating_sub(1), app.size.1));
    }
}

/// The tab under a column. Tabs are drawn as ` Name `, with brackets around the shown one.
pub fn tab_at(app: &App, tabs: Area, x: u16) -> Option<Focus> {
    let mut left = tabs.x;
    app.tabs().into_iter().find(|pane| {
        let width = u16::try_from(pane.title().len() + 2).unwrap_or(u16::MAX);
        let hit = x >= left && x < left + width;
        left += width;
        hit
    })
}

impl App {
    /// The panes, as the line of tabs names them.
    pub fn tabs(&self) -> [Focus; 3] {
        Focus::PANES
    }
}
