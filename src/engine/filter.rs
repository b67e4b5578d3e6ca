//! The filter language: `event:PreToolUse tool:Bash verdict:deny not (took:>500ms or failed)`.
//!
//! Owns its words, grammar, test, completion, and why nothing was found. Must not know any screen.

mod complete;
mod field;
mod holds;
mod parse;
mod why;

#[cfg(test)]
mod tests;

pub use complete::{Completion, complete};
pub use field::Field;
pub use why::why_empty;

use crate::engine::Tracer;
use crate::model::{EventIx, Session};
use crate::source::Lines;

/// A filter that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    expr: Expr,
}

/// Why a filter can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (column {column})")]
pub struct FilterError {
    /// What is wrong.
    pub message: String,
    /// Where, counted from 1, in characters.
    pub column: usize,
    /// What to do.
    pub help: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    /// Holds for everything: the empty filter.
    All,
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Term(Term),
}

/// One condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub field: Field,
    pub op: Op,
    /// Any of them.
    pub values: Vec<Operand>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Is,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
}

impl Op {
    fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Op::Is => left == right,
            Op::Greater => left > right,
            Op::GreaterEqual => left >= right,
            Op::Less => left < right,
            Op::LessEqual => left <= right,
        }
    }
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Word(String),
    /// A count, or milliseconds.
    Number(f64),
    Moment(Moment),
}

/// A point or stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Milliseconds since 1970, and how long the stretch is that was named.
    Absolute(i64, i64),
    /// Milliseconds since midnight UTC, and how long the stretch is.
    OfDay(i64, i64),
}

impl Filter {
    /// Reads a filter. The empty text is the filter that holds for everything.
    pub fn parse(text: &str) -> Result<Filter, FilterError> {
        parse::parse(text).map(|expr| Filter { expr })
    }

    /// Whether it holds, reading bodies where they are needed.
    pub fn matches(&self, tracer: &Tracer, session: &Session, ix: EventIx, lines: &dyn Lines) -> bool {
        let row = tracer.row(session, ix);
        let seen = holds::Seen { tracer, session, ix, row: &row };
        holds::by_row(&self.expr, &seen).unwrap_or_else(|| holds::by_bodies(&self.expr, &seen, lines))
    }
}

/// A filter that holds for events in whose texts `text` occurs.
pub fn text_filter(text: &str) -> String {
    format!("text:{}", quoted(text))
}

/// A value as it has to be written in a filter.
pub fn quoted(value: &str) -> String {
    let plain = !value.is_empty()
        && value.chars().all(|c| c.is_alphanumeric() || "_-.+/:*@#$%~".contains(c))
        && !value.starts_with(['>', '<', '=']);
    if plain { value.to_owned() } else { format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")) }
}
