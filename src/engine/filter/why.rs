//! Why a filter holds for no event, in one sentence.

use super::complete::seen;
use super::field::Kind;
use super::holds::{self, Seen};
use super::parse::nearest;
use super::{Expr, Field, Filter, Operand, Term};
use crate::engine::{Mode, Tracer};
use crate::model::{EventIx, Session};

/// Most events that are tried before the answer is left general.
const TRIED: usize = 20_000;

/// Why a filter holds for no event of a session. Looks at rows only.
pub fn why_empty(filter: &Filter, tracer: &Tracer, session: &Session) -> String {
    if session.events.is_empty() {
        return "the session has no events".to_owned();
    }
    let mut parts = Vec::new();
    conditions(&filter.expr, &mut parts);
    for expr in &parts {
        if let Expr::Term(term) = expr
            && !any(expr, tracer, session)
        {
            return alone(term, tracer, session);
        }
    }
    match parts.as_slice() {
        [] => "no event".to_owned(),
        [only] if any(only, tracer, session) => "no event whose bodies have it".to_owned(),
        [_] => "no event fits this".to_owned(),
        _ => "each of the conditions holds for some event, all together hold for none".to_owned(),
    }
}

/// The conditions that all have to hold.
fn conditions<'a>(expr: &'a Expr, parts: &mut Vec<&'a Expr>) {
    match expr {
        Expr::And(inner) => inner.iter().for_each(|part| conditions(part, parts)),
        Expr::All => {}
        other => parts.push(other),
    }
}

/// An event's name that the agent does not have.
fn unknown_event(field: Field, word: &str, session: &Session) -> Option<String> {
    let events = crate::dialect::by_id(session.dialect).filter(|_| field == Field::Event)?.events;
    if word.contains('*') || events.iter().any(|spec| spec.name == word) {
        return None;
    }
    let near = nearest(word, events.iter().map(|spec| spec.name))?;
    let other_case = near.eq_ignore_ascii_case(word);
    Some(if other_case {
        format!("no event is called {word}: case counts, it is {near}")
    } else {
        format!("no event is called {word}; did you mean {near}?")
    })
}

/// Whether some event fits, or may fit.
fn any(expr: &Expr, tracer: &Tracer, session: &Session) -> bool {
    (0..session.events.len()).take(TRIED).any(|ix| {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        let row = tracer.row(session, ix);
        holds::by_row(expr, &Seen { tracer, session, ix, row: &row }) != Some(false)
    })
}

/// Why a single condition holds nowhere.
fn alone(term: &Term, tracer: &Tracer, session: &Session) -> String {
    let field = term.field.word();
    let words: Vec<&str> = term
        .values
        .iter()
        .filter_map(|value| match value {
            Operand::Word(word) => Some(word.as_str()),
            _ => None,
        })
        .collect();
    match (term.field, term.field.kind()) {
        (Field::Changed, _) => return "nothing was rerun, so nothing differs from the record".to_owned(),
        (Field::Unreadable, _) => return "every line could be read".to_owned(),
        (Field::Failed, _) if tracer.options().mode == Mode::Match => {
            return "only matchers were looked at: no outcome is known".to_owned();
        }
        (Field::Failed, _) => return "no hook is recorded as failed".to_owned(),
        (Field::Branch, _) if session.branches.count() == 1 => {
            return "the conversation never went back, so it has one branch".to_owned();
        }
        (Field::Took, _) => {
            let timed = session.marks.iter().any(|mark| mark.duration_ms.is_some());
            return if timed {
                "no hook took that long"
            } else {
                "no event carries this field: no hook's time is recorded"
            }
            .to_owned();
        }
        (Field::Time, _) => return "no event at that time (times are in UTC)".to_owned(),
        (_, Kind::Number) => return format!("no event has such a number of {field}"),
        _ => {}
    }
    let known = seen(term.field, tracer, session);
    if known.is_empty() && matches!(term.field.kind(), Kind::Name) {
        return format!("no event carries this field: {field}");
    }
    for word in &words {
        if let Some(other) = known.keys().find(|other| other.eq_ignore_ascii_case(word) && other != word) {
            return format!("differs only by case: {other}");
        }
    }
    if let Some(said) = words.iter().find_map(|word| unknown_event(term.field, word, session)) {
        return said;
    }
    let list = words.join(" or ");
    let near = words.first().and_then(|word| nearest(word, known.keys().map(String::as_str)));
    match near.filter(|near| !words.contains(near)) {
        Some(near) => format!("no event has {field} {list}; there is {near}"),
        None => format!("no event has {field} {list}"),
    }
}
