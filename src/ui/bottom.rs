//! The last two lines: what deserves attention, and what keys do now.

use super::canvas::Canvas;
use crate::app::{
    App, Area, Line, Mode, Regions, Room, Shape, Tone, bottom_line, failure_in_short, key_for, misnamed,
    verdict_sentence, warning,
};
use crate::model::Time;
use crate::text;

/// Draws status and keys.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) {
    status(app, regions, canvas);
    keys(app, app.mode(), regions.bottom, canvas);
}

fn status(app: &App, regions: &Regions, canvas: &mut Canvas) {
    let area = regions.status;
    if area.is_empty() {
        return;
    }
    let warning = warning(app);
    let key = |action: &Option<_>| action.as_ref().and_then(|action| key_for(app.base_mode(), action));
    let hint = warning
        .as_ref()
        .and_then(|warning| key(&warning.action))
        .map(|key| format!("{}{key}", canvas.mark(" – ", " - ")));
    let hint = hint.unwrap_or_default();
    if let Some((words, tone)) = &app.message {
        canvas.text(area, &format!(" {words}"), *tone);
        return;
    }
    match (regions.shape, warning) {
        (Shape::Stacked, warning) => {
            let mut room = area;
            if let Some(warning) = warning {
                let words = format!(" {}{hint} ", warning.short);
                let width = text::width(&text::safe_as(&words, canvas.charset)).min(usize::from(area.width) / 2);
                let width = u16::try_from(width).unwrap_or(area.width);
                let right = Area { x: area.x + area.width - width, width, ..area };
                canvas.text(right, &words, Tone::Warn);
                room.width -= width;
            }
            if let Some(step) = app.detail.step() {
                let (sentence, tone) = verdict_sentence(step, Room::Scarce, canvas.charset);
                let dot = canvas.charset.dot();
                let line = Line::new().and(format!(" {sentence}"), tone);
                let line = if step.decision.effect.is_empty() || step.decision.decided_by.is_none() {
                    line
                } else {
                    line.and(format!("{dot}{}", step.decision.effect), Tone::Plain)
                };
                let events = &app.session.read().events;
                let event = app.detail.event.and_then(|event| events.get(event.at()));
                let time = event.map_or(Time::UNKNOWN, |event| event.time);
                let misnamed =
                    app.inspect.as_ref().map(|inspect| misnamed(inspect.plan(), &step.event, time)).unwrap_or_default();
                let misnamed = misnamed.first().filter(|_| step.decision.decided_by.is_none());
                let line = match (misnamed, failure_in_short(step)) {
                    (Some((words, _)), Some(failure)) => {
                        // Two things to be seen: they get the room of the warning.
                        room = area;
                        canvas.clear(room);
                        Line::new().and(format!(" {failure}{dot}{words}"), Tone::Warn)
                    }
                    (Some((words, _)), None) => Line::new().and(format!(" {words}{dot}{sentence}"), Tone::Warn),
                    (None, _) => line,
                };
                canvas.line(room, &line);
            }
        }
        (_, Some(warning)) => {
            canvas.text(area, &format!(" {}{hint}", warning.text), Tone::Warn);
        }
        (_, None) => {}
    }
}

/// What keys do now: as many as fit, and always the last two.
pub fn keys(app: &App, mode: Mode, area: Area, canvas: &mut Canvas) {
    let mut items = bottom_line(mode, canvas.charset);
    let idle = app.idle_keys();
    items.retain(|(_, label)| !idle.contains(label));
    if mode.types_below() {
        return;
    }
    let count = app.count.map(|count| format!("{count} "));
    let width = |items: &[(String, &str)]| -> usize {
        let all = items.iter().map(|(key, label)| text::width(key) + label.len() + 3).sum::<usize>() + 1;
        // What stands between items need not follow the last.
        all.saturating_sub(2)
    };
    let room = usize::from(area.width).saturating_sub(count.as_ref().map_or(0, String::len));
    let stay = 2.min(items.len());
    while items.len() > stay && width(&items) > room {
        items.remove(items.len() - stay - 1);
    }
    let mut line = Line::new();
    for (at, (key, label)) in items.into_iter().enumerate() {
        line = line.and(if at == 0 { " " } else { "  " }, Tone::Plain).and(key, Tone::Key);
        line = line.and(format!(" {label}"), Tone::Plain);
    }
    canvas.line(area, &line);
    if let Some(count) = count {
        canvas.text_right(area, &count, Tone::Strong);
    }
}
