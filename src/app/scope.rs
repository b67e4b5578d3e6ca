//! Why hooks that one might expect are not there: where settings were looked for, what was refused, what is off.

use strsim::damerau_levenshtein;

use super::{Doc, Line, Tone};
use crate::model::{FileStatus, Plan, SettingsFile, Step, Time};
use crate::text::Charset;

/// Groups that were dropped since no event has their name, where this event's name is nearly that:
/// `user:PostTooluse is dropped: …`, with the place.
pub fn misnamed(plan: &Plan, event: &str, time: Time) -> Vec<(String, String)> {
    let Some(era) = plan.eras.get(plan.era_at(time)) else { return Vec::new() };
    let near = |name: &str| {
        let (name, event) = (name.to_lowercase(), event.to_lowercase());
        name == event || damerau_levenshtein(&name, &event) <= 2
    };
    let of = |file: &SettingsFile| -> Vec<(String, String)> {
        file.drops
            .iter()
            .filter(|dropped| {
                let name = dropped.id.split_once(':').map_or("", |(_, rest)| rest);
                let name = name.split(['/', '[']).next().unwrap_or_default();
                name != event && near(name)
            })
            .map(|dropped| {
                let words = format!("{} is dropped: {}", dropped.id, dropped.why);
                let meant = if words.contains(event) { String::new() } else { format!("; did you mean {event}?") };
                (format!("{words}{meant}"), format!("{}:{}", file.path, dropped.position.line))
            })
            .collect()
    };
    era.set.files.iter().flat_map(of).collect()
}

/// Adds what keeps hooks of this event out, in lines of at most `cells`.
pub fn left_out(doc: &mut Doc, plan: &Plan, step: &Step, time: Time, cells: usize, charset: Charset) {
    let mut say = |sign: &str, words: &str, tone: Tone| {
        doc.hang(Line::new().and(sign, Tone::Warn), words, tone, cells, charset);
    };
    let Some(era) = plan.eras.get(plan.era_at(time)) else { return };
    for switch in &era.set.switches {
        let place = switch.file.and_then(|file| era.set.files.get(file)).map(|file| match switch.position {
            Some(position) => format!(" ({}:{})", file.path, position.line),
            None => format!(" ({})", file.path),
        });
        say("! ", &format!("{}: {}{}", switch.name, switch.why, place.unwrap_or_default()), Tone::Warn);
    }
    for file in &era.set.files {
        match &file.status {
            FileStatus::Loaded => {}
            FileStatus::Rejected { why, position } => {
                let line = position.map(|position| format!(":{}", position.line)).unwrap_or_default();
                say("! ", &format!("{}{line} is refused as a whole: {why}", file.path), Tone::Warn);
            }
            FileStatus::NotLoadable { why } => {
                say("! ", &format!("this session could not have loaded {}: {why}", file.path), Tone::Plain);
            }
        }
        for warning in &file.warnings {
            say("! ", &format!("{}: {warning}", file.path), Tone::Warn);
        }
        let group = format!(":{}/", step.event);
        for dropped in file.drops.iter().filter(|dropped| dropped.id.contains(&group)) {
            let place = format!("{}:{}", file.path, dropped.position.line);
            say("! ", &format!("{} ({place}) is dropped: {}", dropped.id, dropped.why), Tone::Warn);
        }
    }
    for (words, place) in misnamed(plan, &step.event, time) {
        say("! ", &format!("{words} ({place})"), Tone::Warn);
    }
    if plan.has_hooks() || plan.given && !era.set.files.is_empty() {
        return;
    }
    if era.set.files.is_empty() {
        say("", "No settings with hooks were found for this session. Looked at:", Tone::Plain);
    } else {
        say("", "The settings of this session set up no hooks. Looked at:", Tone::Plain);
    }
    for place in &plan.looked_at {
        let found = if place.found { "found" } else { "nothing there" };
        say("  ", &format!("{:<8} {found:<13} {}", place.scope, place.path), Tone::Dim);
    }
}
