//! Whether a filter holds for an event: first without bodies, then with them.

use super::{Expr, Field, Moment, Op, Operand, Term};
use crate::engine::{Inputs, Mode, Row, StepOptions, Tracer};
use crate::model::{Event, EventIx, LineRef, Origin, Session, Step};
use crate::source::Lines;

/// An event about to be tested.
pub(super) struct Seen<'a> {
    pub tracer: &'a Tracer,
    pub session: &'a Session,
    pub ix: EventIx,
    pub row: &'a Row,
}

/// As far as it can be told from the row; `None`: bodies are needed.
pub(super) fn by_row(expr: &Expr, seen: &Seen<'_>) -> Option<bool> {
    match expr {
        Expr::All => Some(true),
        Expr::Not(inner) => by_row(inner, seen).map(|holds| !holds),
        Expr::And(parts) => {
            let mut open = false;
            for part in parts {
                match by_row(part, seen) {
                    Some(false) => return Some(false),
                    None => open = true,
                    Some(true) => {}
                }
            }
            (!open).then_some(true)
        }
        Expr::Or(parts) => {
            let mut open = false;
            for part in parts {
                match by_row(part, seen) {
                    Some(true) => return Some(true),
                    None => open = true,
                    Some(false) => {}
                }
            }
            (!open).then_some(false)
        }
        Expr::Term(term) => term_by_row(term, seen),
    }
}

/// With bodies; a step is made at most once.
pub(super) fn by_bodies(expr: &Expr, seen: &Seen<'_>, lines: &dyn Lines) -> bool {
    let mut step = None;
    body(expr, seen, lines, &mut step)
}

fn body(expr: &Expr, seen: &Seen<'_>, lines: &dyn Lines, step: &mut Option<Box<Step>>) -> bool {
    match expr {
        Expr::All => true,
        Expr::Not(inner) => !body(inner, seen, lines, step),
        Expr::And(parts) => parts.iter().all(|part| body(part, seen, lines, step)),
        Expr::Or(parts) => parts.iter().any(|part| body(part, seen, lines, step)),
        Expr::Term(term) => term_by_row(term, seen).unwrap_or_else(|| term_by_body(term, seen, lines, step)),
    }
}

fn words(term: &Term) -> impl Iterator<Item = &str> {
    term.values.iter().filter_map(|value| match value {
        Operand::Word(word) => Some(word.as_str()),
        _ => None,
    })
}

fn is_word(term: &Term, word: &str) -> bool {
    words(term).any(|value| value == word)
}

fn is_name(term: &Term, name: Option<&str>) -> bool {
    name.is_some_and(|name| words(term).any(|pattern| fits(pattern, name)))
}

fn is_number(term: &Term, number: f64) -> bool {
    term.values.iter().any(|value| matches!(value, Operand::Number(limit) if term.op.holds(number, *limit)))
}

fn is_flag(term: &Term, flag: bool) -> bool {
    is_word(term, if flag { "yes" } else { "no" })
}

fn term_by_row(term: &Term, seen: &Seen<'_>) -> Option<bool> {
    let Seen { tracer, session, ix, row } = *seen;
    let event = session.events.get(ix.at())?;
    let context = || session.context_of(event);
    Some(match term.field {
        Field::Event => is_name(term, session.text(event.name)),
        Field::Subject => is_name(term, session.text(event.subject)),
        Field::Tool => is_name(term, tool(tracer, session, event)),
        Field::Verdict if row.needs_input => return None,
        Field::Verdict => is_word(term, row.verdict.word()),
        Field::Evidence if row.needs_input => return None,
        Field::Evidence => is_word(term, row.evidence.word()),
        Field::Matched => is_number(term, f64::from(row.matched)),
        Field::Considered => is_number(term, f64::from(row.considered)),
        Field::Round => is_number(term, f64::from(row.round)),
        Field::Took => row.took_ms.is_some_and(|took| is_number(term, f64::from(took))),
        Field::Failed => is_flag(term, row.failed),
        // Nothing is rerun here, so nothing can differ.
        Field::Changed => is_flag(term, false),
        Field::Unreadable => is_flag(term, session.text(event.name) == Some(Event::UNREADABLE)),
        Field::Origin => is_word(term, if event.origin == Origin::Recorded { "recorded" } else { "derived" }),
        Field::Branch => is_word(term, branch(session, event)),
        Field::Sub => {
            let agent = session.agent_of(event);
            event.agent.0 != 0 && (is_name(term, session.text(agent.id)) || is_name(term, session.text(agent.kind)))
        }
        Field::Session => is_name(term, session.text(context().session).or(Some(session.id.as_str()))),
        Field::Mode => is_name(term, session.text(context().mode)),
        Field::Cwd => is_name(term, session.text(context().cwd)),
        Field::Time => event.time.millis().is_some_and(|time| at_time(term, time)),
        Field::Hook => return hook(term, seen, event),
        Field::Started if is_word(term, "unknown") && term.values.len() == 1 && !row.needs_input => row.started_unknown,
        Field::Started if row.matched == 0 && row.considered == 0 => false,
        Field::Started | Field::Action | Field::By | Field::Text => return None,
    })
}

/// Whether the conversation still holds an event.
pub(super) fn branch(session: &Session, event: &Event) -> &'static str {
    if session.is_left(event) { "left" } else { "kept" }
}

/// The tool of a tool event.
pub(super) fn tool<'a>(tracer: &Tracer, session: &'a Session, event: &Event) -> Option<&'a str> {
    let spec = tracer.dialect().event(session.text(event.name)?)?;
    session.text(event.subject).filter(|_| spec.subject == Some("tool_name"))
}

/// A hook whose group matched, or whose command a trace names.
fn hook(term: &Term, seen: &Seen<'_>, event: &Event) -> Option<bool> {
    let Seen { tracer, session, ix, .. } = *seen;
    let fits_command = |command: &str| words(term).any(|pattern| command == pattern || command.contains(pattern));
    if let (Some(selection), Some(set)) = (tracer.selection(session, ix), tracer.set_at(event)) {
        for choice in selection.groups.iter().filter(|choice| choice.tested.matched == Some(true)) {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for handler in &group.handlers {
                let named = is_name(term, Some(&handler.label())) || is_name(term, Some(&handler.id));
                let by_command = match &handler.kind {
                    crate::model::HandlerKind::Command { command, .. } => fits_command(command),
                    _ => false,
                };
                if named || by_command {
                    return Some(true);
                }
            }
        }
    }
    if tracer.options().mode == Mode::Match {
        return Some(false);
    }
    Some(session.marks_of(ix).any(|mark| session.text(mark.command).is_some_and(fits_command)))
}

fn term_by_body(term: &Term, seen: &Seen<'_>, lines: &dyn Lines, step: &mut Option<Box<Step>>) -> bool {
    if term.field == Field::Text {
        return words(term).any(|word| has_text(word, seen, lines));
    }
    if step.is_none() {
        let options = StepOptions { inputs: Inputs::Omitted, mode: None };
        *step = seen.tracer.step(seen.session, seen.ix, lines, options).map(Box::new);
    }
    let Some(step) = step else { return false };
    match term.field {
        Field::Verdict => is_word(term, step.decision.verdict.word()),
        Field::Evidence => is_word(term, step.decision.evidence.word()),
        Field::Action => step.decision.action.is_some_and(|action| is_word(term, action.word())),
        Field::Started => {
            let selected = step.groups.iter().flat_map(|group| &group.handlers).filter(|handler| handler.selected);
            let mut started = selected.map(|handler| match handler.started {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            });
            started.any(|word| is_word(term, word))
        }
        Field::By => {
            let by = step.decision.decided_by.as_deref();
            let handlers = step.groups.iter().flat_map(|group| &group.handlers);
            let label =
                handlers.filter(|handler| Some(handler.id.as_str()) == by).map(|handler| handler.label.as_str());
            is_name(term, by) || label.into_iter().any(|label| is_name(term, Some(label)))
        }
        _ => false,
    }
}

/// A name against a pattern in which `*` stands for anything. Case counts.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == name;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

const DAY: i64 = 86_400_000;

fn at_time(term: &Term, time: i64) -> bool {
    term.values.iter().any(|value| {
        let Operand::Moment(moment) = value else { return false };
        let (now, start, length) = match *moment {
            Moment::Absolute(start, length) => (time, start, length),
            Moment::OfDay(start, length) => (time.rem_euclid(DAY), start, length),
        };
        match term.op {
            Op::Is => (start..start + length).contains(&now),
            Op::Greater => now >= start + length,
            Op::GreaterEqual => now >= start,
            Op::Less => now < start,
            Op::LessEqual => now < start + length,
        }
    })
}

/// Whether a text stands in the event's lines: what it is about, its result, the traces of its hooks.
///
/// Without capitals in it case does not count. A call in a line with others is looked at alone.
fn has_text(word: &str, seen: &Seen<'_>, lines: &dyn Lines) -> bool {
    let Some(event) = seen.session.events.get(seen.ix.at()) else { return false };
    let needle = Needle::of(word);
    let calls = seen.session.calls_of(event);
    let mut places: Vec<LineRef> = vec![event.at];
    let after = seen.session.text(event.name).is_some_and(|name| name.starts_with("Post"));
    for call in calls {
        places.push(if after { call.answered } else { call.used });
    }
    places.extend(seen.session.marks_of(seen.ix).map(|mark| mark.at));
    places.sort_by_key(|at| (at.source(), at.offset()));
    places.dedup();
    places.into_iter().filter(|at| at.is_some()).any(|at| {
        let Ok(bytes) = lines.read(at) else { return false };
        if !needle.is_in(&String::from_utf8_lossy(&bytes)) {
            return false;
        }
        let block = match calls {
            [call] if call.used == at => Some(call.used_block),
            [call] if call.answered == at => Some(call.answered_block),
            _ => None,
        };
        block.and_then(|block| own_block(&bytes, block)).is_none_or(|own| needle.is_in(&own))
    })
}

/// The call's own content block, where its line has several.
fn own_block(bytes: &[u8], block: u16) -> Option<String> {
    let line: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let blocks = line["message"]["content"].as_array().filter(|blocks| blocks.len() > 1)?;
    blocks.get(usize::from(block)).map(ToString::to_string)
}

/// A text to look for in JSON, as it may be written there.
struct Needle {
    spellings: Vec<String>,
    any_case: bool,
}

impl Needle {
    fn of(word: &str) -> Needle {
        let any_case = !word.chars().any(char::is_uppercase);
        let escaped = serde_json::to_string(word).unwrap_or_default();
        let escaped = escaped.trim_start_matches('"').strip_suffix('"').unwrap_or(word).to_owned();
        let mut ascii = String::new();
        for c in escaped.chars() {
            if c.is_ascii() {
                ascii.push(c);
            } else {
                let mut units = [0; 2];
                ascii.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
        let mut spellings = vec![word.to_owned(), escaped, ascii];
        spellings.dedup();
        Needle { spellings, any_case }
    }

    fn is_in(&self, text: &str) -> bool {
        if self.any_case {
            let low = text.to_lowercase();
            self.spellings.iter().any(|spelling| low.contains(spelling))
        } else {
            self.spellings.iter().any(|spelling| text.contains(spelling))
        }
    }
}
