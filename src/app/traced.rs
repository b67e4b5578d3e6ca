//! What the screen asks of the rooms below, answered by the tracer and the opened sources.

use std::sync::Arc;

use super::{Completion, FilterFault, Inspect, RuleText, Said, Test};
use crate::dialect::claude_code;
use crate::engine::{Row, StepOptions, Tracer};
use crate::model::{EventIx, Plan, Session, Step};
use crate::source::Store;

/// Lines looked at for what was said before an event.
const LINES_BEFORE: u32 = 24;

/// A tracer, and where the bodies are.
pub struct Traced {
    tracer: Arc<Tracer>,
    store: Arc<Store>,
}

impl Traced {
    /// Of one session.
    pub fn new(tracer: Arc<Tracer>, store: Arc<Store>) -> Traced {
        Traced { tracer, store }
    }
}

impl Inspect for Traced {
    fn plan(&self) -> &Plan {
        self.tracer.plan()
    }

    fn row(&self, session: &Session, event: EventIx) -> Row {
        self.tracer.row(session, event)
    }

    fn step(&self, session: &Session, event: EventIx) -> Option<Step> {
        self.tracer.step(session, event, self.store.as_ref(), StepOptions::default())
    }

    fn filter(&self, expr: &str) -> Result<Test, FilterFault> {
        let _ = expr;
        Err(FilterFault { message: "filter".into(), column: 0 })
    }

    fn complete(&self, _: &Session, _: &str, _: usize) -> Vec<Completion> {
        Vec::new()
    }

    fn why_empty(&self, _: &Session, _: &str) -> String {
        String::new()
    }

    fn text_filter(&self, text: &str) -> String {
        format!("text:{text:?}")
    }

    fn conversation(&self, session: &Session, event: EventIx) -> Vec<Said> {
        let Some(it) = session.events.get(event.at()) else { return Vec::new() };
        // Lines that an earlier event stands on were said before that.
        let before = session.events.get(..event.at()).unwrap_or_default();
        let from = before
            .iter()
            .rev()
            .take(64)
            .find(|event| event.at.source() == it.at.source() && event.at.line < it.at.line)
            .map_or(0, |event| event.at.line);
        let count = it.at.line.saturating_sub(from).min(LINES_BEFORE) as usize;
        let shares_line = before.last().is_some_and(|event| event.at == it.at);
        if shares_line || !it.at.is_some() {
            return Vec::new();
        }
        // A source that can't be read any more has its own diagnostic.
        let lines = self.store.lines_before(it.at, count).unwrap_or_default();
        let words = lines.iter().filter_map(|line| claude_code::said(&line.bytes));
        words.map(|it| Said { time: it.time, who: it.who, words: it.words }).collect()
    }

    fn rule(&self, name: &str) -> Option<RuleText> {
        let rule = self.tracer.rule(name)?;
        Some(RuleText {
            name: rule.name.to_owned(),
            text: rule.text.to_owned(),
            versions: rule.versions.to_owned(),
            source: rule.source.to_owned(),
        })
    }
}
