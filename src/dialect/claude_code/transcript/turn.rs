//! Messages, batches of calls and stops along one chain.
//!
//! Owns when a batch is over and when a turn ends. Must not know what single tools do.

use super::line::{Content, Line};
use super::queue::Slot;
use super::{SYNTHETIC, Transcript, Version, hash};
use crate::dialect::Shared;
use crate::model::{AgentIx, CallIx, CallRange, ContextIx, Event, Evidence, LineRef, Name, Time};

/// Where a chain's lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The main agent.
    Main,
    /// A subagent's own file.
    OwnFile,
    /// A sidechain within the main file.
    Inline,
}

/// One agent's line of messages.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) agent: AgentIx,
    pub(super) place: Place,
    /// The call that started it; inline sidechains only.
    pub(super) call: Option<CallIx>,
    pub(super) started: Option<Slot>,
    pub(super) message: Option<Message>,
    pub(super) batch: Option<Batch>,
    pub(super) last_batch: Option<Slot>,
    pub(super) last_stop: Option<Slot>,
    /// Commands that blocked the last stop, as their own traces say.
    pub(super) blockers: Vec<Name>,
    /// A Stop came after the last summary.
    pub(super) unsummed: bool,
    /// A stop hook kept it going since the last prompt.
    pub(super) kept_going: bool,
}

impl Chain {
    pub(super) fn new(agent: AgentIx, place: Place) -> Chain {
        Chain {
            agent,
            place,
            call: None,
            started: None,
            message: None,
            batch: None,
            last_batch: None,
            last_stop: None,
            blockers: Vec::new(),
            unsummed: false,
            kept_going: false,
        }
    }
}

/// The assistant message that is being read.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: u64,
    text: bool,
    calls: bool,
    /// The client wrote it, or it tells of an API error.
    own_words: bool,
    stop_reason: StopReason,
    at: LineRef,
    time: Time,
    context: ContextIx,
    /// Its Stop is out.
    stopped: bool,
}

/// Why the model ended a message, as far as it matters for a Stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    /// Old clients write none.
    Untold,
    /// It had said what it wanted.
    Done,
    /// It will go on (tools, a pause, a limit).
    GoesOn,
}

/// The calls of one assistant message.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) message: u64,
    /// Hashed ids, in order of use.
    pub(super) keys: Vec<u64>,
    pub(super) first: CallIx,
    /// How many stand side by side from `first` on.
    pub(super) side_by_side: u16,
    pub(super) group: u16,
    /// The last group whose calls were started.
    pub(super) running: u16,
    /// How many of `keys` from the first on have their PreToolUse in the order, or need none.
    pub(super) fired: usize,
    /// How many of `keys` from the first on are answered.
    pub(super) settled: usize,
    pub(super) last_harmless: bool,
    pub(super) unanswered: usize,
    /// A hook stopped the turn, or it was put off: no PostToolBatch.
    pub(super) halted: bool,
    pub(super) answered: Option<(LineRef, Time, ContextIx)>,
}

/// What comes next on a chain, and so tells that something before is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another assistant message.
    Assistant,
    /// A prompt, a stop hook's trace, a command: the turn is over.
    Turn,
    /// A line that the client writes before its next request: the batch is over, if it is answered.
    Request,
    /// Nothing more is there, for now.
    End,
}

/// The batch hook runs right after the last result; the next line may come much later.
const BATCH_FOLLOWS_WITHIN: i64 = 400;

impl Transcript {
    pub(super) fn assistant_line(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let Some(message) = &line.message.0 else { return };
        self.start_own_file(at, time, shared);
        let chain = self.chain_of(at, line, time, shared);
        if chain == 0 {
            self.close_instructions();
            self.decide_start(line, shared);
        }
        let id = hash(message.id.get().or(line.uuid.get()).unwrap_or_default());
        if self.chains[chain].message.as_ref().is_none_or(|last| last.id != id) {
            self.settle(chain, Next::Assistant, time, shared);
            let context = self.context_ix(shared);
            self.chains[chain].message = Some(Message {
                id,
                text: false,
                calls: false,
                own_words: false,
                stop_reason: StopReason::Untold,
                at,
                time,
                context,
                stopped: false,
            });
        }
        let own_words = line.is_api_error_message.0 || message.model.is(SYNTHETIC);
        let stop_reason = match message.stop_reason.get() {
            Some("end_turn" | "stop_sequence" | "refusal") => StopReason::Done,
            Some(_) => StopReason::GoesOn,
            None => StopReason::Untold,
        };
        let (mut text, mut calls) = (false, false);
        match &message.content {
            Content::Text(words) => text = !words.is_empty(),
            Content::Blocks(blocks) => {
                for block in blocks.iter().filter_map(|block| block.0.as_ref()) {
                    text |= block.kind.is("text");
                    calls |= block.kind.is("tool_use");
                }
            }
            Content::None => {}
        }
        if let Some(last) = &mut self.chains[chain].message {
            last.own_words |= own_words;
            last.text |= text;
            last.calls |= calls;
            if stop_reason != StopReason::Untold {
                last.stop_reason = stop_reason;
            }
            (last.at, last.time) = (at, time);
        }
        // One display per text of the main agent, in print mode; a terminal shows a text in many parts, and how many
        // is not written down.
        if text && chain == 0 && self.chains[0].place == Place::Main && self.in_print_mode(shared) {
            let name = self.words().message_display;
            if self.has("MessageDisplay") {
                let event = self.event(name, Name::NONE, at, time, shared);
                self.push(event);
            }
        }
        if line.is_api_error_message.0 {
            self.failed(chain, at, line, time, shared);
        }
        if calls && let Content::Blocks(blocks) = &message.content {
            for (ix, block) in blocks.iter().enumerate() {
                if let Some(block) = block.0.as_ref().filter(|block| block.kind.is("tool_use")) {
                    self.tool_use(chain, id, at, ix, block, time, shared);
                }
            }
        }
    }

    /// An API error ends the turn without a Stop.
    fn failed(&mut self, chain: usize, at: LineRef, line: &Line, time: Time, shared: &mut Shared) {
        let subject = line.error.get().map_or(Name::NONE, |error| shared.names.intern(error));
        let name = self.words().stop_failure;
        let agent = self.chains[chain].agent;
        let mut event = Event { agent, ..self.event(name, subject, at, time, shared) };
        event.evidence = self.sure_from(Version::of(2, 1, 78));
        if chain != 0 || self.chains[chain].place != Place::Main {
            event.evidence = Evidence::Assumed;
        }
        self.push(event);
    }

    /// Decides what `next` tells about what came before it on a chain.
    pub(super) fn settle(&mut self, chain: usize, next: Next, time: Time, shared: &mut Shared) {
        self.settle_batch(chain, next, time);
        if next == Next::Request {
            return;
        }
        let place = self.chains[chain].place;
        let Some(message) = &mut self.chains[chain].message else { return };
        let ends = !message.calls
            && !message.own_words
            && !message.stopped
            && match message.stop_reason {
                StopReason::Done => true,
                StopReason::Untold => message.text,
                StopReason::GoesOn => false,
            };
        // A subagent's message that another one follows without any word in between was not its last.
        let passed_over = place != Place::Main && next == Next::Assistant && message.stop_reason == StopReason::Untold;
        if ends && !passed_over {
            message.stopped = true;
            let (at, time, context) = (message.at, message.time, message.context);
            self.stop(chain, at, time, context, shared);
        }
        if next == Next::Turn {
            self.chains[chain].message = None;
        }
    }

    /// The agent was about to end its turn.
    pub(super) fn stop(&mut self, chain: usize, at: LineRef, time: Time, context: ContextIx, shared: &Shared) -> Slot {
        let words = self.words();
        let kind = self.agent_kind(chain, shared);
        let Chain { agent, place, kept_going, .. } = self.chains[chain];
        let (name, subject) = match place {
            Place::Main => (words.stop, Name::NONE),
            _ => (words.subagent_stop, kind),
        };
        let event = Event { subject, agent, stop_hook_active: Some(kept_going), ..Event::new(name, time, at, context) };
        let slot = self.push(event);
        self.chains[chain].last_stop = Some(slot);
        self.chains[chain].unsummed = true;
        self.chains[chain].blockers.clear();
        slot
    }

    fn settle_batch(&mut self, chain: usize, next: Next, time: Time) {
        let Some(batch) = self.chains[chain].batch.take() else { return };
        if batch.unanswered > 0 {
            match next {
                Next::Request => self.chains[chain].batch = Some(batch),
                Next::End => {
                    self.fire_all(&batch.keys);
                    self.chains[chain].batch = Some(batch);
                }
                _ => self.fire_all(&batch.keys),
            }
            return;
        }
        self.calls.forget(&batch.keys);
        if batch.halted || !self.has("PostToolBatch") {
            return;
        }
        let Some((at, answered, context)) = batch.answered else { return };
        let shown = match (answered.millis(), time.millis()) {
            (Some(from), Some(to)) => Time(to.clamp(from, from + BATCH_FOLLOWS_WITHIN)),
            _ => answered,
        };
        let event = Event {
            calls: CallRange { first: batch.first, count: batch.side_by_side },
            agent: self.chains[chain].agent,
            ..Event::new(self.words().post_tool_batch, shown, at, context)
        };
        let slot = self.push(event);
        self.chains[chain].last_batch = Some(slot);
    }

    /// The person interrupted: no batch is handed on and no stop asked for.
    pub(super) fn interrupted(&mut self, chain: usize) {
        if let Some(batch) = self.chains[chain].batch.take() {
            self.fire_all(&batch.keys);
            self.calls.forget(&batch.keys);
        }
        self.chains[chain].message = None;
    }

    /// Whether nobody sits before it: print mode and the SDKs, which run the same way.
    pub(super) fn in_print_mode(&self, shared: &Shared) -> bool {
        shared.names.get(self.context.entrypoint).is_some_and(|entry| entry.starts_with("sdk-"))
    }

    /// How sure an event is that clients before `since` did not know, or fired unmeasured.
    pub(super) fn sure_from(&self, since: Version) -> Evidence {
        if self.version >= since { Evidence::Derived } else { Evidence::Assumed }
    }
}
