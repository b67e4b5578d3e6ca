//! How a dialect's session reader hands on what it found.

use std::collections::HashMap;

use crate::model::{
    Agent, AgentIx, Call, CallIx, Context, ContextIx, Diagnostic, Event, LineRef, Names, Rewind, RunMark,
};

/// What all readers of one session share.
#[derive(Debug, Default)]
pub struct Shared {
    /// The session's names.
    pub names: Names,
    /// The session's contexts, each once.
    pub contexts: Vec<Context>,
    known: HashMap<Context, ContextIx>,
    /// The session's agents; the first is the main one.
    pub agents: Vec<Agent>,
}

impl Shared {
    /// Nothing but the main agent.
    pub fn new() -> Shared {
        Shared { agents: vec![Agent::MAIN], ..Shared::default() }
    }

    /// The index of a context, new or known.
    pub fn context(&mut self, context: Context) -> ContextIx {
        *self.known.entry(context).or_insert_with(|| {
            self.contexts.push(context);
            ContextIx(u32::try_from(self.contexts.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// Adds an agent.
    pub fn agent(&mut self, agent: Agent) -> AgentIx {
        self.agents.push(agent);
        AgentIx(u16::try_from(self.agents.len() - 1).unwrap_or(u16::MAX - 1))
    }
}

/// What one reader found since this was last emptied.
#[derive(Debug, Default)]
pub struct Output {
    /// Events in firing order. Nothing that comes later may belong before one that is here.
    pub events: Vec<Event>,
    /// Marks. `event` counts this reader's own events from 0, over its whole life.
    pub marks: Vec<RunMark>,
    /// New or changed calls; indices count this reader's own calls.
    pub calls: Vec<(CallIx, Call)>,
    /// New or changed diagnostics. `Event::diagnostic` counts this reader's own diagnostics from 0.
    pub diagnostics: Vec<Diagnostic>,
    /// The session's id, once known.
    pub id: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// Id of the session that this one was forked from, once known; empty where only that it was is known.
    pub forked_from: Option<String>,
    /// New places where the conversation went back.
    pub rewinds: Vec<Rewind>,
}

/// How a subagent was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The call.
    pub call: CallIx,
    /// What held at that moment.
    pub context: Context,
    /// Whether it runs beside its parent, as far as the call and its result tell.
    pub background: Option<bool>,
}

/// What tells which call started a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubagentKey {
    /// Id of the call, where a file beside the subagent's names it.
    pub tool_use_id: Option<String>,
    /// The subagent's id.
    pub agent_id: String,
}

/// Reads one source line by line. Never fails: what it can't read becomes an event with a diagnostic.
pub trait Reader: Send {
    /// Takes the next line (or log entry), in order.
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output);

    /// The source has ended (for now: a followed file may go on, then `line` is called again).
    fn end(&mut self, shared: &mut Shared, out: &mut Output);

    /// How many subagents were started in what was read so far.
    fn starts(&self) -> usize {
        0
    }

    /// The call, among those read so far, that started a subagent whose events are in a file of its own.
    fn started(&self, _subagent: &SubagentKey) -> Option<Started> {
        None
    }
}
