//! Going far: to a number, a time, a matched hook, a hit; and the filter.

use jiff::civil;

use super::say;
use crate::app::{App, Effect, Focus, Glance, Tone, Way};
use crate::model::EventIx;

/// Selects an event far away: one can come back.
pub(in crate::app) fn leap(app: &mut App, event: EventIx) {
    if let Some(here) = app.timeline.selected()
        && here != event
    {
        app.jumps.leave(here);
    }
    app.timeline.select(event);
}

pub(super) fn seek(app: &mut App, way: Way, times: usize, what: &str, wanted: impl Fn(Glance) -> bool) -> Vec<Effect> {
    let Some(here) = app.timeline.selected() else { return Vec::new() };
    // One pass over what is seen: looking up each hit of a million events in a filtered list takes too long for a key.
    let hit = |position: usize| {
        let event = app.timeline.event_at(position)?;
        app.survey.glances.get(event.at()).is_some_and(|&glance| wanted(glance)).then_some(event)
    };
    let at = app.timeline.cursor.at;
    let last = match way {
        Way::Forward => (at + 1..app.timeline.len()).filter_map(hit).take(times).last(),
        Way::Back => (0..at).rev().filter_map(hit).take(times).last(),
    };
    let found = last.unwrap_or(here);
    if found == here {
        let side = if way == Way::Forward { "after" } else { "before" };
        let behind = app.survey.glances.len() < app.session.read().events.len();
        return match (app.inspect.is_some(), behind && way == Way::Forward) {
            (false, _) => say(app, "the settings are still being read"),
            (true, true) => say(app, format!("no event with {what} {side} this one, as far as was read")),
            (true, false) => say(app, format!("no event with {what} {side} this one")),
        };
    }
    leap(app, found);
    Vec::new()
}

pub(super) fn go_to(app: &mut App, number: u32) -> Vec<Effect> {
    let count = app.session.read().events.len();
    if number == 0 || number as usize > count {
        return say(app, format!("there is no event {number}: they go from 1 to {count}"));
    }
    let event = EventIx(number - 1);
    leap(app, event);
    if app.timeline.selected() != Some(event) {
        return say(app, format!("event {number} is not shown: it is filtered out or folded away"));
    }
    Vec::new()
}

pub(super) fn go_to_time(app: &mut App, text: &str) -> Vec<Effect> {
    let full = if text.matches(':').count() == 1 { format!("{text}:00") } else { text.to_owned() };
    let full = if full.find(':') == Some(1) { format!("0{full}") } else { full };
    let Ok(clock) = full.parse::<civil::Time>() else {
        return say(app, format!("\"{text}\" is no time of day: 10:41 or 10:41:02"));
    };
    let target = {
        let session = app.session.read();
        let here = app.timeline.selected().map_or(0, EventIx::at);
        // The day is that of the selected event, or of the next one with a time.
        let day = session.events.get(here..).unwrap_or_default().iter().chain(&session.events).find_map(|event| {
            let stamp = event.time.stamp()?;
            Some(stamp.to_zoned_datetime(app.options.zone.clone()).date())
        });
        let start = day.and_then(|day| day.to_datetime(clock).to_zoned_datetime(app.options.zone.clone()).ok());
        start.and_then(|start| {
            let millis = start.timestamp().as_millisecond();
            (0..app.timeline.len()).filter_map(|position| app.timeline.event_at(position)).find(|event| {
                session.events.get(event.at()).and_then(|event| event.time.millis()).is_some_and(|time| time >= millis)
            })
        })
    };
    match target {
        Some(event) => leap(app, event),
        None => return say(app, format!("no event at {text} or later on that day")),
    }
    Vec::new()
}

/// Takes the filter away. Where nothing fitted it, one is back where one was before.
pub(super) fn unfilter(app: &mut App) {
    let session = app.session.clone();
    let before = app.unfiltered.take().filter(|_| app.timeline.is_empty());
    app.timeline.set_filter(&session.read(), None);
    app.wanted = None;
    if let Some(event) = before {
        app.timeline.select(event);
    }
}

pub(in crate::app) fn filter_by(app: &mut App, expr: &str) -> Vec<Effect> {
    let expr = expr.trim();
    let session = app.session.clone();
    if expr.is_empty() {
        unfilter(app);
        return Vec::new();
    }
    if let Some(Err(fault)) = app.inspect.as_ref().map(|inspect| inspect.filter(expr).map(|_| ())) {
        return say(app, fault.to_string());
    }
    app.wanted = app.timeline.selected();
    if app.timeline.filter.is_none() {
        app.unfiltered = app.wanted;
    }
    app.timeline.set_filter(&session.read(), Some(expr.to_owned()));
    Vec::new()
}

/// Every event that the hook decided which decided this one.
pub(super) fn filter_by_decider(app: &mut App) -> Vec<Effect> {
    let Some(step) = app.detail.step() else { return say(app, "the event is still being read") };
    let Some(id) = step.decision.decided_by.clone() else {
        return say(app, "no hook decided this event, so that there is none to filter by");
    };
    // The id names the hook alone: several may run the same script.
    let expr = format!("by:\"{}\"", id.replace('\\', "\\\\").replace('"', "\\\""));
    app.focus_on(Focus::Timeline);
    filter_by(app, &expr)
}

pub(super) fn find_again(app: &mut App, way: Way) -> Vec<Effect> {
    let Some(finding) = &mut app.finding else { return say(app, "nothing to find yet: /") };
    finding.generation += 1;
    (finding.way, finding.wrapped, finding.next) = (way, false, None);
    let (text, generation) = (finding.text.clone(), finding.generation);
    let found = match app.focus {
        Focus::Timeline => {
            let Some(from) = app.timeline.selected() else { return Vec::new() };
            finding.origin = from;
            app.message = Some((format!("looking for \"{text}\""), Tone::Dim));
            return vec![Effect::FindText { text, from: Some(from), way, generation }];
        }
        Focus::Event => {
            let at = app.detail.event_cursor.at;
            app.detail.json.find(&text, at, way)
        }
        Focus::Hooks => app.hooks_doc().find(&text, app.detail.hooks_cursor.at, way),
        Focus::Decision => app.decision_doc().find(&text, app.detail.decision_cursor.at, way),
    };
    match found {
        Some(hit) => {
            app.cursor_mut(app.focus).at = hit.at;
            app.message = Some((hit.words(&text, "line", way), Tone::Plain));
        }
        None => return say(app, format!("\"{text}\" is not in this pane")),
    }
    Vec::new()
}

/// The kept branch alone, then those before it, then all again; a count chooses one.
pub(super) fn choose_branch(app: &mut App, typed: Option<u32>) -> Vec<Effect> {
    let session = app.session.clone();
    let session = session.read();
    let count = session.branches.count();
    if count == 1 {
        return say(app, "the conversation never went back: there is one branch");
    }
    let number = match (typed, app.timeline.branch()) {
        (Some(number), _) if number as usize > count => return say(app, format!("there are {count} branches")),
        (Some(number), _) => (number > 0).then_some(number as usize),
        (None, None) => Some(count),
        (None, Some(number)) => number.checked_sub(1).filter(|&number| number > 0),
    };
    app.timeline.choose_branch(&session, number);
    let words = match number {
        None => format!("all {count} branches"),
        Some(number) if number == count => format!("branch {number} of {count}, the one that was kept"),
        Some(number) => format!("branch {number} of {count}, which was left"),
    };
    say(app, words)
}
