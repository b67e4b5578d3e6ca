//! `hookscope replay`: what matched, what each handler answered, what was decided.

mod agents;

use std::collections::HashSet;
use std::io::Write;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::run::{ELSEWHERE, Runner};
use super::style::{self, Meaning};
use super::view::{View, clock, duration};
use super::{Common, Exit, Failure};
use crate::engine::filter::Filter;
use crate::engine::{Inputs, Mode, Row, StepOptions};
use crate::exec::run::Running;
use crate::model::{EventIx, Evidence, FileStatus, HookRun, Name, Outcome, Says, Step, Verdict};
use crate::source::in_words;
use crate::text;

/// Arguments of `hookscope replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayArgs {
    /// A transcript, stream, hook log, recording, or a folder of them; `-` for stdin
    #[arg(value_name = "SESSION", required = true)]
    pub sessions: Vec<std::path::PathBuf>,
    /// Matchers only, or recorded outcomes; default: recorded where the session holds outcomes
    #[arg(long, value_enum, conflicts_with = "run")]
    pub mode: Option<ModeWord>,
    /// Run the command handlers now, on the recorded hook inputs: this is your yes to what the settings say
    #[arg(long)]
    pub run: bool,
    /// Only events for which this holds: event:PreToolUse verdict:deny
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,
    /// Every event under every agent's rules; of the session's own agent alone, what it recorded counts
    #[arg(long)]
    pub all_dialects: bool,
    /// Put hook inputs into JSON
    #[arg(long, overrides_with = "no_inputs")]
    pub inputs: bool,
    /// Leave every text of the session out of JSON: inputs, outputs, reasons, context
    #[arg(long, overrides_with = "inputs")]
    pub no_inputs: bool,
}

/// What a replay goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeWord {
    /// Matchers only.
    Match,
    /// Recorded outcomes.
    Recorded,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Match => Mode::Match,
            ModeWord::Recorded => Mode::Recorded,
        }
    }
}

/// Reads a filter of the command line.
pub fn filter(text: Option<&str>) -> Result<Option<Filter>, Failure> {
    let Some(text) = text else { return Ok(None) };
    Filter::parse(text).map(Some).map_err(|error| {
        let message = format!("--where {text}: column {}: {}", error.column, error.message);
        Failure { help: error.help, ..Failure::plain(message) }
    })
}

/// How a replay is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// JSON Lines.
    Json,
}

/// A replay of one or several sessions, with one summary at its end.
#[derive(Debug)]
pub struct Replay {
    form: Form,
    /// To run handlers by, and those that run: one for all sessions, as one signal ends them all.
    run: Option<(Common, Running)>,
    filter: Option<Filter>,
    inputs: Inputs,
    texts: Texts,
    since: Instant,
    events: u64,
    matched: u64,
    changed: u64,
    /// Events of which the session tells a verdict.
    compared: u64,
    verdicts: [u64; Verdict::ALL.len()],
    told: HashSet<String>,
    agents: Option<agents::Agents>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    Kept,
    LeftOut,
}

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    #[serde(flatten)]
    step: &'a Step,
}

impl Replay {
    /// Starts one; `since` is when the command started.
    ///
    /// # Errors
    /// The filter can't be read.
    pub fn new(args: &ReplayArgs, common: &Common, form: Form, since: Instant) -> Result<Replay, Failure> {
        let watched = || {
            Running::watched()
                .map_err(|error| Failure::plain(format!("signals can't be watched: {}", in_words(&error))))
        };
        let run = args.run.then(|| watched().map(|running| (common.clone(), running))).transpose()?;
        Ok(Replay {
            form,
            run,
            filter: filter(args.filter.as_deref())?,
            inputs: if args.inputs { Inputs::Shown } else { Inputs::Omitted },
            texts: if args.no_inputs { Texts::LeftOut } else { Texts::Kept },
            since,
            events: 0,
            matched: 0,
            changed: 0,
            compared: 0,
            verdicts: [0; Verdict::ALL.len()],
            told: HashSet::new(),
            agents: args.all_dialects.then(|| agents::Agents::new(!common.settings.is_empty())),
        })
    }

    /// Replays one session.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn session(&mut self, view: &View<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        self.settings(view, out)?;
        let widths = Widths::of(view);
        // A heading where more than one session is told of.
        let ids = if self.form == Form::Text { view.session_ids().len() } else { 0 };
        let mixed = ids > 1 && view.session_id.is_none();
        let mut under: Option<Name> = None;
        if self.form == Form::Text && (!mixed || view.session.events.is_empty()) {
            if view.of_several {
                heading(view, view.session_id.unwrap_or(&view.session.id), out)?;
            }
            widths.head(view, out)?;
        }
        let mut runner = self.run.as_ref().map(|(common, running)| Runner::new(common, running.clone()));
        if runner.is_some() && !view.tracer.plan().has_hooks() {
            let line = "there are no hooks to run: --settings FILE names some, hookscope hooks says where was looked";
            let _ = writeln!(std::io::stderr(), "hookscope: {line}");
        }
        for (ix, event) in view.session.events.iter().enumerate() {
            let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
            let wanted = self.filter.as_ref().is_none_or(|it| it.matches(view.tracer, view.session, ix, view.lines));
            if !view.is_asked_for(event) || !wanted {
                if let Some(runner) = &mut runner {
                    runner.pass(view, event);
                }
                continue;
            }
            let own = view.session.context_of(event).session;
            if mixed && under != Some(own) {
                heading(view, view.id_of(own), out)?;
                widths.head(view, out)?;
                under = Some(own);
            }
            let mut row = view.tracer.row(view.session, ix);
            let step = match self.form {
                _ if runner.is_some() => self.run(view, ix, runner.as_mut(), &mut row)?,
                Form::Json => self.step(view, ix),
                // A million quiet rows need no bodies.
                // What could not be read says where and why.
                Form::Text if self.agents.is_some() || tells_more(&row) || event.diagnostic != u32::MAX => {
                    self.step(view, ix)
                }
                Form::Text => None,
            };
            if let Some(step) = &step {
                row.verdict = step.decision.verdict;
            }
            self.count(&row);
            let by_agent = match (&mut self.agents, &step) {
                (Some(agents), Some(step)) => agents.rows(view, ix, step),
                _ => Vec::new(),
            };
            match (self.form, step) {
                (Form::Json, Some(step)) if self.agents.is_some() => {
                    for agent in &by_agent {
                        self.json(&agents::step_of(agent, &step), out)?;
                    }
                }
                (Form::Json, Some(step)) => self.json(&Line { kind: "event", step: &step }, out)?,
                (Form::Json, None) => {}
                (Form::Text, step) => {
                    self.text(view, &widths, ix, &row, step.as_ref(), out)?;
                    for agent in &by_agent {
                        agents::write_row(view, agent, widths.number + 2, out)?;
                    }
                }
            }
            // Each row is there before the next handler runs; a reader that has left ends the run.
            if runner.is_some() {
                out.flush()?;
            }
        }
        if self.form == Form::Text && self.events == 0 {
            self.nothing(view, out)?;
        }
        Ok(())
    }

    fn step(&self, view: &View<'_>, ix: EventIx) -> Option<Step> {
        view.tracer.step(view.session, ix, view.lines, StepOptions { inputs: self.inputs, mode: None })
    }

    /// Runs the handlers of an event, and puts what came of it into its row.
    fn run(
        &mut self,
        view: &View<'_>,
        ix: EventIx,
        runner: Option<&mut Runner>,
        row: &mut Row,
    ) -> Result<Option<Step>, Failure> {
        let Some(runner) = runner else { return Ok(None) };
        let Some(step) = runner.step(view, ix, self.inputs)? else { return Ok(None) };
        let elsewhere = step.runs.iter().flat_map(|run| &run.notes).find(|note| note.contains(ELSEWHERE));
        if let Some(note) = elsewhere
            && self.form == Form::Text
            && self.told.insert(note.clone())
        {
            let _ = writeln!(std::io::stderr(), "hookscope: {}", text::safe(note));
        }
        self.changed += u64::from(step.changed);
        self.compared += u64::from(step.recorded.is_some());
        let failed = |run: &HookRun| {
            matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun))
        };
        row.failed = step.runs.iter().any(failed);
        row.lost = step.runs.iter().any(|run| run.lost);
        row.started_unknown = false;
        row.took_ms = step.runs.iter().filter_map(|run| run.duration_ms).map(|took| took.ceil() as u32).max();
        Ok(Some(step))
    }

    fn count(&mut self, row: &Row) {
        self.events += 1;
        self.matched += u64::from(row.matched > 0);
        if let Some(at) = Verdict::ALL.iter().position(|verdict| *verdict == row.verdict) {
            self.verdicts[at] += 1;
        }
    }

    fn nothing(&self, view: &View<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        let why = match &self.filter {
            Some(filter) => crate::engine::filter::why_empty(filter, view.tracer, view.session),
            None => "no events".to_owned(),
        };
        writeln!(out, "{}", view.safe(&why))?;
        Ok(())
    }

    /// What is to be said of the settings, once each.
    fn settings(&mut self, view: &View<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        for era in &view.tracer.plan().eras {
            for file in &era.set.files {
                let mut lines = Vec::new();
                match &file.status {
                    FileStatus::Loaded => {}
                    FileStatus::Rejected { why, .. } => lines.push(("rejected", json!(true), why.as_str())),
                    FileStatus::NotLoadable { why } => lines.push(("not_loadable", json!(true), why.as_str())),
                }
                lines.extend(file.drops.iter().map(|drop| ("dropped", json!(drop.id), drop.why.as_str())));
                lines.extend(file.warnings.iter().map(|why| ("warning", json!(true), why.as_str())));
                for (what, value, why) in lines {
                    let line = json!({
                        "kind": "settings", "path": file.path, "scope": file.scope, what: value.clone(), "why": why,
                    });
                    if !self.told.insert(line.to_string()) {
                        continue;
                    }
                    match self.form {
                        Form::Json => super::json::line(&line, out)?,
                        Form::Text => {
                            let words = match (what, value.as_str()) {
                                (_, Some(id)) => format!("{}: {id} is dropped: {why}", file.path),
                                ("rejected", None) => format!("{}: the agent refuses the whole file: {why}", file.path),
                                ("warning", None) => format!("{}: {why}", file.path),
                                (_, None) => format!("{}: not loaded by this session: {why}", file.path),
                            };
                            writeln!(out, "{}", view.paint.paint(Meaning::Warning, &view.safe(&words)))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn json(&self, line: &impl Serialize, out: &mut dyn Write) -> Result<(), Failure> {
        if self.texts == Texts::LeftOut {
            let mut value = serde_json::to_value(line).map_err(|error| Failure::plain(error.to_string()))?;
            leave_out_texts(&mut value);
            super::json::line(&value, out)?;
        } else {
            super::json::line(line, out)?;
        }
        Ok(())
    }

    fn text(
        &self,
        view: &View<'_>,
        widths: &Widths,
        ix: EventIx,
        row: &Row,
        step: Option<&Step>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        writeln!(out, "{}", widths.line(view, ix, row).trim_end())?;
        for note in step.map(|step| notes(view, step)).unwrap_or_default() {
            writeln!(out, "{:indent$}{note}", "", indent = widths.number + 2)?;
        }
        Ok(())
    }

    /// Writes the summary.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn finish(self, view_paint: style::Paint, out: &mut dyn Write) -> Result<Exit, Failure> {
        let counted = Verdict::ALL.iter().zip(self.verdicts).filter(|(_, count)| *count > 0);
        let elapsed = self.since.elapsed().as_secs_f64() * 1_000.0;
        match self.form {
            Form::Json => {
                let verdicts: Map<String, Value> =
                    counted.map(|(verdict, count)| (verdict.word().to_owned(), json!(count))).collect();
                let mut line = json!({
                    "kind": "summary", "events": self.events, "matched": self.matched, "verdicts": verdicts,
                    "changed": self.changed, "elapsed_ms": (elapsed * 10.0).round() / 10.0,
                });
                if let Some(agents) = &self.agents {
                    line["dialects"] = agents.summary();
                }
                writeln!(out, "{line}")?;
            }
            Form::Text => {
                let verdicts: Vec<String> =
                    counted.map(|(verdict, count)| format!("{count} {}", verdict.word())).collect();
                let events = if self.events == 1 { "event" } else { "events" };
                let verdicts = if verdicts.is_empty() { "nothing".to_owned() } else { verdicts.join(", ") };
                let changed = match self.changed {
                    0 if self.compared > 0 => ", nothing changed".to_owned(),
                    0 => String::new(),
                    count => format!(", {count} changed"),
                };
                let line = format!("{} {events}, {} matched: {verdicts}{changed}", self.events, self.matched);
                writeln!(out, "{}", view_paint.paint(Meaning::Strong, &line))?;
                if let Some(agents) = &self.agents {
                    agents.write_summary(out)?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

/// Which session the following rows are of.
fn heading(view: &View<'_>, id: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let path = view.session.sources.first().map_or("", |source| source.path.as_str());
    let parts: Vec<&str> = [id, path].into_iter().filter(|part| !part.is_empty()).collect();
    let line = format!("Session {}", parts.join(view.dot()));
    writeln!(out, "{}", view.paint.paint(Meaning::Strong, &view.safe(&line)))?;
    Ok(())
}

/// Empties every text that came from the session, not the names of things.
fn leave_out_texts(event: &mut Value) {
    if let Some(object) = event.as_object_mut() {
        object.remove("input");
    }
    for run in event["runs"].as_array_mut().into_iter().flatten() {
        for field in ["stdout", "stderr"] {
            run[field] = Value::Null;
        }
        run["notes"] = json!([]);
    }
    let decision = &mut event["decision"];
    for field in ["reason", "updated_input", "updated_output", "initial_prompt"] {
        decision[field] = Value::Null;
    }
    for field in ["additional_context", "system_messages", "updated_permissions"] {
        decision[field] = json!([]);
    }
}

/// Rows under which something is said.
fn tells_more(row: &Row) -> bool {
    let decides = !matches!(row.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown);
    decides || row.failed || row.needs_input
}

/// Cells of a note.
const NOTE: usize = 100;

/// Short remarks under a failing or deciding row.
fn notes(view: &View<'_>, step: &Step) -> Vec<String> {
    let mut notes = Vec::new();
    if step.changed
        && let Some(recorded) = &step.recorded
    {
        let word = step.decision.verdict.word();
        let word = if step.hypothetical { format!("{word}, if it came to it") } else { word.to_owned() };
        notes.push(format!("CHANGED: the session has {}, now {word}", recorded.verdict.word()));
    }
    for found in &step.diagnostics {
        let place = found.place.line.map_or_else(String::new, |line| format!("line {line}: "));
        notes.push(text::cut(&view.safe(&format!("{place}{}", found.message)), NOTE, view.charset));
    }
    let decision = &step.decision;
    let handlers = || step.groups.iter().flat_map(|group| group.handlers.iter().map(move |it| (group, it)));
    let label = |id: &str| handlers().find(|(_, it)| it.id == id).map(|(_, it)| it.label.clone());
    if !matches!(decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown) {
        let who = decision.decided_by.as_deref().and_then(|id| {
            let (group, handler) = handlers().find(|(_, it)| it.id == id)?;
            Some(format!("{}{}{}:{}", handler.label, view.dot(), group.path, handler.line))
        });
        let who = who.map(|who| if decision.evidence <= Evidence::Run { who } else { format!("probably {who}") });
        let words = decision.reason.as_deref().map(|reason| format!("\"{}\"", view.short(reason, NOTE / 2)));
        if who.is_none() {
            notes.extend(stranger(view, step));
        }
        let parts: Vec<String> = who.into_iter().chain(words).chain(and_others(step)).collect();
        if !parts.is_empty() {
            notes.push(text::cut(&view.safe(&parts.join(" ")), NOTE, view.charset));
        }
        if !decision.effect.is_empty() {
            notes.push(view.short(&decision.effect, NOTE));
        }
    }
    for run in &step.runs {
        let failed = matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun));
        if !failed {
            continue;
        }
        let name = label(&run.handler).or_else(|| run.command.clone()).unwrap_or_else(|| "a hook".to_owned());
        let how = match (run.outcome, run.exit_code) {
            (Some(Outcome::Timeout), _) => "ran out of time: it has no say".to_owned(),
            (_, Some(code)) if code != 2 && code != 0 => format!("exit {code} does not block"),
            // What is wrong with the answer comes after where it ran.
            _ => run
                .notes
                .iter()
                .find(|note| !note.contains(ELSEWHERE))
                .or(run.notes.first())
                .cloned()
                .unwrap_or_else(|| "failed without effect".to_owned()),
        };
        let stderr = run.stderr.as_deref().map(str::trim).filter(|stderr| !stderr.is_empty());
        let stderr = stderr.map(|stderr| format!(": {}", view.short(stderr, NOTE / 2))).unwrap_or_default();
        let word = if run.outcome == Some(Outcome::CannotRun) { "NOT RUN" } else { "FAILED" };
        let line = format!("{word} {} {how}{stderr}", view.short(&name, NOTE / 3));
        notes.push(view.paint.paint(Meaning::Warning, &text::cut(&view.safe(&line), NOTE, view.charset)));
    }
    notes
}

/// How many more handlers say what was decided.
fn and_others(step: &Step) -> Option<String> {
    let decided = step.runs.iter().find(|run| Some(&run.handler) == step.decision.decided_by.as_ref())?;
    let others = step.runs.iter().filter(|run| run.handler != decided.handler && run.says == decided.says).count();
    (others > 0).then(|| format!("and {others} more"))
}

/// The command of the run that decided, where no handler of these settings is known to be it.
fn stranger(view: &View<'_>, step: &Step) -> Option<String> {
    let decides = |run: &&HookRun| {
        let word = run.says.map(Says::word);
        word.is_some_and(|word| {
            word == step.decision.verdict.word()
                || (step.decision.verdict == Verdict::Block && run.says == Some(Says::Context))
        })
    };
    let run = step.runs.iter().filter(|run| run.handler.is_empty() && run.command.is_some()).find(decides)?;
    let command = view.short(run.command.as_deref()?, NOTE);
    Some(format!("{command} (not in these settings)"))
}

/// Columns of the table.
struct Widths {
    number: usize,
    event: usize,
    subject: usize,
}

impl Widths {
    fn of(view: &View<'_>) -> Widths {
        let mut seen: HashSet<(crate::model::Name, crate::model::Name)> = HashSet::new();
        let (mut event, mut subject) = (5, 7);
        for it in &view.session.events {
            if seen.insert((it.name, it.subject)) {
                event = event.max(text::width(&view.safe(view.session.text(it.name).unwrap_or_default())));
                subject = subject.max(text::width(&view.safe(view.session.text(it.subject).unwrap_or_default())));
            }
        }
        // Subagents are indented.
        let indent = if view.session.agents.len() > 1 { 2 } else { 0 };
        Widths {
            number: view.session.events.len().to_string().len().max(3),
            event: event.min(24) + indent,
            subject: subject.min(24),
        }
    }

    fn head(&self, view: &View<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        let line = format!(
            "{:>number$}  {:8}  {:event$}  {:subject$}  {:9}  verdict",
            "#",
            "UTC",
            "event",
            "subject",
            "hooks",
            number = self.number,
            event = self.event,
            subject = self.subject
        );
        writeln!(out, "{}", view.paint.paint(Meaning::Faint, &line))?;
        Ok(())
    }

    fn line(&self, view: &View<'_>, ix: EventIx, row: &Row) -> String {
        let Some(event) = view.session.events.get(ix.at()) else { return String::new() };
        let name = view.session.text(event.name).unwrap_or_default();
        let indent = if event.agent.0 == 0 { "" } else { "  " };
        let name = text::pad(&format!("{indent}{}", view.safe(name)), self.event, view.charset);
        let subject = view.session.text(event.subject).unwrap_or_default();
        let subject = text::pad(&view.safe(subject), self.subject, view.charset);
        let hooks = if row.considered == 0 { String::new() } else { format!("{} of {}", row.matched, row.considered) };
        let word = match row.round {
            0 => row.verdict.word().to_owned(),
            round => format!("{} {round}", row.verdict.word()),
        };
        let word = format!("{word:8}");
        let word = match style::of_verdict(row.verdict) {
            Some(meaning) => view.paint.paint(meaning, &word),
            None => word,
        };
        let took = row.took_ms.map(|took| duration(u64::from(took))).unwrap_or_default();
        format!(
            "{:>number$}  {}  {name}  {subject}  {hooks:9}  {word}  {took}",
            ix.0.saturating_add(1),
            clock(event.time),
            number = self.number
        )
    }
}
