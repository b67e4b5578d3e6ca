//! `hookscope hooks`: every hook, and what it did over the session.

use std::collections::HashMap;
use std::io::Write;

use clap::Args;
use serde_json::json;

use super::replay::{Form, ModeWord, filter};
use super::style::Meaning;
use super::view::{Fit, View, duration};
use super::{Exit, Failure};
use crate::engine::{HookTally, held_back, tally_where};
use crate::model::FileStatus;
use crate::model::MarkKind;
use crate::text;

/// Arguments of `hookscope hooks`.
#[derive(Debug, Clone, Args)]
pub struct HooksArgs {
    /// A transcript, stream, hook log, recording, or a folder of them; `-` for stdin; none: the current folder's hooks
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
            nowhere(view, out)?;
        }
        Form::Text => table(view, &hooks, out)?,
    }
    Ok(Exit::Done)
}

/// Lists the hooks of a folder: no session tells what became of them.
///
/// # Errors
/// The output can't be written.
pub fn of_folder(form: Form, view: &View<'_>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut hooks = tally_where(view.tracer, view.session, view.lines, &|_| true);
    let eras = &view.tracer.plan().eras;
    let idle: HashMap<&str, String> = eras
        .iter()
        .flat_map(|era| era.set.groups.iter().map(move |group| (held_back(&era.set, group), group)))
        .flat_map(|(why, group)| {
            group.handlers.iter().map(move |it| (it.id.as_str(), why.clone().or_else(|| it.held_back.clone())))
        })
        .filter_map(|(id, why)| Some((id, why?)))
        .collect();
    for hook in &mut hooks {
        hook.why_never = idle.get(hook.id.as_str()).cloned();
    }
    match form {
        Form::Json => {
            for hook in &hooks {
                super::json::line(&json_line(hook), out)?;
            }
        }
        Form::Text if hooks.is_empty() => nowhere(view, out)?,
        Form::Text => {
            let [name, event, matcher] = widths(view, &hooks);
            let head = format!("{:name$}  {:event$}  {:matcher$}  where", "hook", "event", "matcher");
            writeln!(out, "{}", view.paint.paint(Meaning::Faint, &head))?;
            for hook in &hooks {
                let place = format!("{}{}{}:{}", hook.scope, view.dot(), hook.path, hook.line);
                let place = view.safe(&place);
                writeln!(out, "{}  {place}", words(view, hook, [name, event, matcher]))?;
                if let Some(why) = &hook.why_never {
                    writeln!(out, "{}", view.paint.paint(Meaning::Warning, &format!("  {}", view.safe(why))))?;
                }
            }
        }
    }
    Ok(Exit::Done)
}

/// Whether the session itself tells of handlers that ran.
fn ran(view: &View<'_>) -> bool {
    view.session.marks.iter().any(|mark| mark.kind != MarkKind::InputLogged)
}

/// Where hooks were looked for, and why each place has none.
fn nowhere(view: &View<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(
        out,
        "no hooks in any settings{}",
        if ran(view) { "; some ran all the same: hookscope replay names them" } else { "" }
    )?;
    let plan = view.tracer.plan();
    for place in &plan.looked_at {
        let files = plan.eras.iter().rev().flat_map(|era| &era.set.files);
        let refused = files.filter(|file| file.path == place.path).find_map(|file| match &file.status {
            FileStatus::Loaded => None,
            FileStatus::Rejected { why, .. } => Some(format!("the agent refuses the file: {why}")),
            FileStatus::NotLoadable { why } => Some(format!("not loaded by this session: {why}")),
        });
        let found = match (place.found, &refused) {
            (false, _) => "not there",
            (true, Some(why)) => why,
            (true, None) => "found, without hooks",
        };
        writeln!(out, "  {}", view.safe(&format!("{:10} {} ({found})", place.scope, place.path)))?;
    }
    Ok(())
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

/// A column that is not cut is no wider than this: one endless matcher would fill every other row with blanks.
const WIDEST: usize = 60;

/// Columns of name, event and matcher. Only on a screen is there a reason to cut them.
fn widths(view: &View<'_>, hooks: &[HookTally]) -> [usize; 3] {
    let widest = |texts: &mut dyn Iterator<Item = String>, least: usize, most: usize| {
        let most = if view.fit == Fit::Terminal { most } else { WIDEST };
        texts.map(|words| text::width(&view.safe(&words))).max().unwrap_or(0).clamp(least, most)
    };
    [
        widest(&mut hooks.iter().map(|hook| name_of(view, hook)), 4, 28),
        widest(&mut hooks.iter().map(|hook| hook.event.clone()), 5, 20),
        widest(&mut hooks.iter().map(matcher_of), 7, 20),
    ]
}

/// A text in its column: cut on a screen, else whole, however long.
fn column(view: &View<'_>, words: &str, cells: usize) -> String {
    let words = view.safe(words);
    let whole = text::width(&words);
    if view.fit == Fit::Whole && whole > cells {
        return words.into_owned();
    }
    text::pad(&words, cells, view.charset)
}

fn words(view: &View<'_>, hook: &HookTally, [name, event, matcher]: [usize; 3]) -> String {
    format!(
        "{}  {}  {}",
        column(view, &name_of(view, hook), name),
        column(view, &hook.event, event),
        column(view, &matcher_of(hook), matcher),
    )
}

fn table(view: &View<'_>, hooks: &[HookTally], out: &mut dyn Write) -> Result<(), Failure> {
    let [name, event, matcher] = widths(view, hooks);
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
            "{}  {:>10}  {:>7}  {started:>7}  {:>6}  {:>8}  {:>8}  {}",
            words(view, hook, [name, event, matcher]),
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

/// The short name; where nothing is to be cut and that is a part only, all of what it stands for.
fn name_of(view: &View<'_>, hook: &HookTally) -> String {
    match &hook.command {
        Some(command) if view.fit == Fit::Whole && hook.label.ends_with('\u{2026}') => command.clone(),
        _ => hook.label.clone(),
    }
}

fn matcher_of(hook: &HookTally) -> String {
    hook.matcher.clone().unwrap_or_else(|| "-".to_owned())
}
