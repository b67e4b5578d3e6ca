//! The hooks pane as lines: every group of the event, matched or not, with the reason; each handler with what it did.

use std::collections::HashSet;

use super::decision::lost_note;
use super::doc::text_lines;
use super::{Doc, Line, Target, Tone};
use crate::model::{GroupStep, HandlerStep, HookRun, Outcome, Says, Step};
use crate::text::{self, Charset};

/// Narrower than this, scope and time give way to what was said.
const NARROW: usize = 56;

/// At most about this many lines of what a handler said stand beside it.
const WORDS_SHOWN: usize = 6;
/// With less room than this beside what a handler did, its words go beneath.
const ROOM_BESIDE: usize = 16;

/// Widths of the columns.
struct Columns {
    scope: usize,
    matcher: usize,
    label: usize,
    /// Between columns.
    gap: &'static str,
    cells: usize,
    charset: Charset,
}

/// The hooks of an event, in lines of at most `cells`. `open` names the handlers whose stages are shown.
pub fn hooks_doc(step: &Step, open: &HashSet<String>, cells: usize, charset: Charset) -> Doc {
    let mut doc = Doc::default();
    if let Some(note) = &step.settings_note {
        doc.hang(Line::new().and("! ", Tone::Warn), note, Tone::Warn, cells, charset);
    }
    if step.groups.is_empty() && step.runs.is_empty() {
        doc.hang(Line::new(), &format!("No hook is set up for {}.", step.event), Tone::Dim, cells, charset);
        return doc;
    }
    let longest = |texts: &mut dyn Iterator<Item = usize>, most: usize| texts.max().unwrap_or(0).min(most);
    let measure = |text: &str| text::width(&text::safe_as(text, charset));
    let columns = Columns {
        scope: if cells < NARROW {
            0
        } else {
            longest(&mut step.groups.iter().map(|group| measure(&group.scope)), (cells / 6).clamp(4, 16))
        },
        matcher: longest(&mut step.groups.iter().map(|group| measure(matcher_of(group))), (cells / 5).clamp(6, 24)),
        label: longest(
            &mut step.groups.iter().flat_map(|group| &group.handlers).map(|handler| measure(&handler.label)),
            (cells / 5).clamp(8, 24),
        ),
        gap: if cells < 64 { " " } else { "  " },
        cells,
        charset,
    };
    let mut groups: Vec<&GroupStep> = step.groups.iter().collect();
    groups.sort_by_key(|group| match group.matched {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    });
    for group in groups {
        match group.matched {
            Some(true) => matched_group(&mut doc, step, group, open, &columns),
            _ => other_group(&mut doc, group, open, &columns),
        }
    }
    for (position, run) in step.runs.iter().enumerate().filter(|(_, run)| run.handler.is_empty()) {
        let what = run.command.as_deref().unwrap_or("a handler");
        let id = unexplained_id(position);
        let is_open = open.contains(&id);
        let target = Some(Target::Handler(id));
        let lead = Line::new().and("? ", Tone::Warn).and(format!("{what}  "), Tone::Plain).to(target.clone());
        let lead = ran(run, cells).into_iter().fold(lead, |line, (text, tone)| line.and(format!("{text}  "), tone));
        let why = if step.groups.is_empty() {
            "no settings at hand explain this run"
        } else {
            "which of the handlers this was, nothing tells"
        };
        doc.hang(lead, why, Tone::Dim, cells, charset);
        if is_open {
            run_lines(&mut doc, run, &target, &columns);
        }
    }
    waterfall(&mut doc, step, &columns);
    doc
}

/// What stands for a run that no settings explain, where handlers stand by their ids: no id has a space.
fn unexplained_id(position: usize) -> String {
    format!("run {position}")
}

fn matcher_of(group: &GroupStep) -> &str {
    match group.matcher.as_deref() {
        None => "(any)",
        Some("") => "\"\"",
        Some(matcher) => matcher,
    }
}

fn mark(group: &GroupStep) -> (&'static str, Tone) {
    match group.matched {
        Some(true) => ("+ ", Tone::Good),
        Some(false) => ("- ", Tone::Dim),
        None => ("? ", Tone::Warn),
    }
}

fn head(group: &GroupStep, columns: &Columns, label: &str, tone: Tone) -> Line {
    let (sign, sign_tone) = mark(group);
    let gap = columns.gap;
    let cell = |text: &str, cells| text::pad(&text::safe_as(text, columns.charset), cells, columns.charset);
    let line = Line::new().and(sign, sign_tone);
    let line = match columns.scope {
        0 => line,
        scope => line.and(format!("{}{gap}", cell(&group.scope, scope)), Tone::Dim),
    };
    line.and(format!("{}{gap}", cell(matcher_of(group), columns.matcher)), tone)
        .and(format!("{}{gap}", cell(label, columns.label)), tone)
}

fn matched_group(doc: &mut Doc, step: &Step, group: &GroupStep, open: &HashSet<String>, columns: &Columns) {
    for (position, handler) in group.handlers.iter().enumerate() {
        let mut line = if position == 0 {
            head(group, columns, &handler.label, Tone::Plain)
        } else {
            let scope = if columns.scope > 0 { columns.scope + columns.gap.len() } else { 0 };
            let blank = " ".repeat(2 + scope + columns.matcher + columns.gap.len());
            let label = text::pad(&text::safe_as(&handler.label, columns.charset), columns.label, columns.charset);
            Line::new().and(blank, Tone::Plain).and(format!("{label}{}", columns.gap), Tone::Plain)
        };
        line.target = Some(Target::Handler(handler.id.clone()));
        let (parts, words) = answer(step, handler, columns.cells);
        for (at, (text, tone)) in parts.into_iter().enumerate() {
            line = line.and(if at == 0 { text } else { format!("  {text}") }, tone);
        }
        said(doc, line, words.as_deref().unwrap_or_default(), columns);
        if open.contains(&handler.id) {
            stages(doc, step, group, handler, columns);
        }
    }
    if group.handlers.is_empty() {
        let lead = head(group, columns, "", Tone::Plain);
        doc.hang(lead, "matched, but none of its handlers is usable", Tone::Warn, columns.cells, columns.charset);
    }
}

/// Adds what a handler said after `lead`; beneath it, where there is too little room beside it. A few lines of it: all
/// of it is one key away.
fn said(doc: &mut Doc, lead: Line, words: &str, columns: &Columns) {
    let words = text::safe_as(words, columns.charset);
    let words = text::cut(&words, WORDS_SHOWN * columns.cells, columns.charset);
    if words.is_empty() {
        return doc.push(lead);
    }
    let used = lead.spans.iter().map(|span| text::width(&text::safe_as(&span.text, columns.charset))).sum::<usize>();
    if used + 2 + ROOM_BESIDE <= columns.cells {
        return doc.hang(lead.and("  ", Tone::Plain), &words, Tone::Plain, columns.cells, columns.charset);
    }
    let beneath = Line::new().and("    ", Tone::Plain).to(lead.target.clone());
    doc.push(lead);
    doc.hang(beneath, &words, Tone::Plain, columns.cells, columns.charset);
}

fn other_group(doc: &mut Doc, group: &GroupStep, open: &HashSet<String>, columns: &Columns) {
    let labels: Vec<&str> = group.handlers.iter().map(|handler| handler.label.as_str()).collect();
    let target = group.handlers.first().map(|handler| Target::Handler(handler.id.clone()));
    let mut lead = head(group, columns, &labels.join(", "), Tone::Dim);
    lead.target = target;
    let why = if group.matched.is_none() { format!("undecided: {}", group.why) } else { group.why.clone() };
    let why = match &group.hint {
        Some(hint) if !why.contains(hint.as_str()) => format!("{why}; {hint}"),
        _ => why,
    };
    doc.hang(lead, &why, Tone::Plain, columns.cells, columns.charset);
    for handler in group.handlers.iter().filter(|handler| open.contains(&handler.id)) {
        stages_of(doc, group, handler, columns);
    }
}

fn run_of<'a>(step: &'a Step, handler: &HandlerStep) -> Option<&'a HookRun> {
    step.runs.iter().find(|run| run.handler == handler.id)
}

/// What a handler did: short parts for the line, and its words.
fn answer(step: &Step, handler: &HandlerStep, cells: usize) -> (Vec<(String, Tone)>, Option<String>) {
    if let Some(run) = run_of(step, handler) {
        return (ran(run, cells), words_of(run));
    }
    if !handler.selected {
        return (vec![("not selected".into(), Tone::Dim)], Some(handler.why.clone()));
    }
    match handler.started {
        None => (vec![("unknown".into(), Tone::Warn)], Some(handler.stages[3].why.clone())),
        Some(false) => (vec![("not started".into(), Tone::Dim)], Some(handler.stages[3].why.clone())),
        Some(true) => (vec![("started".into(), Tone::Plain)], Some(handler.stages[4].why.clone())),
    }
}

fn ran(run: &HookRun, cells: usize) -> Vec<(String, Tone)> {
    let failed = matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun));
    let (says, tone) = match (run.says, run.outcome) {
        (None | Some(Says::Context), _) if run.lost => ("LOST", Tone::Warn),
        (Some(says), _) => (says_word(says), says_tone(says)),
        (None, Some(Outcome::Success)) => ("quiet", Tone::Plain),
        (None, Some(Outcome::Blocking)) => ("block", Tone::Stop),
        (None, Some(Outcome::NonBlockingError)) => ("FAILED", Tone::Warn),
        (None, Some(Outcome::Timeout)) => ("no say", Tone::Warn),
        (None, Some(Outcome::Async)) => ("in the background", Tone::Dim),
        (None, Some(Outcome::Skipped)) => ("skipped", Tone::Dim),
        (None, Some(Outcome::CannotRun)) => ("cannot run", Tone::Warn),
        (None, None) => ("started", Tone::Plain),
    };
    // What it said comes first: it is what must never be cut away.
    let mut parts = vec![(format!("{says:<6}"), tone)];
    let ended = match (run.exit_code, run.signal) {
        _ if run.timed_out => Some("timed out".to_owned()),
        (Some(code), _) => Some(format!("exit {code}")),
        (None, Some(signal)) => Some(format!("signal {signal}")),
        (None, None) => None,
    };
    if let Some(ended) = ended {
        parts.push((ended, if failed { Tone::Warn } else { Tone::Plain }));
    }
    if let Some(ms) = run.duration_ms.filter(|_| cells >= NARROW) {
        parts.push((format!("{:>6}", duration(ms)), Tone::Dim));
    }
    parts
}

fn words_of(run: &HookRun) -> Option<String> {
    let first = |text: &Option<String>| {
        let text = text.as_deref()?.trim();
        let line = text.lines().next()?.to_owned();
        (!line.is_empty()).then_some(line)
    };
    let note = if run.lost { lost_note(run) } else { run.notes.first() }.cloned();
    if run.lost {
        return note;
    }
    let said = || first(&run.stderr).or_else(|| first(&run.stdout)).map(|words| format!("\"{words}\""));
    match run.outcome {
        Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun | Outcome::Skipped) => {
            note.or_else(said)
        }
        _ => said().or(note),
    }
}

/// The word for what a handler says.
pub fn says_word(says: Says) -> &'static str {
    match says {
        Says::Allow => "allow",
        Says::Ask => "ask",
        Says::Defer => "defer",
        Says::Deny => "deny",
        Says::Block => "block",
        Says::Halt => "halt",
        Says::Context => "context",
    }
}

fn says_tone(says: Says) -> Tone {
    match says {
        Says::Deny | Says::Block | Says::Halt => Tone::Stop,
        Says::Allow => Tone::Good,
        Says::Ask | Says::Defer | Says::Context => Tone::Strong,
    }
}

/// A duration for people.
pub fn duration(ms: f64) -> String {
    if ms < 10_000.0 {
        format!("{ms:.0} ms")
    } else if ms < 120_000.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        format!("{:.0} min", ms / 60_000.0)
    }
}

const STAGES: [&str; 5] = ["considered", "matched", "selected", "started", "answered"];

fn stages_of(doc: &mut Doc, group: &GroupStep, handler: &HandlerStep, columns: &Columns) {
    let target = Some(Target::Handler(handler.id.clone()));
    let row = |name: &str| {
        Line::new().and(format!("    {}", text::pad(name, 11, columns.charset)), Tone::Dim).to(target.clone())
    };
    for (name, stage) in STAGES.iter().zip(&handler.stages) {
        let (word, tone) = match stage.holds {
            Some(true) => ("yes      ", Tone::Good),
            Some(false) => ("no       ", Tone::Plain),
            None => ("unknown  ", Tone::Warn),
        };
        // "unknown" is its own evidence.
        let evidence = if stage.holds.is_none() { String::new() } else { format!("{:<9}", stage.evidence.word()) };
        let lead = row(name).and(word, tone).and(evidence, Tone::Dim);
        doc.hang(lead, &stage.why, Tone::Plain, columns.cells, columns.charset);
    }
    let place = format!("{}:{}", group.path, handler.line);
    doc.hang(row("where"), &place, Tone::Plain, columns.cells, columns.charset);
    doc.hang(row("id"), &handler.id, Tone::Dim, columns.cells, columns.charset);
}

fn stages(doc: &mut Doc, step: &Step, group: &GroupStep, handler: &HandlerStep, columns: &Columns) {
    stages_of(doc, group, handler, columns);
    let target = Some(Target::Handler(handler.id.clone()));
    if let Some(run) = run_of(step, handler) {
        run_lines(doc, run, &target, columns);
    }
}

/// What a run left: how it ended, what it wrote, what the agent makes of it.
fn run_lines(doc: &mut Doc, run: &HookRun, target: &Option<Target>, columns: &Columns) {
    let row = |name: &str| {
        Line::new().and(format!("    {}", text::pad(name, 11, columns.charset)), Tone::Dim).to(target.clone())
    };
    if let Some(command) = &run.command {
        doc.hang(row(run.kind), command, Tone::Plain, columns.cells, columns.charset);
    }
    let ended = match (run.exit_code, run.signal) {
        (Some(code), _) => Some(format!("exit {code}")),
        (None, Some(signal)) => Some(format!("signal {signal}")),
        (None, None) => None,
    };
    if let Some(ended) = ended {
        doc.push(row("ended").and(ended, Tone::Plain));
    }
    for (name, stream) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        match stream.as_deref() {
            None => doc.push(row(name).and("not recorded", Tone::Dim)),
            Some("") => doc.push(row(name).and("empty", Tone::Dim)),
            Some(text) => {
                let mut lead = Some(row(name));
                for words in text_lines(text) {
                    doc.hang(
                        lead.take().unwrap_or_else(|| row("")),
                        &words,
                        Tone::Plain,
                        columns.cells,
                        columns.charset,
                    );
                }
            }
        }
    }
    for note in &run.notes {
        doc.hang(row("note"), note, Tone::Strong, columns.cells, columns.charset);
    }
    for source in &run.sources {
        let place = match source.line {
            Some(line) => format!("{}:{line}", source.path),
            None => source.path.clone(),
        };
        doc.hang(row("read from"), &place, Tone::Dim, columns.cells, columns.charset);
    }
}

/// Where several ran side by side: how long each took.
fn waterfall(doc: &mut Doc, step: &Step, columns: &Columns) {
    let timed: Vec<(&HookRun, f64)> = step.runs.iter().filter_map(|run| run.duration_ms.map(|ms| (run, ms))).collect();
    let most = timed.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    if timed.len() < 2 || most <= 0.0 {
        return;
    }
    doc.push(Line::new());
    doc.push(Line::new().and("side by side", Tone::Dim));
    let room = columns.cells.saturating_sub(columns.label + 14).clamp(4, 60);
    let bar = match columns.charset {
        Charset::Unicode => "━",
        Charset::Ascii => "=",
    };
    for (run, ms) in timed {
        let label = step
            .groups
            .iter()
            .flat_map(|group| &group.handlers)
            .find(|handler| handler.id == run.handler)
            .map_or_else(|| run.command.as_deref().unwrap_or("a handler"), |handler| handler.label.as_str());
        let label = text::pad(&text::safe_as(label, columns.charset), columns.label, columns.charset);
        let share = (ms / most * room as f64).round().clamp(1.0, room as f64) as usize;
        doc.push(
            Line::new()
                .and(format!("  {label} "), Tone::Plain)
                .and(bar.repeat(share), Tone::Good)
                .and(format!(" {}", duration(ms)), Tone::Dim),
        );
    }
}
