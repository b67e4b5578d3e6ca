//! What the screen asks, answered by the engine and the sources.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::app::{Completion, FilterFault, HooksSeen, Inspect, LoopsSeen, RuleText, Said, Test};
use crate::diagnose::stop_loop;
use crate::engine::filter::{self, Filter};
use crate::engine::{self, Row, StepOptions, Tracer};
use crate::matcher::Judge;
use crate::model::{EventIx, LineRef, Plan, Session, Step, Time, Verdict};
use crate::source::Store;

/// Lines of the conversation that are looked at before one event.
const LOOK_BACK: usize = 40;
/// Characters of one remark that are shown.
const WORDS: usize = 400;

/// Answers for one session.
pub struct Inspector {
    tracer: Arc<Tracer>,
    lines: Arc<Store>,
}

impl Inspector {
    /// Answers from a tracer and the sources.
    pub fn new(tracer: Tracer, lines: Arc<Store>) -> Inspector {
        Inspector { tracer: Arc::new(tracer), lines }
    }
}

impl Inspect for Inspector {
    fn plan(&self) -> &Plan {
        self.tracer.plan()
    }

    fn row(&self, session: &Session, event: EventIx) -> Row {
        self.tracer.row(session, event)
    }

    fn step(&self, session: &Session, event: EventIx) -> Option<Step> {
        self.tracer.step(session, event, self.lines.as_ref(), StepOptions::default())
    }

    fn version(&self, session: &Session, event: EventIx) -> Option<String> {
        let event = session.events.get(event.at())?;
        self.tracer.version_of(session, event).map(str::to_owned)
    }

    fn judge(&self) -> &dyn Judge {
        self.tracer.judge()
    }

    fn hooks_seen(&self, session: &Session) -> HooksSeen {
        HooksSeen {
            hooks: engine::tally(&self.tracer, session, self.lines.as_ref()),
            grid: engine::grid(&self.tracer, session),
            events: session.events.len(),
        }
    }

    fn loops_seen(&self, session: &Session) -> LoopsSeen {
        let runs = stop_loop::stop_loops(&self.tracer, session, self.lines.as_ref());
        let (loops, others): (Vec<_>, Vec<_>) = runs.into_iter().partition(stop_loop::StopLoop::is_loop);
        let stops = stop_loop::stops(session);
        let unknown = stops.iter().filter(|&&stop| self.tracer.row(session, stop).verdict == Verdict::Unknown).count();
        LoopsSeen { loops, once: others.len(), unknown, stops: stops.len(), events: session.events.len() }
    }

    fn filter(&self, expr: &str) -> Result<Test, FilterFault> {
        let filter = Filter::parse(expr)
            .map_err(|error| FilterFault { message: error.message, column: error.column.saturating_sub(1) })?;
        let (tracer, lines) = (self.tracer.clone(), self.lines.clone());
        Ok(Box::new(move |session, event| filter.matches(&tracer, session, event, lines.as_ref())))
    }

    fn complete(&self, session: &Session, expr: &str, cursor: usize) -> Vec<Completion> {
        filter::complete(expr, cursor, &self.tracer, session)
            .into_iter()
            .map(|way| Completion { start: way.start, text: way.text, about: way.about })
            .collect()
    }

    fn why_empty(&self, session: &Session, expr: &str) -> String {
        match Filter::parse(expr) {
            Ok(filter) => filter::why_empty(&filter, &self.tracer, session),
            Err(error) => error.message,
        }
    }

    fn text_filter(&self, text: &str) -> String {
        filter::text_filter(text)
    }

    fn conversation(&self, session: &Session, event: EventIx) -> Vec<Said> {
        let Some(at) = session.events.get(event.at()).map(|event| event.at) else { return Vec::new() };
        // Lines between the event before, in the same file, and this one.
        let before = session.events[..event.at()].iter().rev().map(|event| event.at);
        let from = before.take(LOOK_BACK).find(|before| before.source() == at.source() && before.line < at.line);
        self.said_between(from, at).unwrap_or_default()
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

impl Inspector {
    fn said_between(&self, from: Option<LineRef>, to: LineRef) -> std::io::Result<Vec<Said>> {
        let lines = self.lines.lines_before(to, LOOK_BACK)?;
        let after = from.map_or(0, |from| from.line);
        Ok(lines.iter().filter(|line| line.at.line > after).filter_map(|line| said(&line.bytes)).collect())
    }
}

/// What a line of a transcript says in the conversation.
fn said(line: &[u8]) -> Option<Said> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default, rename = "isMeta")]
        meta: bool,
        timestamp: Option<String>,
        message: Option<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        content: Value,
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let time = line.timestamp.and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let time = time.map_or(Time::UNKNOWN, |time| Time(time.as_millisecond()));
    let (who, words) = match (line.kind.as_str(), line.message?.content) {
        ("user", Value::String(text)) if line.meta => ("client", text),
        ("user", Value::String(text)) => ("user", text),
        ("user", Value::Array(blocks)) => match texts(&blocks) {
            text if text.is_empty() => ("result", result(&blocks)?),
            text => ("user", text),
        },
        ("assistant", Value::Array(blocks)) => ("model", Some(texts(&blocks)).filter(|text| !text.is_empty())?),
        ("assistant", Value::String(text)) => ("model", text),
        _ => return None,
    };
    Some(Said { time, who, words: words.chars().take(WORDS).collect() })
}

fn texts(blocks: &[Value]) -> String {
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join(" ")
}

fn result(blocks: &[Value]) -> Option<String> {
    let content = &blocks.iter().find(|block| block["type"] == "tool_result")?["content"];
    Some(match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => texts(blocks),
        _ => return None,
    })
}
