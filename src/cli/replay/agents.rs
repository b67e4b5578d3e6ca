//! Every event under every agent's rules: a line each.

use std::io::Write;

use serde_json::{Map, Value, json};

use crate::cli::Failure;
use crate::cli::style;
use crate::cli::view::View;
use crate::dialect;
use crate::engine::matrix::{AgentRow, Moment, matrix};
use crate::model::{EventIx, Step};
use crate::text;

/// What came of each agent over a replay.
#[derive(Debug)]
pub(super) struct Agents {
    handed: bool,
    counts: Vec<(&'static str, Map<String, Value>)>,
}

impl Agents {
    /// None counted yet; `handed`: the settings were named by hand.
    pub(super) fn new(handed: bool) -> Agents {
        Agents { handed, counts: Vec::new() }
    }

    /// What every agent makes of an event, in the table's order.
    pub(super) fn rows(&mut self, view: &View<'_>, ix: EventIx, step: &Step) -> Vec<AgentRow> {
        let tracer = view.tracer;
        let Some((event, set)) = view.session.events.get(ix.at()).and_then(|it| Some((it, tracer.set_at(it)?))) else {
            return Vec::new();
        };
        let moment = Moment {
            here: tracer.dialect(),
            version: tracer.version_of(view.session, event),
            set,
            handed: self.handed,
            event: &step.event,
            subject: step.subject.as_deref(),
            step: Some(step),
        };
        let mut rows = matrix(&moment, tracer.judge());
        rows.sort_by_key(|row| dialect::ALL.iter().position(|known| known.id == row.dialect.id));
        for row in &rows {
            self.count(row);
        }
        rows
    }

    fn count(&mut self, row: &AgentRow) {
        let id = row.dialect.id;
        let at = self.counts.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            self.counts.push((id, Map::new()));
            self.counts.len() - 1
        });
        let count = self.counts[at].1.entry(row.decision.verdict.word()).or_insert(json!(0));
        *count = json!(count.as_u64().unwrap_or(0) + 1);
    }

    /// Verdicts by agent.
    pub(super) fn summary(&self) -> Value {
        Value::Object(self.counts.iter().map(|(id, counts)| ((*id).to_owned(), json!(counts))).collect())
    }

    /// The same as lines for people.
    pub(super) fn write_summary(&self, out: &mut dyn Write) -> Result<(), Failure> {
        for (id, counts) in &self.counts {
            let words: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            writeln!(out, "  {id:<13}{}", words.join(", "))?;
        }
        Ok(())
    }
}

/// The event as that agent has it. Event and subject stay those of the session, beside their names there.
pub(super) fn step_of(row: &AgentRow, step: &Step) -> Value {
    let mut own = step.clone();
    if !row.own {
        own.groups.clone_from(&row.groups);
        own.decision = row.decision.clone();
        // How a run counts was the session's own agent's reading.
        own.runs.clear();
        own.recorded = None;
        own.changed = false;
    }
    let mut line = json!({"kind": "event", "dialect": row.dialect.id});
    if let (Some(line), Ok(Value::Object(fields))) = (line.as_object_mut(), serde_json::to_value(&own)) {
        line.extend(fields);
        line.insert("there".to_owned(), row.json());
    }
    line
}

/// Cells of the columns.
const AGENT: usize = 13;
const EVENT: usize = 18;
const SUBJECT: usize = 18;

/// A row of the table under an event.
pub(super) fn write_row(view: &View<'_>, row: &AgentRow, indent: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let cell = |words: &str, cells: usize| text::pad(&view.safe(words), cells, view.charset);
    let mark = if row.is_assumed() { "?" } else { "" };
    let word = format!("{:8}", format!("{}{mark}", row.word()));
    let word = style::of_verdict(row.decision.verdict).map_or(word.clone(), |meaning| view.paint.paint(meaning, &word));
    let line = format!(
        "{:indent$}{} {} {} {} {}",
        "",
        cell(row.dialect.id, AGENT),
        cell(row.event.unwrap_or("-"), EVENT),
        cell(row.subject.as_deref().unwrap_or("-"), SUBJECT),
        word,
        view.safe(&row.why),
    );
    writeln!(out, "{}", line.trim_end())?;
    Ok(())
}
