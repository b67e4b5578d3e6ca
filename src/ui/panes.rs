//! Event, hooks and decision beside or beneath the timeline.

use super::canvas::{Canvas, Focused, row};
use super::{doc, json};
use crate::app::{App, Area, Body, Focus, Regions, Tone};
use crate::text;

/// Draws the panes that are shown.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) {
    canvas.rule_down(regions.divider);
    if !regions.tabs.is_empty() {
        tabs(app, regions.tabs, canvas);
    }
    for pane in [Focus::Event, Focus::Hooks, Focus::Decision] {
        let place = regions.pane(pane);
        if place.body.is_empty() && place.title.is_empty() {
            continue;
        }
        let focused = Focused::when(app.focus == pane && app.layers.is_empty());
        let (title, end) = title(app, pane, canvas.charset.dot());
        canvas.title(place.title, &title, focused, &end);
        if waiting(app, place.body, canvas) {
            continue;
        }
        match pane {
            Focus::Event if app.detail.json.rows.is_empty() => {
                canvas.text(inset(place.body), "The hook input of this event is not known.", Tone::Dim);
            }
            Focus::Event => json::draw(app, focused, place.body, canvas),
            Focus::Hooks => doc::draw(app, &app.hooks_doc(), app.detail.hooks_cursor, focused, place.body, canvas),
            Focus::Decision | Focus::Timeline => {
                doc::draw(app, &app.decision_doc(), app.detail.decision_cursor, focused, place.body, canvas);
            }
        }
    }
}

fn inset(area: Area) -> Area {
    let by = 2.min(area.width);
    Area { x: area.x + by, width: area.width - by, ..area }
}

/// Says what is being waited for, where something is.
fn waiting(app: &App, body: Area, canvas: &mut Canvas) -> bool {
    let words = match (&app.detail.body, &app.inspect) {
        (Body::Ready(_), _) => return false,
        (Body::None, Some(_)) => "No event is selected.",
        (Body::None | Body::Reading, None) => "The settings are being read.",
        (Body::Reading, Some(_)) => "The event is being read.",
    };
    let words = text::cut(words, usize::from(body.width), canvas.charset);
    canvas.text(inset(row(body, 0)), &words, Tone::Dim);
    true
}

fn title(app: &App, pane: Focus, dot: &str) -> (String, String) {
    let step = app.detail.step();
    match (pane, step) {
        (Focus::Event, Some(step)) => {
            let subject = step.subject.as_deref().map_or_else(String::new, |subject| format!("{dot}{subject}"));
            (format!("Event {}{dot}{}{subject}", step.seq, step.event), step.evidence.word().to_owned())
        }
        (Focus::Hooks, Some(step)) => {
            let matched = step.groups.iter().filter(|group| group.matched == Some(true)).count();
            (format!("Hooks{dot}{matched} of {} matched", step.groups.len()), String::new())
        }
        (Focus::Decision, Some(step)) => ("Decision".to_owned(), step.decision.evidence.word().to_owned()),
        (pane, _) => (pane.title().to_owned(), String::new()),
    }
}

fn tabs(app: &App, area: Area, canvas: &mut Canvas) {
    canvas.rule(area);
    let shown = if app.focus == Focus::Timeline { app.pane } else { app.focus };
    let mut x = area.x;
    for pane in app.tabs() {
        let name = if pane == shown { format!("[{}]", pane.title()) } else { format!(" {} ", pane.title()) };
        let tone = if pane == app.focus { Tone::Title } else { Tone::Plain };
        let width = (area.x + area.width).saturating_sub(x);
        x = canvas.text(Area { x, width, ..area }, &name, tone);
    }
    if let Some(step) = app.detail.step() {
        let end = match shown {
            Focus::Hooks => {
                let matched = step.groups.iter().filter(|group| group.matched == Some(true)).count();
                format!(" {matched} of {} matched", step.groups.len())
            }
            Focus::Event => format!(" {}", step.evidence.word()),
            Focus::Decision | Focus::Timeline => format!(" {}", step.decision.evidence.word()),
        };
        let rest = Area { x, width: (area.x + area.width).saturating_sub(x), ..area };
        if usize::from(rest.width) > end.len() + 3 {
            canvas.text_right(rest, &end, Tone::Dim);
        }
    }
}
