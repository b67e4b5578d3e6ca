//! The table of this dialect's rules that are code.

use std::io;

use serde_json::Value;

use super::{condition, conversation, decide, outcomes, rules, start};
use crate::dialect::{Behaviour, hook_log};
use crate::model::{EventIx, MarkKind, Session};
use crate::source::Lines;

/// Claude Code's rules that are code.
pub static BEHAVIOUR: Behaviour = Behaviour {
    input,
    admits: condition::admits,
    condition: condition::holds,
    verdict: outcomes::verdict,
    join: outcomes::join,
    decide: decide::decide,
    follow: decide::follow,
    start: start::start,
    heard: start::heard,
    rule: rules::by_name,
    said: conversation::said,
};

/// What a hook wrote down is exactly what it got; everything else has to be put together from the session.
fn input(session: &Session, ix: EventIx, lines: &dyn Lines) -> io::Result<Option<Value>> {
    let logged = session.marks_of(ix).find(|mark| mark.kind == MarkKind::InputLogged);
    if let Some(mark) = logged
        && let Some(input) = hook_log::extract_input(&lines.read(mark.at)?)
    {
        return Ok(Some(input));
    }
    super::hook_input(session, ix, lines)
}
