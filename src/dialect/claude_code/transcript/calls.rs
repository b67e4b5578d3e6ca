//! Tool calls: when their hooks fired.
//!
//! Owns PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure and what fires while a tool runs. Must not know
//! prompts and stops.

use std::collections::HashMap;

use serde::Deserialize;

use super::ending::{self, Told};
use super::harmless::is_harmless;
use super::lenient::{Flag, Str};
use super::line::{Block, Line};
use super::queue::{Queue, Slot};
use super::turn::Batch;
use super::{IdMap, IdSet, Transcript, Version, hash};
use crate::dialect::Shared;
use crate::model::{
    Call, CallIx, CallRange, Context, Ending, Event, EventIx, LineRef, MarkIx, MarkKind, Name, RunMark, Says, Time,
};

/// The calls of a file.
#[derive(Debug, Default)]
pub(super) struct Calls {
    next: u32,
    /// By hashed id: unanswered ones, and those of the batch at hand.
    open: IdMap<Open>,
    /// Ids used since the process started.
    pub(super) known: IdSet,
    /// Agent calls by hashed `tool_use` id.
    pub(super) agents_by_call: IdMap<CallIx>,
    /// What held when an Agent call was made.
    pub(super) agent_contexts: HashMap<CallIx, Context>,
    /// Agent calls by the hashed agent id that their result names.
    pub(super) agents_by_id: IdMap<CallIx>,
    /// Agent calls of which it is known whether the agent runs beside its parent.
    pub(super) beside: HashMap<CallIx, bool>,
}

#[derive(Debug)]
struct Open {
    ix: CallIx,
    call: Call,
    chain: usize,
    /// The first call of its batch.
    batch: CallIx,
    group: u16,
    event: Event,
    pre: Option<Slot>,
    permission: Option<Slot>,
    post: Option<Slot>,
    done: bool,
    /// A hook's recorded answer says `ask`.
    hook_asked: bool,
    task: Task,
}

/// What else a tool sets off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    No,
    Created,
    Completed,
    Agent { prompt: u64, kind: Name, taken: bool },
}

impl Calls {
    /// The unanswered Agent call with that prompt that has no sidechain yet, and the type it asks for.
    pub(super) fn parent_of(&mut self, prompt_hash: u64) -> Option<(CallIx, Name)> {
        let mut candidates: Vec<&mut Open> = self
            .open
            .values_mut()
            .filter(|open| {
                !open.done && matches!(open.task, Task::Agent { prompt, taken: false, .. } if prompt == prompt_hash)
            })
            .collect();
        candidates.sort_by_key(|open| open.ix);
        let open = candidates.into_iter().next()?;
        let Task::Agent { kind, taken, .. } = &mut open.task else { return None };
        *taken = true;
        Some((open.ix, *kind))
    }

    /// Drops what is answered of a batch that is over.
    pub(super) fn forget(&mut self, keys: &[u64]) {
        for key in keys {
            if self.open.get(key).is_some_and(|open| open.done) {
                self.open.remove(key);
            }
        }
    }
}

/// What of a tool's input matters for which events fire.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow)]
    command: Str<'a>,
    #[serde(borrow)]
    prompt: Str<'a>,
    #[serde(borrow)]
    subagent_type: Str<'a>,
    #[serde(borrow)]
    status: Str<'a>,
}

/// What of an Agent call's `toolUseResult` matters.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct AgentResult<'a> {
    #[serde(borrow)]
    agent_id: Str<'a>,
    is_async: Flag,
    #[serde(borrow)]
    status: Str<'a>,
}

/// Since when the Task tool is called Agent.
const AGENT_NAME: Version = Version::of(2, 1, 63);

impl Transcript {
    #[expect(clippy::too_many_arguments, reason = "a block, where it stands and what holds there")]
    pub(super) fn tool_use(
        &mut self,
        chain: usize,
        message: u64,
        at: LineRef,
        block_ix: usize,
        block: &Block,
        time: Time,
        shared: &mut Shared,
    ) {
        let Some(id) = block.id.get() else { return };
        let key = hash(id);
        if !self.calls.known.insert(key) {
            return;
        }
        let called = block.name.text();
        let tool_text = if called == "Task" && self.version >= AGENT_NAME { "Agent" } else { called };
        let looked_at = matches!(called, "Bash" | "Task" | "Agent" | "TaskUpdate");
        let input: Input = block
            .input
            .filter(|_| looked_at)
            .and_then(|input| serde_json::from_str(input.get()).ok())
            .unwrap_or_default();
        let tool = shared.names.intern(tool_text);
        let ix = CallIx(self.calls.next);
        self.calls.next += 1;
        let call = Call {
            tool,
            used: at,
            answered: LineRef::NONE,
            used_block: u16::try_from(block_ix).unwrap_or(u16::MAX),
            answered_block: 0,
            ending: Ending::Pending,
        };
        self.new_calls.push((ix, call));
        let task = match called {
            "TaskCreate" => Task::Created,
            "TaskUpdate" if input.status.is("completed") => Task::Completed,
            "Task" | "Agent" => {
                self.calls.agents_by_call.insert(key, ix);
                self.calls.agent_contexts.insert(ix, self.context);
                let kind = input.subagent_type.get().unwrap_or("general-purpose");
                let kind = shared.names.intern(kind);
                Task::Agent { prompt: hash(input.prompt.text()), kind, taken: false }
            }
            _ => Task::No,
        };
        let harmless = is_harmless(called, input.command.get());
        let agent = self.chains[chain].agent;
        let name = self.words().pre_tool_use;
        let event = Event { calls: CallRange::one(ix), agent, ..self.event(name, tool, at, time, shared) };
        let batch = match &mut self.chains[chain].batch {
            Some(batch) if batch.message == message => {
                if !(harmless && batch.last_harmless) {
                    batch.group = batch.group.saturating_add(1);
                }
                if ix.0 == batch.first.0 + u32::from(batch.side_by_side) {
                    batch.side_by_side = batch.side_by_side.saturating_add(1);
                }
                batch
            }
            _ => {
                let new = Batch {
                    message,
                    keys: Vec::with_capacity(1),
                    first: ix,
                    side_by_side: 1,
                    group: 0,
                    running: 0,
                    fired: 0,
                    settled: 0,
                    last_harmless: false,
                    unanswered: 0,
                    halted: false,
                    answered: None,
                };
                self.chains[chain].batch.insert(new)
            }
        };
        batch.last_harmless = harmless;
        batch.keys.push(key);
        batch.unanswered += 1;
        let open = Open {
            ix,
            call,
            chain,
            batch: batch.first,
            group: batch.group,
            event,
            pre: None,
            permission: None,
            post: None,
            done: false,
            hook_asked: false,
            task,
        };
        let runs = batch.running >= open.group;
        self.calls.open.insert(key, open);
        if runs {
            self.fire_through(key);
        }
    }

    /// Calls that waited for the ones before them run as soon as those are answered.
    fn run_next(&mut self, chain: usize) {
        let Some(batch) = &mut self.chains[chain].batch else { return };
        let open = &self.calls.open;
        let waits = |key: &u64| open.get(key).is_some_and(|open| !open.done);
        batch.settled += batch.keys[batch.settled..].iter().take_while(|key| !waits(key)).count();
        let first = batch.keys.get(batch.settled).and_then(|key| open.get(key));
        let Some(group) = first.map(|open| open.group) else { return };
        batch.running = batch.running.max(group);
        // Those before have fired. A message may hold twenty thousand calls: none is looked at for each answer again.
        let rest = &batch.keys[batch.settled.max(batch.fired)..];
        let last = rest.iter().take_while(|key| open.get(key).is_none_or(|open| open.group == group)).last().copied();
        if let Some(last) = last {
            self.fire_through(last);
        }
    }

    /// Puts the PreToolUse of a call into the order, after those of the calls that ran before or beside it.
    fn fire_through(&mut self, key: u64) {
        let Some(open) = self.calls.open.get(&key) else { return };
        if open.pre.is_some() {
            return;
        }
        let (group, first) = (open.group, open.batch);
        if let Some(batch) = &mut self.chains[open.chain].batch
            && batch.first == first
        {
            while let Some(&before) = batch.keys.get(batch.fired) {
                if let Some(open) = self.calls.open.get_mut(&before) {
                    if open.group > group {
                        break;
                    }
                    fire(open, &mut self.queue, &mut self.last);
                }
                batch.fired += 1;
            }
        }
        if let Some(open) = self.calls.open.get_mut(&key) {
            fire(open, &mut self.queue, &mut self.last);
        }
    }

    /// PreToolUse of these calls fired, as far as that is still undecided.
    pub(super) fn fire_all(&mut self, keys: &[u64]) {
        for &key in keys {
            if self.calls.open.get(&key).is_some_and(|open| !open.done) {
                self.pre_of(key);
            }
        }
    }

    /// The PreToolUse of a call, now that it is known to have fired.
    pub(super) fn pre_of(&mut self, key: u64) -> Option<Slot> {
        self.fire_through(key);
        let slot = self.calls.open.get(&key)?.pre?;
        self.queue.fires(slot);
        Some(slot)
    }

    /// A sidechain shows that its call was made.
    pub(super) fn pre_fired(&mut self, call: CallIx) {
        let key = self.calls.open.iter().find(|(_, open)| open.ix == call).map(|(&key, _)| key);
        if let Some(key) = key {
            self.pre_of(key);
        }
    }

    /// The PostToolUse or PostToolUseFailure of a call that is still at hand.
    pub(super) fn post_of(&self, key: u64) -> Option<Slot> {
        self.calls.open.get(&key)?.post
    }

    /// A hook's recorded answer asks for confirmation.
    pub(super) fn hook_asked(&mut self, key: u64) {
        if let Some(open) = self.calls.open.get_mut(&key) {
            open.hook_asked = true;
        }
    }

    /// A hook stopped the turn at this call.
    pub(super) fn halt_batch_of(&mut self, key: u64, chain: usize) {
        let chain = self.calls.open.get(&key).map_or(chain, |open| open.chain);
        if let Some(batch) = &mut self.chains[chain].batch {
            batch.halted = true;
        }
    }

    /// A hook put the call off: the session ends there.
    pub(super) fn deferred(&mut self, key: u64, at: LineRef) {
        let Some(slot) = self.pre_of(key) else { return };
        if let Some(open) = self.calls.open.get_mut(&key) {
            open.call.ending = Ending::Deferred;
            self.new_calls.push((open.ix, open.call));
            let chain = open.chain;
            self.halt_batch_of(key, chain);
        }
        self.queue.mark(slot, RunMark { says: Some(Says::Defer), ..bare_mark(at, MarkKind::Deferred) });
    }

    /// A permission was asked for, after PreToolUse.
    pub(super) fn permission_asked(&mut self, key: u64, at: LineRef, time: Time, shared: &mut Shared) -> Option<Slot> {
        self.pre_of(key)?;
        let open = self.calls.open.get(&key)?;
        if open.permission.is_some() {
            return open.permission;
        }
        let (ix, subject, chain) = (open.ix, open.call.tool, open.chain);
        let agent = self.chains[chain].agent;
        let name = self.words().permission_request;
        let event = Event { calls: CallRange::one(ix), agent, ..self.event(name, subject, at, time, shared) };
        let slot = self.push(event);
        self.calls.open.get_mut(&key)?.permission = Some(slot);
        Some(slot)
    }

    /// A `tool_result` block.
    pub(super) fn tool_result(
        &mut self,
        at: LineRef,
        line: &Line,
        block_ix: usize,
        block: &Block,
        time: Time,
        shared: &mut Shared,
    ) {
        let Some(id) = block.tool_use_id.get() else { return };
        let key = hash(id);
        let Some(open) = self.calls.open.get(&key).filter(|open| !open.done) else { return };
        let tool = shared.names.text(open.call.tool);
        let told = ending::told(line, block, tool, self.version, open.hook_asked);
        let (ix, chain, batch_of, task) = (open.ix, open.chain, open.batch, open.task);

        if let Task::Agent { .. } = task {
            let result: AgentResult =
                line.tool_use_result.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
            if result.is_async.0 || result.status.get().is_some() {
                self.calls.beside.insert(ix, result.is_async.0 || result.status.is("async_launched"));
            }
            if let Some(agent) = result.agent_id.get() {
                self.calls.agents_by_id.insert(hash(agent), ix);
            }
            self.settle_sidechains_of(ix, time, shared);
        }
        if told.ending == Ending::RefusedBeforeHooks {
            if let Some(slot) = self.calls.open.get(&key).and_then(|open| open.pre) {
                self.queue.drop(slot);
            }
        } else {
            self.pre_of(key);
            self.hooks_told(key, at, &told, time, shared);
            self.post(key, at, &told, task, time, shared);
        }
        if let Some(open) = self.calls.open.get_mut(&key) {
            open.done = true;
            open.call.ending = told.ending;
            open.call.answered = at;
            open.call.answered_block = u16::try_from(block_ix).unwrap_or(u16::MAX);
            self.new_calls.push((open.ix, open.call));
        }
        let context = self.context_ix(shared);
        match &mut self.chains[chain].batch {
            Some(batch) if batch.first == batch_of => {
                batch.unanswered = batch.unanswered.saturating_sub(1);
                batch.answered = Some((at, time, context));
            }
            _ => self.calls.forget(&[key]),
        }
        self.run_next(chain);
    }

    /// What the result tells of PreToolUse and PermissionRequest hooks.
    fn hooks_told(&mut self, key: u64, at: LineRef, told: &Told, time: Time, shared: &mut Shared) {
        if let Some(slot) = self.pre_of(key) {
            if let Some(refusal) = &told.refused {
                let command = refusal.command.as_deref().map_or(Name::NONE, |text| shared.names.intern(text));
                let kind = if refusal.says.is_some() { MarkKind::RefusedCall } else { MarkKind::UnusableAnswer };
                self.queue.mark(slot, RunMark { command, says: refusal.says, ..bare_mark(at, kind) });
            }
            if told.decided.is_some() {
                self.queue.mark(slot, RunMark { says: told.decided, ..bare_mark(at, MarkKind::DecidedCall) });
            }
        }
        if told.asked && self.has("PermissionRequest") {
            self.permission_asked(key, at, time, shared);
        }
    }

    fn post(&mut self, key: u64, at: LineRef, told: &Told, task: Task, time: Time, shared: &mut Shared) {
        let words = self.words();
        let name = match told.ending {
            Ending::Succeeded => words.post_tool_use,
            Ending::Failed => words.post_tool_use_failure,
            _ => return,
        };
        let Some(open) = self.calls.open.get(&key) else { return };
        let (ix, subject, agent) = (open.ix, open.call.tool, self.chains[open.chain].agent);
        let event = Event { calls: CallRange::one(ix), agent, ..self.event(name, subject, at, time, shared) };
        if told.ending == Ending::Succeeded {
            let task = match task {
                Task::Created if self.has("TaskCreated") => Some(words.task_created),
                Task::Completed if self.has("TaskCompleted") => Some(words.task_completed),
                _ => None,
            };
            if let Some(name) = task {
                self.push(Event { name, subject: Name::NONE, ..event });
            }
        }
        let mut event = event;
        if told.ending == Ending::Failed {
            event.evidence = self.sure_from(Version::of(2, 1, 0));
        }
        let slot = self.push(event);
        if let Some(open) = self.calls.open.get_mut(&key) {
            open.post = Some(slot);
        }
    }

    /// The sidechains that a call started are over when its result comes.
    fn settle_sidechains_of(&mut self, call: CallIx, time: Time, shared: &mut Shared) {
        for chain in 1..self.chains.len() {
            if self.chains[chain].call == Some(call) || self.chains[chain].call.is_none() {
                self.settle(chain, super::turn::Next::Turn, time, shared);
            }
        }
    }
}

/// A mark that says nothing but where it stands.
pub(super) fn bare_mark(at: LineRef, kind: MarkKind) -> RunMark {
    RunMark {
        event: EventIx::NONE,
        next: MarkIx::NONE,
        at,
        kind,
        index: 0,
        command: Name::NONE,
        exit_code: None,
        duration_ms: None,
        says: None,
        lost: false,
    }
}

/// Puts a call's PreToolUse into the order, if it is not there and the call not over.
fn fire(open: &mut Open, queue: &mut Queue, last: &mut HashMap<(Name, Name), Slot>) {
    if open.pre.is_none() && !open.done {
        let slot = queue.push_undecided(open.event);
        open.pre = Some(slot);
        last.insert((open.event.name, open.event.subject), slot);
    }
}
