//! The table of this dialect's rules that are code.

use std::io;

use serde_json::Value;

use super::{decide, matching, outcomes, rules};
use crate::dialect::{Admission, Behaviour, Condition, EventSpec};
use crate::model::{EventIx, Evidence, Handler, Session};
use crate::source::Lines;

/// Claude Code's rules that are code.
pub static BEHAVIOUR: Behaviour = Behaviour {
    matcher: matching::compile,
    hints: matching::hints,
    input,
    admits,
    condition,
    verdict: outcomes::verdict,
    join: outcomes::join,
    decide: decide::decide,
    rule: rules::by_name,
};

fn input(_session: &Session, _ix: EventIx, _lines: &dyn Lines) -> io::Result<Value> {
    Err(io::Error::other("the hook input is not known"))
}

fn admits(_handler: &Handler, _spec: Option<&EventSpec>, _subject: Option<&str>) -> Admission {
    Admission::Runs
}

fn condition(_condition: &str, _tool: &str, _input: &Value, _cwd: Option<&str>) -> Condition {
    Condition { holds: true, evidence: Evidence::Assumed, why: "not evaluated".to_owned() }
}
