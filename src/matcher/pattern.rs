//! A compiled regular expression of either engine.

use regex::Regex;

use super::javascript::Searcher;
use super::{Engine, Judge, Judged, MatcherRule};

/// Why a pattern was not taken.
pub(super) enum Refusal {
    /// The agent's engine refuses it too, in these words of the engine.
    Invalid(String),
    /// Larger than the engine here takes; the agent's may take it.
    TooLarge(String),
}

/// A pattern that compiles.
#[derive(Debug)]
pub(super) enum Pattern {
    JavaScript(Searcher),
    Rust(Regex),
}

impl Pattern {
    pub(super) fn compile(text: &str, rule: &MatcherRule) -> Result<Pattern, Refusal> {
        // As it stands first: wrapping can make a whole of an invalid text, `a)(b`.
        let compiled = one(text, rule.engine)?;
        if rule.whole { one(&format!("^(?:{text})$"), rule.engine) } else { Ok(compiled) }
    }

    /// Searches a name; what may take exponential time goes to the judge.
    pub(super) fn find(&self, name: &str, judge: &dyn Judge) -> Judged {
        match self {
            Pattern::JavaScript(searcher) => searcher.find(name, judge),
            Pattern::Rust(regex) => match regex.find(name) {
                Some(found) => Judged::Found(found.start(), found.end()),
                None => Judged::NotFound,
            },
        }
    }
}

fn one(text: &str, engine: Engine) -> Result<Pattern, Refusal> {
    if engine != Engine::Rust {
        return Searcher::compile(text).map(Pattern::JavaScript);
    }
    Regex::new(text).map(Pattern::Rust).map_err(|error| match error {
        regex::Error::Syntax(words) => Refusal::Invalid(last_line(&words)),
        error => Refusal::TooLarge(error.to_string()),
    })
}

/// The engine draws the pattern with a mark under it; its last line says what is wrong.
fn last_line(words: &str) -> String {
    let line = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(words).trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
