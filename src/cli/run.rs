//! Running handlers on the events of a session, one event after the other.
//!
//! Owns what a handler may have of this machine's environment. Nothing here is reached without the person's `--run`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{Common, Failure, View};
use crate::dialect::{EventClass, Setting};
use crate::engine::{Inputs, Mode, RunNow, StepOptions};
use crate::exec::run::{Ended, Running, Stream};
use crate::model::{Event, EventIx, Evidence, Handler, HookRun, Outcome, Step, Verdict};
use crate::source::in_words;

/// In a note: a handler ran in another folder than the recorded one, which follows.
pub const ELSEWHERE: &str = ": it ran in ";

/// Variables that a handler gets as they stand here, where they are set.
const PASSED: &[&str] = &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"];

/// Beginnings of names of further ones: locale, and the agents' own.
const PASSED_FAMILIES: &[&str] =
    &["LC_", "CLAUDE_", "CORTEX_", "DEVIN_", "CODEX_", "GEMINI_", "QWEN_", "COPILOT_", "PLUGIN_"];

/// Parts of names that hold secrets, whoever's they are.
const SECRET: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Runs the handlers of one session's events, in order.
#[derive(Debug)]
pub struct Runner {
    env: Vec<(String, String)>,
    /// Where handlers run whose session's folder is not here; `None`: this program's own is gone, too.
    instead: Option<PathBuf>,
    running: Running,
    /// Stop blocks in a row, by agent.
    blocks: HashMap<u16, u16>,
    /// An earlier decision differs, and the agent would have gone another way.
    diverged: bool,
}

impl Runner {
    /// For a session of which nothing was run yet.
    pub fn new(common: &Common, running: Running) -> Runner {
        let passes = |name: &str| {
            let known = PASSED.contains(&name) || PASSED_FAMILIES.iter().any(|start| name.starts_with(start));
            known && !SECRET.iter().any(|part| name.contains(part))
        };
        let instead = common.project.clone().or_else(|| std::env::current_dir().ok());
        Runner {
            // What is no text is passed to nobody.
            env: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .filter(|(name, _)| passes(name))
                .collect(),
            instead,
            running,
            blocks: HashMap::new(),
            diverged: false,
        }
    }

    /// Runs what an event selects and tells what comes of it. `None` where there is no such event.
    ///
    /// # Errors
    /// Where no process can be waited for.
    pub fn step(&mut self, view: &View<'_>, ix: EventIx, inputs: Inputs) -> Result<Option<Step>, Failure> {
        let Some(event) = view.session.events.get(ix.at()) else { return Ok(None) };
        let before = StepOptions { inputs: Inputs::Shown, mode: Some(Mode::Match) };
        let Some(planned) = view.tracer.step(view.session, ix, view.lines, before) else { return Ok(None) };
        let runs = self.runs(view, ix, &planned)?;
        let agent = event.agent.0;
        let blocks_before = self.blocks.get(&agent).copied().unwrap_or(0);
        let options = StepOptions { inputs, mode: Some(Mode::Run) };
        let now = RunNow { runs, blocks_before };
        let Some(mut step) = view.tracer.step_with(view.session, ix, view.lines, options, now) else {
            return Ok(None);
        };
        self.count(view, &step, agent);
        step.hypothetical = self.diverged;
        self.diverged |= step.changed;
        Ok(Some(step))
    }

    /// Takes note of an event whose handlers are not run: what starts the count of blocks anew does so all the same.
    pub fn pass(&mut self, view: &View<'_>, event: &Event) {
        if resets(view, view.session.text(event.name).unwrap_or_default()) {
            self.blocks.insert(event.agent.0, 0);
        }
    }

    fn count(&mut self, view: &View<'_>, step: &Step, agent: u16) {
        if resets(view, &step.event) {
            self.blocks.insert(agent, 0);
        } else if matches!(class(view, &step.event), Some(EventClass::Stop | EventClass::SubagentStop)) {
            let blocks = self.blocks.entry(agent).or_default();
            *blocks = if step.decision.verdict == Verdict::Block { blocks.saturating_add(1) } else { 0 };
        }
    }

    fn runs(&self, view: &View<'_>, ix: EventIx, planned: &Step) -> Result<Vec<HookRun>, Failure> {
        let session = view.session;
        let Some(event) = session.events.get(ix.at()) else { return Ok(Vec::new()) };
        let Some(set) = view.tracer.set_at(event) else { return Ok(Vec::new()) };
        let context = session.context_of(event);
        let recorded = session.text(context.cwd);
        let here = recorded.map(Path::new).filter(|cwd| cwd.is_dir());
        let instead = self.instead.as_deref().map_or_else(String::new, |folder| folder.display().to_string());
        let cwd = here.or(self.instead.as_deref());
        let note = (here.is_none() && cwd.is_some()).then(|| match recorded {
            Some(cwd) => format!("{cwd} is not here{ELSEWHERE}{instead}"),
            None => format!("the session does not tell its folder{ELSEWHERE}{instead}"),
        });
        let mut starts = Vec::new();
        let mut started: Vec<&Handler> = Vec::new();
        let mut runs = Vec::new();
        let project = project(view).or(recorded).unwrap_or(&instead);
        let groups = planned.groups.iter().filter(|group| group.matched == Some(true));
        let chosen: HashSet<&str> = groups
            .flat_map(|group| &group.handlers)
            .filter(|handler| handler.selected)
            .map(|handler| handler.id.as_str())
            .collect();
        for group in set.groups.iter().filter(|group| group.event == planned.event && !chosen.is_empty()) {
            for handler in group.handlers.iter().filter(|handler| chosen.contains(handler.id.as_str())) {
                let plugin = set.files.get(group.file).and_then(|file| plugin_folder(&file.scope, &file.path));
                let start = match (&planned.input, cwd) {
                    (None, _) => Err("the hook input is not known".to_owned()),
                    (_, None) => Err("there is no folder to run it in: --project DIR names one".to_owned()),
                    (Some(input), Some(cwd)) => (view.tracer.behaviour().start)(
                        handler,
                        &Setting {
                            event: &planned.event,
                            project,
                            plugin: plugin.as_deref(),
                            cwd,
                            session: planned.session_id.as_deref().unwrap_or_default(),
                            entrypoint: session.text(context.entrypoint),
                            env: &self.env,
                            input,
                        },
                    ),
                };
                match start {
                    Ok(start) => {
                        starts.push(start);
                        started.push(handler);
                    }
                    Err(why) => runs.push(HookRun { notes: vec![why], ..not_run(handler) }),
                }
            }
        }
        let ended =
            self.running.together(starts).map_err(|error| Failure::plain(format!("handlers can't be run: {error}")))?;
        for (at, ended) in ended {
            if let Some(handler) = started.get(at) {
                runs.push(told(handler, ended, note.as_deref()));
            }
        }
        Ok(runs)
    }
}

fn class(view: &View<'_>, event: &str) -> Option<EventClass> {
    view.tracer.dialect().event(event).map(|spec| spec.class)
}

/// Whether an event starts the count of stop blocks in a row anew.
fn resets(view: &View<'_>, event: &str) -> bool {
    match class(view, event) {
        Some(EventClass::Prompt) => true,
        Some(EventClass::BeforeTool) => view.tracer.dialect().stop.tools_reset,
        _ => false,
    }
}

/// The folder that a session began in.
fn project<'a>(view: &View<'a>) -> Option<&'a str> {
    let session = view.session;
    session.events.iter().find_map(|event| session.text(session.context_of(event).cwd))
}

/// The folder of a plugin: its hooks stand in `hooks/hooks.json` or in its manifest's folder.
fn plugin_folder(scope: &str, path: &str) -> Option<String> {
    let folder = Path::new(path).parent()?.parent()?;
    scope.starts_with("plugin").then(|| folder.to_string_lossy().into_owned())
}

fn not_run(handler: &Handler) -> HookRun {
    HookRun {
        handler: handler.id.clone(),
        kind: handler.kind.word(),
        command: handler.kind.text(),
        evidence: Evidence::Unknown,
        exit_code: None,
        signal: None,
        duration_ms: None,
        stdout: None,
        stderr: None,
        timed_out: false,
        outcome: Some(Outcome::CannotRun),
        says: None,
        notes: Vec::new(),
        lost: false,
        sources: Vec::new(),
    }
}

fn told(handler: &Handler, ended: Ended, note: Option<&str>) -> HookRun {
    let mut notes: Vec<String> = note.map(str::to_owned).into_iter().collect();
    if let Some(error) = ended.not_started {
        notes.insert(0, format!("it could not be started: {}", in_words(&error)));
        return HookRun { evidence: Evidence::Run, outcome: None, notes, ..not_run(handler) };
    }
    if ended.left_behind {
        notes.push("it left a process behind that held its output open: that was killed".to_owned());
    }
    for (stream, name) in [(&ended.stdout, "stdout"), (&ended.stderr, "stderr")] {
        if stream.dropped > 0 {
            notes.push(format!("{name}: {} more bytes were dropped", stream.dropped));
        }
    }
    let text = |stream: Stream| String::from_utf8_lossy(&stream.bytes).into_owned();
    HookRun {
        evidence: Evidence::Run,
        exit_code: ended.exit_code,
        signal: ended.signal,
        duration_ms: Some((ended.took.as_secs_f64() * 10_000.0).round() / 10.0),
        stdout: Some(text(ended.stdout)),
        stderr: Some(text(ended.stderr)),
        timed_out: ended.timed_out,
        outcome: None,
        notes,
        ..not_run(handler)
    }
}
