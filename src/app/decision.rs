//! The decision pane as lines: the verdict as a sentence, who decided, who was overruled, what model and user see.

use serde_json::Value;

use super::hooks::says_word;
use super::{Doc, Line, Rule, Target, Tone};
use crate::model::{Decision, EventIx, HandlerStep, HookRun, Outcome, Step, Text, Verdict};
use crate::text::Charset;

/// How much room there is for a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// A line of its own, or several.
    Ample,
    /// Part of a line: paths by their last part.
    Scarce,
}

/// The verdict in one line: `DENY by guard.sh · project · .claude/settings.json:14`.
pub fn verdict_sentence(step: &Step, room: Room, charset: Charset) -> (String, Tone) {
    let decision = &step.decision;
    let tone = match decision.verdict {
        Verdict::Deny | Verdict::Block | Verdict::Halt => Tone::Stop,
        Verdict::Allow => Tone::Good,
        Verdict::Ask | Verdict::Defer => Tone::Strong,
        Verdict::Unknown => Tone::Warn,
        Verdict::None | Verdict::Quiet => Tone::Plain,
    };
    let word = match decision.verdict {
        Verdict::Deny | Verdict::Block | Verdict::Halt => decision.verdict.word().to_uppercase(),
        _ => decision.verdict.word().to_owned(),
    };
    let meaning = match decision.verdict {
        Verdict::None => "no hook ran",
        Verdict::Quiet => "hooks ran, none decided",
        Verdict::Unknown => decision.unknown_because.as_deref().unwrap_or("nothing tells what the hooks said"),
        _ => "",
    };
    if matches!(decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown)
        && let Some(run) = lost_or_failed(step)
    {
        return (failure(step, run), Tone::Warn);
    }
    let dot = charset.dot();
    let by = decision.decided_by.as_deref().map(|id| match handler(step, id) {
        Some((_, path, handler)) if room == Room::Scarce => {
            let name = path.rsplit('/').next().unwrap_or(path);
            format!(" by {}, {name}:{}", handler.label, handler.line)
        }
        Some((scope, path, handler)) => format!(" by {}{dot}{scope}{dot}{path}:{}", handler.label, handler.line),
        None => format!(" by {id}"),
    });
    let by = by.or_else(|| unexplained(step));
    match by {
        Some(by) => (format!("{word}{by}"), tone),
        None if meaning.is_empty() => (word, tone),
        None => (format!("{word}: {meaning}"), tone),
    }
}

/// The run whose refusal was lost, else one that failed without effect: what a row marks as LOST or FAILED.
pub(super) fn lost_or_failed(step: &Step) -> Option<&HookRun> {
    let failed =
        |run: &&HookRun| matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun));
    step.runs.iter().find(|run| run.lost).or_else(|| step.runs.iter().find(failed))
}

/// A run's handler in short; its command where no settings explain it.
pub(super) fn run_label<'a>(step: &'a Step, run: &'a HookRun) -> &'a str {
    handler(step, &run.handler)
        .map(|(_, _, handler)| handler.label.as_str())
        .or(run.command.as_deref())
        .unwrap_or("a handler")
}

/// Why a refusal was lost: the note on it is the last one.
pub(super) fn lost_note(run: &HookRun) -> Option<&String> {
    run.notes.iter().rfind(|note| note.contains("lost") || note.contains("JSON")).or(run.notes.last())
}

/// `FAILED: guard.sh exited 1, which blocks nothing`, `LOST: the refusal of guard.sh; text before the JSON …`.
fn failure(step: &Step, run: &HookRun) -> String {
    let label = run_label(step, run);
    if run.lost {
        let why = lost_note(run).map_or("the agent does not read it", String::as_str);
        return format!("LOST: the refusal of {label}; {why}");
    }
    let how = match (run.outcome, run.exit_code, run.signal) {
        (Some(Outcome::Timeout), ..) => "ran out of time".to_owned(),
        (Some(Outcome::CannotRun), ..) => "could not be run".to_owned(),
        (_, Some(0), _) => "gave an answer of no use".to_owned(),
        (_, Some(code), _) => format!("exited {code}"),
        (_, None, Some(signal)) => format!("was ended by signal {signal}"),
        (_, None, None) => "failed".to_owned(),
    };
    let then = match step.decision.effect.trim_end_matches('.') {
        "" => String::new(),
        effect => format!("; {effect}"),
    };
    format!("FAILED: {label} {how}, which blocks nothing{then}")
}

/// `FAILED: guard.sh`, `LOST: guard.sh`, where nothing was decided: what is said of a step beside something longer.
pub fn failure_in_short(step: &Step) -> Option<String> {
    if !matches!(step.decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown) {
        return None;
    }
    let run = lost_or_failed(step)?;
    Some(format!("{}: {}", if run.lost { "LOST" } else { "FAILED" }, run_label(step, run)))
}

/// Who refused, where no settings explain the run: its command, and what it said.
fn unexplained(step: &Step) -> Option<String> {
    let decision = &step.decision;
    if !matches!(decision.verdict, Verdict::Deny | Verdict::Block | Verdict::Halt) {
        return None;
    }
    let run = step.runs.iter().find(|run| run.handler.is_empty() && run.says.is_some())?;
    let command = run.command.as_deref().map_or("a hook", str::trim);
    let reason = decision.reason.as_deref().and_then(|reason| reason.trim().lines().next());
    let reason = reason.map(|reason| format!(": \"{reason}\"")).unwrap_or_default();
    Some(format!(" by {command} (not in these settings){reason}"))
}

fn handler<'a>(step: &'a Step, id: &str) -> Option<(&'a str, &'a str, &'a HandlerStep)> {
    step.groups.iter().find_map(|group| {
        let handler = group.handlers.iter().find(|handler| handler.id == id)?;
        Some((group.scope.as_str(), group.path.as_str(), handler))
    })
}

fn label<'a>(step: &'a Step, id: &'a str) -> &'a str {
    handler(step, id).map_or(id, |(_, _, handler)| handler.label.as_str())
}

/// The decision of an event, in lines of at most `cells`.
pub fn decision_doc(step: &Step, cells: usize, charset: Charset) -> Doc {
    let decision = &step.decision;
    let rule = decision.rule.map(|rule| Target::Rule(rule.to_owned()));
    let mut doc = Doc::default();
    let mut say = |lead: &str, words: &str, tone: Tone, target: &Option<Target>| {
        let line = Line { spans: Vec::new(), target: target.clone() };
        let line = if lead.is_empty() { line } else { line.and(lead, Tone::Dim) };
        doc.hang(line, words, tone, cells, charset);
    };
    let (sentence, tone) = verdict_sentence(step, Room::Ample, charset);
    say("", &sentence, tone, &rule);
    if !decision.effect.is_empty() && !sentence.contains(&decision.effect) {
        say("", &sentence_of(&decision.effect), Tone::Plain, &rule);
    }
    // What somebody gets to see is shown there.
    let seen_anyway = |reason: &str| {
        decision.model_sees.iter().chain(&decision.user_sees).any(|text| text.words.contains(reason.trim()))
    };
    if let Some(reason) = decision.reason.as_deref().filter(|reason| !seen_anyway(reason)) {
        say("reason   ", reason, Tone::Strong, &None);
    }
    if let Some(because) = &decision.unknown_because
        && decision.decided_by.is_some()
    {
        say("unknown  ", because, Tone::Warn, &None);
    }
    for overruled in &decision.overruled {
        let name = label(step, &overruled.handler);
        say("", &format!("{name} said {} and was overruled.", says_word(overruled.says)), Tone::Plain, &rule);
    }
    if let Some(permission) = &decision.permission {
        say("rules    ", &permission_words(permission), Tone::Plain, &None);
    }
    seen(&mut say, "model    ", &decision.model_sees);
    seen(&mut say, "user     ", &decision.user_sees);
    if let Some(recorded) = step.recorded.as_ref().filter(|recorded| recorded.verdict != decision.verdict) {
        say("recorded ", recorded.verdict.word(), Tone::Plain, &None);
    }
    changed_values(&mut say, step, decision);
    if let Some(rule) = decision.rule {
        say("rule     ", rule, Tone::Link, &Some(Target::Rule(rule.to_owned())));
    }
    for assumed in &decision.assumed {
        say("assumed  ", assumed, Tone::Warn, &Some(Target::Rule(assumed.clone())));
    }
    for (position, it) in decision.steps.iter().enumerate() {
        let target = it.rule.map(|rule| Target::Rule(rule.to_owned()));
        let lead = if position == 0 { "how      ".to_owned() } else { " ".repeat(9) };
        say(&lead, &it.text, Tone::Plain, &target);
    }
    if step.branch.is_some() {
        let words = match step.left_at {
            Some(at) => format!("on a branch that was left at event {at}: the hooks ran, the conversation went back"),
            None => "on a branch that was left: the hooks ran, the conversation went back".to_owned(),
        };
        let target = step.left_at.and_then(|at| at.checked_sub(1)).map(|at| Target::Event(EventIx(at)));
        say("branch   ", &words, Tone::Warn, &target);
    }
    if let Some(note) = &step.settings_note {
        say("settings ", note, Tone::Warn, &None);
    }
    for diagnostic in &step.diagnostics {
        say("problem  ", &diagnostic.message, Tone::Warn, &None);
        if let Some(help) = &diagnostic.help {
            say("         ", help, Tone::Plain, &None);
        }
    }
    let place = match step.source.line {
        Some(line) => format!("{}:{line}", step.source.path),
        None => step.source.path.clone(),
    };
    say("from     ", &format!("{place} (the event is {})", step.evidence.word()), Tone::Dim, &None);
    doc
}

fn seen(say: &mut impl FnMut(&str, &str, Tone, &Option<Target>), lead: &str, texts: &[Text]) {
    for (position, text) in texts.iter().enumerate() {
        let lead = if position == 0 { lead.to_owned() } else { " ".repeat(9) };
        let words = if text.from.is_empty() { text.words.clone() } else { format!("{}: {}", text.from, text.words) };
        say(&lead, &words, Tone::Plain, &None);
    }
}

fn permission_words(permission: &crate::model::PermissionResult) -> String {
    let mut words = permission.result.to_owned();
    if let Some(rule) = &permission.rule {
        words.push_str(&format!(", by {rule}"));
    }
    if let Some(path) = &permission.path {
        words.push_str(&format!(" ({path}"));
        if let Some(line) = permission.line {
            words.push_str(&format!(":{line}"));
        }
        words.push(')');
    }
    if let Some(mode) = &permission.mode {
        words.push_str(&format!("; mode {mode}"));
    }
    words
}

/// Rewritten input and output, field by field.
fn changed_values(say: &mut impl FnMut(&str, &str, Tone, &Option<Target>), step: &Step, decision: &Decision) {
    let before = step.input.as_ref().and_then(|input| input.get("tool_input"));
    if let Some(after) = &decision.updated_input {
        diff(say, "input    ", before, after);
    }
    let before = step.input.as_ref().and_then(|input| input.get("tool_response"));
    if let Some(after) = &decision.updated_output {
        diff(say, "output   ", before, after);
    }
}

fn diff(say: &mut impl FnMut(&str, &str, Tone, &Option<Target>), lead: &str, before: Option<&Value>, after: &Value) {
    let mut lead = Some(lead);
    let mut next = |sign: &str| format!("{}{sign} ", lead.take().unwrap_or("         "));
    match (before, after) {
        (Some(Value::Object(before)), Value::Object(after)) => {
            for (key, old) in before {
                match after.get(key) {
                    Some(new) if new == old => {}
                    Some(new) => {
                        say(&next("-"), &format!("{key} {old}"), Tone::Dim, &None);
                        say(&next("+"), &format!("{key} {new}"), Tone::Strong, &None);
                    }
                    None => say(&next("-"), &format!("{key} {old}"), Tone::Dim, &None),
                }
            }
            for (key, new) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                say(&next("+"), &format!("{key} {new}"), Tone::Strong, &None);
            }
        }
        (before, after) => {
            if let Some(before) = before {
                say(&next("-"), &before.to_string(), Tone::Dim, &None);
            }
            say(&next("+"), &after.to_string(), Tone::Strong, &None);
        }
    }
}

fn sentence_of(effect: &str) -> String {
    let mut chars = effect.chars();
    let Some(first) = chars.next() else { return String::new() };
    let mut sentence: String = first.to_uppercase().chain(chars).collect();
    if !sentence.ends_with(['.', '!', '?', '"']) {
        sentence.push('.');
    }
    sentence
}

/// A rule as lines.
pub fn rule_doc(rule: &Rule, cells: usize, charset: Charset) -> Doc {
    let mut doc = Doc::default();
    doc.hang(Line::new(), rule.text, Tone::Plain, cells, charset);
    doc.push(Line::new());
    doc.hang(Line::new().and("versions  ", Tone::Dim), rule.versions, Tone::Plain, cells, charset);
    doc.hang(Line::new().and("source    ", Tone::Dim), rule.source, Tone::Plain, cells, charset);
    doc
}
