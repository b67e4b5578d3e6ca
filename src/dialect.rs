//! One agent each, as far as possible as data: events, matcher rule, tools, reading of its sessions.
//!
//! Owns every rule that differs between agents. Must not know how handlers are run, nor any screen.

mod answers;
mod behaviour;
pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cortex;
pub mod devin;
pub mod elsewhere;
pub mod gemini;
pub mod hook_log;
pub mod match_report;
pub mod matching;
pub mod qwen;
mod reader;
mod recognise;
pub mod rules;

pub use crate::matcher::ToolSpec;
pub use behaviour::{
    Admission, Behaviour, Candidate, Circumstances, Condition, Firing, Joined, Ran, Reading, Said, Setting, Speaker,
    Traces,
};
pub use reader::{Output, Reader, Shared, Started, SubagentKey};
pub use recognise::{Format, PREFIX, Role, recognise};
pub use rules::Rule;

/// An agent product: its rules as a table.
#[derive(Debug)]
pub struct Dialect {
    /// `claude-code`.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// Names of folders that are its own: its sessions, or its settings, stand in one.
    pub folders: &'static [&'static str],
    /// The newest client version that the rules were held against.
    pub newest: &'static str,
    /// Its events.
    pub events: &'static [EventSpec],
    /// Tool names that it is known to have, with former names.
    pub tools: &'static [ToolSpec],
    /// How it reads matchers.
    pub matching: matching::Matching,
    /// Whether identical handlers of one event run once.
    pub runs_duplicates_once: bool,
    /// What becomes of a rewritten tool input.
    pub rewrite: Rewrite,
    /// How often a stop can be prevented.
    pub stop: StopRule,
    /// Its rules that are code.
    pub behaviour: &'static Behaviour,
}

/// What becomes of a tool input that a handler rewrites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// It replaces the old one, whole.
    Replaces,
    /// Its top-level fields are laid over the old one.
    Merges,
}

/// How often a stop can be prevented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopRule {
    /// Blocks in a row after which the next one is overruled; `None`: no cap.
    pub cap: Option<u16>,
    /// Whether a tool call in between starts the count anew.
    pub tools_reset: bool,
}

impl Dialect {
    /// The event of that name.
    pub fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }
}

/// One lifecycle event of a dialect.
#[derive(Debug)]
pub struct EventSpec {
    /// Its name, in settings and inputs.
    pub name: &'static str,
    /// The input field that a matcher is tested on.
    pub subject: Option<&'static str>,
    /// How a matcher is read.
    pub matcher: MatcherUse,
    /// What kind of moment it is: decides which answers count and what they do.
    pub class: EventClass,
    /// When it fires, one sentence.
    pub fires: &'static str,
    /// Values that the subject is known to have; empty where they are tool names, or not known.
    pub values: &'static [&'static str],
}

impl EventSpec {
    /// A row of an event table, its fields in their order.
    pub(crate) const fn new(
        name: &'static str,
        subject: Option<&'static str>,
        matcher: MatcherUse,
        class: EventClass,
        fires: &'static str,
        values: &'static [&'static str],
    ) -> EventSpec {
        EventSpec { name, subject, matcher, class, fires, values }
    }
}

/// How an event treats a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherUse {
    /// Tested on the subject.
    Tested,
    /// Tested on the subject; only `|` separates a list, without trimming.
    TestedNarrow,
    /// Ignored: every group fires.
    Ignored,
    /// There is nothing to test it on: a group with any matcher but an empty one never fires.
    Barred,
}

/// What kind of moment an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventClass {
    /// Before a tool call.
    BeforeTool,
    /// A permission is asked for.
    Permission,
    /// After a tool call.
    AfterTool,
    /// After all calls of a batch.
    AfterBatch,
    /// A prompt is submitted or expanded.
    Prompt,
    /// The agent is about to end its turn.
    Stop,
    /// A subagent is about to end.
    SubagentStop,
    /// A compaction is about to be made.
    BeforeCompaction,
    /// A session or subagent starts: only context counts.
    Start,
    /// A task is created or completed, a teammate idles, a model is switched, a file changed …
    Gate,
    /// A worktree is to be made.
    Worktree,
    /// Nothing that is said changes anything.
    Notice,
}

/// The dialect with that id, or a short form of it.
pub fn by_id(id: &str) -> Option<&'static Dialect> {
    let id = match id {
        "gemini" => "gemini-cli",
        "qwen" => "qwen-code",
        id => id,
    };
    ALL.iter().copied().find(|dialect| dialect.id == id)
}

/// The dialect in whose folder a path is.
pub fn by_folder(path: &str) -> Option<&'static Dialect> {
    let mut parts = path.split(['/', '\\']);
    parts.find_map(|part| ALL.iter().copied().find(|dialect| dialect.folders.contains(&part)))
}

/// The one dialect that has an event of that name; `None` where several have, or none.
pub fn by_event(event: &str) -> Option<&'static Dialect> {
    let mut all = ALL.iter().copied().filter(|dialect| dialect.event(event).is_some());
    all.next().filter(|_| all.next().is_none())
}

/// The dialect of a session: Claude Code, until something tells otherwise.
pub fn of_session(id: &str) -> &'static Dialect {
    by_id(id).unwrap_or(&claude_code::DIALECT)
}

/// Every dialect.
pub const ALL: &[&Dialect] = &[
    &claude_code::DIALECT,
    &cortex::DIALECT,
    &cortex::SDK,
    &devin::DIALECT,
    &codex::DIALECT,
    &gemini::DIALECT,
    &qwen::DIALECT,
    &copilot::DIALECT,
];
