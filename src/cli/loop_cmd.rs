//! `hookscope loop`: recorded stop loops.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use super::replay::Form;
use super::style::Meaning;
use super::view::{View, duration};
use super::{Exit, Failure};
use crate::diagnose::stop_loop::{Ended, StopLoop, clean, stop_loops};
use crate::model::EventIx;

/// Arguments of `hookscope loop`.
#[derive(Debug, Clone, Args)]
pub struct LoopArgs {
    /// A transcript, stream, hook log, recording, or a folder of them; `-` for stdin
    #[arg(value_name = "SESSION", required = true)]
    pub sessions: Vec<std::path::PathBuf>,
}

/// Tells the stop loops of one session. `Exit::Found` where there is one.
///
/// # Errors
/// The output can't be written.
pub fn run(form: Form, view: &View<'_>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let asked = |ix: &EventIx| view.session.events.get(ix.at()).is_some_and(|event| view.is_asked_for(event));
    let mut loops = stop_loops(view.tracer, view.session, view.lines);
    loops.retain(|found| found.blocks.first().is_some_and(asked));
    for found in &loops {
        match form {
            Form::Json => super::json::line(&line(view, found), out)?,
            Form::Text => words(view, found, out)?,
        }
    }
    for (event, stops) in clean(view.tracer, view.session) {
        match form {
            Form::Json => super::json::line(
                &json!({
                    "verdict": "clean", "event": event, "handler": null, "rounds": stops, "blocks": 0,
                    "cap": view.tracer.stop_cap(), "respects_stop_hook_active": null, "depends_on": [],
                    "evidence": [], "help": null,
                }),
                out,
            )?,
            Form::Text => {
                let times = if stops == 1 { "once".to_owned() } else { format!("{stops} times") };
                writeln!(out, "{event} came {times} and was never sent back")?;
            }
        }
    }
    if form == Form::Text && loops.is_empty() && clean(view.tracer, view.session).is_empty() {
        writeln!(out, "no stops in this session")?;
    }
    Ok(if loops.iter().any(StopLoop::is_loop) { Exit::Found } else { Exit::Done })
}

/// Rounds: the blocks, and the stop that was let go.
fn rounds(found: &StopLoop) -> usize {
    found.blocks.len() + usize::from(matches!(found.ended, Ended::LetGo | Ended::Halted))
}

fn handler(found: &StopLoop) -> Option<&str> {
    found.handlers.first().or(found.labels.first()).map(String::as_str)
}

fn line(view: &View<'_>, found: &StopLoop) -> Value {
    let seqs: Vec<u32> = found.blocks.iter().map(|ix| ix.0.saturating_add(1)).collect();
    let agent = view.session.agents.get(found.agent.at()).filter(|_| found.agent.0 != 0);
    let sub = agent.and_then(|agent| view.session.text(agent.id).or_else(|| view.session.text(agent.kind)));
    let reasons: Vec<Value> =
        found.reasons.iter().map(|(reason, times)| json!({ "reason": reason, "times": times })).collect();
    json!({
        "verdict": found.verdict(), "event": found.event, "handler": handler(found), "rounds": rounds(found),
        "blocks": found.blocks.len(), "cap": found.cap, "respects_stop_hook_active": found.respects_flag(),
        "depends_on": [], "evidence": seqs, "help": found.help(),
        "sub": sub, "ended_by": found.ended.word(), "reasons": reasons, "tools_between": found.tools_between,
        "counter": found.counter, "flag_true": found.flag_true, "span_ms": found.span_ms, "tokens": found.tokens,
    })
}

fn words(view: &View<'_>, found: &StopLoop, out: &mut dyn Write) -> Result<(), Failure> {
    let (first, last) = (found.blocks.first(), found.blocks.last());
    let seq = |ix: Option<&EventIx>| ix.map_or(0, |ix| ix.0.saturating_add(1));
    let agent = view.session.agents.get(found.agent.at()).filter(|_| found.agent.0 != 0);
    let sub = agent.and_then(|agent| view.session.text(agent.kind).or_else(|| view.session.text(agent.id)));
    let who = sub.map_or_else(|| "main agent".to_owned(), |sub| format!("sub {sub}"));
    let blocks = if found.blocks.len() == 1 { "1 block".to_owned() } else { format!("{} blocks", found.blocks.len()) };
    let span = found.span_ms.and_then(|span| u64::try_from(span).ok()).filter(|span| *span > 0);
    let span = span.map(|span| format!(" in {}", duration(span))).unwrap_or_default();
    let title = if found.is_loop() { "Stop loop" } else { "Sent back once" };
    let parts = [
        title.to_owned(),
        who,
        format!("events {}-{}", seq(first), seq(last)),
        format!("{blocks}{span}"),
        found.ended.sentence().to_owned(),
    ];
    let meaning = if found.is_loop() { Meaning::Refused } else { Meaning::Strong };
    writeln!(out, "{}", view.paint.paint(meaning, &view.safe(&parts.join(view.dot()))))?;
    let name = found.labels.first().map_or("a hook that no trace names", String::as_str);
    let place = found.place.as_ref().map(|(path, line)| format!("{}{path}:{line}", view.dot())).unwrap_or_default();
    writeln!(out, "  hook     {}", view.safe(&format!("{name}{place}")))?;
    for (reason, times) in found.reasons.iter().take(4) {
        let often = match times {
            1 => String::new(),
            times => format!(", the same {times} times"),
        };
        let reason =
            if reason.is_empty() { "(no words)".to_owned() } else { format!("\"{}\"", view.short(reason, 70)) };
        writeln!(out, "  reason   {reason}{often}")?;
    }
    if found.reasons.len() > 4 {
        writeln!(out, "           and {} more", found.reasons.len() - 4)?;
    }
    let flag = match found.respects_flag() {
        Some(false) => format!("stop_hook_active was true {} times, and it blocked all the same", found.flag_true),
        Some(true) => "stop_hook_active was false".to_owned(),
        None => "nothing tells what stop_hook_active was".to_owned(),
    };
    writeln!(out, "  flag     {flag}")?;
    let tools = match found.tools_between {
        0 => "no tool ran".to_owned(),
        1 => "1 tool call".to_owned(),
        tools => format!("{tools} tool calls"),
    };
    let cap = found.cap.map_or_else(|| "no cap".to_owned(), |cap| format!("cap {cap}"));
    writeln!(out, "  between  {tools}; the client counted up to {} ({cap})", found.counter)?;
    if let Some(tokens) = found.tokens {
        writeln!(out, "  cost     {tokens} output tokens")?;
    }
    writeln!(out, "  {}", view.safe(&found.help()))?;
    Ok(())
}
