//! What the screen asks, answered by the engine and the sources.

use std::sync::Arc;

use crate::app::{Completion, HooksSeen, Inspect, LoopsSeen, Test};
use crate::diagnose::stop_loop;
use crate::dialect::{Rule, Said};
use crate::engine::filter::{self, Filter, FilterError};
use crate::engine::{self, Row, StepOptions, Tracer};
use crate::matcher::Judge;
use crate::model::{EventIx, LineRef, Plan, Session, Step, Verdict};
use crate::source::Store;

/// Lines of the conversation that are looked at before one event.
const LOOK_BACK: usize = 40;

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

    fn filter(&self, expr: &str) -> Result<Test, FilterError> {
        let filter = Filter::parse(expr)?;
        let (tracer, lines) = (self.tracer.clone(), self.lines.clone());
        Ok(Box::new(move |session, event| filter.matches(&tracer, session, event, lines.as_ref())))
    }

    fn complete(&self, session: &Session, expr: &str, cursor: usize) -> Vec<Completion> {
        filter::complete(expr, cursor, &self.tracer, session)
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

    fn rule(&self, name: &str) -> Option<&'static Rule> {
        self.tracer.rule(name)
    }
}

impl Inspector {
    fn said_between(&self, from: Option<LineRef>, to: LineRef) -> std::io::Result<Vec<Said>> {
        let lines = self.lines.lines_before(to, LOOK_BACK)?;
        let after = from.map_or(0, |from| from.line);
        Ok(lines.iter().filter(|line| line.at.line > after).filter_map(|line| self.tracer.said(&line.bytes)).collect())
    }
}
