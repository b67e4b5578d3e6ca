//! Ways to go on typing a filter: fields, operators, values seen in this session.

use std::collections::HashMap;

use super::field::Kind;
use super::{Field, holds, quoted};
use crate::engine::Tracer;
use crate::model::{EventIx, Session};

/// A way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Where what it replaces starts, in characters; it reaches to the cursor.
    pub start: usize,
    /// What to put there.
    pub text: String,
    /// A word about it: "41 events", what a field is.
    pub about: String,
}

/// Most events that are looked at for values: completion answers while a key is being pressed.
const LOOKED_AT: usize = 200_000;
/// Events looked at for what costs more than a name.
const ROWS_LOOKED_AT: usize = 20_000;
/// The most that is offered.
const OFFERED: usize = 40;

/// Ways to go on at `cursor` (in characters) in a filter over a session.
pub fn complete(text: &str, cursor: usize, tracer: &Tracer, session: &Session) -> Vec<Completion> {
    let chars: Vec<char> = text.chars().collect();
    let cursor = cursor.min(chars.len());
    let start = word_start(&chars[..cursor]);
    let word: String = chars[start..cursor].iter().collect();
    match word.split_once(':') {
        Some((name, value)) => {
            let Some(field) = Field::named(name) else { return Vec::new() };
            let from = start + name.chars().count() + 1;
            values(field, value, from, tracer, session)
        }
        None => fields_and_operators(&word, start, chars[..start].iter().any(|c| !c.is_whitespace())),
    }
}

/// Where the word at the end starts; blanks inside quotes belong to it.
fn word_start(chars: &[char]) -> usize {
    let mut start = 0;
    let mut quoted = false;
    for (at, c) in chars.iter().enumerate() {
        match c {
            '"' => quoted = !quoted,
            c if !quoted && (c.is_whitespace() || matches!(c, '(' | ')')) => start = at + 1,
            _ => {}
        }
    }
    start
}

fn fields_and_operators(word: &str, start: usize, after_something: bool) -> Vec<Completion> {
    let low = word.to_lowercase();
    let mut offers: Vec<Completion> = Vec::new();
    for field in Field::all().filter(|field| field.word().starts_with(&low)) {
        let text = if field.is_flag() { field.word().to_owned() } else { format!("{}:", field.word()) };
        offers.push(Completion { start, text, about: field.about().to_owned() });
    }
    let operators = [("and", "both", true), ("or", "one or the other", true), ("not", "not what follows", false)];
    for (operator, about, between) in operators {
        if operator.starts_with(&low) && (after_something || !between) {
            offers.push(Completion { start, text: format!("{operator} "), about: about.to_owned() });
        }
    }
    offers
}

fn values(field: Field, typed: &str, from: usize, tracer: &Tracer, session: &Session) -> Vec<Completion> {
    // In a list only the part after the last comma is still being typed.
    let list = matches!(field.kind(), Kind::Name | Kind::Word(_));
    let done = if list { typed.rfind(',').map_or(0, |comma| comma + 1) } else { 0 };
    let (before, typed) = typed.split_at(done);
    let start = from + before.chars().count();
    let low = typed.trim_start_matches('"').to_lowercase();
    let offer = |text: String, about: String| Completion { start, text, about };
    let mut offers: Vec<Completion> = match field.kind() {
        Kind::Flag => ["yes", "no"].iter().map(|word| offer((*word).to_owned(), String::new())).collect(),
        Kind::Number => [">0", ">1", "0"].iter().map(|word| offer((*word).to_owned(), String::new())).collect(),
        Kind::Duration => {
            [">100ms", ">500ms", ">2s"].iter().map(|word| offer((*word).to_owned(), String::new())).collect()
        }
        Kind::Moment | Kind::Text => Vec::new(),
        Kind::Word(_) | Kind::Name => {
            let counts = seen(field, tracer, session);
            let mut counted: Vec<(String, usize)> = counts.into_iter().collect();
            counted.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            let mut offers: Vec<Completion> =
                counted.iter().map(|(value, count)| offer(quoted(value), events(*count))).collect();
            if let Kind::Word(words) = field.kind() {
                let unseen = words().into_iter().filter(|word| !counted.iter().any(|(value, _)| value == word));
                offers.extend(unseen.map(|word| offer(word.to_owned(), String::new())));
            }
            offers
        }
    };
    offers.retain(|offer| offer.text.trim_start_matches('"').to_lowercase().starts_with(&low));
    offers.truncate(OFFERED);
    offers
}

fn events(count: usize) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

/// The values of a field in this session, with the number of events that have them.
pub(super) fn seen(field: Field, tracer: &Tracer, session: &Session) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut by_name: HashMap<u32, usize> = HashMap::new();
    let mut count = |name: crate::model::Name| {
        if name.is_some() {
            *by_name.entry(name.0).or_default() += 1;
        }
    };
    let limit = match field {
        Field::Verdict | Field::Evidence | Field::Hook | Field::Origin | Field::Started => ROWS_LOOKED_AT,
        _ => LOOKED_AT,
    };
    for (ix, event) in session.events.iter().enumerate().take(limit) {
        let context = || session.context_of(event);
        match field {
            Field::Event => count(event.name),
            Field::Subject => count(event.subject),
            Field::Tool if holds::tool(tracer, session, event).is_some() => count(event.subject),
            Field::Session => count(context().session),
            Field::Mode => count(context().mode),
            Field::Cwd => count(context().cwd),
            Field::Sub if event.agent.0 != 0 => {
                let agent = session.agent_of(event);
                count(if agent.kind.is_some() { agent.kind } else { agent.id });
            }
            Field::Verdict | Field::Evidence => {
                let row = tracer.row(session, EventIx(u32::try_from(ix).unwrap_or(u32::MAX)));
                let word = if field == Field::Verdict { row.verdict.word() } else { row.evidence.word() };
                *counts.entry(word.to_owned()).or_default() += 1;
            }
            Field::Origin => {
                let recorded = event.origin == crate::model::Origin::Recorded;
                *counts.entry(if recorded { "recorded" } else { "derived" }.to_owned()).or_default() += 1;
            }
            Field::Branch => *counts.entry(holds::branch(session, event).to_owned()).or_default() += 1,
            Field::Hook => {
                let at = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
                let (Some(selection), Some(set)) = (tracer.selection(session, at), tracer.set_at(event)) else {
                    continue;
                };
                for choice in selection.groups.iter().filter(|choice| choice.tested.matched == Some(true)) {
                    for handler in set.groups.get(choice.group).into_iter().flat_map(|group| &group.handlers) {
                        *counts.entry(handler.label()).or_default() += 1;
                    }
                }
            }
            _ => {}
        }
    }
    for (name, number) in by_name {
        let text = session.names.text(crate::model::Name(name));
        *counts.entry(text.to_owned()).or_default() += number;
    }
    counts
}
