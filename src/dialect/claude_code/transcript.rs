//! A Claude Code transcript, read line by line: which lifecycle events fired, in which order, and what is recorded of
//! their hooks.
//!
//! A transcript is no list of events. What fires when was measured with the unchanged client (2.1.332 and 2.1.197);
//! each rule below names what it rests on. Owns the reading of this agent's session files. Must not know settings,
//! matchers or what a handler's answer means.
//!
//! # Order and time
//!
//! Events come out in firing order, as soon as nothing before them is undecided: a call's PreToolUse is held until its
//! result tells whether hooks ran at all, a Stop until the next line tells that the turn was not interrupted. Lines are
//! taken in file order, whatever their times say. `Event::time` is the time of the line that shows the event, so it may
//! step back a little; whoever merges several readers orders by the running maximum.
//!
//! # A session's files together
//!
//! A subagent's own file is read by a reader of its own. Its first event comes after PreToolUse of the call that started
//! it; where it runs beside its parent ([`SubagentMeta::background`], [`Transcript::agent_runs_beside`]) after that
//! call's PostToolUse. A parent's PostToolUse of a call whose agent does not run beside it comes after all events of that
//! agent. Otherwise the earlier time goes first.
//!
//! # What a transcript never shows
//!
//! Setup, SessionEnd of a killed process, Elicitation, ConfigChange, FileChanged and Notification fire without leaving a
//! line, unless one of their hooks leaves a trace; a display in a terminal comes in parts that are not written down.

mod calls;
mod compaction;
mod copies;
mod ending;
mod harmless;
mod hooks;
mod lenient;
pub(crate) mod line;
mod prompts;
mod queue;
mod run;
mod subagent;
mod text;
mod turn;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

pub use subagent::{SubagentMeta, meta};

use self::calls::Calls;
use self::line::{Line, Problem, Repair};
use self::queue::{Queue, Slot};
use self::run::Run;
use self::turn::{Chain, Place as ChainPlace};
use crate::dialect::{Output, Reader, Shared, Started, SubagentKey};
use crate::model::{
    AgentIx, CallIx, Context, ContextIx, Diagnostic, Event, Evidence, Level, LineRef, Name, Names, Place, Rewind, Time,
};

/// A client version, comparable. Unknown counts as the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

impl Version {
    const NEWEST: Version = Version(u32::MAX, 0, 0);

    const fn of(major: u32, minor: u32, patch: u32) -> Version {
        Version(major, minor, patch)
    }

    fn parse(text: &str) -> Version {
        let mut parts = text.split(['.', '-', '+']).map(|part| part.parse::<u32>().ok());
        match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten()) {
            (Some(major), Some(minor), patch) => Version(major, minor, patch.unwrap_or(0)),
            _ => Version::NEWEST,
        }
    }
}

/// Since which client version an event exists, from the vendor's changelog; `PostToolBatch` and `UserPromptExpansion`
/// by when they were first written about. Events whose trace every version writes are kept for older files too, as assumed.
const SINCE: &[(&str, Version)] = &[
    ("SessionStart", Version::of(1, 0, 62)),
    ("SessionEnd", Version::of(1, 0, 85)),
    ("PermissionRequest", Version::of(2, 0, 45)),
    ("InstructionsLoaded", Version::of(2, 1, 69)),
    ("PostCompact", Version::of(2, 1, 76)),
    ("CwdChanged", Version::of(2, 1, 83)),
    ("TaskCreated", Version::of(2, 1, 84)),
    ("TaskCompleted", Version::of(2, 1, 33)),
    ("PostToolBatch", Version::of(2, 1, 118)),
    ("UserPromptExpansion", Version::of(2, 1, 118)),
    ("MessageDisplay", Version::of(2, 1, 150)),
];

macro_rules! words {
    ($($field:ident = $text:expr),* $(,)?) => {
        /// The names used for every file, interned once.
        #[derive(Debug, Clone, Copy)]
        struct Words {
            $($field: Name),*
        }

        impl Words {
            const NONE: Words = Words { $($field: Name::NONE),* };

            fn new(names: &mut Names) -> Words {
                Words { $($field: names.intern($text)),* }
            }
        }
    };
}

words! {
    session_start = "SessionStart",
    session_end = "SessionEnd",
    instructions_loaded = "InstructionsLoaded",
    user_prompt_submit = "UserPromptSubmit",
    user_prompt_expansion = "UserPromptExpansion",
    message_display = "MessageDisplay",
    pre_tool_use = "PreToolUse",
    permission_request = "PermissionRequest",
    post_tool_use = "PostToolUse",
    post_tool_use_failure = "PostToolUseFailure",
    post_tool_batch = "PostToolBatch",
    subagent_start = "SubagentStart",
    subagent_stop = "SubagentStop",
    stop = "Stop",
    stop_failure = "StopFailure",
    pre_compact = "PreCompact",
    post_compact = "PostCompact",
    cwd_changed = "CwdChanged",
    task_created = "TaskCreated",
    task_completed = "TaskCompleted",
    unreadable = Event::UNREADABLE,
    empty = "",
}

/// Hashes of ids are their own hashes.
#[derive(Debug, Default, Clone, Copy)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }
}

type IdSet = HashSet<u64, BuildHasherDefault<IdHasher>>;
type IdMap<T> = HashMap<u64, T, BuildHasherDefault<IdHasher>>;

/// 64 bits of an id. Ids may be numbered as well as random: a quick hash let calls `toolu_1` to `toolu_20000` clash,
/// and what clashes is lost.
fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(id.as_bytes());
    hasher.finish()
}

/// What this file is to its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// `<session>.jsonl`.
    Main,
    /// `<session>/subagents/agent-<id>.jsonl`.
    Subagent,
}

/// Reads one transcript file.
#[derive(Debug)]
pub struct Transcript {
    role: Role,
    words: Option<Words>,
    queue: Queue,
    /// Lines by uuid: repeated ones fire nothing.
    seen: IdMap<u32>,
    /// Found since they were last handed on.
    rewinds: Vec<Rewind>,
    /// Whose lines are copied; told once.
    forked_from: Option<String>,
    fork_known: bool,
    /// How many lines repeated a uuid.
    repeated: u64,
    context: Context,
    context_ix: Option<ContextIx>,
    version: Version,
    /// Time of the last line that has one.
    time: Time,
    chains: Vec<Chain>,
    /// Chain of a sidechain's line, by uuid; old files only.
    side_lines: IdMap<u16>,
    /// Chain of an inline sidechain, by agent id.
    side_agents: HashMap<Name, u16>,
    last_side: Option<u16>,
    calls: Calls,
    run: Run,
    /// The last event of each name and subject, for traces that name no call.
    last: HashMap<(Name, Name), Slot>,
    diagnostics: u32,
    id_known: bool,
    title: Option<String>,
    new_calls: Vec<(CallIx, crate::model::Call)>,
    new_diagnostics: Vec<Diagnostic>,
}

impl Transcript {
    /// Reads a session's main file. `session`: the session's id where the file's name gives it (`<id>.jsonl`); lines of
    /// another session at the head of the file are then known to be copies.
    pub fn main(session: Option<&str>) -> Transcript {
        let mut reader = Transcript::new(Role::Main, AgentIx(0));
        reader.run.own_session = session.map(hash);
        reader
    }

    /// Reads the own file of a subagent (see the head of this module for how its events join its parent's). `agent` is its index in `Shared::agents`; `inherited` what held when it was
    /// started (its lines name no permission mode).
    pub fn subagent(agent: AgentIx, inherited: Context) -> Transcript {
        let mut reader = Transcript::new(Role::Subagent, agent);
        reader.context = inherited;
        reader
    }

    fn new(role: Role, agent: AgentIx) -> Transcript {
        let place = match role {
            Role::Main => ChainPlace::Main,
            Role::Subagent => ChainPlace::OwnFile,
        };
        Transcript {
            role,
            words: None,
            queue: Queue::default(),
            seen: IdMap::default(),
            rewinds: Vec::new(),
            forked_from: None,
            fork_known: false,
            repeated: 0,
            context: Context::EMPTY,
            context_ix: None,
            version: Version::NEWEST,
            time: Time::UNKNOWN,
            chains: vec![Chain::new(agent, place)],
            side_lines: IdMap::default(),
            side_agents: HashMap::new(),
            last_side: None,
            calls: Calls::default(),
            run: Run::default(),
            last: HashMap::new(),
            diagnostics: 0,
            id_known: false,
            title: None,
            new_calls: Vec::new(),
            new_diagnostics: Vec::new(),
        }
    }

    /// The call with that `tool_use` id, among the Agent (Task) calls read so far. A subagent's `.meta.json` names it.
    pub fn agent_call(&self, tool_use_id: &str) -> Option<CallIx> {
        self.calls.agents_by_call.get(&hash(tool_use_id)).copied()
    }

    /// The Agent (Task) call whose result named that agent id, among those read so far: for subagents without
    /// `.meta.json`, or with one that names no call.
    pub fn call_of_agent(&self, agent_id: &str) -> Option<CallIx> {
        self.calls.agents_by_id.get(&hash(agent_id)).copied()
    }

    /// Whether the agent of an Agent (Task) call runs beside its parent, once the call's result tells: then PostToolUse
    /// comes before SubagentStart.
    pub fn agent_runs_beside(&self, call: CallIx) -> Option<bool> {
        self.calls.beside.get(&call).copied()
    }

    /// Lines that repeated a known uuid and were passed over.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    fn words(&self) -> Words {
        self.words.unwrap_or(Words::NONE)
    }

    /// Whether the client of the current line had that event at all.
    fn has(&self, event: &str) -> bool {
        SINCE.iter().find(|(name, _)| *name == event).is_none_or(|(_, since)| self.version >= *since)
    }

    fn context_ix(&mut self, shared: &mut Shared) -> ContextIx {
        match self.context_ix {
            Some(ix) => ix,
            None => {
                let ix = shared.context(self.context);
                self.context_ix = Some(ix);
                ix
            }
        }
    }

    /// An event of the main chain at a line.
    fn event(&mut self, name: Name, subject: Name, at: LineRef, time: Time, shared: &mut Shared) -> Event {
        let context = self.context_ix(shared);
        Event { subject, agent: self.chains[0].agent, ..Event::new(name, time, at, context) }
    }

    /// Hands an event on and remembers it for traces that name no call.
    fn push(&mut self, event: Event) -> Slot {
        let slot = self.queue.push(event);
        self.last.insert((event.name, event.subject), slot);
        slot
    }

    fn take(&mut self, at: LineRef, line: &Line, repair: Repair, shared: &mut Shared) {
        if repair == Repair::InvalidUtf8 {
            self.note(at, Level::Warning, "the line has bytes that are no UTF-8; they are shown as \u{fffd}", None);
        }
        if let Some(uuid) = line.uuid.get() {
            match self.seen.entry(hash(uuid)) {
                Entry::Occupied(_) => {
                    self.repeated += 1;
                    return;
                }
                Entry::Vacant(new) => {
                    new.insert(at.line);
                }
            }
        }
        let time = line.time();
        self.begin(at, line, time, shared);
        self.suspect_copies(line, shared);
        if self.is_copy(line, time) {
            self.note_fork(line);
            self.copied();
            return;
        }
        self.resume_if_over(at, line, time, shared);
        if !time.is_unknown() {
            self.time = time;
        }
        let old_cwd = self.context.cwd;
        self.track(line, shared);
        self.compaction_goes_on(at, line, shared);
        match line.kind.text() {
            "user" => self.user_line(at, line, time, old_cwd, shared),
            "assistant" => self.assistant_line(at, line, time, shared),
            "attachment" => self.attachment_line(at, line, time, shared),
            "system" => self.system_line(at, line, time, shared),
            "progress" => self.progress_line(at, line, time, shared),
            other => self.bookkeeping_line(at, other, line),
        }
    }

    /// Follows what holds from line to line.
    fn track(&mut self, line: &Line, shared: &mut Shared) {
        let before = self.context;
        let names = &mut shared.names;
        let mut set = |field: &mut Name, text: Option<&str>| {
            if let Some(text) = text
                && names.get(*field) != Some(text)
            {
                *field = names.intern(text);
            }
        };
        let context = &mut self.context;
        set(&mut context.session, line.session_id.get());
        set(&mut context.version, line.version.get());
        set(&mut context.cwd, line.cwd.get());
        set(&mut context.branch, line.git_branch.get());
        set(&mut context.entrypoint, line.entrypoint.get());
        set(&mut context.mode, line.permission_mode.get());
        set(&mut context.effort, line.per_turn_effort.get());
        if line.kind.is("user") {
            set(&mut context.prompt, line.prompt_id.get());
        }
        if line.kind.is("assistant")
            && let Some(message) = &line.message.0
            && !message.model.is(SYNTHETIC)
        {
            set(&mut context.model, message.model.get());
        }
        if self.context != before {
            self.context_ix = None;
            if self.context.version != before.version {
                self.version = line.version.get().map_or(Version::NEWEST, Version::parse);
            }
        }
        if line.prompt_source.get().is_some() {
            self.run.names_sources = true;
        }
    }

    fn note(&mut self, at: LineRef, level: Level, message: &str, help: Option<&str>) -> u32 {
        self.new_diagnostics.push(Diagnostic {
            level,
            message: message.to_owned(),
            place: Place { path: String::new(), line: Some(at.line), column: None },
            help: help.map(str::to_owned),
        });
        self.diagnostics += 1;
        self.diagnostics - 1
    }

    fn unreadable(&mut self, at: LineRef, problem: &Problem, shared: &mut Shared) {
        let diagnostic = self.note(at, Level::Error, &problem.message, Some(problem.help));
        if let Some(last) = self.new_diagnostics.last_mut() {
            last.place.column = problem.column;
        }
        let name = self.words().unreadable;
        let event = Event {
            diagnostic,
            evidence: Evidence::Recorded,
            ..self.event(name, Name::NONE, at, Time::UNKNOWN, shared)
        };
        self.queue.push(event);
    }

    fn hand_on(&mut self, shared: &Shared, out: &mut Output) {
        if !self.id_known && self.context.session.is_some() && self.role == Role::Main {
            self.id_known = true;
            out.id = Some(shared.names.text(self.context.session).to_owned());
        }
        if let Some(title) = self.title.take() {
            out.title = Some(title);
        }
        out.rewinds.append(&mut self.rewinds);
        if let Some(parent) = self.forked_from.take() {
            out.forked_from = Some(parent);
        }
        if !self.queue.is_closed() {
            out.calls.append(&mut self.new_calls);
        }
        out.diagnostics.append(&mut self.new_diagnostics);
        self.queue.flush(out);
    }
}

/// The model of messages that the client itself wrote.
const SYNTHETIC: &str = "<synthetic>";

impl Reader for Transcript {
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output) {
        if self.words.is_none() {
            self.words = Some(Words::new(&mut shared.names));
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
        if text.is_empty() {
            return;
        }
        let taken = line::with_line(text, |line, repair| self.take(at, line, repair, shared));
        if let Err(mut problem) = taken {
            let skipped = bytes.len() - bytes.trim_ascii_start().len();
            problem.column = problem.column.map(|column| column + u32::try_from(skipped).unwrap_or(0));
            self.unreadable(at, &problem, shared);
        }
        self.hand_on(shared, out);
    }

    fn end(&mut self, shared: &mut Shared, out: &mut Output) {
        if self.words.is_none() {
            self.words = Some(Words::new(&mut shared.names));
        }
        self.close(shared);
        self.hand_on(shared, out);
    }

    fn starts(&self) -> usize {
        self.calls.agents_by_call.len() + self.calls.agents_by_id.len()
    }

    fn started(&self, subagent: &SubagentKey) -> Option<Started> {
        let by_call = subagent.tool_use_id.as_deref().and_then(|id| self.agent_call(id));
        let call = by_call.or_else(|| self.call_of_agent(&subagent.agent_id))?;
        let context = self.calls.agent_contexts.get(&call).copied().unwrap_or(self.context);
        Some(Started { call, context, background: self.agent_runs_beside(call) })
    }
}
