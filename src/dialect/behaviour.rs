//! What the engine asks of a dialect, as functions over plain data.
//!
//! Owns the shapes in which a handler's answer travels from its reading to the decision. Must not know any one
//! agent's rules.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::{EventClass, EventSpec, Rule};
use crate::model::{
    Ending, Event, EventIx, Evidence, Handler, HookRun, MatcherGroup, Outcome, RunMark, Says, Session, Start, Time,
    Verdict,
};
use crate::source::Lines;

/// The rules of a dialect that are code rather than a table.
#[derive(Debug)]
pub struct Behaviour {
    /// The hook input that a handler of this event would get, as far as the sources tell; `None` where they don't.
    pub input: fn(session: &Session, ix: EventIx, lines: &dyn Lines) -> io::Result<Option<Value>>,
    /// Whether a handler counts at an event at all, and whether its condition holds there.
    pub admits: fn(handler: &Handler, spec: Option<&EventSpec>, subject: Option<&str>) -> Admission,
    /// Whether a handler's condition holds for a tool's input.
    pub condition: fn(condition: &str, tool: &str, input: &Value, cwd: Option<&str>) -> Condition,
    /// The verdict that marks alone tell, without bodies.
    pub verdict: fn(traces: &Traces<'_>) -> Option<Verdict>,
    /// Joins an event's marks into runs, one per handler run.
    pub join: fn(firing: &Firing<'_>) -> Vec<Joined>,
    /// What comes of several answers, in the order of finishing where it is known.
    pub decide: fn(at: &Circumstances<'_>, answers: &[Joined]) -> crate::model::Decision,
    /// Sets what the agent does, and its words, by a decision's verdict.
    pub follow: fn(at: &Circumstances<'_>, decision: &mut crate::model::Decision),
    /// How a handler is started; else why it can't be here, for a person.
    pub start: fn(handler: &Handler, setting: &Setting<'_>) -> Result<Start, String>,
    /// What the agent makes of a run that has just ended, given with its output and how it ended.
    pub heard: fn(event: &str, version: Option<&str>, candidate: &Candidate<'_>, run: HookRun) -> Joined,
    /// A rule by name.
    pub rule: fn(name: &str) -> Option<&'static Rule>,
    /// What a line says in the conversation around the events.
    pub said: fn(line: &[u8]) -> Option<Said>,
}

/// Something said in the conversation around the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// When.
    pub time: Time,
    /// Who.
    pub who: Speaker,
    /// The words, or their start.
    pub words: String,
}

/// Whose words they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The person.
    User,
    /// The client, in the person's name.
    Client,
    /// The model.
    Model,
    /// A tool.
    Result,
}

impl Speaker {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Speaker::User => "user",
            Speaker::Client => "client",
            Speaker::Model => "model",
            Speaker::Result => "result",
        }
    }
}

/// Whether a handler can run at an event, before its input is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It runs.
    Runs,
    /// It never runs at this event.
    Never(String),
    /// Its condition has to be held against the input.
    Depends,
}

/// What became of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Whether it lets the handler run.
    pub holds: bool,
    /// `Derived`, or `Assumed` where the condition could not be evaluated.
    pub evidence: Evidence,
    /// Why.
    pub why: String,
}

/// What an event's marks tell without bodies.
#[derive(Debug, Clone, Copy)]
pub struct Traces<'a> {
    /// The session.
    pub session: &'a Session,
    /// The event's position.
    pub ix: EventIx,
    /// The event.
    pub event: &'a Event,
    /// Its spec, where the dialect knows it.
    pub spec: Option<&'static EventSpec>,
    /// Client version.
    pub version: Option<&'a str>,
    /// How its (only) call ended.
    pub ending: Option<Ending>,
}

/// A handler that was selected at an event.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its group.
    pub group: &'a MatcherGroup,
    /// The handler.
    pub handler: &'a Handler,
    /// Its short name for people.
    pub label: &'a str,
}

/// An event with everything that its recorded runs are made of.
pub struct Firing<'a> {
    /// Marks and circumstances.
    pub traces: Traces<'a>,
    /// The marks, in the order in which they were read.
    pub marks: Vec<RunMark>,
    /// Handlers that would be started.
    pub selected: Vec<Candidate<'a>>,
    /// Handlers that match but would not be started (duplicates …).
    pub passed_over: Vec<Candidate<'a>>,
    /// Bodies.
    pub lines: &'a dyn Lines,
}

/// One run with what the agent makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The run.
    pub run: HookRun,
    /// Its reading.
    pub reading: Reading,
    /// Its handler's short name; empty where nothing tells which it was.
    pub label: String,
    /// Its place among the handlers of the event, as configured; all alike where that is not known.
    pub place: (usize, usize),
    /// What says that it was this handler: `Recorded` where a trace names it, `Derived` where it could be no other.
    pub attributed: Evidence,
}

/// What a run of a handler left behind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ran<'a> {
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
    /// Exit code; `None`: killed, or not known.
    pub exit_code: Option<i32>,
    /// Stopped by its time limit.
    pub timed_out: bool,
    /// `async` in settings.
    pub background: bool,
}

/// What the agent makes of one handler's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// How the run counts.
    pub outcome: Option<Outcome>,
    /// The strongest thing it says.
    pub says: Option<Says>,
    /// A refusal was written where the agent does not read one.
    pub lost: bool,
    /// What it says beside `continue: false`, if anything.
    pub also: Option<Says>,
    /// Words that come with a refusal, a question or a block, as delivered.
    pub reason: Option<String>,
    /// `stopReason`, or the client's own words.
    pub stop_reason: Option<String>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Message for the user.
    pub system_message: Option<String>,
    /// Rewritten tool input.
    pub updated_input: Option<Value>,
    /// Rewritten tool output.
    pub updated_output: Option<Value>,
    /// A prompt that is sent first.
    pub initial_prompt: Option<String>,
    /// Permission updates.
    pub updated_permissions: Vec<Value>,
    /// The words that a refusal, question or block reached the model in, where the session has them.
    pub delivered: Option<String>,
    /// Name of the rule that made it count as it does.
    pub rule: Option<&'static str>,
    /// Remarks for a person.
    pub notes: Vec<String>,
}

/// What a decision depends on besides the answers.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// Event name.
    pub event: &'a str,
    /// What kind of moment it is.
    pub class: EventClass,
    /// What a matcher is tested on.
    pub subject: Option<&'a str>,
    /// Client version.
    pub version: Option<&'a str>,
    /// `permission_mode`.
    pub mode: Option<&'a str>,
    /// Blocks in a row before this one, counted as the client does.
    pub blocks_before: u16,
    /// The client's cap on blocks in a row; `None`: no cap.
    pub cap: Option<u16>,
    /// Whether any settings file has permission rules.
    pub has_rules: bool,
}

/// Where and with what a handler is started.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The event's name.
    pub event: &'a str,
    /// The project folder, as the session has it.
    pub project: &'a str,
    /// The folder of the plugin that brings the handler.
    pub plugin: Option<&'a str>,
    /// Where it runs; exists.
    pub cwd: &'a Path,
    /// Session id.
    pub session: &'a str,
    /// How the session was started: `cli`, `sdk-py` …
    pub entrypoint: Option<&'a str>,
    /// What it may have of the environment.
    pub env: &'a [(String, String)],
    /// The hook input.
    pub input: &'a Value,
}
