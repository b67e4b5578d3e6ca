//! Lifecycle events of a session, compact enough for millions: bodies stay in the files.

use super::{Evidence, Name, Says, Time};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $int:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $int);

        impl $name {
            /// No such thing.
            pub const NONE: $name = $name(<$int>::MAX);

            /// Whether it points at something.
            pub fn is_some(self) -> bool {
                self != $name::NONE
            }

            /// As an index into the list it belongs to.
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// Position of an event in `Session::events`, in firing order. Shown to people as `seq`, counted from 1.
    EventIx,
    u32
);
index!(
    /// Position of a source in `Session::sources`.
    SourceIx,
    u16
);
index!(
    /// Position of a call in `Session::calls` of one source.
    CallIx,
    u32
);
index!(
    /// Position of an agent in `Session::agents`; 0 is the main one.
    AgentIx,
    u16
);
index!(
    /// Position of a context in `Session::contexts`.
    ContextIx,
    u32
);
index!(
    /// Position of a mark in `Session::marks`.
    MarkIx,
    u32
);

/// Where a line, or a JSON value in a log, stands: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRef {
    /// Source in the upper 16 bits, byte offset in the lower 48.
    place: u64,
    /// Bytes, without the line end.
    pub len: u32,
    /// 1-based number of the line on which it starts.
    pub line: u32,
}

impl LineRef {
    /// Nowhere.
    pub const NONE: LineRef = LineRef { place: u64::MAX, len: 0, line: 0 };
    const OFFSET_BITS: u32 = 48;

    /// The bytes `offset .. offset + len` of `source`, starting on `line` (1-based).
    pub fn new(source: SourceIx, offset: u64, len: u32, line: u32) -> LineRef {
        let offset = offset & ((1 << Self::OFFSET_BITS) - 1);
        LineRef { place: (u64::from(source.0) << Self::OFFSET_BITS) | offset, len, line }
    }

    /// Which source.
    pub fn source(self) -> SourceIx {
        SourceIx((self.place >> Self::OFFSET_BITS) as u16)
    }

    /// Bytes from the start of the (decompressed) source.
    pub fn offset(self) -> u64 {
        self.place & ((1 << Self::OFFSET_BITS) - 1)
    }

    /// Whether it points anywhere.
    pub fn is_some(self) -> bool {
        self != LineRef::NONE
    }

    /// The same place in another source: sources are renumbered when they join a session.
    #[must_use]
    pub fn in_source(self, source: SourceIx) -> LineRef {
        if self.is_some() { LineRef::new(source, self.offset(), self.len, self.line) } else { self }
    }
}

/// Whether the event itself was written down or follows from what was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A source lists this event: a hook input, a stream line, a debug line.
    Recorded,
    /// It follows from a transcript.
    Derived,
}

/// Calls of one source, in order of use: one for a tool event, several for a batch, none for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRange {
    /// The first.
    pub first: CallIx,
    /// How many.
    pub count: u16,
}

impl CallRange {
    /// No call.
    pub const NONE: CallRange = CallRange { first: CallIx::NONE, count: 0 };

    /// Just this one.
    pub fn one(call: CallIx) -> CallRange {
        CallRange { first: call, count: 1 }
    }
}

/// One lifecycle event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Its name in the agent's own words (`PreToolUse`); unknown names are events too.
    pub name: Name,
    /// What a matcher is tested on (`Bash`, `startup`, an agent type); none where the event has no subject.
    pub subject: Name,
    /// When, as far as a source tells.
    pub time: Time,
    /// The line that shows it: the call for PreToolUse, the result for PostToolUse, the hook input in a log.
    pub at: LineRef,
    /// What held at that moment.
    pub context: ContextIx,
    /// The calls it is about, of the source of `at`.
    pub calls: CallRange,
    /// Which agent it happened in (for SubagentStart/Stop: the subagent).
    pub agent: AgentIx,
    /// Written down, or follows.
    pub origin: Origin,
    /// How sure it is that it fired: `Recorded`, `Derived` or `Assumed`.
    pub evidence: Evidence,
    /// `stop_hook_active` of Stop and SubagentStop, where it can be told.
    pub stop_hook_active: Option<bool>,
    /// First and last of its marks, linked by [`RunMark::next`]; kept by `Session`.
    pub marks: (MarkIx, MarkIx),
    /// Position in `Session::diagnostics`, `u32::MAX` for none. Unreadable lines are events with one.
    pub diagnostic: u32,
}

impl Event {
    /// Name of the event that stands for a line that could not be read.
    pub const UNREADABLE: &'static str = "UnreadableLine";

    /// An event without calls, marks or diagnostic, in the main agent.
    pub fn new(name: Name, time: Time, at: LineRef, context: ContextIx) -> Event {
        Event {
            name,
            subject: Name::NONE,
            time,
            at,
            context,
            calls: CallRange::NONE,
            agent: AgentIx(0),
            origin: Origin::Derived,
            evidence: Evidence::Derived,
            stop_hook_active: None,
            marks: (MarkIx::NONE, MarkIx::NONE),
            diagnostic: u32::MAX,
        }
    }
}

/// What holds over a stretch of events; a new one is made when something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context {
    /// Session id as written.
    pub session: Name,
    /// Id of the agent product, where it is not the session's own: one log may hold several agents' inputs.
    pub dialect: Name,
    /// Client version.
    pub version: Name,
    /// Working folder.
    pub cwd: Name,
    /// `permission_mode`.
    pub mode: Name,
    /// `effort.level`.
    pub effort: Name,
    /// `prompt_id`.
    pub prompt: Name,
    /// `cli`, `sdk-cli`, `sdk-ts`, `sdk-py`, `claude-vscode` …
    pub entrypoint: Name,
    /// Model id of the last assistant line.
    pub model: Name,
    /// Git branch.
    pub branch: Name,
}

impl Context {
    /// Nothing known.
    pub const EMPTY: Context = Context {
        session: Name::NONE,
        dialect: Name::NONE,
        version: Name::NONE,
        cwd: Name::NONE,
        mode: Name::NONE,
        effort: Name::NONE,
        prompt: Name::NONE,
        entrypoint: Name::NONE,
        model: Name::NONE,
        branch: Name::NONE,
    };
}

/// An agent of the session: the main one, or a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// `agent_id`; none for the main agent and for old inline sidechains.
    pub id: Name,
    /// `agent_type`.
    pub kind: Name,
    /// The agent that started it.
    pub parent: AgentIx,
    /// The call that started it, and the source that holds the call.
    pub call: Option<(SourceIx, CallIx)>,
    /// Whether it runs beside its parent.
    pub background: Option<bool>,
}

impl Agent {
    /// The main agent.
    pub const MAIN: Agent =
        Agent { id: Name::NONE, kind: Name::NONE, parent: AgentIx::NONE, call: None, background: Some(false) };
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// No result yet, or none was ever written.
    Pending,
    /// It ran.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// A hook refused it.
    DeniedByHook,
    /// A permission rule or mode refused it.
    DeniedByRule,
    /// The person (or, where nobody could answer, the client) refused it.
    Rejected,
    /// The person interrupted it.
    Interrupted,
    /// It fell with another call of its batch.
    Cancelled,
    /// A hook put it off.
    Deferred,
    /// Refused before any hook: unknown tool, arguments that fail the schema, the tool's own check.
    RefusedBeforeHooks,
}

/// A tool call: where it was asked for, where it was answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The tool's name as hooks see it.
    pub tool: Name,
    /// The line with the call.
    pub used: LineRef,
    /// The line with its result; [`LineRef::NONE`] while pending.
    pub answered: LineRef,
    /// Which content block of `used`.
    pub used_block: u16,
    /// Which content block of `answered`.
    pub answered_block: u16,
    /// How it ended.
    pub ending: Ending,
}

/// What kind of trace a handler's run left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkKind {
    /// It was started; nothing of its answer (a progress line, `hook_started`).
    Started,
    /// It ended well, with its output (`hook_success`).
    Success,
    /// Context that it gave the model (`hook_additional_context`); names no handler.
    Context,
    /// It blocked (`hook_blocking_error`).
    Blocking,
    /// It failed without effect (`hook_non_blocking_error`).
    NonBlockingError,
    /// It was cancelled, mostly by a time-out (`hook_cancelled`).
    Cancelled,
    /// It stopped the agent (`hook_stopped_continuation`).
    Stopped,
    /// A message of it for the user (`hook_system_message`).
    SystemMessage,
    /// The decision of a PermissionRequest (`hook_permission_decision`).
    PermissionDecision,
    /// It put the call off (`hook_deferred_tool`).
    Deferred,
    /// Its answer could not be used (`hook_error_during_execution`).
    UnusableAnswer,
    /// A background handler's late answer (`async_hook_response`).
    Async,
    /// A tool result's text says that a hook refused the call.
    RefusedCall,
    /// A tool result, or its `permissionDecision`, says that a hook asked or allowed.
    DecidedCall,
    /// One entry of a `stop_hook_summary`; `index` is its position.
    StopSummary,
    /// Feedback of a stop hook that went to the model.
    StopFeedback,
    /// An informational line: a prompt refused or stopped by a hook, the cap reached.
    Informational,
    /// A `hook_response` line of the stream.
    Response,
    /// A line of the client's debug log.
    DebugLine,
    /// A hook wrote down what it got: it was started.
    InputLogged,
    /// A run in a hookscope recording; `index` is its position.
    RecordedRun,
    /// A run in a hookscope recording of which only the start is known.
    RecordedStart,
    /// The decision in a hookscope recording, which handlers came to; without a word they decided nothing.
    RecordedDecision,
}

/// One trace that a handler's run left in some source. Several may belong to one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunMark {
    /// The event it belongs to.
    pub event: EventIx,
    /// The next mark of that event.
    pub next: MarkIx,
    /// Where it stands.
    pub at: LineRef,
    /// What it is.
    pub kind: MarkKind,
    /// Which element of the line, where it has several.
    pub index: u16,
    /// The handler's command, where the trace names it.
    pub command: Name,
    /// Exit code as the client gives it.
    pub exit_code: Option<i32>,
    /// Milliseconds from spawn to exit.
    pub duration_ms: Option<u32>,
    /// What it says, as far as the trace itself tells.
    pub says: Option<Says>,
    /// It wrote a refusal where the agent does not read one.
    pub lost: bool,
}
