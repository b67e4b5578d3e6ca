//! The fields of the language.

use crate::model::{Action, Evidence, Verdict};

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Event name.
    Event,
    /// Tool name, at tool events.
    Tool,
    /// What a matcher is tested on.
    Subject,
    /// What the hooks say together.
    Verdict,
    /// Groups that matched.
    Matched,
    /// Groups considered.
    Considered,
    /// Whether handlers were started: `yes`, `no`, `unknown`.
    Started,
    /// Words in the event's lines.
    Text,
    /// Longest duration of a handler.
    Took,
    /// Subagent, by id or type.
    Sub,
    /// The decision differs from the recorded one.
    Changed,
    /// A hook that matched, by name, id or command.
    Hook,
    /// A handler failed without effect.
    Failed,
    /// Session id.
    Session,
    /// Permission mode.
    Mode,
    /// Working folder.
    Cwd,
    /// `recorded` or `derived`.
    Origin,
    /// `left` or `kept`: whether the conversation went back behind it.
    Branch,
    /// How sure the verdict is.
    Evidence,
    /// When, in UTC.
    Time,
    /// What the agent did.
    Action,
    /// The line could not be read.
    Unreadable,
    /// Position in a run of stop blocks.
    Round,
    /// The hook that decided, by name or id.
    By,
}

/// How a field's values are read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A name; `*` stands for anything.
    Name,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// A count.
    Number,
    /// A duration.
    Duration,
    /// A point in time.
    Moment,
    /// Free text.
    Text,
    /// Alone, or `yes` and `no`.
    Flag,
}

/// Every field with its word, how its values are read, and what it is.
const FIELDS: &[(Field, &str, Kind, &str)] = &[
    (Field::Event, "event", Kind::Name, "event name"),
    (Field::Tool, "tool", Kind::Name, "tool name"),
    (Field::Subject, "subject", Kind::Name, "what matchers are tested on"),
    (Field::Verdict, "verdict", Kind::Word(verdicts), "what the hooks say together"),
    (Field::Matched, "matched", Kind::Number, "groups that matched"),
    (Field::Considered, "considered", Kind::Number, "groups considered"),
    (Field::Started, "started", Kind::Word(|| vec!["yes", "no", "unknown"]), "whether handlers were started"),
    (Field::Text, "text", Kind::Text, "words in the event"),
    (Field::Took, "took", Kind::Duration, "longest hook time"),
    (Field::Sub, "sub", Kind::Name, "subagent, by id or type"),
    (Field::Changed, "changed", Kind::Flag, "decided otherwise than recorded"),
    (Field::Hook, "hook", Kind::Name, "a hook that matched"),
    (Field::Failed, "failed", Kind::Flag, "a hook failed"),
    (Field::Session, "session", Kind::Name, "session id"),
    (Field::Mode, "mode", Kind::Name, "permission mode"),
    (Field::Cwd, "cwd", Kind::Name, "working folder"),
    (Field::Origin, "origin", Kind::Word(|| vec!["recorded", "derived"]), "written down, or follows"),
    (Field::Branch, "branch", Kind::Word(|| vec!["left", "kept"]), "left by a rewind, or kept"),
    (Field::Evidence, "evidence", Kind::Word(evidences), "how sure the verdict is"),
    (Field::Time, "time", Kind::Moment, "when, in UTC"),
    (Field::Action, "action", Kind::Word(actions), "what the agent did"),
    (Field::Unreadable, "unreadable", Kind::Flag, "a line that can't be read"),
    (Field::Round, "round", Kind::Number, "place in a run of stop blocks"),
    (Field::By, "by", Kind::Name, "the hook that decided"),
];

fn verdicts() -> Vec<&'static str> {
    Verdict::ALL.iter().map(|verdict| verdict.word()).collect()
}

fn evidences() -> Vec<&'static str> {
    let all = [Evidence::Recorded, Evidence::Run, Evidence::Derived, Evidence::Assumed, Evidence::Unknown];
    all.iter().map(|evidence| evidence.word()).collect()
}

/// Every word of [`Action`].
fn actions() -> Vec<&'static str> {
    Action::ALL.iter().map(|action| action.word()).collect()
}

impl Field {
    /// Every field, in the order in which they are offered.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|(field, ..)| *field)
    }

    /// The field of that name.
    pub fn named(name: &str) -> Option<Field> {
        FIELDS.iter().find(|(_, word, ..)| *word == name).map(|(field, ..)| *field)
    }

    fn row(self) -> Option<&'static (Field, &'static str, Kind, &'static str)> {
        FIELDS.iter().find(|(field, ..)| *field == self)
    }

    /// As it is written.
    pub fn word(self) -> &'static str {
        self.row().map_or("", |(_, word, ..)| word)
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.row().map_or("", |(.., about)| about)
    }

    pub(super) fn is_flag(self) -> bool {
        matches!(self.kind(), Kind::Flag)
    }

    pub(super) fn kind(self) -> Kind {
        self.row().map_or(Kind::Text, |(_, _, kind, _)| *kind)
    }
}
