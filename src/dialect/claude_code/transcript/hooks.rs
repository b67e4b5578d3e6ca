//! Traces that hooks left: attachments, progress lines, stop summaries, feedback, notices.
//!
//! Owns joining a trace to the event whose handlers left it. Must not know what an answer makes the client do.

use serde_json::value::RawValue;

use super::calls::bare_mark;
use super::ending::bracketed;
use super::lenient::Object;
use super::line::{Attachment, HookInfo, Line, Raw};
use super::queue::Slot;
use super::text::{head, whole};
use super::turn::Next;
use super::{Transcript, hash};
use crate::dialect::Shared;
use crate::dialect::claude_code::output;
use crate::model::{Event, LineRef, MarkKind, Name, RunMark, Says, Time};

/// Events that follow from other lines too: a trace belongs to the last one.
const DERIVED: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "CwdChanged",
    "TaskCreated",
    "TaskCompleted",
    "MessageDisplay",
];

/// Bytes of a handler's output that are looked at for what it says.
const OUTPUT_LOOKED_AT: usize = 16 * 1024;

impl Transcript {
    pub(super) fn attachment_line(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let Some(attachment) = &line.attachment.0 else { return };
        self.start_own_file(at, time, shared);
        let chain = self.chain_of(at, line, time, shared);
        let kind = match attachment.kind.text() {
            "hook_success" => MarkKind::Success,
            "hook_additional_context" => MarkKind::Context,
            "hook_blocking_error" => MarkKind::Blocking,
            "hook_non_blocking_error" => MarkKind::NonBlockingError,
            "hook_cancelled" => MarkKind::Cancelled,
            "hook_stopped_continuation" => MarkKind::Stopped,
            "hook_system_message" => MarkKind::SystemMessage,
            "hook_permission_decision" => MarkKind::PermissionDecision,
            "hook_deferred_tool" => MarkKind::Deferred,
            "hook_error_during_execution" => MarkKind::UnusableAnswer,
            "async_hook_response" => MarkKind::Async,
            "queued_command" => return self.queued_command(at, attachment, time, shared),
            "instructions" => return self.instructions(at, attachment, time, shared),
            "nested_memory" => return self.nested_memory(at, chain, time, shared),
            // Written right after the results, before the batch's hooks have run.
            "prompt_snapshot" => return,
            _ => return self.settle(chain, Next::Request, time, shared),
        };
        self.trace(at, chain, kind, attachment, attachment.tool_use_id.get(), time, shared);
    }

    /// Older clients wrote down that a hook was started, and nothing of its end.
    pub(super) fn progress_line(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let Some(data) = line.data.0.as_deref().filter(|data| data.kind.is("hook_progress")) else { return };
        self.start_own_file(at, time, shared);
        let chain = self.chain_of(at, line, time, shared);
        self.trace(at, chain, MarkKind::Started, data, line.tool_use_id.get(), time, shared);
    }

    #[expect(clippy::too_many_arguments, reason = "a trace, where it stands and what holds there")]
    fn trace(
        &mut self,
        at: LineRef,
        chain: usize,
        kind: MarkKind,
        trace: &Attachment,
        id: Option<&str>,
        time: Time,
        shared: &mut Shared,
    ) {
        let key = id.map(hash);
        if kind == MarkKind::Deferred {
            if let Some(key) = key {
                self.deferred(key, at);
            }
            return;
        }
        let event = trace.hook_event.text();
        let subject = trace.hook_name.text().split_once(':').map(|(_, subject)| subject);
        if kind == MarkKind::Stopped && matches!(event, "PreToolUse" | "PostToolUse") {
            self.halt_batch_of(key.unwrap_or_default(), chain);
        }
        let slot = match event {
            "PreToolUse" => key.and_then(|key| self.pre_of(key)),
            "PostToolUse" | "PostToolUseFailure" => key.and_then(|key| self.post_of(key)),
            "PermissionRequest" => key.and_then(|key| self.permission_asked(key, at, time, shared)),
            "PostToolBatch" => {
                self.settle(chain, Next::Request, time, shared);
                self.chains[chain].last_batch
            }
            "Stop" | "SubagentStop" => {
                self.settle(chain, Next::Turn, time, shared);
                if matches!(kind, MarkKind::Blocking | MarkKind::Context) {
                    self.chains[chain].kept_going = true;
                }
                self.chains[chain].last_stop
            }
            "SubagentStart" => self.chains[chain].started,
            "UserPromptSubmit" => self.run.prompt,
            "SessionStart" => Some(self.session_start_trace(at, subject, time, shared)),
            _ => None,
        };
        let slot = slot.or_else(|| {
            let subject = trace.tool_name.get().or(subject);
            match DERIVED.contains(&event) {
                true => self.last_of(event, subject, kind, at, time, shared),
                false => self.only_traced(event, subject, key, at, time, shared),
            }
        });
        let Some(slot) = slot else { return };
        let command = match kind {
            MarkKind::Blocking => trace.blocking_error.0.as_ref().and_then(|error| error.command.get()),
            _ => trace.command.get(),
        };
        let (said, lost) = match kind {
            MarkKind::Success | MarkKind::NonBlockingError => said_by(event, trace),
            _ => (None, false),
        };
        let says = match kind {
            MarkKind::Success => said,
            MarkKind::Blocking if event == "PreToolUse" => Some(Says::Deny),
            MarkKind::Blocking => Some(Says::Block),
            MarkKind::Stopped => Some(Says::Halt),
            MarkKind::Context => Some(Says::Context),
            MarkKind::PermissionDecision => match trace.decision.get() {
                Some("allow") => Some(Says::Allow),
                Some("deny") => Some(Says::Deny),
                _ => None,
            },
            _ => None,
        };
        if kind == MarkKind::Success && event == "PreToolUse" && asks(trace.stdout) {
            self.hook_asked(key.unwrap_or_default());
        }
        let command = command.map_or(Name::NONE, |command| shared.names.intern(command));
        if kind == MarkKind::Blocking && matches!(event, "Stop" | "SubagentStop") && command.is_some() {
            self.chains[chain].blockers.push(command);
        }
        let mark = RunMark {
            command,
            exit_code: trace.exit_code.code(),
            duration_ms: trace.duration_ms.millis(),
            says,
            lost,
            ..bare_mark(at, kind)
        };
        self.queue.mark(slot, mark);
    }

    /// The last event of that name (and subject); where there is none, the trace itself shows that it fired.
    fn last_of(
        &mut self,
        event: &str,
        subject: Option<&str>,
        kind: MarkKind,
        at: LineRef,
        time: Time,
        shared: &mut Shared,
    ) -> Option<Slot> {
        if event.is_empty() {
            return None;
        }
        let name = shared.names.intern(event);
        let subject = subject.map_or(Name::NONE, |subject| shared.names.intern(subject));
        let known = self
            .last
            .get(&(name, subject))
            .copied()
            .or_else(|| self.last.iter().filter(|((known, _), _)| *known == name).map(|(_, &slot)| slot).max());
        if known.is_some() || matches!(kind, MarkKind::Async) {
            return known;
        }
        let event = Event { subject, ..self.event(name, subject, at, time, shared) };
        Some(self.push(event))
    }

    /// An event that nothing but the traces of its hooks shows; those of one firing share an id.
    fn only_traced(
        &mut self,
        event: &str,
        subject: Option<&str>,
        key: Option<u64>,
        at: LineRef,
        time: Time,
        shared: &mut Shared,
    ) -> Option<Slot> {
        if event.is_empty() {
            return None;
        }
        let name = shared.names.intern(event);
        if let Some((known, id, slot)) = self.run.only_traced
            && known == name
            && id == key
        {
            return Some(slot);
        }
        let subject = subject.map_or(Name::NONE, |subject| shared.names.intern(subject));
        let event = self.event(name, subject, at, time, shared);
        let slot = self.push(event);
        self.run.only_traced = Some((name, key, slot));
        Some(slot)
    }

    /// `system` lines.
    pub(super) fn system_line(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let chain = self.chain_of(at, line, time, shared);
        if chain == 0 {
            self.decide_start(line, shared);
        }
        match line.subtype.text() {
            "stop_hook_summary" => self.stop_summary(at, chain, line, time, shared),
            "informational" => self.informational(at, chain, line, time, shared),
            "local_command" => {
                self.close_instructions();
                self.settle(chain, Next::Turn, time, shared);
                self.local_command(at, line, time, shared);
            }
            "compact_boundary" => {
                self.close_instructions();
                self.settle(chain, Next::Turn, time, shared);
                self.compaction(at, line, time);
            }
            "turn_duration" => self.settle(chain, Next::Turn, time, shared),
            _ => self.settle(chain, Next::Request, time, shared),
        }
    }

    /// One mark an entry. The client does not say which entry an error belongs to; it is told where only one could
    /// have said it.
    fn stop_summary(&mut self, at: LineRef, chain: usize, line: &Line, time: Time, shared: &mut Shared) {
        self.settle(chain, Next::Turn, time, shared);
        let slot = match self.chains[chain].last_stop {
            Some(slot) if self.chains[chain].unsummed => slot,
            // A turn that ended without any text.
            _ => {
                let context = self.context_ix(shared);
                self.stop(chain, at, time, context, shared)
            }
        };
        self.chains[chain].unsummed = false;
        let infos: Vec<Object<HookInfo>> = list(line.hook_infos);
        let errors: Vec<String> = strings(line.hook_errors);
        let context: Vec<String> = strings(line.hook_additional_context);
        if !errors.is_empty() || !context.is_empty() {
            self.chains[chain].kept_going = true;
        }
        let infos: Vec<HookInfo> = infos.into_iter().map(|info| info.0.unwrap_or_default()).collect();
        let without_time = infos.iter().filter(|info| info.duration_ms.0.is_none()).count();
        for (ix, info) in infos.iter().enumerate() {
            let command = info.command.get().map_or(Name::NONE, |command| shared.names.intern(command));
            let named = self.chains[chain].blockers.contains(&command)
                || errors.iter().any(|error| bracketed(error).as_deref() == info.command.get());
            let only_one = infos.len() == errors.len()
                || without_time == errors.len() && without_time < infos.len() && info.duration_ms.0.is_none();
            let says = match () {
                () if !errors.is_empty() && (named || only_one) => Some(Says::Block),
                () if line.prevented_continuation.0 && infos.len() == 1 => Some(Says::Halt),
                () => None,
            };
            let mark = RunMark {
                index: u16::try_from(ix).unwrap_or(u16::MAX),
                command,
                duration_ms: info.duration_ms.millis(),
                says,
                ..bare_mark(at, MarkKind::StopSummary)
            };
            self.queue.mark(slot, mark);
        }
    }

    /// What a stop hook sent to the model.
    pub(super) fn stop_feedback(&mut self, at: LineRef, chain: usize, text: &str, time: Time, shared: &mut Shared) {
        self.settle(chain, Next::Turn, time, shared);
        self.chains[chain].kept_going = true;
        let Some(slot) = self.chains[chain].last_stop else { return };
        let words = text.split_once('\n').map_or("", |(_, words)| words);
        let command = bracketed(words.strip_prefix("- ").unwrap_or(words));
        let command = command.map_or(Name::NONE, |command| shared.names.intern(&command));
        let mark = RunMark { command, says: Some(Says::Block), ..bare_mark(at, MarkKind::StopFeedback) };
        self.queue.mark(slot, mark);
    }

    fn informational(&mut self, at: LineRef, chain: usize, line: &Line, time: Time, shared: &mut Shared) {
        let text = head(line.content, 4096);
        let ending = line.prompt_submit_ending.0.as_ref().and_then(|ending| ending.ending.0.as_ref());
        let ending = ending.map_or("", |ending| ending.kind.text());
        let (event, says) = if ending == "blocked_by_hook" || text.starts_with("UserPromptSubmit operation blocked") {
            ("UserPromptSubmit", Says::Block)
        } else if text.starts_with("UserPromptExpansion operation blocked") {
            ("UserPromptExpansion", Says::Block)
        } else if ending == "stopped_by_hook" || text.starts_with("Operation stopped by hook") {
            self.settle(chain, Next::Turn, time, shared);
            if let Some(slot) = self.run.prompt {
                self.queue.mark(slot, RunMark { says: Some(Says::Halt), ..bare_mark(at, MarkKind::Informational) });
            }
            return;
        } else {
            self.settle(chain, Next::Turn, time, shared);
            if text.starts_with("A hook blocked the turn from ending")
                && let Some(slot) = self.chains[chain].last_stop
            {
                self.queue.mark(slot, bare_mark(at, MarkKind::Informational));
            }
            return;
        };
        // The prompt was never stored: this line is all that is left of it.
        let command = text.split_once('\n').and_then(|(_, words)| bracketed(words));
        let command = command.map_or(Name::NONE, |command| shared.names.intern(&command));
        let original = text.rsplit_once("Original prompt: ").map_or("", |(_, prompt)| prompt).to_owned();
        let slot = self.blocked_prompt(at, event, &original, time, shared);
        self.queue.mark(slot, RunMark { command, says: Some(says), ..bare_mark(at, MarkKind::Informational) });
    }

    /// A compaction that a hook refused.
    fn local_command(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let text = head(line.content, 4096);
        let text = text.trim_start_matches("<local-command-stderr>").trim_start_matches("<local-command-stdout>");
        let Some(words) = text.strip_prefix("Compaction blocked by PreCompact hook: ") else { return };
        let command = bracketed(words).map_or(Name::NONE, |command| shared.names.intern(&command));
        let subject = shared.names.intern("manual");
        let name = self.words().pre_compact;
        let event = self.event(name, subject, at, time, shared);
        let slot = self.push(event);
        self.run.compact_command = None;
        self.queue.mark(slot, RunMark { command, says: Some(Says::Block), ..bare_mark(at, MarkKind::Blocking) });
    }

    /// `Compacted PreCompact [<command>] completed successfully …` names the handlers around a compaction.
    pub(super) fn compaction_outcome(&mut self, at: LineRef, text: &str, shared: &mut Shared) {
        let words = self.words();
        let mut index = 0;
        for (event, lead) in [(words.pre_compact, "PreCompact ["), (words.post_compact, "PostCompact [")] {
            let slot = self.last.iter().filter(|((name, _), _)| *name == event).map(|(_, &slot)| slot).max();
            let Some(slot) = slot else { continue };
            for part in text.split(lead).skip(1) {
                let ends = [("] completed successfully", MarkKind::Success), ("] failed", MarkKind::NonBlockingError)];
                let end = ends.iter().filter_map(|(end, kind)| Some((part.find(end)?, *kind))).min_by_key(|end| end.0);
                let Some((end, kind)) = end else { continue };
                let command = shared.names.intern(&part[..end]);
                self.queue.mark(slot, RunMark { index, command, ..bare_mark(at, kind) });
                index += 1;
            }
        }
    }
}

/// What a handler's output says by the rules for reading it. Nothing that a transcript calls a success was
/// exit 2, so its exit code is left out of it where the client gives none.
fn said_by(event: &str, trace: &Attachment) -> (Option<Says>, bool) {
    let start = head(trace.stdout, OUTPUT_LOOKED_AT);
    let whole_text = if start.trim_start().starts_with('{') { whole(trace.stdout) } else { start };
    let stderr = head(trace.stderr, OUTPUT_LOOKED_AT);
    let exit_code = trace.exit_code.code().or(Some(0));
    let ran = output::Ran { stdout: &whole_text, stderr: &stderr, exit_code, ..output::Ran::default() };
    let reading = output::read(event, &ran, None);
    (reading.says, reading.lost)
}

/// Whether a handler's output asks for confirmation.
fn asks(stdout: Raw) -> bool {
    let text = head(stdout, OUTPUT_LOOKED_AT);
    if !text.contains("\"ask\"") {
        return false;
    }
    let value: serde_json::Value = serde_json::from_str(text.trim()).unwrap_or_default();
    value.pointer("/hookSpecificOutput/permissionDecision").and_then(|decision| decision.as_str()) == Some("ask")
}

fn list<'a, T: serde::Deserialize<'a>>(raw: Raw<'a>) -> Vec<T> {
    raw.and_then(|raw: &RawValue| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn strings(raw: Raw) -> Vec<String> {
    let raws: Vec<&RawValue> = list(raw);
    raws.into_iter().map(|raw| whole(Some(raw)).into_owned()).collect()
}
