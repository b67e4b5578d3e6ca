//! Reading a recording as a session.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Entry, Header, Line, parse};
use crate::dialect::claude_code::output::{self, Ran};
use crate::dialect::hook_log::InputEvents;
use crate::dialect::{Output, Reader, Shared};
use crate::model::{
    Context, Diagnostic, Event, EventIx, Evidence, HookRun, Level, LineRef, MarkIx, MarkKind, Name, Origin, Outcome,
    Place, Rewind, RunMark, Time,
};

/// Reads a recording, line by line: an event an entry, a mark for each of its runs.
#[derive(Debug, Default)]
pub struct RecordingReader {
    made: InputEvents,
    header: Option<Header>,
    diagnostics: u32,
    /// Positions of events that begin a new branch, with the line of the first event that is not on it.
    left: HashMap<u64, u32>,
}

impl RecordingReader {
    /// At the start of a recording.
    pub fn new() -> RecordingReader {
        RecordingReader::default()
    }

    /// The recording's head, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    fn entry(&mut self, at: LineRef, entry: Entry, shared: &mut Shared, out: &mut Output) {
        let mut input = entry.input;
        if let Some(header) = &self.header {
            complete(&mut input, header);
        }
        let own_version = entry.rest.get("agent_version").and_then(Value::as_str).map(str::to_owned);
        let version = self.header.as_ref().and_then(|header| header.agent_version.clone());
        self.made.version = own_version.or(version);
        let time = entry.t.as_deref().map_or(Time::UNKNOWN, Time::read);
        let name = input.get("hook_event_name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let ix = self.made.event(at, &Value::Object(input), time, shared, out);
        let version = self.made.version.clone();
        let derived = entry.rest.get("origin").and_then(Value::as_str) == Some("derived");
        if let Some(event) = out.events.last_mut()
            && derived
        {
            // The recording keeps that the event only followed from a transcript.
            event.origin = Origin::Derived;
            event.evidence = Evidence::Derived;
        }
        let number = u64::from(ix.0) + 1;
        if let Some(first) = self.left.remove(&number) {
            out.rewinds.push(Rewind { at, back_to: first.saturating_sub(1) });
        }
        if let Some(left_at) = entry.rest.get("left_at").and_then(Value::as_u64).filter(|left_at| *left_at > number) {
            self.left.entry(left_at).or_insert(at.line);
        }
        let subject = entry.rest.get("subject").and_then(Value::as_str);
        if let (Some(event), Some(subject)) = (out.events.last_mut(), subject) {
            event.subject = shared.names.intern(subject);
        }
        if let Some(kind) = entry.rest.get("sub").and_then(Value::as_str) {
            let agent = self.made.agent_of_kind(kind, shared);
            if let Some(event) = out.events.last_mut() {
                event.agent = agent;
            }
        }
        let told = entry.rest.get("diagnostics").and_then(Value::as_array).and_then(|told| told.first());
        if let Some(told) = told.and_then(diagnostic_of) {
            if let Some(event) = out.events.last_mut() {
                event.diagnostic = self.diagnostics;
            }
            self.diagnostics += 1;
            out.diagnostics.push(told);
        }
        for (index, run) in entry.runs.iter().enumerate() {
            let run = HookRun::of_json(run);
            let ended = run.outcome.is_some() || run.exit_code.is_some() || run.says.is_some();
            out.marks.push(RunMark {
                event: ix,
                next: MarkIx::NONE,
                at,
                kind: if ended { MarkKind::RecordedRun } else { MarkKind::RecordedStart },
                index: u16::try_from(index).unwrap_or(u16::MAX),
                command: run.command.as_deref().map_or(Name::NONE, |command| shared.names.intern(command)),
                exit_code: run.exit_code,
                duration_ms: run.duration_ms.map(|ms| ms.round().clamp(0.0, f64::from(u32::MAX)) as u32),
                says: run.says,
                lost: run.lost || loses_a_refusal(&name, &run, version.as_deref()),
            });
        }
        if let Some(says) = entry.decision.as_ref().and_then(super::recall::word_of) {
            out.marks.push(RunMark {
                event: ix,
                next: MarkIx::NONE,
                at,
                kind: MarkKind::RecordedDecision,
                index: 0,
                command: Name::NONE,
                exit_code: None,
                duration_ms: None,
                says,
                lost: false,
            });
        }
    }

    fn unreadable(&mut self, at: LineRef, why: &str, shared: &mut Shared, out: &mut Output) {
        let input = serde_json::json!({ "hook_event_name": Event::UNREADABLE });
        let _: EventIx = self.made.event(at, &input, Time::UNKNOWN, shared, out);
        if let Some(event) = out.events.last_mut() {
            event.diagnostic = self.diagnostics;
        }
        self.tell(at, format!("this line of the recording can't be read: {why}"), out);
    }

    fn tell(&mut self, at: LineRef, message: String, out: &mut Output) {
        self.diagnostics += 1;
        out.diagnostics.push(Diagnostic {
            level: Level::Warning,
            message,
            place: Place { path: String::new(), line: Some(at.line), column: None },
            help: None,
        });
    }
}

/// A finding as the recording keeps it. A place without a file is in the recording.
fn diagnostic_of(told: &Value) -> Option<Diagnostic> {
    let number = |key: &str| told["place"][key].as_u64().and_then(|number| u32::try_from(number).ok());
    Some(Diagnostic {
        level: match told["level"].as_str()? {
            "error" => Level::Error,
            "note" => Level::Note,
            _ => Level::Warning,
        },
        message: told["message"].as_str()?.to_owned(),
        place: Place {
            path: told["place"]["path"].as_str().unwrap_or_default().to_owned(),
            line: number("line"),
            column: number("column"),
        },
        help: told["help"].as_str().map(str::to_owned),
    })
}

/// Whether what a run wrote holds a refusal that the agent does not read.
fn loses_a_refusal(event: &str, run: &HookRun, version: Option<&str>) -> bool {
    // Nothing of its output is known: nothing follows from it.
    if run.stdout.is_none() && run.exit_code.is_none() {
        return false;
    }
    let ran = Ran {
        stdout: run.stdout.as_deref().unwrap_or_default(),
        stderr: run.stderr.as_deref().unwrap_or_default(),
        exit_code: run.exit_code,
        timed_out: run.timed_out,
        background: run.outcome == Some(Outcome::Async),
    };
    output::read(event, &ran, version).lost
}

/// What the head says holds for inputs that do not say it themselves.
fn complete(input: &mut Map<String, Value>, header: &Header) {
    for (key, value) in [("session_id", &header.session_id), ("cwd", &header.cwd)] {
        if let (Some(value), None) = (value, input.get(key)) {
            input.insert(key.to_owned(), Value::from(value.as_str()));
        }
    }
}

impl Reader for RecordingReader {
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return;
        }
        match parse(bytes) {
            Ok(Line::Header(header)) => {
                self.made.dialect = Some(header.dialect.clone());
                self.made.version.clone_from(&header.agent_version);
                out.id = header.session_id.clone().or(out.id.take());
                // So that folder and version are known even before the first event.
                let mut name =
                    |text: &Option<String>| text.as_ref().map_or(Name::NONE, |text| shared.names.intern(text));
                let context = Context {
                    session: name(&header.session_id),
                    version: name(&header.agent_version),
                    cwd: name(&header.cwd),
                    ..Context::EMPTY
                };
                shared.context(context);
                self.header = Some(header);
            }
            Ok(Line::Entry(entry)) => self.entry(at, *entry, shared, out),
            Err(why) => self.unreadable(at, &why, shared, out),
        }
    }

    fn end(&mut self, _: &mut Shared, _: &mut Output) {}
}
