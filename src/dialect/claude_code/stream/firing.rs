//! Hook lines: which of them are one firing, and of which event.

use serde_json::{Map, Value};

use super::{OpenCall, PLAIN, State, StreamReader, call_ix};
use crate::dialect::claude_code::output;
use crate::dialect::{Output, Shared};
use crate::model::{AgentIx, CallRange, LineRef, MarkKind, Name, RunMark, Says};
use crate::source::values::parse_lenient;

/// The firing whose handlers are being started. All handlers of an event start together, so that it is over with
/// the first answer, and with the first line that is about something else.
#[derive(Debug)]
pub(super) struct Open {
    name: String,
    slot: usize,
    started: usize,
    /// No other call could have been meant.
    certain: bool,
}

impl StreamReader {
    pub(super) fn close_firing(&mut self) {
        if let Some(open) = self.firing.take()
            && open.certain
        {
            self.handlers.insert(open.name, open.started);
        }
    }

    pub(super) fn hook_started(
        &mut self,
        at: LineRef,
        line: &Map<String, Value>,
        shared: &mut Shared,
        out: &mut Output,
    ) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, event) = (text("hook_name"), text("hook_event"));
        let known = self.handlers.get(name).copied().unwrap_or(usize::MAX);
        let again = self.firing.as_mut().filter(|open| open.name == name && open.started < known);
        let (slot, index) = match again {
            Some(open) => {
                open.started += 1;
                (open.slot, open.started - 1)
            }
            None => {
                self.close_firing();
                let (slot, certain) = self.fired(at, event, name, shared);
                self.firing = Some(Open { name: name.to_owned(), slot, started: 1, certain });
                (slot, 0)
            }
        };
        self.runs.insert(text("hook_id").to_owned(), slot);
        self.mark(slot, at, MarkKind::Started, index, out);
    }

    /// A line about a run that was started.
    pub(super) fn hook_line(
        &mut self,
        at: LineRef,
        line: &Map<String, Value>,
        kind: MarkKind,
        shared: &Shared,
        out: &mut Output,
    ) {
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(&slot) = self.runs.get(text("hook_id")) else { return };
        let exit_code = line.get("exit_code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        let late = kind == MarkKind::Response && self.is_past(slot, text("hook_event"));
        let kind = if late { MarkKind::Async } else { kind };
        let mut mark = RunMark { at, kind, exit_code, ..PLAIN };
        if kind == MarkKind::Response && text("outcome") != "cancelled" {
            let version = self.now.and_then(|now| shared.names.get(now.version));
            let ran =
                output::Ran { stdout: text("stdout"), stderr: text("stderr"), exit_code, ..output::Ran::default() };
            let reading = output::read(text("hook_event"), &ran, version);
            (mark.says, mark.lost) = (reading.says, reading.lost);
        }
        self.mark_run(slot, mark, out);
        if kind != MarkKind::Response {
            return;
        }
        if self.firing.as_ref().is_some_and(|open| open.slot == slot) {
            self.close_firing();
        }
        self.refused(slot, text("hook_event"), text("stdout"), mark);
    }

    /// Whether the agent has gone on past an event: it waits for all handlers but those in the background.
    fn is_past(&self, slot: usize, event: &str) -> bool {
        let calls = self.slots[slot].event.calls;
        match event {
            // At the permission prompt it does not wait: the first decision to come in counts.
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" => {
                calls.count == 1 && self.calls.get(calls.first.at()).is_some_and(|call| call.answered)
            }
            "UserPromptSubmit" => self.turn.prompt != Some(slot) || self.turn.spoke,
            "Stop" => self.turn.stop != Some(slot),
            _ => false,
        }
    }

    /// Whether an answer refuses the call, as far as that decides if it ran: the client's newer words for it stand in
    /// the result, older ones give the bare reason (2.1.197).
    fn refused(&mut self, slot: usize, event: &str, stdout: &str, mark: RunMark) {
        // At the prompt exit codes decide nothing, and a question is not asked.
        let refusals: &[Says] = match event {
            "PreToolUse" => &[Says::Deny, Says::Block, Says::Ask],
            "PermissionRequest" => &[Says::Deny],
            _ => return,
        };
        let word = mark.says.filter(|says| refusals.contains(says));
        // `continue: false` may stand beside a refusal.
        let word = word.or_else(|| (mark.says == Some(Says::Halt) && denies(stdout)).then_some(Says::Deny));
        let call = self.slots[slot].event.calls.first;
        if let (Some(word), Some(call)) = (word, self.calls.get_mut(call.at())) {
            call.refused = true;
            // A refusal beats a question.
            if call.refused_by.is_none_or(|(_, known)| known == Says::Ask) {
                call.refused_by = Some((slot, word));
            }
        }
    }

    /// The event of a first `hook_started` line, and whether it is certain which one.
    fn fired(&mut self, at: LineRef, event: &str, name: &str, shared: &mut Shared) -> (usize, bool) {
        let subject = name.strip_prefix(event).and_then(|rest| rest.strip_prefix(':'));
        let tool = subject.map(|subject| shared.names.intern(subject));
        let open = |calls: &[OpenCall], wanted: &dyn Fn(&OpenCall) -> bool| -> Vec<usize> {
            let of_tool = |call: &OpenCall| Some(call.call.tool) == tool && !call.answered && wanted(call);
            (0..calls.len()).filter(|at| of_tool(&calls[*at])).collect()
        };
        match event {
            "PreToolUse" => {
                let slots = &self.slots;
                let calls = open(&self.calls, &|call| slots[call.pre].state == State::Waiting);
                if let Some(&call) = calls.first() {
                    let slot = self.calls[call].pre;
                    self.fire(slot);
                    self.settle(slot, State::Fired);
                    return (slot, calls.len() == 1);
                }
                let slot = self.add(event, subject, at, State::Waiting, shared);
                self.fire(slot);
                self.early.push(slot);
                return (slot, true);
            }
            "PostToolUse" | "PostToolUseFailure" => {
                let calls = open(&self.calls, &|call| call.post.is_none());
                if let Some(&call) = calls.first() {
                    let slot = self.add(event, subject, at, State::Waiting, shared);
                    self.fire(slot);
                    self.about_call(slot, call);
                    self.calls[call].post = Some(slot);
                    let pre = self.calls[call].pre;
                    self.settle(pre, State::Fired);
                    return (slot, calls.len() == 1);
                }
            }
            "PermissionRequest" => {
                let calls = open(&self.calls, &|_| true);
                let slot = self.add(event, subject, at, State::Fired, shared);
                if let Some(&call) = calls.first() {
                    self.about_call(slot, call);
                    let pre = self.calls[call].pre;
                    self.settle(pre, State::Fired);
                }
                self.fire(slot);
                return (slot, calls.len() == 1);
            }
            "PostToolBatch" => {
                let agents: Vec<AgentIx> = self.turn.batches.keys().copied().collect();
                if let Some(agent) = agents.iter().min()
                    && let Some(slot) = self.turn.batches.remove(agent)
                {
                    self.fire(slot);
                    self.settle(slot, State::Fired);
                    return (slot, agents.len() == 1);
                }
            }
            "SubagentStart" => {
                let kind = tool.unwrap_or(Name::NONE);
                let slots = &self.slots;
                let fresh =
                    self.agents.iter().filter(|agent| agent.kind == kind && slots[agent.start].state == State::Waiting);
                let fresh: Vec<usize> = fresh.map(|agent| agent.start).collect();
                if let Some(&slot) = fresh.first() {
                    self.fire(slot);
                    self.settle(slot, State::Fired);
                    return (slot, fresh.len() == 1);
                }
            }
            "SubagentStop" => return (self.subagent_stops(at, shared), true),
            "Stop" => {
                let slot = self.stops(at, shared);
                self.fire(slot);
                return (slot, true);
            }
            "UserPromptSubmit" => {
                let slot = self.add(event, subject, at, State::Fired, shared);
                self.fire(slot);
                self.turn.prompt = Some(slot);
                (self.turn.stops, self.turn.stop, self.turn.spoke) = (0, None, false);
                return (slot, true);
            }
            "SessionStart" => {
                self.turn.started = true;
                if let Some(compaction) = &mut self.turn.compaction {
                    compaction.restarted = true;
                }
            }
            _ => {}
        }
        let slot = self.add(event, subject, at, State::Fired, shared);
        self.fire(slot);
        (slot, true)
    }

    /// The main agent is about to end its turn.
    pub(super) fn stops(&mut self, at: LineRef, shared: &mut Shared) -> usize {
        let slot = self.add("Stop", None, at, State::Fired, shared);
        self.slots[slot].event.stop_hook_active = Some(self.turn.stops > 0);
        self.turn.stops += 1;
        self.turn.stop = Some(slot);
        slot
    }

    fn subagent_stops(&mut self, at: LineRef, shared: &mut Shared) -> usize {
        let slot = self.add("SubagentStop", None, at, State::Fired, shared);
        self.fire(slot);
        if let Some(compaction) = &mut self.turn.compaction {
            compaction.summed_up = true;
            // The summary is made by a subagent without a type.
            self.slots[slot].event.subject = shared.names.intern("");
            return slot;
        }
        // The one that has just spoken; a foreground subagent's last words are not in the stream: then one that
        // waits for no call.
        let busy: Vec<AgentIx> = self.calls.iter().filter(|call| !call.answered).map(|call| call.agent).collect();
        let running = || self.agents.iter().rposition(|agent| !agent.done && !busy.contains(&agent.ix));
        let place = self.agents.iter().rposition(|agent| agent.rests && !agent.done).or_else(running);
        if let Some(agent) = place.and_then(|place| self.agents.get_mut(place)) {
            let event = &mut self.slots[slot].event;
            event.agent = agent.ix;
            event.subject = agent.kind;
            event.stop_hook_active = Some(agent.stop.is_some());
            agent.stop = Some(slot);
            agent.rests = false;
        }
        slot
    }

    pub(super) fn about_call(&mut self, slot: usize, call: usize) {
        let event = &mut self.slots[slot].event;
        event.calls = CallRange::one(call_ix(call));
        event.agent = self.calls[call].agent;
    }
}

/// Whether a hook output's own words refuse the call.
fn denies(stdout: &str) -> bool {
    let answer = parse_lenient(stdout.trim().as_bytes()).unwrap_or_default();
    let is = |place: &str, word: &str| answer.pointer(place).and_then(Value::as_str) == Some(word);
    is("/hookSpecificOutput/permissionDecision", "deny") || is("/decision", "block")
}
