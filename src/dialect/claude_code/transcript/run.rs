//! Sessions as processes: how they start, go on in a later process, and end.
//!
//! Owns SessionStart and SessionEnd. Must not know tools and prompts.

use super::compaction::Compaction;
use super::copies::{FORK_SOURCE, Suspicion};
use super::line::{Content, Line};
use super::queue::Slot;
use super::text::whole;
use super::turn::{Next, Place};
use super::{Role, Transcript, Version};
use crate::dialect::Shared;
use crate::model::{AgentIx, Context, Event, Evidence, LineRef, Name, Time};

/// What is known of the process that wrote the lines at hand.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Hashed session id that the file's name gives.
    pub(super) own_session: Option<u64>,
    pub(super) start: Option<Slot>,
    pub(super) start_time: Option<Time>,
    /// `source` of SessionStart, from a trace of its hooks.
    pub(super) source: Option<String>,
    /// A process went on with this file.
    pub(super) resumed: bool,
    /// Lines of another session stand at the head of the file.
    pub(super) copies: bool,
    pub(super) suspicion: Suspicion,
    /// A line of its own was read: what follows is no copy.
    pub(super) own_lines: bool,
    /// When the process took its first prompt, where a line before the chain tells.
    pub(super) own_time: Option<Time>,
    /// Room for InstructionsLoaded before the first prompt.
    pub(super) instructions: Option<Slot>,
    pub(super) instructions_closed: bool,
    pub(super) compacted: bool,
    pub(super) prompt: Option<Slot>,
    /// Its prompts say where they come from; then notices of background tasks are prompts too.
    pub(super) names_sources: bool,
    pub(super) compaction: Option<Compaction>,
    pub(super) compact_command: Option<(LineRef, Time)>,
    pub(super) compaction_agent: Option<AgentIx>,
    /// Line of the last prompt.
    pub(super) prompt_line: Option<u32>,
    /// The process ended.
    pub(super) over: Option<Over>,
    pub(super) ended: bool,
    pub(super) cleared: bool,
    /// The last line was a `last-prompt`, which older clients write when they end.
    pub(super) last_prompt: Option<LineRef>,
    pub(super) at: Option<LineRef>,
    /// The last event that only its hooks' traces show: its name, their id, its place.
    pub(super) only_traced: Option<(Name, Option<u64>, Slot)>,
}

/// How it is known that the process ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    at: LineRef,
    evidence: Evidence,
}

/// Clients from here on write `cost-state` when they end (seen in 2.1.332, not in 2.1.197).
const COST_STATE: Version = Version::of(2, 1, 300);
/// A print-mode process that starts anew takes longer than one that goes on with its next prompt.
const NEW_PROCESS_TAKES: i64 = 1000;
impl Transcript {
    /// Any line: the file's first one stands for the start of the session.
    pub(super) fn begin(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        if self.role == Role::Subagent {
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
        if source == Some("compact") && self.run.compaction.is_some() {
            self.emit_compaction(shared);
        }
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
        if source == Some("compact") {
            let subject = shared.names.intern("compact");
            let event = self.event(name, subject, at, time, shared);
            return self.push(event);
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
        if self.role == Role::Subagent {
            return;
        }
        let shows_life = line.uuid.get().is_some() || line.kind.is("queue-operation");
        if !shows_life {
            return;
        }
        if let Some(last_prompt) = self.run.last_prompt
            && line.kind.is("queue-operation")
            && let (Some(now), Some(before)) = (time.millis(), self.time.millis())
            && now - before >= NEW_PROCESS_TAKES
        {
            self.run.over.get_or_insert(Over { at: last_prompt, evidence: Evidence::Assumed });
        }
        let other_version = line.uuid.get().is_some()
            && self.run.own_lines
            && line.version.get().is_some_and(|version| {
                self.context.version.is_some() && shared.names.text(self.context.version) != version
            });
        if other_version && self.run.over.is_none() && self.role == Role::Main && !line.is_sidechain.0 {
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
            prompt_line: old.prompt_line,
            suspicion: Suspicion::Settled,
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
    pub(super) fn bookkeeping_line(&mut self, at: LineRef, kind: &str, line: &Line) {
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
    }

    /// The source has ended: what is undecided is decided by what is there.
    pub(super) fn close(&mut self, shared: &mut Shared) {
        self.trust_at_end();
        self.emit_compaction(shared);
        for chain in 0..self.chains.len() {
            let next = if self.chains[chain].place == Place::Inline { Next::Turn } else { Next::End };
            self.settle(chain, next, self.time, shared);
        }
        self.close_instructions();
        if let Some(slot) = self.run.start
            && self.queue.is_undecided(slot)
        {
            if self.run.source.is_some() {
                self.decide_start(&Line::default(), shared);
            } else {
                // Nothing but book-keeping so far: whatever may still come is the start.
                self.queue.drop(slot);
                self.run.start = None;
            }
        }
        let idle = self.chains[0].batch.is_none();
        let over = self.run.over.or_else(|| {
            // `/clear` goes on in another file.
            if let Some(at) = self.run.at.filter(|_| self.run.cleared && idle) {
                return Some(Over { at, evidence: Evidence::Assumed });
            }
            let at = self.run.last_prompt.filter(|_| idle && self.in_print_mode(shared))?;
            Some(Over { at, evidence: Evidence::Assumed })
        });
        if let Some(over) = over {
            self.end_session(over.at, over.evidence, shared);
            self.run.over = Some(over);
        }
    }
}
