//! Calls and results in a stream: what fires before and after them.

use serde_json::{Map, Value};

use super::{OpenCall, State, StreamReader, call_ix, time_of};
use crate::dialect::{Output, Shared};
use crate::model::{AgentIx, Call, CallRange, Ending, LineRef, MarkKind, Time};

/// A content block that asks for a call.
pub(super) struct Asked<'a> {
    pub(super) at: LineRef,
    pub(super) block: usize,
    pub(super) content: &'a Value,
    pub(super) message: &'a str,
    pub(super) agent: AgentIx,
    pub(super) time: Time,
}

impl StreamReader {
    /// A call is asked for. PreToolUse stands here until a hook line or its result tells that it fired.
    pub(super) fn call(&mut self, asked: &Asked, shared: &mut Shared, out: &mut Output) {
        let text = |key: &str| asked.content.get(key).and_then(Value::as_str).unwrap_or_default();
        if self.by_id.contains_key(text("id")) {
            return;
        }
        // The model may still use the tool's former name; hooks never see it.
        let tool = if text("name") == "Task" { "Agent" } else { text("name") };
        let name = shared.names.intern(tool);
        // A subagent's hook lines may come before the line with its call.
        let early = self.early.iter().position(|slot| self.slots[*slot].event.subject == name);
        let pre = match early.map(|place| self.early.remove(place)) {
            Some(slot) => {
                self.slots[slot].event.at = asked.at;
                self.settle(slot, State::Fired);
                slot
            }
            None => self.add("PreToolUse", Some(tool), asked.at, State::Waiting, shared),
        };
        let call = Call {
            tool: name,
            used: asked.at,
            answered: LineRef::NONE,
            used_block: u16::try_from(asked.block).unwrap_or(u16::MAX),
            answered_block: 0,
            ending: Ending::Pending,
        };
        let ix = self.calls.len();
        self.by_id.insert(text("id").to_owned(), ix);
        let message = asked.message.to_owned();
        let agent = asked.agent;
        self.calls.push(OpenCall {
            call,
            agent,
            message,
            pre,
            post: None,
            answered: false,
            refused: false,
            refused_by: None,
        });
        self.about_call(pre, ix);
        self.slots[pre].event.time = asked.time;
        out.calls.push((call_ix(ix), call));
    }

    pub(super) fn user(&mut self, at: LineRef, line: &Map<String, Value>, shared: &mut Shared, out: &mut Output) {
        let agent = self.agent_of(at, line, shared);
        let content = line.get("message").and_then(|message| message.get("content")).unwrap_or(&Value::Null);
        let feedback = |text: &str| text.starts_with("Stop hook feedback:");
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let says_feedback = content.as_str().is_some_and(feedback)
            || blocks.iter().any(|block| block.get("text").and_then(Value::as_str).is_some_and(feedback));
        if says_feedback && agent == AgentIx(0) {
            let slot = self.turn.stop.unwrap_or_else(|| self.stops(at, shared));
            self.mark(slot, at, MarkKind::StopFeedback, 0, out);
        }
        let mut answered = None;
        for (block, content) in blocks.iter().enumerate() {
            if content.get("type").and_then(Value::as_str) == Some("tool_result") {
                answered = self.answer(at, block, content, line, shared, out).or(answered);
            }
        }
        let Some(call) = answered else { return };
        let message = &self.calls[call].message;
        let batch: Vec<usize> = (0..self.calls.len())
            .filter(|at| self.calls[*at].message == *message && self.calls[*at].agent == agent)
            .collect();
        if batch.iter().all(|call| self.calls[*call].answered) {
            let slot = self.add("PostToolBatch", None, at, State::Waiting, shared);
            let event = &mut self.slots[slot].event;
            event.agent = agent;
            event.time = time_of(line);
            let first = batch.first().copied().unwrap_or(call);
            let in_a_row = batch.iter().zip(first..).all(|(call, expected)| *call == expected);
            if in_a_row {
                let count = u16::try_from(batch.len()).unwrap_or(u16::MAX);
                event.calls = CallRange { first: call_ix(first), count };
            }
            if let Some(earlier) = self.turn.batches.insert(agent, slot) {
                self.settle(earlier, State::Fired);
            }
        }
    }

    fn answer(
        &mut self,
        at: LineRef,
        block: usize,
        content: &Value,
        line: &Map<String, Value>,
        shared: &mut Shared,
        out: &mut Output,
    ) -> Option<usize> {
        let id = content.get("tool_use_id").and_then(Value::as_str)?;
        let call = *self.by_id.get(id)?;
        if self.calls[call].answered {
            return None;
        }
        self.swap_post(call);
        let text = result_text(content);
        let meta = line
            .get("tool_result_meta")
            .and_then(Value::as_array)
            .and_then(|metas| metas.iter().find(|meta| meta.get("id").and_then(Value::as_str) == Some(id)));
        let ending = self.ending(call, &text, content, meta);
        let open = &mut self.calls[call];
        open.answered = true;
        open.call.answered = at;
        open.call.answered_block = u16::try_from(block).unwrap_or(u16::MAX);
        open.call.ending = ending;
        out.calls.push((call_ix(call), open.call));
        let (pre, post, tool) = (open.pre, open.post, open.call.tool);
        let refused_early = ending == Ending::RefusedBeforeHooks;
        self.settle(pre, if refused_early { State::Dropped } else { State::Fired });
        let decided_by = meta.and_then(|meta| meta.get("permission_decision")).and_then(|it| it.get("source"));
        if text.starts_with("PreToolUse:") && text.contains(" hook error: ") {
            self.mark(pre, at, MarkKind::RefusedCall, block, out);
        } else if decided_by.and_then(Value::as_str) == Some("hook") {
            self.mark(pre, at, MarkKind::DecidedCall, block, out);
        }
        if tool == shared.names.intern("Agent") && !text.starts_with("Async agent launched") {
            self.agent_ends(Some(id), at, shared);
        }
        let name = match ending {
            Ending::Succeeded => "PostToolUse",
            Ending::Failed => "PostToolUseFailure",
            _ => "",
        };
        let post = match post {
            Some(slot) => Some(slot),
            None if name.is_empty() => None,
            None => {
                let slot = self.add(name, None, at, State::Waiting, shared);
                self.about_call(slot, call);
                self.slots[slot].event.subject = tool;
                Some(slot)
            }
        };
        if let Some(slot) = post {
            self.slots[slot].event.at = at;
            self.slots[slot].event.time = time_of(line);
            self.settle(slot, State::Fired);
        }
        Some(call)
    }

    /// Calls of one tool may end in another order than their hooks were taken for: the one that has its result is
    /// the one whose hooks have run.
    fn swap_post(&mut self, call: usize) {
        if self.calls[call].post.is_some() {
            return;
        }
        let tool = self.calls[call].call.tool;
        let other = self.calls.iter().position(|open| open.call.tool == tool && !open.answered && open.post.is_some());
        if let Some(other) = other
            && let Some(slot) = self.calls[other].post.take()
        {
            self.calls[call].post = Some(slot);
            self.about_call(slot, call);
        }
    }

    fn ending(&self, call: usize, text: &str, content: &Value, meta: Option<&Value>) -> Ending {
        let open = &self.calls[call];
        let failed = content.get("is_error") == Some(&Value::Bool(true));
        if open.post.is_some() {
            return if failed { Ending::Failed } else { Ending::Succeeded };
        }
        if text.starts_with("PreToolUse:") && text.contains(" hook error: ") {
            return Ending::DeniedByHook;
        }
        let decision = meta.and_then(|meta| meta.get("permission_decision"));
        let word = |value: Option<&Value>, key: &str| {
            value.and_then(|value| value.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        match word(meta, "non_execution_kind").as_str() {
            _ if open.refused && failed => return Ending::DeniedByHook,
            "permission-rule" if word(decision, "source") == "hook" => return Ending::DeniedByHook,
            "permission-rule" => return Ending::DeniedByRule,
            "user-rejected" => return Ending::Rejected,
            "interrupted" => return Ending::Interrupted,
            "cancelled" => return Ending::Cancelled,
            _ => {}
        }
        if !failed {
            return Ending::Succeeded;
        }
        let refusals = [
            "requested permissions to",
            "Permission to use",
            "The user doesn't want to",
            "was blocked. For security, Claude Code",
        ];
        if text.contains("Sibling tool call errored") {
            Ending::Cancelled
        } else if text.starts_with("<tool_use_error>") {
            Ending::RefusedBeforeHooks
        } else if word(decision, "decision") == "reject" || refusals.iter().any(|words| text.contains(words)) {
            Ending::Rejected
        } else {
            Ending::Failed
        }
    }
}

fn result_text(content: &Value) -> String {
    match content.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
