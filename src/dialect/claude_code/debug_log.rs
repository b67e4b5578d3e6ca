//! The client's debug log (`--debug`): how each handler's run ended, and what the client made of its answer.
//!
//! The lines name the event, its subject and the command, but no call and no prompt. Runs are logged as they end,
//! so that neighbouring lines of one name are taken for one firing until a command comes again.

use super::output;
use crate::dialect::{Output, Reader, Shared};
use crate::model::{
    Context, Diagnostic, Event, EventIx, Evidence, Level, LineRef, MarkIx, MarkKind, Name, Origin, Place, RunMark,
    Says, Time,
};

/// What a line of the log says about a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct DebugLine<'a> {
    /// `Event` or `Event:subject`.
    pub hook: &'a str,
    /// The handler's command, where the line names it.
    pub command: Option<&'a str>,
    /// What about it.
    pub what: What<'a>,
}

/// What happened to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum What<'a> {
    /// It ended by itself.
    Finished {
        /// Exit code.
        status: i32,
        /// Milliseconds.
        took_ms: Option<u32>,
    },
    /// It was stopped by its time limit.
    TimedOut {
        /// Milliseconds.
        took_ms: Option<u32>,
    },
    /// It goes on in the background.
    Background {
        /// Milliseconds until then.
        took_ms: Option<u32>,
    },
    /// The client took its answer: what it said.
    Answered(&'a str),
    /// The client could not use it.
    Failed(&'a str),
    /// The client stopped it.
    Cancelled,
    /// A field of its answer was heeded (`returned permissionDecision: deny (reason: …)`).
    Heeded(&'a str),
}

/// Reads a line, without its end. `None` where it is about no hook's run.
pub fn parse(line: &str) -> Option<DebugLine<'_>> {
    let rest = message(line)?;
    if let Some(run) = rest.strip_prefix("Hooks: ") {
        return parse_run(run);
    }
    let quoted = rest.strip_prefix('"').map(|inner| inner.strip_suffix('"').unwrap_or(inner));
    let rest = quoted.unwrap_or(rest);
    if let Some(failed) = rest.strip_prefix("Hook failed to run (") {
        let (hook, why) = failed.split_once("): ")?;
        return Some(DebugLine { hook, command: None, what: What::Failed(why) });
    }
    let rest = rest.strip_prefix("Hook ")?;
    let (hook, rest) = rest.split_once(" (")?;
    if hook.contains(' ') || !hook.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    // `Hook NAME (EVENT) success:`, but `Hook EVENT (COMMAND) returned …`: a command may hold parentheses.
    let event = hook.split_once(':').map_or(hook, |(event, _)| event);
    if let Some(said) = rest.strip_prefix(event).and_then(|rest| rest.strip_prefix(") ")) {
        let after = |word: &str| said.strip_prefix(word).map(|text| text.trim_start_matches([':', ' ']));
        let what = match (after("success"), after("error"), after("cancelled")) {
            (Some(text), _, _) => What::Answered(text),
            (_, Some(text), _) => What::Failed(text),
            (_, _, Some(_)) => What::Cancelled,
            _ => return None,
        };
        return Some(DebugLine { hook, command: None, what });
    }
    const HEEDED: &[&str] =
        &["returned ", "provided ", "modified ", "requested ", "replaced ", "set ", "blocked ", "updated "];
    let end = HEEDED.iter().filter_map(|word| rest.find(&format!(") {word}"))).min()?;
    Some(DebugLine { hook, command: Some(&rest[..end]), what: What::Heeded(&rest[end + 2..]) })
}

/// What follows the time and the level.
fn message(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('[')?;
    let (level, rest) = rest.split_once("] ")?;
    level.bytes().all(|byte| byte.is_ascii_uppercase()).then_some(rest)
}

/// `NAME [COMMAND] finished with status 0 (12ms)`.
fn parse_run(run: &str) -> Option<DebugLine<'_>> {
    let (hook, rest) = run.split_once(" [")?;
    if hook.contains(' ') {
        return None;
    }
    let took = |text: &str| text.rsplit_once('(')?.1.strip_suffix("ms)")?.parse().ok();
    // The command may hold brackets and these words; the last ones are the client's.
    let ends = |words: &'static str| rest.rfind(words).map(|end| (end, &rest[end + words.len()..]));
    if let Some((end, tail)) = ends("] finished with status ") {
        let digits = tail.split(' ').next().unwrap_or_default();
        let what = What::Finished { status: digits.parse().ok()?, took_ms: took(tail) };
        return Some(DebugLine { hook, command: Some(&rest[..end]), what });
    }
    if let Some((end, tail)) = ends("] timed out") {
        return Some(DebugLine { hook, command: Some(&rest[..end]), what: What::TimedOut { took_ms: took(tail) } });
    }
    if let Some((end, tail)) = ends("] moved to the background") {
        return Some(DebugLine { hook, command: Some(&rest[..end]), what: What::Background { took_ms: took(tail) } });
    }
    let (end, _) = ends("] was cancelled").or_else(|| ends("] cancelled")).or_else(|| ends("] aborted"))?;
    Some(DebugLine { hook, command: Some(&rest[..end]), what: What::Cancelled })
}

/// Reads a debug log: an event a firing of which it tells, with marks for its lines.
#[derive(Debug, Default)]
pub struct DebugLog {
    events: u32,
    /// The firing at hand: hook name, its event, commands of its runs.
    open: Option<(String, EventIx, Vec<String>)>,
    /// The last firing of each hook name.
    last: Vec<(String, EventIx)>,
    /// A command with line ends goes on over several lines.
    begun: Option<(LineRef, String)>,
    /// The log tells runs; older clients (2.1.197) tell answers only.
    tells_runs: bool,
}

impl DebugLog {
    /// At the start of a log.
    pub fn new() -> DebugLog {
        DebugLog::default()
    }

    fn take(&mut self, at: LineRef, time: Time, line: &DebugLine, shared: &mut Shared, out: &mut Output) {
        let is_run = matches!(line.what, What::Finished { .. } | What::TimedOut { .. } | What::Background { .. })
            || (line.what == What::Cancelled && line.command.is_some());
        self.tells_runs |= is_run;
        let command = line.command.unwrap_or_default().to_owned();
        let (event, index) = if is_run {
            self.run(at, time, line.hook, &command, shared, out)
        } else {
            let named = |hook: &str| hook == line.hook || hook.split(':').next() == Some(line.hook);
            match self.last.iter().rev().find(|(hook, _)| named(hook)) {
                Some((_, event)) if self.tells_runs || matches!(line.what, What::Heeded(_)) => (*event, 0),
                _ if line.hook.contains(':') || !matches!(line.what, What::Heeded(_)) => {
                    (self.fire(at, time, line.hook, shared, out), 0)
                }
                _ => return,
            }
        };
        let (exit_code, duration_ms) = match line.what {
            What::Finished { status, took_ms } => (Some(status), took_ms),
            What::TimedOut { took_ms } | What::Background { took_ms } => (None, took_ms),
            _ => (None, None),
        };
        out.marks.push(RunMark {
            event,
            next: MarkIx::NONE,
            at,
            kind: MarkKind::DebugLine,
            index,
            command: line.command.map_or(Name::NONE, |command| shared.names.intern(command)),
            exit_code,
            duration_ms,
            says: says(line),
            lost: false,
        });
    }

    /// The event of a run, and which of its runs this is.
    fn run(
        &mut self,
        at: LineRef,
        time: Time,
        hook: &str,
        command: &str,
        shared: &mut Shared,
        out: &mut Output,
    ) -> (EventIx, u16) {
        if let Some((open, event, commands)) = &mut self.open
            && open == hook
            && !commands.iter().any(|known| known == command)
        {
            commands.push(command.to_owned());
            return (*event, u16::try_from(commands.len() - 1).unwrap_or(u16::MAX));
        }
        let event = self.fire(at, time, hook, shared, out);
        self.open = Some((hook.to_owned(), event, vec![command.to_owned()]));
        (event, 0)
    }

    fn fire(&mut self, at: LineRef, time: Time, hook: &str, shared: &mut Shared, out: &mut Output) -> EventIx {
        let (name, subject) = match hook.split_once(':') {
            Some((name, subject)) => (name, shared.names.intern(subject)),
            None => (hook, Name::NONE),
        };
        let context = shared.context(Context::EMPTY);
        let mut event = Event::new(shared.names.intern(name), time, at, context);
        event.subject = subject;
        event.origin = Origin::Recorded;
        event.evidence = Evidence::Recorded;
        out.events.push(event);
        let ix = EventIx(self.events);
        self.events += 1;
        self.last.retain(|(known, _)| known != hook);
        self.last.push((hook.to_owned(), ix));
        ix
    }
}

/// What a handler said, where the client's words are unambiguous.
fn says(line: &DebugLine) -> Option<Says> {
    if let What::Finished { status: 2, .. } = line.what {
        return output::says(line.hook.split(':').next()?, "", Some(2), None);
    }
    let What::Heeded(words) = line.what else { return None };
    let decision = words.strip_prefix("returned permissionDecision: ")?.split([' ', '(']).next()?;
    let of_call = line.hook.starts_with("PreToolUse") || line.hook.starts_with("PermissionRequest");
    match decision {
        "allow" => Some(Says::Allow),
        "ask" => Some(Says::Ask),
        "defer" => Some(Says::Defer),
        // The client uses this word for every refusal.
        "deny" if of_call => Some(Says::Deny),
        "deny" => Some(Says::Block),
        _ => None,
    }
}

fn time_of(line: &str) -> Time {
    let first = line.split([' ', '[']).next().unwrap_or_default();
    Time::read(first)
}

impl Reader for DebugLog {
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output) {
        /// Longer commands are not put together.
        const LONGEST: usize = 64 << 10;
        let line = String::from_utf8_lossy(bytes);
        let starts = message(&line).is_some();
        let time = time_of(&line);
        if !starts {
            if let Some((first, mut text)) = self.begun.take() {
                text.push('\n');
                text.push_str(&line);
                let length = u32::try_from(at.offset() + u64::from(at.len) - first.offset()).unwrap_or(u32::MAX);
                let whole = LineRef::new(first.source(), first.offset(), length, first.line);
                match parse(&text) {
                    Some(parsed) => self.take(whole, time_of(&text), &parsed, shared, out),
                    None if text.len() < LONGEST => self.begun = Some((first, text)),
                    None => {}
                }
            }
            return;
        }
        self.begun = None;
        match parse(&line) {
            Some(parsed) => self.take(at, time, &parsed, shared, out),
            None if message(&line).is_some_and(|rest| rest.starts_with("Hooks: ") && rest.contains(" [")) => {
                self.begun = Some((at, line.into_owned()));
            }
            None if line.to_ascii_lowercase().contains("invalid reg") => out.diagnostics.push(Diagnostic {
                level: Level::Warning,
                message: format!("the client says: {}", message(&line).unwrap_or_default()),
                place: Place { path: String::new(), line: Some(at.line), column: None },
                help: Some("a matcher that does not compile never matches".to_owned()),
            }),
            None => {}
        }
    }

    fn end(&mut self, _: &mut Shared, _: &mut Output) {
        self.begun = None;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::SourceIx;

    fn read(text: &str) -> (Shared, Output) {
        let (mut shared, mut out, mut log) = (Shared::new(), Output::default(), DebugLog::new());
        let mut offset = 0;
        for (number, line) in text.split('\n').enumerate() {
            let at = LineRef::new(SourceIx(0), offset, line.len() as u32, number as u32 + 1);
            log.line(at, line.as_bytes(), &mut shared, &mut out);
            offset += line.len() as u64 + 1;
        }
        log.end(&mut shared, &mut out);
        (shared, out)
    }

    fn check(line: &str, hook: &str, command: Option<&str>, what: What) {
        assert_eq!(parse(line), Some(DebugLine { hook, command, what }), "{line}");
    }

    #[test]
    fn lines_about_runs_are_read() {
        check(
            r#"[DEBUG] Hooks: PreToolUse:Bash ["$BIN/guard" pre] finished with status 2 (87ms)"#,
            "PreToolUse:Bash",
            Some(r#""$BIN/guard" pre"#),
            What::Finished { status: 2, took_ms: Some(87) },
        );
        check(
            "2026-11-30T18:05:03.771Z [DEBUG] Hooks: Stop [[ -f x ] && a] timed out after 1000ms (1064ms)",
            "Stop",
            Some("[ -f x ] && a"),
            What::TimedOut { took_ms: Some(1064) },
        );
        check(
            "[DEBUG] Hooks: PostToolUse:Read [late] moved to the background (9ms)",
            "PostToolUse:Read",
            Some("late"),
            What::Background { took_ms: Some(9) },
        );
        check(r#"[DEBUG] "Hook Stop (Stop) success:\n{\"a\":1}""#, "Stop", None, What::Answered(r#"\n{\"a\":1}"#));
        check("[DEBUG] Hook PreToolUse:Bash (PreToolUse) cancelled:", "PreToolUse:Bash", None, What::Cancelled);
        check(
            r#"[ERROR] "Hook Stop (Stop) error: status code 2\nstderr:\nno""#,
            "Stop",
            None,
            What::Failed(r"status code 2\nstderr:\nno"),
        );
        check(
            "[DEBUG] Hook PreToolUse (sh -c (x)) returned permissionDecision: deny (reason: R)",
            "PreToolUse",
            Some("sh -c (x)"),
            What::Heeded("returned permissionDecision: deny (reason: R)"),
        );
        for other in [
            "[DEBUG] Hooks: Found 0 total hooks in registry",
            "[DEBUG] Hook result has permissionBehavior=deny",
            "[DEBUG] Hook denied tool use for Bash",
            "Hooks: x [y] finished with status 0",
            "",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn runs_of_one_firing_are_one_event_until_a_command_comes_again() {
        let run = |command: &str| format!("[DEBUG] Hooks: PreToolUse:Bash [{command}] finished with status 0 (1ms)");
        let text =
            [run("a"), run("b"), run("b"), run("a"), "[DEBUG] Hooks: Stop [a] finished with status 2 (1ms)".into()];
        let (shared, out) = read(&text.join("\n"));
        let names: Vec<_> = out.events.iter().map(|event| shared.names.text(event.name)).collect();
        assert_eq!(names, ["PreToolUse", "PreToolUse", "Stop"]);
        let marks: Vec<_> = out.marks.iter().map(|mark| (mark.event.0, mark.index)).collect();
        assert_eq!(marks, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]);
        assert_eq!(out.marks[4].exit_code, Some(2));
    }

    #[test]
    fn what_was_heeded_belongs_to_the_last_firing_and_says_something() {
        let (shared, out) = read(
            "[DEBUG] Hooks: Stop [x] finished with status 0 (1ms)\n\
             [DEBUG] Hook Stop (x) returned permissionDecision: deny (reason: no)",
        );
        assert_eq!(out.events.len(), 1);
        assert_eq!(out.marks[1].says, Some(Says::Block));
        assert_eq!(shared.names.text(out.marks[1].command), "x");
    }

    #[test]
    fn commands_over_several_lines_are_put_together() {
        let (shared, out) = read("[DEBUG] Hooks: Stop [a\nb] finished with status 1 (3ms)\n[DEBUG] other");
        assert_eq!(shared.names.text(out.marks[0].command), "a\nb");
        assert_eq!(out.marks[0].at.len, "[DEBUG] Hooks: Stop [a\nb] finished with status 1 (3ms)".len() as u32);
    }

    #[test]
    fn older_logs_tell_answers_only() {
        let (shared, out) = read(
            "[DEBUG] \"Hook PreToolUse:Bash (PreToolUse) success:\\nx\"\n\
             [DEBUG] Hook PreToolUse (x) returned permissionDecision: allow\n\
             [DEBUG] \"Hook PreToolUse:Bash (PreToolUse) success:\\nx\"",
        );
        assert_eq!(out.events.len(), 2);
        assert_eq!(shared.names.text(out.events[0].subject), "Bash");
        assert_eq!(out.marks[1].event, EventIx(0));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\[DEBUG\\] |Hooks: |Hook |\\(|\\)|\\[|\\] |Stop|finished with status |0|\n|:|é){0,30}") {
            let (_, out) = read(&text);
            prop_assert!(out.marks.iter().all(|mark| mark.event.at() < out.events.len()));
        }
    }
}
