//! The table of this dialect's rules that are code.

use std::io;

use serde_json::Value;

use super::{decide, outcomes, rules};
use crate::dialect::{Admission, Behaviour, Condition, EventSpec, Test, Tested};
use crate::model::{EventIx, Evidence, Handler, Session};
use crate::source::Lines;

/// Claude Code's rules that are code.
pub static BEHAVIOUR: Behaviour = Behaviour {
    matcher,
    input,
    admits,
    condition,
    verdict: outcomes::verdict,
    join: outcomes::join,
    decide: decide::decide,
    rule: rules::by_name,
};

fn matcher(text: Option<&str>, _event: &str, _version: Option<&str>) -> Test {
    let text = text.unwrap_or_default().to_owned();
    Box::new(move |subject| {
        let matched = text.is_empty() || text == "*" || text.split(['|', ',']).any(|part| part.trim() == subject);
        Tested { matched: Some(matched), span: None, why: String::new(), hint: None }
    })
}

fn input(_session: &Session, _ix: EventIx, _lines: &dyn Lines) -> io::Result<Value> {
    Err(io::Error::other("the hook input is not known"))
}

fn admits(_handler: &Handler, _spec: Option<&EventSpec>, _subject: Option<&str>) -> Admission {
    Admission::Runs
}

fn condition(_condition: &str, _tool: &str, _input: &Value, _cwd: Option<&str>) -> Condition {
    Condition { holds: true, evidence: Evidence::Assumed, why: "not evaluated".to_owned() }
}
