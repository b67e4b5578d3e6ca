//! One agent each, as far as possible as data: events, matcher rule, tools, reading of its sessions.
//!
//! Owns every rule that differs between agents. Must not know how handlers are run, nor any screen.

mod behaviour;
pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cortex;
pub mod devin;
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
    Admission, Behaviour, Candidate, Circumstances, Condition, Firing, Joined, Reading, Said, Setting, Speaker, Traces,
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
    /// The newest client version that the rules were held against.
    pub newest: &'static str,
    /// Its events.
    pub events: &'static [EventSpec],
    /// Tool names that it is known to have, with former names.
    pub tools: &'static [ToolSpec],
    /// How it reads matchers.
    pub matching: matching::Matching,
}

impl Dialect {
    /// Its rules that are code.
    pub fn behaviour(&self) -> &'static Behaviour {
        // One dialect has them so far; the next one makes this a field of the table.
        &claude_code::BEHAVIOUR
    }

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

/// The dialect with that id.
pub fn by_id(id: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|dialect| dialect.id == id)
}

/// The dialect with that id, or a short form of it, of those whose matchers are known.
pub fn with_matchers(name: &str) -> Option<&'static Dialect> {
    let id = match name {
        "gemini" => "gemini-cli",
        "qwen" => "qwen-code",
        name => name,
    };
    MATCHERS.iter().copied().find(|dialect| dialect.id == id)
}

/// Every dialect whose matchers are known.
pub const MATCHERS: &[&Dialect] = &[
    &claude_code::DIALECT,
    &cortex::DIALECT,
    &cortex::SDK,
    &devin::DIALECT,
    &codex::DIALECT,
    &gemini::DIALECT,
    &qwen::DIALECT,
    &copilot::DIALECT,
];

/// Every dialect whose sessions are read.
pub const ALL: &[&Dialect] = &[&claude_code::DIALECT];
