//! The first line: which session, which agent, how much of it, and where one is.

use super::canvas::Canvas;
use crate::app::{App, Area, Regions, Shape, Tone};
use crate::model::{Progress, Session};
use crate::text;

/// Draws the header.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) {
    let area = regions.header;
    let session = app.session.read();
    let right = right(app, regions, &session);
    let room = usize::from(area.width).saturating_sub(text::width(&right) + 2);
    let dot = canvas.charset.dot();
    let mut left = String::from(" ");
    for (at, part) in left_parts(app, &session).into_iter().enumerate() {
        let part = text::safe_as(&part, canvas.charset).into_owned();
        let more = if at == 0 { part } else { format!("{dot}{part}") };
        if at > 0 && text::width(&left) + text::width(&more) > room {
            break;
        }
        left.push_str(&more);
    }
    canvas.text(
        Area { width: u16::try_from(room + 1).unwrap_or(area.width).min(area.width), ..area },
        &left,
        Tone::Title,
    );
    let tone = if app.timeline.filter.is_some() { Tone::Strong } else { Tone::Plain };
    canvas.text_right(area, &right, tone);
}

fn left_parts(app: &App, session: &Session) -> Vec<String> {
    let mut parts = Vec::new();
    let name = match (&session.title, session.id.as_str()) {
        (Some(title), _) if !title.trim().is_empty() => title.clone(),
        (_, "") => session.sources.first().map_or("a session", |source| base_name(&source.path)).to_owned(),
        (_, id) => id.chars().take(8).collect(),
    };
    parts.push(name);
    let at = app.timeline.selected().and_then(|event| session.events.get(event.at()));
    let version = at.and_then(|event| session.text(session.context_of(event).version));
    parts.push(match version {
        Some(version) => format!("{} {version}", session.dialect),
        None => session.dialect.to_owned(),
    });
    parts.push(counted(session.events.len(), "event"));
    if let Some(parent) = &session.forked_from {
        let parent: String = parent.chars().take(8).collect();
        parts.push(if parent.is_empty() { "forked".to_owned() } else { format!("forked from {parent}") });
    }
    match (app.timeline.branch(), session.branches.count()) {
        (_, 1) => {}
        (None, count) => parts.push(format!("{count} branches")),
        (Some(number), count) => parts.push(format!("branch {number} of {count}")),
    }
    if let Some(inspect) = &app.inspect {
        let plan = inspect.plan();
        let set = at.map_or(0, |event| plan.era_at(event.time));
        if let Some(era) = plan.eras.get(set) {
            let hooks = era.set.groups.iter().map(|group| group.handlers.len()).sum();
            let mut scopes: Vec<&str> = era
                .set
                .groups
                .iter()
                .filter_map(|group| era.set.files.get(group.file).map(|file| file.scope.as_str()))
                .collect();
            scopes.sort_unstable();
            scopes.dedup();
            parts.push(match scopes.len() {
                0 => "no hooks".to_owned(),
                count => format!("{} in {}", counted(hooks, "hook"), counted(count, "scope")),
            });
        }
    }
    parts
}

fn right(app: &App, regions: &Regions, session: &Session) -> String {
    let mut parts = Vec::new();
    if !session.progress.done {
        let Progress { read, total, .. } = session.progress;
        parts.push(match total {
            0 => "loading".to_owned(),
            total => format!("loading {} %", read.min(total) * 100 / total),
        });
    }
    if let Some(filter) = &app.timeline.filter
        && regions.shape == Shape::Stacked
    {
        parts.push(format!("& {} ({} of {})", filter.expr, filter.matches.len(), session.events.len()));
    }
    match app.timeline.selected() {
        Some(event) => {
            if regions.whole.width >= 60
                && let Some(it) = session.events.get(event.at())
            {
                parts.push(it.evidence.word().to_owned());
            }
            let of = if regions.whole.width >= 100 { format!(" of {}", session.events.len()) } else { String::new() };
            parts.push(format!("event {}{of} ", event.0 + 1));
        }
        None => parts.push(String::new()),
    }
    parts.join("  ")
}

/// `412 events`, `1 event`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}
