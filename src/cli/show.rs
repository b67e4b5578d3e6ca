//! `hookscope show`: one event in full.

use std::io::Write;

use clap::Args;
use serde::Serialize;

use super::replay::{Form, ModeWord};
use super::style::{self, Meaning};
use super::view::{View, duration};
use super::{Exit, Failure};
use crate::engine::{Inputs, StepOptions};
use crate::model::{EventIx, Evidence, GroupStep, HookRun, Origin, Stage, Step, Text, Verdict};
use crate::text;

/// Arguments of `hookscope show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// A transcript, stream, hook log or recording; `-` for stdin
    #[arg(value_name = "SESSION")]
    pub session: std::path::PathBuf,
    /// Which event, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub event: u32,
    /// Only the exact bytes that its handlers get on stdin
    #[arg(long)]
    pub stdin: bool,
    /// Matchers only, or recorded outcomes; default: recorded where the session holds outcomes
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
}

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    #[serde(flatten)]
    step: &'a Step,
}

/// Shows one event.
///
/// # Errors
/// There is no such event, nothing tells its input, or the output can't be written.
pub fn run(args: &ShowArgs, form: Form, view: &View<'_>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let ix = EventIx(args.event.saturating_sub(1));
    let options = StepOptions { inputs: Inputs::Shown, mode: None };
    let Some(step) = view.tracer.step(view.session, ix, view.lines, options) else {
        let count = view.session.events.len();
        return Err(Failure::new(
            format!("--event {}: the session has {count} events", args.event),
            "hookscope replay SESSION lists them",
        ));
    };
    if args.stdin {
        let Some(input) = &step.input else {
            return Err(Failure::new(
                format!("--event {}: nothing tells the input of this event", args.event),
                "a line that can't be read has none",
            ));
        };
        if step.origin != Origin::Recorded {
            let _ = writeln!(
                std::io::stderr(),
                "hookscope: event {}: this input is reconstructed from the session, not recorded",
                args.event
            );
        }
        serde_json::to_writer(&mut *out, input).map_err(|error| Failure::from(std::io::Error::from(error)))?;
        writeln!(out)?;
        return Ok(Exit::Done);
    }
    match form {
        Form::Json => {
            let line = Line { kind: "event", step: &step };
            super::json::line(&line, out)?;
        }
        Form::Text => page(view, &step, out)?,
    }
    Ok(Exit::Done)
}

/// Cells of a line.
const WIDE: usize = 100;

fn page(view: &View<'_>, step: &Step, out: &mut dyn Write) -> Result<(), Failure> {
    head(view, step, out)?;
    if let Some(input) = &step.input {
        section(view, "Input", out)?;
        let pretty = serde_json::to_string_pretty(input).unwrap_or_default();
        for line in pretty.lines() {
            writeln!(out, "  {}", text::cut(&view.safe(line), 4 * WIDE, view.charset))?;
        }
    }
    let matched = step.groups.iter().filter(|group| group.matched == Some(true)).count();
    section(view, &format!("Hooks: {matched} of {} matched", step.groups.len()), out)?;
    for group in &step.groups {
        one_group(view, step, group, out)?;
    }
    for run in step.runs.iter().filter(|run| run.handler.is_empty()) {
        writeln!(out, "  ? {}", view.short(run.command.as_deref().unwrap_or("a hook that no trace names"), WIDE))?;
        one_run(view, run, out)?;
    }
    decision(view, step, out)
}

fn head(view: &View<'_>, step: &Step, out: &mut dyn Write) -> Result<(), Failure> {
    let mut parts = vec![format!("Event {}", step.seq), step.event.clone()];
    parts.extend(step.subject.clone());
    parts.extend(step.sub.as_ref().map(|sub| format!("sub {sub}")));
    parts.extend(step.time.clone());
    let line = view.safe(&parts.join(view.dot())).into_owned();
    writeln!(out, "{}", view.paint.paint(Meaning::Strong, &line))?;
    let mut place = step.source.path.clone();
    if let Some(line) = step.source.line {
        place = format!("{place}:{line}");
    }
    let fired = match step.evidence {
        crate::model::Evidence::Recorded => "recorded",
        crate::model::Evidence::Assumed => "assumed to have fired",
        _ => "follows from this line",
    };
    writeln!(out, "  {} ({fired})", view.safe(&place))?;
    if step.branch.is_some() {
        let at = step.left_at.map_or_else(String::new, |at| format!(" at event {at}"));
        let words = format!("on a branch that was left{at}: the hooks ran, the conversation went back");
        writeln!(out, "  {}", view.paint.paint(Meaning::Warning, &words))?;
    }
    if let Some(note) = &step.settings_note {
        writeln!(out, "  {}", view.paint.paint(Meaning::Warning, &view.safe(note)))?;
    }
    for found in &step.diagnostics {
        writeln!(out, "  {}", view.paint.paint(Meaning::Warning, &view.safe(&found.message)))?;
    }
    Ok(())
}

fn section(view: &View<'_>, title: &str, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "\n{}", view.paint.paint(Meaning::Strong, title))?;
    Ok(())
}

fn one_group(view: &View<'_>, step: &Step, group: &GroupStep, out: &mut dyn Write) -> Result<(), Failure> {
    let (mark, meaning) = match group.matched {
        Some(true) => ("+", Meaning::Good),
        Some(false) => ("-", Meaning::Faint),
        None => ("?", Meaning::Warning),
    };
    let matcher = group.matcher.as_deref().unwrap_or("(no matcher)");
    let line = format!("{mark} {:8} {:16} {}", group.scope, matcher, group.why);
    writeln!(out, "  {}", view.paint.paint(meaning, &text::cut(&view.safe(&line), WIDE, view.charset)))?;
    writeln!(out, "    {}", view.safe(&format!("{}:{}", group.path, group.line)))?;
    if let Some(hint) = &group.hint {
        writeln!(out, "    {}", view.paint.paint(Meaning::Warning, &view.safe(hint)))?;
    }
    for handler in &group.handlers {
        let [considered, _, selected, started, answered] = &handler.stages;
        writeln!(out, "    {}", view.safe(&format!("{}  line {}  {}", handler.label, handler.line, handler.id)))?;
        // The first stage that does not hold says all that is to be said.
        let telling: Vec<(&str, &Stage)> = if considered.holds != Some(true) {
            vec![("considered", considered)]
        } else if group.matched != Some(true) {
            Vec::new()
        } else if selected.holds != Some(true) {
            vec![("selected", selected)]
        } else {
            vec![("selected", selected), ("started", started), ("answered", answered)]
        };
        let mut before = None;
        for (name, stage) in telling {
            // What is unknown for the same reason need not be said again.
            if stage.holds.is_none() && before == Some(&stage.why) {
                continue;
            }
            before = Some(&stage.why);
            let holds = match stage.holds {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            };
            let evidence = if stage.holds.is_some() { stage.evidence.word() } else { "" };
            let line = format!("      {name:10} {holds:7} {evidence:8}  {}", stage.why);
            writeln!(out, "{}", text::cut(&view.safe(&line), WIDE + 20, view.charset))?;
        }
        for run in step.runs.iter().filter(|run| run.handler == handler.id) {
            one_run(view, run, out)?;
        }
    }
    Ok(())
}

fn one_run(view: &View<'_>, run: &HookRun, out: &mut dyn Write) -> Result<(), Failure> {
    let mut parts = Vec::new();
    parts.extend(run.exit_code.map(|code| format!("exit {code}")));
    parts.extend(run.duration_ms.map(|ms| duration(ms.max(0.0) as u64)));
    if run.timed_out {
        parts.push("ran out of time".to_owned());
    }
    parts.extend(run.says.map(|says| format!("says {}", says.word())));
    if !parts.is_empty() {
        writeln!(out, "      {}", parts.join(view.dot()))?;
    }
    for (name, words) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        for line in words.as_deref().unwrap_or_default().trim_end().lines() {
            writeln!(out, "      {name}  {}", text::cut(&view.safe(line), 4 * WIDE, view.charset))?;
        }
    }
    for note in &run.notes {
        writeln!(out, "      {}", view.paint.paint(Meaning::Warning, &view.safe(note)))?;
    }
    Ok(())
}

fn decision(view: &View<'_>, step: &Step, out: &mut dyn Write) -> Result<(), Failure> {
    section(view, "Decision", out)?;
    let decision = &step.decision;
    let mut line = decision.verdict.word().to_uppercase();
    let by = decision.decided_by.as_deref().and_then(|id| {
        let handlers = step.groups.iter().flat_map(|group| group.handlers.iter().map(move |it| (group, it)));
        let (group, handler) = handlers.into_iter().find(|(_, it)| it.id == id)?;
        let sure = if decision.evidence <= Evidence::Run { " by" } else { ", probably by" };
        Some(format!("{sure} {}{}{}:{}", handler.label, view.dot(), group.path, handler.line))
    });
    line.push_str(&by.unwrap_or_default());
    let line = view.safe(&line).into_owned();
    let line = match style::of_verdict(decision.verdict) {
        Some(meaning) => view.paint.paint(meaning, &line),
        None => line,
    };
    match decision.verdict {
        Verdict::Unknown => writeln!(out, "  {line}")?,
        _ => writeln!(out, "  {line} ({})", decision.evidence.word())?,
    }
    if !decision.effect.is_empty() {
        writeln!(out, "  {}", view.safe(&decision.effect))?;
    }
    if let (Verdict::Unknown, Some(because)) = (decision.verdict, &decision.unknown_because) {
        writeln!(out, "  unknown, because {}", view.safe(because))?;
    }
    if let Some(rule) = decision.rule.and_then(|name| view.tracer.rule(name)) {
        writeln!(out, "  rule {}: {}", rule.name, rule.text)?;
        writeln!(out, "    {} ({})", rule.versions, rule.source)?;
    }
    if let Some(permission) = &decision.permission {
        let rule = permission.rule.as_deref().unwrap_or("the mode");
        writeln!(out, "  permission: {} by {}", permission.result, view.safe(rule))?;
    }
    let told_already = decision.unknown_because.as_deref();
    for told in decision.steps.iter().filter(|told| Some(told.text.as_str()) != told_already) {
        writeln!(out, "  - {}", text::cut(&view.safe(&told.text), WIDE, view.charset))?;
    }
    sees(view, "the model reads", &decision.model_sees, out)?;
    sees(view, "the user sees", &decision.user_sees, out)?;
    if let Some(input) = &decision.updated_input {
        writeln!(out, "  new input: {}", text::cut(&view.safe(&input.to_string()), 4 * WIDE, view.charset))?;
    }
    for name in &decision.assumed {
        let rule = view.tracer.rule(name).map_or(name.as_str(), |rule| rule.text);
        writeln!(out, "  assumed: {}", view.safe(rule))?;
    }
    Ok(())
}

fn sees(view: &View<'_>, who: &str, texts: &[Text], out: &mut dyn Write) -> Result<(), Failure> {
    for told in texts {
        let from =
            if told.from.is_empty() { String::new() } else { format!(" ({})", view.short(&told.from, WIDE / 2)) };
        for line in told.words.trim_end().lines() {
            writeln!(out, "  {who}{from}: {}", text::cut(&view.safe(line), 2 * WIDE, view.charset))?;
        }
    }
    Ok(())
}
