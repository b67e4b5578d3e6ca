//! Sessions as processes: start, prompts, compaction, end, and lines that were copied from another session.
//!
//! Owns what happens between turns. Must not know tools.

use serde_json::value::RawValue;

use super::line::{Attachment, Content, Line, head, whole};
use super::queue::Slot;
use super::turn::Next;
use super::{Transcript, Version, hash};
use crate::dialect::Shared;
use crate::model::{Agent, AgentIx, Context, Event, Evidence, LineRef, Name, Time};

/// What is known of the process that wrote the lines at hand.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Hashed session id that the file's name gives.
    pub(super) own_session: Option<u64>,
    start: Option<Slot>,
    start_time: Option<Time>,
    /// `source` of SessionStart, from a trace of its hooks.
    source: Option<String>,
    /// A process went on with this file.
    resumed: bool,
    /// Lines of another session stand at the head of the file.
    copies: bool,
    /// A line of its own was read: what follows is no copy.
    own_lines: bool,
    /// When the process took its first prompt, where a line before the chain tells.
    own_time: Option<Time>,
    /// Room for InstructionsLoaded before the first prompt.
    instructions: Option<Slot>,
    instructions_closed: bool,
    compacted: bool,
    pub(super) prompt: Option<Slot>,
    /// Its prompts say where they come from; then notices of background tasks are prompts too.
    pub(super) names_sources: bool,
    compaction: Option<Compaction>,
    pub(super) compact_command: Option<(LineRef, Time)>,
    compaction_agent: Option<AgentIx>,
    /// The process ended.
    over: Option<Over>,
    ended: bool,
    cleared: bool,
    /// The last line was a `last-prompt`, which older clients write when they end.
    last_prompt: Option<LineRef>,
    at: Option<LineRef>,
}

#[derive(Debug, Clone, Copy)]
struct Over {
    at: LineRef,
    evidence: Evidence,
}

/// A boundary of which the lines after it still tell something.
#[derive(Debug)]
struct Compaction {
    at: LineRef,
    time: Time,
    before: Time,
    trigger: String,
    command: Option<(LineRef, Time)>,
    summary: bool,
}

/// Clients from here on write `cost-state` when they end (seen in 2.1.332, not in 2.1.197).
const COST_STATE: Version = Version::of(2, 1, 300);
/// A print-mode process that starts anew takes longer than one that goes on with its next prompt.
const NEW_PROCESS_TAKES: i64 = 1000;
/// Since when a forked session says so; before, it was a resumed one.
const FORK_SOURCE: Version = Version::of(2, 1, 198);
/// A SubagentStop without a type at a compaction: measured with 2.1.332, reported for 2.1.241 and 2.1.259.
const COMPACTION_AGENT: Version = Version::of(2, 1, 241);
/// First reports of such a SubagentStop.
const COMPACTION_AGENT_ASSUMED: Version = Version::of(2, 1, 50);

impl Transcript {
    /// Any line: the file's first one stands for the start of the session.
    pub(super) fn begin(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        if self.role == super::Role::Subagent {
            return;
        }
        if self.run.start.is_none() {
            let name = self.words().session_start;
            let event = self.event(name, Name::NONE, at, Time::UNKNOWN, shared);
            self.run.start = Some(self.queue.push_undecided(event));
        }
        if self.run.own_time.is_none() && !self.run.own_lines && line.kind.is("queue-operation") && !time.is_unknown() {
            self.run.own_time = Some(time);
        }
        self.run.at = Some(at);
    }

    /// Whether a line was copied from the session that this one was forked from. Its own first prompt was queued after
    /// everything that the copies tell of; `forkedFrom` says it outright.
    pub(super) fn is_copy(&self, line: &Line, time: Time) -> bool {
        if line.uuid.get().is_none() || self.role == super::Role::Subagent {
            return false;
        }
        if line.forked_from.is_some() {
            return true;
        }
        if self.run.own_lines {
            return false;
        }
        if let (Some(own), Some(id)) = (self.run.own_session, line.session_id.get())
            && hash(id) != own
        {
            return true;
        }
        let Some(own) = self.run.own_time else { return false };
        let before = !time.is_unknown() && time < own;
        let attachment = line.attachment.0.as_ref();
        if attachment.is_some_and(|attachment| attachment.hook_event.is("SessionStart")) {
            // Its own start's hooks have run before the first prompt too.
            return before && self.run.copies && !attachment.is_some_and(|a| a.hook_name.is("SessionStart:fork"));
        }
        before
    }

    pub(super) fn copied(&mut self, line: &Line) {
        if !self.run.copies {
            self.run.copies = true;
            self.run.source = None;
            if let Some(slot) = self.run.start {
                self.queue.clear_marks(slot);
            }
        }
        let _ = line;
    }

    /// A line that only a running process can have written, decides how the session started.
    pub(super) fn decide_start(&mut self, line: &Line, shared: &mut Shared) {
        self.run.own_lines = true;
        self.run.last_prompt = None;
        let Some(slot) = self.run.start else { return };
        if !self.queue.is_undecided(slot) {
            return;
        }
        let cleared = || match line.message.0.as_ref().map(|message| &message.content) {
            Some(Content::Text(text)) => text.starts_with("<command-name>/clear</command-name>"),
            _ => false,
        };
        let source = match self.run.source.take() {
            Some(source) => source,
            None if self.run.resumed => "resume".to_owned(),
            None if self.run.copies && self.version >= FORK_SOURCE => "fork".to_owned(),
            None if self.run.copies => "resume".to_owned(),
            None if cleared() => "clear".to_owned(),
            None => "startup".to_owned(),
        };
        if !self.has("SessionStart") {
            self.queue.drop(slot);
            return;
        }
        let subject = shared.names.intern(&source);
        let context = shared.context(Context { prompt: Name::NONE, ..self.context });
        let time = self.run.start_time.or(self.run.own_time).unwrap_or_else(|| line.time());
        if let Some(event) = self.queue.event(slot) {
            (event.subject, event.context, event.time) = (subject, context, time);
        }
        self.queue.fires(slot);
        self.last.insert((self.words().session_start, subject), slot);
    }

    /// Where a trace of SessionStart hooks belongs.
    pub(super) fn session_start_trace(
        &mut self,
        at: LineRef,
        source: Option<&str>,
        time: Time,
        shared: &mut Shared,
    ) -> Slot {
        let undecided = self.run.start.filter(|&slot| self.queue.is_undecided(slot));
        if let Some(slot) = undecided {
            if let Some(source) = source {
                self.run.source = Some(source.to_owned());
            }
            if self.run.start_time.is_none() && !time.is_unknown() {
                self.run.start_time = Some(time);
            }
            return slot;
        }
        let name = self.words().session_start;
        let known = match source {
            Some(source) => {
                let source = shared.names.intern(source);
                self.last.get(&(name, source)).copied().filter(|&slot| self.newest_start() == Some(slot))
            }
            None => self.newest_start(),
        };
        if let Some(slot) = known {
            return slot;
        }
        // Hooks of a start that nothing else shows: a process went on with this file.
        let source = source.unwrap_or("resume");
        self.end_session(at, Evidence::Assumed, shared);
        self.new_process(at, shared);
        self.run.source = Some(source.to_owned());
        self.run.start_time = Some(time);
        self.run.start.unwrap_or_else(|| self.queue.reserve())
    }

    fn newest_start(&self) -> Option<Slot> {
        let name = self.words().session_start;
        self.last.iter().filter(|((known, _), _)| *known == name).map(|(_, &slot)| slot).max()
    }

    /// A line after the end of a process belongs to one that resumed the session.
    pub(super) fn resume_if_over(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        if self.role == super::Role::Subagent {
            return;
        }
        let shows_life = line.uuid.get().is_some() || line.kind.is("queue-operation");
        if !shows_life {
            return;
        }
        if let Some(last_prompt) = self.run.last_prompt
            && line.kind.is("queue-operation")
            && let (Some(now), Some(before)) = (time.millis(), self.last_chain_time())
            && now - before >= NEW_PROCESS_TAKES
        {
            self.run.over.get_or_insert(Over { at: last_prompt, evidence: Evidence::Assumed });
        }
        let other_version = line.uuid.get().is_some()
            && self.run.own_lines
            && line.version.get().is_some_and(|version| {
                self.context.version.is_some() && shared.names.text(self.context.version) != version
            });
        if other_version && self.run.over.is_none() && self.role == super::Role::Main && !line.is_sidechain.0 {
            self.run.over = Some(Over { at, evidence: Evidence::Assumed });
        }
        if let Some(over) = self.run.over.take() {
            self.settle(0, Next::Turn, self.time, shared);
            self.end_session(over.at, over.evidence, shared);
            self.new_process(at, shared);
            if !time.is_unknown() {
                self.run.start_time = Some(time);
            }
        }
    }

    fn last_chain_time(&self) -> Option<i64> {
        self.time.millis()
    }

    fn new_process(&mut self, at: LineRef, shared: &mut Shared) {
        self.settle(0, Next::Turn, self.time, shared);
        self.close_instructions();
        self.calls.known.clear();
        self.chains[0].message = None;
        self.chains[0].kept_going = false;
        let old = std::mem::take(&mut self.run);
        let name = self.words().session_start;
        let event = self.event(name, Name::NONE, at, Time::UNKNOWN, shared);
        self.run = Run {
            own_session: old.own_session,
            start: Some(self.queue.push_undecided(event)),
            resumed: true,
            own_lines: true,
            names_sources: old.names_sources,
            compaction_agent: old.compaction_agent,
            at: Some(at),
            ..Run::default()
        };
    }

    fn end_session(&mut self, at: LineRef, evidence: Evidence, shared: &mut Shared) {
        if self.run.ended || !self.has("SessionEnd") {
            return;
        }
        self.run.ended = true;
        let print = self.in_print_mode(shared);
        let (reason, evidence) = match (self.run.cleared, print) {
            (true, _) => ("clear", evidence),
            (false, true) => ("other", evidence),
            // How a person left a terminal session is written nowhere.
            (false, false) => ("prompt_input_exit", Evidence::Assumed),
        };
        let subject = shared.names.intern(reason);
        let name = self.words().session_end;
        let mut event = Event { evidence, ..self.event(name, subject, at, self.time, shared) };
        if self.run.cleared {
            // `/clear` is a prompt of its own, with an id that is not written down.
            event.context = shared.context(Context { prompt: Name::NONE, ..self.context });
        }
        self.push(event);
    }

    /// Lines without a uuid: queues, titles, modes, what the client keeps for itself.
    pub(super) fn bookkeeping_line(&mut self, at: LineRef, kind: &str, line: &Line, time: Time) {
        let title = match kind {
            "ai-title" => line.ai_title.get(),
            "custom-title" => line.custom_title.get(),
            "summary" => line.summary.get(),
            _ => None,
        };
        if let Some(title) = title {
            self.title = Some(title.to_owned());
        }
        match kind {
            "cost-state" => self.run.over = Some(Over { at, evidence: Evidence::Derived }),
            "last-prompt" if self.version < COST_STATE => self.run.last_prompt = Some(at),
            "queue-operation" if line.operation.is("enqueue") => {
                self.run.cleared = whole(line.content).trim() == "/clear";
                self.run.last_prompt = None;
            }
            _ => {}
        }
        let _ = time;
    }

    /// The source has ended: what is undecided is decided by what is there.
    pub(super) fn close(&mut self, shared: &mut Shared) {
        self.emit_compaction(shared);
        for chain in 0..self.chains.len() {
            let next = if self.chains[chain].place == super::turn::Place::Inline { Next::Turn } else { Next::End };
            self.settle(chain, next, self.time, shared);
        }
        self.close_instructions();
        if let Some(slot) = self.run.start
            && self.queue.is_undecided(slot)
        {
            if self.run.source.is_some() {
                self.decide_start(&Line::default(), shared);
            } else {
                self.queue.drop(slot);
            }
        }
        let idle = self.chains[0].batch.is_none();
        let over = self.run.over.or_else(|| {
            let at = self.run.last_prompt.filter(|_| idle && self.in_print_mode(shared))?;
            Some(Over { at, evidence: Evidence::Assumed })
        });
        if let Some(over) = over {
            self.end_session(over.at, over.evidence, shared);
            self.run.over = Some(over);
        }
    }

    pub(super) fn close_instructions(&mut self) {
        self.run.instructions_closed = true;
        if let Some(slot) = self.run.instructions.take() {
            self.queue.fires(slot);
        }
    }

    /// `instructions` lists the memory files that were loaded when the session started or was compacted.
    pub(super) fn instructions(&mut self, at: LineRef, attachment: &Attachment, time: Time, shared: &mut Shared) {
        if !self.has("InstructionsLoaded") || self.role == super::Role::Subagent {
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
        let main = self.role == super::Role::Main && !line.is_sidechain.0;
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
        self.chains[0].kept_going = false;
        self.prompt(at, &text, time, shared);
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
        if self.role == super::Role::Subagent || attachment.is_meta.0 || !self.run.names_sources {
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
        if !changed || chain != 0 || self.role == super::Role::Subagent || !self.has("CwdChanged") {
            return;
        }
        let name = self.words().cwd_changed;
        let event = self.event(name, Name::NONE, at, time, shared);
        self.push(event);
    }

    pub(super) fn compaction(&mut self, at: LineRef, line: &Line, time: Time) {
        let metadata = line.compact_metadata.0.as_ref();
        let trigger = metadata.and_then(|metadata| metadata.trigger.get()).unwrap_or("auto");
        let took = metadata.and_then(|metadata| metadata.duration_ms.millis()).unwrap_or(0);
        let before = time.millis().map_or(time, |time| Time(time - i64::from(took)));
        let command = self.run.compact_command.take().filter(|_| trigger == "manual");
        self.run.compaction =
            Some(Compaction { at, time, before, trigger: trigger.to_owned(), command, summary: false });
    }

    /// The lines after a boundary tell the prompt id and, in newer clients, the command.
    pub(super) fn compaction_goes_on(&mut self, at: LineRef, line: &Line, shared: &mut Shared) {
        let Some(compaction) = &mut self.run.compaction else { return };
        if line.uuid.get().is_none() || line.kind.is("attachment") && !compaction.summary {
            return;
        }
        if line.is_compact_summary.0 {
            compaction.summary = true;
            if compaction.trigger != "manual" || compaction.command.is_some() {
                self.emit_compaction(shared);
            }
            return;
        }
        let text = match line.message.0.as_ref().map(|message| &message.content) {
            Some(Content::Text(text)) => text.as_ref(),
            _ => "",
        };
        if line.is_meta.0 {
            return;
        }
        if text.starts_with("<command-name>/compact</command-name>") && compaction.command.is_none() {
            compaction.command = Some((at, line.time()));
        }
        self.emit_compaction(shared);
    }

    /// PreCompact, the SubagentStop of the agent that summarised, SessionStart, PostCompact: in that order
    /// (`sessions/compact-manual`).
    fn emit_compaction(&mut self, shared: &mut Shared) {
        let Some(compaction) = self.run.compaction.take() else { return };
        self.run.compacted = true;
        let words = self.words();
        let subject = shared.names.intern(&compaction.trigger);
        let inside = if self.role == super::Role::Main { Evidence::Derived } else { Evidence::Assumed };
        let (at, before) = compaction.command.unwrap_or((compaction.at, compaction.before));
        let main = |event: Event| Event { agent: AgentIx(0), ..event };

        let event = main(self.event(words.pre_compact, subject, at, before, shared));
        self.push(Event { evidence: self.sure_from(Version::of(1, 0, 48)).and(inside), ..event });
        if self.version >= COMPACTION_AGENT_ASSUMED {
            let agent = match self.run.compaction_agent {
                Some(agent) => agent,
                None => {
                    let agent = shared.agent(Agent {
                        id: Name::NONE,
                        kind: words.empty,
                        parent: AgentIx(0),
                        call: None,
                        background: None,
                    });
                    self.run.compaction_agent = Some(agent);
                    agent
                }
            };
            let event = self.event(words.subagent_stop, words.empty, compaction.at, compaction.time, shared);
            let evidence = self.sure_from(COMPACTION_AGENT).and(inside);
            self.push(Event { agent, evidence, stop_hook_active: Some(false), ..event });
        }
        if self.has("SessionStart") {
            let source = shared.names.intern("compact");
            let event = main(self.event(words.session_start, source, compaction.at, compaction.time, shared));
            self.push(Event { evidence: inside, ..event });
        }
        if self.has("PostCompact") {
            let event = main(self.event(words.post_compact, subject, compaction.at, compaction.time, shared));
            self.push(Event { evidence: inside, ..event });
        }
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
pub(super) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inner, _)| inner)
}
