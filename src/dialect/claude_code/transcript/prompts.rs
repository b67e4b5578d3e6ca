//! Prompts, commands and what is loaded for them.
//!
//! Owns `user` lines, memory files and queued prompts. Must not know processes.

use serde_json::value::RawValue;

use super::line::{Attachment, Content, Line};
use super::queue::Slot;
use super::text::head;
use super::turn::Next;
use super::{Role, Transcript, Version, hash};
use crate::dialect::Shared;
use crate::model::{Context, Event, LineRef, Name, Rewind, Time};

impl Transcript {
    pub(super) fn close_instructions(&mut self) {
        self.run.instructions_closed = true;
        if let Some(slot) = self.run.instructions.take() {
            self.queue.fires(slot);
        }
    }

    /// `instructions` lists the memory files that were loaded when the session started or was compacted.
    pub(super) fn instructions(&mut self, at: LineRef, attachment: &Attachment, time: Time, shared: &mut Shared) {
        if !self.has("InstructionsLoaded") || self.role == Role::Subagent {
            return;
        }
        let files: Vec<&RawValue> =
            attachment.files.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let reason = if self.run.compacted { "compact" } else { "session_start" };
        let subject = shared.names.intern(reason);
        let name = self.words().instructions_loaded;
        let mut event = self.event(name, subject, at, time, shared);
        if !self.run.compacted {
            event.context = shared.context(Context { prompt: Name::NONE, ..self.context });
        }
        for _ in files {
            match self.run.instructions {
                Some(slot) => self.queue.extend(slot, event),
                None => {
                    self.push(event);
                }
            }
        }
    }

    /// A memory file that a tool's path led to, after its batch.
    pub(super) fn nested_memory(&mut self, at: LineRef, chain: usize, time: Time, shared: &mut Shared) {
        self.settle(chain, Next::Request, time, shared);
        if !self.has("InstructionsLoaded") {
            return;
        }
        let subject = shared.names.intern("nested_traversal");
        let name = self.words().instructions_loaded;
        let agent = self.chains[chain].agent;
        let event = Event { agent, ..self.event(name, subject, at, time, shared) };
        self.push(event);
    }

    /// `user` lines.
    pub(super) fn user_line(&mut self, at: LineRef, line: &Line, time: Time, old_cwd: Name, shared: &mut Shared) {
        let Some(message) = &line.message.0 else { return };
        let main = self.role == Role::Main && !line.is_sidechain.0;
        if main && !line.is_meta.0 {
            self.decide_start(line, shared);
        }
        self.start_own_file(at, time, shared);
        let chain = self.chain_of(at, line, time, shared);
        let mut results = false;
        let mut texts = None;
        match &message.content {
            Content::None => return,
            Content::Text(text) => texts = Some(text.clone()),
            Content::Blocks(blocks) => {
                for (ix, block) in blocks.iter().enumerate() {
                    let Some(block) = &block.0 else { continue };
                    if block.kind.is("tool_result") {
                        results = true;
                        self.tool_result(at, line, ix, block, time, shared);
                    } else if block.kind.is("text") && texts.is_none() {
                        texts = Some(head(block.text, 4096));
                    }
                }
            }
        }
        if results {
            self.cwd_changed(at, chain, old_cwd, time, shared);
        }
        let Some(text) = texts else { return };
        if text.starts_with("[Request interrupted by user") {
            return self.interrupted(chain);
        }
        if results || line.is_compact_summary.0 {
            return;
        }
        if text.starts_with("Stop hook feedback:") || text.starts_with("SubagentStop hook feedback:") {
            return self.stop_feedback(at, chain, &text, time, shared);
        }
        if line.is_meta.0 || text.starts_with("Operation stopped by hook") {
            return;
        }
        if !main {
            return self.settle(chain, Next::Turn, time, shared);
        }
        if self.run.instructions.is_some() {
            self.close_instructions();
        }
        self.settle(0, Next::Turn, time, shared);
        if text.starts_with("<command-name>/compact</command-name>") {
            self.run.compact_command = Some((at, time));
        } else if text.starts_with("<local-command-stdout>Compacted") {
            self.compaction_outcome(at, &text, shared);
        }
        let notice = text.starts_with("<task-notification>");
        let local = NOT_PROMPTS.iter().any(|lead| text.starts_with(lead));
        if local || notice && !self.run.names_sources {
            return;
        }
        self.suspect_prompt(line, shared);
        self.note_rewind(at, line);
        self.chains[0].kept_going = false;
        self.prompt(at, &text, time, shared);
    }

    /// A prompt whose parent stands before an earlier prompt starts a branch.
    fn note_rewind(&mut self, at: LineRef, line: &Line) {
        let parent = line.parent_uuid.get().and_then(|parent| self.seen.get(&hash(parent)).copied());
        if let (Some(back_to), Some(last)) = (parent, self.run.prompt_line)
            && back_to < last
        {
            self.rewinds.push(Rewind { at, back_to });
        }
        self.run.prompt_line = Some(at.line);
    }

    /// A prompt was submitted; one that calls a command is expanded then.
    fn prompt(&mut self, at: LineRef, text: &str, time: Time, shared: &mut Shared) {
        self.run.compact_command = None;
        if !self.run.instructions_closed && self.has("InstructionsLoaded") {
            self.run.instructions = Some(self.queue.reserve());
        }
        self.run.instructions_closed = true;
        let name = self.words().user_prompt_submit;
        let mut event = self.event(name, Name::NONE, at, time, shared);
        event.evidence = self.sure_from(Version::of(1, 0, 54));
        let slot = self.push(event);
        self.run.prompt = Some(slot);
        if text.starts_with("<command-message>")
            && self.has("UserPromptExpansion")
            && let Some(command) = between(text, "<command-name>", "</command-name>")
        {
            self.expansion(at, command.trim_start_matches('/'), time, shared);
        }
    }

    fn expansion(&mut self, at: LineRef, command: &str, time: Time, shared: &mut Shared) -> Slot {
        let subject = shared.names.intern(command);
        let name = self.words().user_prompt_expansion;
        let event = self.event(name, subject, at, time, shared);
        self.push(event)
    }

    /// A prompt that a hook refused. Its prompt id is not written down.
    pub(super) fn blocked_prompt(
        &mut self,
        at: LineRef,
        event: &str,
        original: &str,
        time: Time,
        shared: &mut Shared,
    ) -> Slot {
        self.close_instructions();
        self.settle(0, Next::Turn, time, shared);
        self.chains[0].kept_going = false;
        let before = (self.context, self.context_ix);
        self.context.prompt = Name::NONE;
        self.context_ix = None;
        let name = self.words().user_prompt_submit;
        let submitted = self.event(name, Name::NONE, at, time, shared);
        let mut slot = self.push(submitted);
        self.run.prompt = Some(slot);
        if event == "UserPromptExpansion" {
            let command = original.trim_start_matches('/').split_whitespace().next().unwrap_or_default().to_owned();
            slot = self.expansion(at, &command, time, shared);
        }
        (self.context, self.context_ix) = before;
        slot
    }

    /// A prompt that was taken in while the agent was at work. Older clients did not ask hooks about it.
    pub(super) fn queued_command(&mut self, at: LineRef, attachment: &Attachment, time: Time, shared: &mut Shared) {
        self.settle(0, Next::Request, time, shared);
        if self.role == Role::Subagent || attachment.is_meta.0 || !self.run.names_sources {
            return;
        }
        let name = self.words().user_prompt_submit;
        let event = self.event(name, Name::NONE, at, time, shared);
        let slot = self.push(event);
        self.run.prompt = Some(slot);
    }

    /// A command changed the working folder: seen in the line of its result.
    fn cwd_changed(&mut self, at: LineRef, chain: usize, old: Name, time: Time, shared: &mut Shared) {
        let changed = old.is_some() && self.context.cwd.is_some() && old != self.context.cwd;
        if !changed || chain != 0 || self.role == Role::Subagent || !self.has("CwdChanged") {
            return;
        }
        let name = self.words().cwd_changed;
        let event = self.event(name, Name::NONE, at, time, shared);
        self.push(event);
    }
}

/// What a `user` line starts with that a person did not send to the model.
const NOT_PROMPTS: &[&str] = &[
    "<command-name>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
];

/// The text between two tags.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inner, _)| inner)
}
