//! `--output-format stream-json`: what happened as the client tells it while it runs, with hook lifecycle lines
//! where they were asked for (`--include-hook-events`).
//!
//! Several `hook_started` lines of one firing are one event. What fires without a handler, or in a stream without
//! hook lines, follows from calls and results as in a transcript. PreCompact, PostCompact, StopFailure and
//! SessionEnd never have hook lines (measured with 2.1.332), so these always follow from other lines.

mod call;
mod firing;
mod input;

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use crate::dialect::{Output, Reader, Shared};
use crate::model::{
    Agent, AgentIx, Call, CallIx, Context, ContextIx, Diagnostic, Event, EventIx, Evidence, Level, LineRef, MarkIx,
    MarkKind, Name, Origin, Place, RunMark, Says, Time,
};
use crate::source::values::parse_lenient;

pub use input::hook_input;

/// Events are held back this long for the `init` line that tells folder and version.
const HELD_FOR_INIT: usize = 64;

/// Reads a stream, line by line.
#[derive(Debug, Default)]
pub struct StreamReader {
    /// Events whose place is known but not yet whether they fired, and those behind them.
    queue: VecDeque<usize>,
    slots: Vec<Slot>,
    emitted: u32,
    diagnostics: u32,
    /// What is known of the session by now.
    now: Option<Context>,
    init_seen: bool,
    calls: Vec<OpenCall>,
    by_id: HashMap<String, usize>,
    /// PreToolUse of calls whose line has not come yet.
    early: Vec<usize>,
    agents: Vec<OpenAgent>,
    firing: Option<firing::Open>,
    /// Handlers per firing, by hook name, where it could be told.
    handlers: HashMap<String, usize>,
    /// Which slot a hook run belongs to.
    runs: HashMap<String, usize>,
    turn: Turn,
    /// The last line, where it was a `result`.
    result: Option<LineRef>,
}

/// An event on its way out.
#[derive(Debug)]
struct Slot {
    event: Event,
    context: Context,
    marks: Vec<RunMark>,
    state: State,
    /// Its index once it is out.
    index: Option<EventIx>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It fired.
    Fired,
    /// Not yet known.
    Waiting,
    /// It did not fire.
    Dropped,
}

#[derive(Debug)]
struct OpenCall {
    call: Call,
    agent: AgentIx,
    /// The message that asked for it: calls of one message are a batch.
    message: String,
    pre: usize,
    post: Option<usize>,
    answered: bool,
    /// An answer of a hook on PreToolUse or PermissionRequest refused it.
    refused: bool,
    /// The event whose handler's answer that was, and its word.
    refused_by: Option<(usize, Says)>,
}

#[derive(Debug)]
struct OpenAgent {
    ix: AgentIx,
    kind: Name,
    /// The call that started it.
    tool_use_id: Option<String>,
    start: usize,
    stop: Option<usize>,
    background: Option<bool>,
    /// Its last assistant line asked for no tool.
    rests: bool,
    done: bool,
}

/// Since the last prompt of the main agent.
#[derive(Debug, Default)]
struct Turn {
    prompt: Option<usize>,
    stops: u32,
    stop: Option<usize>,
    spoke: bool,
    failed: bool,
    /// The batch whose PostToolBatch may follow, by agent.
    batches: HashMap<AgentIx, usize>,
    /// The session's start is known.
    started: bool,
    compaction: Option<Compaction>,
}

/// A compaction under way: what fires in its course.
#[derive(Debug, Clone, Copy)]
struct Compaction {
    before: usize,
    /// The subagent that makes the summary has stopped.
    summed_up: bool,
    /// The session has started again.
    restarted: bool,
}

impl StreamReader {
    /// At the start of a stream.
    pub fn new() -> StreamReader {
        StreamReader::default()
    }

    fn add(&mut self, name: &str, subject: Option<&str>, at: LineRef, state: State, shared: &mut Shared) -> usize {
        let context = self.now.unwrap_or(Context::EMPTY);
        let mut event = Event::new(shared.names.intern(name), Time::UNKNOWN, at, ContextIx(0));
        event.subject = subject.map_or(Name::NONE, |subject| shared.names.intern(subject));
        self.slots.push(Slot { event, context, marks: Vec::new(), state, index: None });
        let slot = self.slots.len() - 1;
        self.queue.push_back(slot);
        slot
    }

    /// A firing that hook lines tell: an event that was waiting moves to this place.
    fn fire(&mut self, slot: usize) {
        let held = &mut self.slots[slot];
        if held.index.is_some() {
            return;
        }
        held.event.origin = Origin::Recorded;
        held.event.evidence = Evidence::Recorded;
        if held.state == State::Waiting {
            self.queue.retain(|queued| *queued != slot);
            self.queue.push_back(slot);
        }
    }

    /// Decides about an event that was waiting.
    fn settle(&mut self, slot: usize, state: State) {
        let slot = &mut self.slots[slot];
        if slot.state == State::Waiting {
            slot.state = if slot.event.origin == Origin::Recorded { State::Fired } else { state };
        }
    }

    fn mark(&mut self, slot: usize, at: LineRef, kind: MarkKind, index: usize, out: &mut Output) {
        self.mark_run(slot, RunMark { at, kind, index: u16::try_from(index).unwrap_or(u16::MAX), ..PLAIN }, out);
    }

    fn mark_run(&mut self, slot: usize, mark: RunMark, out: &mut Output) {
        let held = &mut self.slots[slot];
        match held.index {
            Some(event) => out.marks.push(RunMark { event, ..mark }),
            None => held.marks.push(mark),
        }
    }

    /// Hands on what is settled.
    fn flush(&mut self, shared: &mut Shared, out: &mut Output) {
        if !self.init_seen && self.queue.len() < HELD_FOR_INIT {
            return;
        }
        while let Some(&front) = self.queue.front() {
            let slot = &mut self.slots[front];
            match slot.state {
                State::Waiting => return,
                State::Dropped => {}
                State::Fired => {
                    slot.event.context = shared.context(fill(slot.context, self.now));
                    let index = EventIx(self.emitted);
                    self.emitted += 1;
                    slot.index = Some(index);
                    out.events.push(slot.event);
                    out.marks.extend(slot.marks.drain(..).map(|mark| RunMark { event: index, ..mark }));
                }
            }
            self.queue.pop_front();
        }
    }

    fn learn(&mut self, line: &Map<String, Value>, shared: &mut Shared, out: &mut Output) {
        let mut now = self.now.unwrap_or(Context::EMPTY);
        let mut name = |key: &str| line.get(key).and_then(Value::as_str).map(|text| shared.names.intern(text));
        if let Some(session) = name("session_id").filter(|session| *session != now.session) {
            if now.session.is_some() {
                // Another session starts: after `/clear`, or in a stream of several runs.
                let started = self.turn.started && !self.turn.spoke;
                self.turn = Turn { started, ..Turn::default() };
            }
            now.session = session;
        }
        if line.get("subtype").and_then(Value::as_str) == Some("init") {
            now.cwd = name("cwd").unwrap_or(now.cwd);
            now.version = name("claude_code_version").unwrap_or(now.version);
            now.mode = name("permissionMode").unwrap_or(now.mode);
            now.model = name("model").unwrap_or(now.model);
            self.init_seen = true;
        }
        if self.now.is_none_or(|before| !before.session.is_some()) && now.session.is_some() {
            out.id = shared.names.get(now.session).map(str::to_owned);
        }
        self.now = Some(now);
    }

    fn system(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared, out: &mut Output) {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        match text("subtype").unwrap_or_default() {
            "hook_started" => self.hook_started(at, line, shared, out),
            "hook_progress" => self.hook_line(at, line, MarkKind::Started, shared, out),
            "hook_response" => self.hook_line(at, line, MarkKind::Response, shared, out),
            "init" if !self.turn.started => {
                let slot = self.add("SessionStart", None, at, State::Fired, shared);
                // Whatever began it, that was before the prompt.
                if let Some(prompt) = self.turn.prompt.filter(|prompt| self.slots[*prompt].index.is_none()) {
                    self.queue.retain(|queued| *queued != slot);
                    let place = self.queue.iter().position(|queued| *queued == prompt).unwrap_or(0);
                    self.queue.insert(place, slot);
                }
                self.turn.started = true;
            }
            // Every prompt that reaches the model begins with one: the turn before it ended without a result.
            "init" if self.turn.spoke => {
                if self.turn.stop.is_none() && !self.turn.failed {
                    self.stops(at, shared);
                }
                let batches = std::mem::take(&mut self.turn.batches);
                self.turn = Turn { started: true, batches, ..Turn::default() };
            }
            "status" if text("status") == Some("compacting") => {
                let before = self.add("PreCompact", None, at, State::Waiting, shared);
                self.turn.compaction = Some(Compaction { before, summed_up: false, restarted: false });
            }
            "compact_boundary" => {
                let trigger = line.get("compact_metadata").and_then(|it| it.get("trigger")).and_then(Value::as_str);
                let known = self.turn.compaction.take();
                let before = match known {
                    Some(compaction) => compaction.before,
                    None => self.add("PreCompact", None, at, State::Waiting, shared),
                };
                self.slots[before].event.subject = trigger.map_or(Name::NONE, |trigger| shared.names.intern(trigger));
                self.settle(before, State::Fired);
                if known.is_none_or(|compaction| !compaction.summed_up) {
                    // Measured with 2.1.332; not documented.
                    let slot = self.add("SubagentStop", Some(""), at, State::Fired, shared);
                    self.slots[slot].event.evidence = Evidence::Assumed;
                }
                if known.is_none_or(|compaction| !compaction.restarted) {
                    self.add("SessionStart", Some("compact"), at, State::Fired, shared);
                }
                self.add("PostCompact", trigger, at, State::Fired, shared);
            }
            "task_started" if text("subagent_type").is_some() => {
                let started = Started {
                    id: text("task_id"),
                    kind: text("subagent_type"),
                    tool_use_id: text("tool_use_id"),
                    background: line.get("is_backgrounded").and_then(Value::as_bool),
                };
                self.agent_starts(at, &started, shared);
            }
            "task_notification" => self.agent_ends(text("tool_use_id"), at, shared),
            "permission_denied" => {
                let Some(&call) = text("tool_use_id").and_then(|id| self.by_id.get(id)) else { return };
                if text("decision_reason_type") == Some("hook") {
                    self.calls[call].refused = true;
                    // Without hook lines nothing tells whether it was at the call or at its permission prompt.
                    let (slot, says) = self.calls[call].refused_by.unwrap_or((self.calls[call].pre, Says::Deny));
                    let kind = if says == Says::Ask { MarkKind::DecidedCall } else { MarkKind::RefusedCall };
                    self.mark_run(slot, RunMark { at, kind, says: Some(says), ..PLAIN }, out);
                }
            }
            "informational" => self.informational(at, line, shared, out),
            _ => {}
        }
    }

    fn informational(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared, out: &mut Output) {
        let of_prompt = line.contains_key("prompt_submit_outcome");
        let slot = if of_prompt {
            // A refused prompt has no other line. The next one is another.
            let known = self.turn.prompt.take();
            Some(known.unwrap_or_else(|| self.add("UserPromptSubmit", None, at, State::Fired, shared)))
        } else if line.contains_key("hook_no_verdict") {
            self.calls.iter().rev().find(|call| !call.answered).map(|call| call.pre)
        } else {
            self.turn.stop.or(self.turn.prompt)
        };
        if let Some(slot) = slot {
            self.mark(slot, at, MarkKind::Informational, 0, out);
        }
    }

    /// The agent that a line is of: the one whose call it names, else the main one.
    fn agent_of(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared) -> AgentIx {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        let Some(parent) = text("parent_tool_use_id") else { return AgentIx(0) };
        let started =
            Started { id: text("agent_id"), kind: text("subagent_type"), tool_use_id: Some(parent), background: None };
        self.agent_starts(at, &started, shared)
    }

    fn agent_starts(&mut self, at: LineRef, started: &Started, shared: &mut Shared) -> AgentIx {
        let by_call =
            |agent: &&OpenAgent| started.tool_use_id.is_some() && agent.tool_use_id.as_deref() == started.tool_use_id;
        if let Some(known) = self.agents.iter().find(by_call) {
            return known.ix;
        }
        let call = started.tool_use_id.and_then(|id| self.by_id.get(id)).copied();
        let mut name = |text: Option<&str>| text.map_or(Name::NONE, |text| shared.names.intern(text));
        let (id, kind) = (name(started.id), name(started.kind));
        let known = shared.agents.iter().position(|agent| id.is_some() && agent.id == id);
        let ix = match known.and_then(|ix| u16::try_from(ix).ok()) {
            Some(ix) => AgentIx(ix),
            None => shared.agent(Agent {
                id,
                kind,
                parent: call.map_or(AgentIx(0), |call| self.calls[call].agent),
                call: call.map(|call| (at.source(), call_ix(call))),
                background: started.background,
            }),
        };
        let start = self.add("SubagentStart", started.kind, at, State::Fired, shared);
        self.slots[start].event.agent = ix;
        // Its hook lines, if there are any, come next.
        self.slots[start].state = State::Waiting;
        let tool_use_id = started.tool_use_id.map(str::to_owned);
        self.agents.push(OpenAgent {
            ix,
            kind,
            tool_use_id,
            start,
            stop: None,
            background: started.background,
            rests: false,
            done: false,
        });
        ix
    }

    /// A subagent is done, by its call's result or its notification: it stopped, if no hook line said so.
    fn agent_ends(&mut self, tool_use_id: Option<&str>, at: LineRef, shared: &mut Shared) {
        let by_call = |agent: &OpenAgent| tool_use_id.is_some() && agent.tool_use_id.as_deref() == tool_use_id;
        let Some(place) = self.agents.iter().position(by_call) else { return };
        // The result of a call in the background tells only that it was launched.
        let launched = self.agents[place].background == Some(true) && !self.agents[place].rests;
        if launched || std::mem::replace(&mut self.agents[place].done, true) || self.agents[place].stop.is_some() {
            return;
        }
        if let Some(batch) = self.turn.batches.remove(&self.agents[place].ix) {
            self.settle(batch, State::Fired);
        }
        let slot = self.add("SubagentStop", None, at, State::Fired, shared);
        let agent = &mut self.agents[place];
        agent.stop = Some(slot);
        let event = &mut self.slots[slot].event;
        (event.agent, event.subject, event.stop_hook_active) = (agent.ix, agent.kind, Some(false));
    }

    fn assistant(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared, out: &mut Output) {
        let agent = self.agent_of(at, line, shared);
        let message = line.get("message").unwrap_or(&Value::Null);
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let api_error = line.get("is_api_error_message") == Some(&Value::Bool(true));
        if text("model") == "<synthetic>" && !api_error {
            return;
        }
        if let Some(now) = &mut self.now
            && agent == AgentIx(0)
            && !text("model").is_empty()
            && !api_error
        {
            now.model = shared.names.intern(text("model"));
        }
        if let Some(batch) = self.turn.batches.remove(&agent) {
            self.settle(batch, State::Fired);
        }
        if let Some(known) = self.agents.iter().position(|known| known.ix == agent) {
            self.settle(self.agents[known].start, State::Fired);
        }
        if agent == AgentIx(0) {
            // What is said now is said after a stop that was sent back, if there was one.
            self.turn.stop = None;
            if self.turn.prompt.is_none() && !self.turn.spoke {
                self.turn.prompt = Some(self.add("UserPromptSubmit", None, at, State::Fired, shared));
            }
            self.turn.spoke = true;
        }
        if api_error {
            let error = line.get("error").and_then(Value::as_str);
            let slot = self.add("StopFailure", error, at, State::Fired, shared);
            self.slots[slot].event.agent = agent;
            self.slots[slot].event.time = time_of(line);
            self.turn.failed = true;
            return;
        }
        let blocks = message.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut asks = false;
        for (block, content) in blocks.iter().enumerate() {
            if content.get("type").and_then(Value::as_str) == Some("tool_use") {
                asks = true;
                let asked = call::Asked { at, block, content, message: text("id"), agent, time: time_of(line) };
                self.call(&asked, shared, out);
            }
        }
        if let Some(known) = self.agents.iter_mut().find(|known| known.ix == agent) {
            known.rests = !asks;
        }
    }

    /// The main agent's turn is over.
    fn turn_ends(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared) {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        if let Some(batch) = self.turn.batches.remove(&AgentIx(0)) {
            self.settle(batch, State::Dropped);
        }
        let ended_well = match text("terminal_reason") {
            Some(reason) => matches!(reason, "completed" | "stop_hook_prevented"),
            None => text("subtype") == Some("success") && line.get("is_error") != Some(&Value::Bool(true)),
        };
        if ended_well && self.turn.spoke && !self.turn.failed && self.turn.stop.is_none() {
            self.stops(at, shared);
        }
        if let Some(compaction) = self.turn.compaction.take() {
            // No boundary came: a hook refused it, or it failed.
            self.settle(compaction.before, State::Fired);
        }
        let batches = std::mem::take(&mut self.turn.batches);
        self.turn = Turn { started: self.turn.started, batches, ..Turn::default() };
    }

    fn unreadable(&mut self, at: LineRef, shared: &mut Shared, out: &mut Output) {
        let slot = self.add(Event::UNREADABLE, None, at, State::Fired, shared);
        self.slots[slot].event.diagnostic = self.diagnostics;
        self.diagnostics += 1;
        out.diagnostics.push(Diagnostic {
            level: Level::Warning,
            message: "this line is no JSON object and is left out".to_owned(),
            place: Place { path: String::new(), line: Some(at.line), column: None },
            help: None,
        });
    }
}

/// What a line says about a subagent that it is the first of.
struct Started<'a> {
    id: Option<&'a str>,
    kind: Option<&'a str>,
    tool_use_id: Option<&'a str>,
    background: Option<bool>,
}

/// A mark without anything.
const PLAIN: RunMark = RunMark {
    event: EventIx::NONE,
    next: MarkIx::NONE,
    at: LineRef::NONE,
    kind: MarkKind::Started,
    index: 0,
    command: Name::NONE,
    exit_code: None,
    duration_ms: None,
    says: None,
    lost: false,
};

fn call_ix(call: usize) -> CallIx {
    CallIx(u32::try_from(call).unwrap_or(u32::MAX))
}

/// What was not known yet when the event came, as far as it is the same session's.
fn fill(context: Context, now: Option<Context>) -> Context {
    let Some(now) = now.filter(|now| now.session == context.session) else { return context };
    let or = |own: Name, other: Name| if own.is_some() { own } else { other };
    Context {
        cwd: or(context.cwd, now.cwd),
        version: or(context.version, now.version),
        mode: or(context.mode, now.mode),
        model: or(context.model, now.model),
        ..context
    }
}

fn time_of(line: &Map<String, Value>) -> Time {
    line.get("timestamp").and_then(Value::as_str).map_or(Time::UNKNOWN, Time::read)
}

impl Reader for StreamReader {
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let Some(Value::Object(line)) = parse_lenient(bytes) else {
            self.unreadable(at, shared, out);
            self.flush(shared, out);
            return;
        };
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        let of_hook = line.get("subtype").and_then(Value::as_str).is_some_and(|it| it.starts_with("hook_"));
        if !of_hook {
            self.close_firing();
        }
        if kind == "conversation_reset" {
            let reason = line.get("trigger").and_then(Value::as_str);
            self.add("SessionEnd", reason, at, State::Fired, shared);
            self.turn = Turn::default();
        } else {
            self.learn(&line, shared, out);
        }
        match kind {
            "system" => self.system(at, &line, shared, out),
            "assistant" => self.assistant(at, &line, shared, out),
            "user" => self.user(at, &line, shared, out),
            "result" => self.turn_ends(at, &line, shared),
            _ => {}
        }
        self.result = (kind == "result").then_some(at);
        self.flush(shared, out);
    }

    fn end(&mut self, shared: &mut Shared, out: &mut Output) {
        self.close_firing();
        let batches: Vec<usize> = self.turn.batches.drain().map(|(_, slot)| slot).collect();
        for slot in self.queue.clone() {
            self.settle(slot, if batches.contains(&slot) { State::Dropped } else { State::Fired });
        }
        if let Some(at) = self.result.take() {
            // The client ends after the last result; then its reason is always `other` (measured with 2.1.332).
            let slot = self.add("SessionEnd", Some("other"), at, State::Fired, shared);
            self.slots[slot].event.evidence = Evidence::Assumed;
        }
        self.init_seen = true;
        self.flush(shared, out);
    }
}

#[cfg(test)]
mod tests;
