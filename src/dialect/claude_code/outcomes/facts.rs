//! What one trace of a handler's run says, read from its line.

use std::io;
use std::sync::Arc;

use serde_json::Value;

use crate::dialect::Traces;
use crate::dialect::claude_code::debug_log::{self, What};
use crate::model::{HookRun, LineRef, MarkKind, Outcome, Place, RunMark, Says};
use crate::source::Lines;

/// One trace, decoded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Facts {
    pub kind: MarkKind,
    pub place: Place,
    pub command: Option<String>,
    /// Pairs the lines of one run in a stream.
    pub hook_id: Option<String>,
    pub exit_code: Option<i32>,
    pub duration_ms: Option<f64>,
    pub stdout: Option<String>,
    pub stderr: Option<String>,
    pub outcome: Option<Outcome>,
    pub says: Option<Says>,
    /// A refusal's or block's words; a leading `[command]: ` is taken off and means exit 2.
    pub reason: Option<String>,
    /// The same as it reached the model, where this trace is what the model read.
    pub delivered: Option<String>,
    /// The words had the command before them.
    pub by_exit: bool,
    pub stop_reason: Option<String>,
    pub context: Vec<String>,
    pub system_message: Option<String>,
    pub timed_out: bool,
    pub background: bool,
    /// A run as written in a recording.
    pub whole: Option<Box<HookRun>>,
    /// Why the line could not be read.
    pub unreadable: Option<String>,
}

impl Facts {
    /// Reads what a mark points at. A line that can't be read leaves what the mark itself tells.
    pub fn of(traces: &Traces<'_>, mark: &RunMark, lines: &dyn Lines) -> Facts {
        let session = traces.session;
        let mut facts = Facts {
            kind: mark.kind,
            place: Place {
                path: session.sources.get(mark.at.source().at()).map_or_else(String::new, |source| source.path.clone()),
                line: Some(mark.at.line),
                column: None,
            },
            command: session.text(mark.command).map(str::to_owned),
            hook_id: None,
            exit_code: mark.exit_code,
            duration_ms: mark.duration_ms.map(f64::from),
            stdout: None,
            stderr: None,
            outcome: None,
            says: super::said(mark),
            reason: None,
            delivered: None,
            by_exit: false,
            stop_reason: None,
            context: Vec::new(),
            system_message: None,
            timed_out: false,
            background: false,
            whole: None,
            unreadable: None,
        };
        match mark.kind {
            MarkKind::InputLogged | MarkKind::RecordedDecision => return facts,
            MarkKind::DebugLine => {
                facts.logged(mark, lines);
                return facts;
            }
            _ => {}
        }
        match value_at(mark.at, lines) {
            Ok(line) => facts.fill(traces, mark, &line, lines),
            Err(error) => facts.unreadable = Some(error.to_string()),
        }
        facts
    }

    fn fill(&mut self, traces: &Traces<'_>, mark: &RunMark, line: &Value, lines: &dyn Lines) {
        let attachment = &line["attachment"];
        match mark.kind {
            MarkKind::Async if line["subtype"] == "hook_response" => {
                self.stream(line);
                self.background = true;
                self.outcome = Some(Outcome::Async);
            }
            MarkKind::Success | MarkKind::NonBlockingError | MarkKind::Cancelled | MarkKind::Async => {
                self.outputs(attachment);
                self.outcome = Some(match mark.kind {
                    MarkKind::Success => Outcome::Success,
                    MarkKind::NonBlockingError => Outcome::NonBlockingError,
                    MarkKind::Async => Outcome::Async,
                    _ => Outcome::Timeout,
                });
                self.timed_out = mark.kind == MarkKind::Cancelled;
                self.background = mark.kind == MarkKind::Async;
                if mark.kind == MarkKind::Cancelled && attachment["timedOut"] == Value::Bool(false) {
                    self.timed_out = false;
                }
            }
            MarkKind::Blocking => {
                let blocking = &attachment["blockingError"];
                self.command = self.command.take().or_else(|| text(&blocking["command"]));
                self.refuse(text(&blocking["blockingError"]).or_else(|| text(blocking)));
            }
            MarkKind::Stopped => self.stop_reason = text(&attachment["message"]),
            MarkKind::SystemMessage => self.system_message = text(&attachment["content"]),
            MarkKind::UnusableAnswer => self.system_message = text(&attachment["content"]),
            MarkKind::Context => self.context = texts(&attachment["content"]),
            MarkKind::RefusedCall | MarkKind::DecidedCall => {
                // The stream has a line of its own for a refused call.
                let words = result_text(traces, line).or_else(|| text(&line["decision_reason"]));
                if mark.kind == MarkKind::RefusedCall {
                    self.delivered.clone_from(&words);
                    let words = words.map(|words| match words.split_once(" hook error: ") {
                        Some((lead, rest)) if !lead.contains(char::is_whitespace) => rest.to_owned(),
                        _ => words,
                    });
                    self.refuse(words);
                } else if self.says == Some(Says::Ask) {
                    self.reason = words;
                }
            }
            MarkKind::StopFeedback => {
                let words = text(&line["message"]["content"]).or_else(|| texts(&line["message"]["content"]).pop());
                self.delivered.clone_from(&words);
                self.refuse(words.map(|words| match words.split_once("hook feedback:\n") {
                    Some((_, rest)) => rest.to_owned(),
                    None => words,
                }));
            }
            MarkKind::StopSummary => self.summary(usize::from(mark.index), line),
            MarkKind::Informational => self.informational(line),
            MarkKind::Started | MarkKind::Response => self.stream(line),
            MarkKind::RecordedRun | MarkKind::RecordedStart => {
                if let Some(run) = line["runs"].get(usize::from(mark.index)) {
                    self.recorded(run);
                }
            }
            MarkKind::PermissionDecision => {
                // The words stand only in the result of the call.
                if let (Some(Says::Deny), [call]) = (self.says, traces.session.calls_of(traces.event))
                    && let Ok(result) = value_at(call.answered, lines)
                {
                    self.reason = result_text(traces, &result);
                }
            }
            MarkKind::Deferred | MarkKind::DebugLine | MarkKind::InputLogged | MarkKind::RecordedDecision => {}
        }
    }

    /// A line of the debug log: how a run ended that has no exit code.
    fn logged(&mut self, mark: &RunMark, lines: &dyn Lines) {
        // The log's word for a hook that asks the model, whatever its prompt.
        self.command = self.command.take().filter(|command| command != "prompt hook" && command != "agent hook");
        if mark.exit_code.is_some() || mark.duration_ms.is_none() {
            return;
        }
        let Ok(bytes) = lines.read(mark.at) else { return };
        let text = String::from_utf8_lossy(&bytes);
        match debug_log::parse(&text).map(|line| line.what) {
            Some(What::TimedOut { .. }) => (self.timed_out, self.outcome) = (true, Some(Outcome::Timeout)),
            Some(What::Background { .. }) => (self.background, self.outcome) = (true, Some(Outcome::Async)),
            _ => {}
        }
    }

    fn outputs(&mut self, from: &Value) {
        self.command = self.command.take().or_else(|| text(&from["command"]));
        self.stdout = from["stdout"].as_str().map(str::to_owned);
        self.stderr = from["stderr"].as_str().map(|stderr| {
            let lead = "Failed with non-blocking status code: ";
            stderr.strip_prefix(lead).unwrap_or(stderr).to_owned()
        });
        if self.stderr.as_deref() == Some("No stderr output") {
            self.stderr = Some(String::new());
        }
        self.exit_code = self.exit_code.or_else(|| number(&from["exitCode"]));
        self.duration_ms = self.duration_ms.or_else(|| from["durationMs"].as_f64());
    }

    /// Takes a refusal's words; `[command]: ` before them tells the command and that it was exit 2.
    fn refuse(&mut self, words: Option<String>) {
        let Some(words) = words else { return };
        let bare = self.command.as_deref().and_then(|command| words.strip_prefix(&format!("[{command}]: ")));
        if let Some(bare) = bare {
            self.by_exit = true;
            self.reason = Some(bare.trim().to_owned());
        } else if let (None, Some((command, rest))) = (&self.command, bracketed(&words)) {
            self.by_exit = true;
            self.command = Some(command.to_owned());
            self.reason = Some(rest.trim().to_owned());
        } else {
            self.reason = Some(words);
        }
        if self.by_exit {
            self.exit_code = self.exit_code.or(Some(2));
            self.outcome = Some(Outcome::Blocking);
            if self.reason.as_deref() != Some("No stderr output") {
                self.stderr.clone_from(&self.reason);
            } else {
                self.stderr = Some(String::new());
            }
        }
    }

    fn summary(&mut self, index: usize, line: &Value) {
        let info = &line["hookInfos"][index];
        self.command = self.command.take().or_else(|| text(&info["command"]));
        self.duration_ms = self.duration_ms.or_else(|| info["durationMs"].as_f64());
        let Some(command) = self.command.clone() else { return };
        let infos = line["hookInfos"].as_array().map_or(0, Vec::len);
        let failed: Vec<u64> =
            line["failedHookErrorIndexes"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        let errors = texts(&line["hookErrors"]);
        for (position, words) in errors.iter().enumerate() {
            let own = words.strip_prefix(&format!("[{command}]: "));
            let failure = failed.contains(&(position as u64)) || words.starts_with("Failed with non-blocking");
            if own.is_none() && infos != 1 {
                continue;
            }
            if failure {
                self.outcome = Some(Outcome::NonBlockingError);
                self.stderr = Some(words.clone());
                self.says = None;
            } else {
                self.says = Some(Says::Block);
                self.refuse(Some(words.clone()));
            }
        }
        // An entry whose answer was a block has no time, so those with one said nothing.
        let timed = !info["durationMs"].is_null();
        let untimed =
            line["hookInfos"].as_array().into_iter().flatten().filter(|it| it["durationMs"].is_null()).count();
        let of_others = errors.iter().all(|words| bracketed(words).is_some_and(|(other, _)| other != command))
            || (timed && untimed >= errors.len());
        if self.says.is_none() && self.outcome.is_none() && of_others {
            // Listed and without an error: it ran and blocked nothing.
            self.outcome = Some(Outcome::Success);
        }
    }

    fn informational(&mut self, line: &Value) {
        let ending = &line["promptSubmitEnding"]["ending"];
        let reason = text(&ending["reason"]).or_else(|| text(&line["content"]));
        match self.says {
            Some(Says::Halt) => self.stop_reason = reason,
            Some(_) => self.refuse(reason),
            None => {}
        }
    }

    fn stream(&mut self, line: &Value) {
        self.hook_id = text(&line["hook_id"]);
        self.command = self.command.take().or_else(|| text(&line["data"]["command"]));
        if self.kind == MarkKind::Started {
            return;
        }
        self.stdout = line["stdout"].as_str().map(str::to_owned);
        self.stderr = line["stderr"].as_str().map(str::to_owned);
        self.exit_code = self.exit_code.or_else(|| number(&line["exit_code"]));
        let first = self.stdout.as_deref().unwrap_or_default().trim().lines().next().unwrap_or_default();
        self.background |=
            serde_json::from_str::<Value>(first).is_ok_and(|answer| answer["async"] == Value::Bool(true));
        match line["outcome"].as_str() {
            Some("cancelled") => {
                self.outcome = Some(Outcome::Timeout);
                self.timed_out = true;
                self.exit_code = None;
            }
            // Its word for a process that failed, exit 2 included.
            Some("error") if self.exit_code == Some(2) => {}
            Some("error") => self.outcome = Some(Outcome::NonBlockingError),
            Some("success") => self.outcome = Some(Outcome::Success),
            _ => {}
        }
    }

    /// A run as a recording holds it.
    fn recorded(&mut self, run: &Value) {
        let run = HookRun::of_json(run);
        self.command.clone_from(&run.command);
        self.exit_code = run.exit_code;
        self.duration_ms = run.duration_ms;
        self.stdout.clone_from(&run.stdout);
        self.stderr.clone_from(&run.stderr);
        self.timed_out = run.timed_out;
        self.outcome = run.outcome;
        self.says = run.says;
        self.background = self.outcome == Some(Outcome::Async);
        self.hook_id = Some(format!("handler {}", run.handler));
        self.whole = Some(Box::new(run));
    }
}

/// `[command]: words` taken apart at the first `]: `.
fn bracketed(words: &str) -> Option<(&str, &str)> {
    words.strip_prefix('[')?.split_once("]: ")
}

fn value_at(at: LineRef, lines: &dyn Lines) -> io::Result<Arc<Value>> {
    lines.value(at)?.ok_or_else(|| io::Error::other("it is no JSON"))
}

/// The text of the tool result that answers the event's call.
fn result_text(traces: &Traces<'_>, line: &Value) -> Option<String> {
    let content = &line["message"]["content"];
    let block = match traces.session.calls_of(traces.event) {
        [call] => content.get(usize::from(call.answered_block)),
        _ => None,
    };
    let blocks = content.as_array().into_iter().flatten();
    let block = block.or_else(|| blocks.clone().find(|block| block["type"] == "tool_result"))?;
    text(&block["content"]).or_else(|| {
        let parts: Vec<String> =
            block["content"].as_array().into_iter().flatten().filter_map(|part| text(&part["text"])).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A text, or the texts of a list of texts or text blocks.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(|part| text(part).or_else(|| text(&part["text"]))).collect(),
        _ => Vec::new(),
    }
}

fn number(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|number| i32::try_from(number).ok())
}
