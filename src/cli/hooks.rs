//! `hookscope hooks`: every hook, and what it did over the session.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::replay::{Form, ModeWord, filter};
use super::style::Meaning;
use super::view::{View, duration};
use super::{Exit, Failure};
use crate::engine::{HookTally, tally_where};
use crate::text;

/// Arguments of `hookscope hooks`.
#[derive(Debug, Clone, Args)]
pub struct HooksArgs {
    /// A transcript, stream, hook log, recording, or a folder of them; `-` for stdin
    #[arg(value_name = "SESSION")]
    pub sessions: Vec<std::path::PathBuf>,
    /// Matchers only, or recorded outcomes; default: recorded where the session holds outcomes
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
    /// Only over events for which this holds
    #[arg(long = "where", value_name = "FILTER")]
    pub filter: Option<String>,
}

/// Lists the hooks of one session.
///
/// # Errors
/// The filter can't be read, or the output can't be written.
pub fn run(args: &HooksArgs, form: Form, view: &View<'_>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let filter = filter(args.filter.as_deref())?;
    let hooks = tally_where(view.tracer, view.session, view.lines, &|ix| {
        let asked = view.session.events.get(ix.at()).is_some_and(|event| view.is_asked_for(event));
        asked && filter.as_ref().is_none_or(|filter| filter.matches(view.tracer, view.session, ix, view.lines))
    });
    match form {
        Form::Json => {
            for hook in &hooks {
                super::json::line(&json_line(hook), out)?;
            }
        }
        Form::Text if hooks.is_empty() => {
            writeln!(out, "no hooks")?;
            for place in &view.tracer.plan().looked_at {
                let found = if place.found { "found, without hooks" } else { "not there" };
                writeln!(out, "  {}", view.safe(&format!("{:10} {} ({found})", place.scope, place.path)))?;
            }
        }
        Form::Text => table(view, &hooks, out)?,
    }
    Ok(Exit::Done)
}

fn json_line(hook: &HookTally) -> serde_json::Value {
    json!({
        "kind": "hook", "id": hook.id, "event": hook.event, "scope": hook.scope, "path": hook.path, "line": hook.line,
        "matcher": hook.matcher, "type": hook.kind, "label": hook.label, "command": hook.command,
        "considered": hook.considered, "matched": hook.matched, "selected": hook.selected,
        "started": hook.started, "started_unknown": hook.started_unknown, "said": hook.said, "failed": hook.failed,
        "time_ms": hook.percentile(50).map(|p50| {
            json!({ "p50": p50, "p95": hook.percentile(95), "max": hook.percentile(100) })
        }),
        "last": hook.last.and_then(crate::model::Time::rfc3339),
        "why_never": hook.why_never,
    })
}

fn table(view: &View<'_>, hooks: &[HookTally], out: &mut dyn Write) -> Result<(), Failure> {
    let widest = |texts: &mut dyn Iterator<Item = String>, least: usize, most: usize| {
        texts.map(|words| text::width(&view.safe(&words))).max().unwrap_or(0).clamp(least, most)
    };
    let name = widest(&mut hooks.iter().map(|hook| hook.label.clone()), 4, 28);
    let event = widest(&mut hooks.iter().map(|hook| hook.event.clone()), 5, 20);
    let matcher = widest(&mut hooks.iter().map(matcher_of), 7, 20);
    let head = format!(
        "{:name$}  {:event$}  {:matcher$}  {:>10}  {:>7}  {:>7}  {:>6}  {:>8}  {:>8}  said",
        "hook", "event", "matcher", "considered", "matched", "started", "failed", "p50", "max"
    );
    writeln!(out, "{}", view.paint.paint(Meaning::Faint, &head))?;
    for hook in hooks {
        let started = match (hook.started, hook.started_unknown) {
            (0, unknown) if unknown > 0 => "?".to_owned(),
            (started, unknown) if unknown > 0 => format!("{started}+?"),
            (started, _) => started.to_string(),
        };
        let time = |percent| hook.percentile(percent).map(|ms| duration(u64::from(ms))).unwrap_or_default();
        let said: Vec<String> = hook.said.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let line = format!(
            "{}  {}  {}  {:>10}  {:>7}  {started:>7}  {:>6}  {:>8}  {:>8}  {}",
            text::pad(&view.safe(&hook.label), name, view.charset),
            text::pad(&view.safe(&hook.event), event, view.charset),
            text::pad(&view.safe(&matcher_of(hook)), matcher, view.charset),
            hook.considered,
            hook.matched,
            hook.failed,
            time(50),
            time(100),
            said.join(", "),
        );
        writeln!(out, "{}", line.trim_end())?;
        let place = view.safe(&format!("  {}{}{}:{}", hook.scope, view.dot(), hook.path, hook.line)).into_owned();
        writeln!(out, "{}", view.paint.paint(Meaning::Faint, &place))?;
        if let Some(why) = hook.remark() {
            writeln!(out, "{}", view.paint.paint(Meaning::Warning, &format!("  {}", view.safe(why))))?;
        }
    }
    Ok(())
}

fn matcher_of(hook: &HookTally) -> String {
    hook.matcher.clone().unwrap_or_else(|| "-".to_owned())
}
