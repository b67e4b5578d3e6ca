//! Colours by meaning. Nothing needs them: every verdict is a word.

use crate::model::Verdict;

/// Whether colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paint {
    /// No escape sequences at all.
    #[default]
    Plain,
    /// The terminal's own 16 colours.
    Colours,
}

/// What a text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Refused or sent back.
    Refused,
    /// Failed, or to be looked at.
    Warning,
    /// Allowed, matched.
    Good,
    /// Beside the point.
    Faint,
    /// A heading.
    Strong,
}

impl Paint {
    /// `text` in the colour of its meaning. `text` must be safe already.
    pub fn paint(self, meaning: Meaning, text: &str) -> String {
        let code = match meaning {
            Meaning::Refused => "31",
            Meaning::Warning => "33",
            Meaning::Good => "32",
            Meaning::Faint => "2",
            Meaning::Strong => "1",
        };
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Colours if text.trim().is_empty() => text.to_owned(),
            Paint::Colours => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// What a verdict means.
pub fn of_verdict(verdict: Verdict) -> Option<Meaning> {
    match verdict {
        Verdict::Deny | Verdict::Block | Verdict::Halt => Some(Meaning::Refused),
        Verdict::Ask | Verdict::Defer => Some(Meaning::Warning),
        Verdict::Allow => Some(Meaning::Good),
        Verdict::None | Verdict::Unknown => Some(Meaning::Faint),
        Verdict::Quiet => None,
    }
}
