//! Matchers: match-all, exact list, JavaScript regular expression. Compiles, tests, explains, finds near misses.
//!
//! Owns how a matcher's text is read under a rule given as data. Must not know events or agents; does no IO:
//! what may take exponential time is handed to a [`Judge`].

mod effort;
mod hints;
mod javascript;
mod names;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use hints::{Hint, HintKind};
pub use javascript::{Found, search};

use javascript::{Refusal, Searcher};

/// A tool as matchers know it.
#[derive(Debug)]
pub struct ToolSpec {
    /// As hooks see it.
    pub name: &'static str,
    /// Former or other names that a matcher may use for it.
    pub aliases: &'static [&'static str],
}

/// How names of MCP tools are built: `mcp__SERVER__TOOL`, and `mcp__plugin_PLUGIN_SERVER__TOOL` where a plugin
/// brings the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerNames {
    /// `mcp__`.
    pub prefix: &'static str,
    /// `plugin_`, after the prefix.
    pub plugin: &'static str,
    /// Between server and tool: `__`.
    pub separator: &'static str,
}

/// What reads a text that is neither match-all nor a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// A JavaScript regular expression without flags, searched anywhere.
    JavaScript,
    /// Nothing: the text is compared whole.
    None,
}

impl Engine {
    /// The word of the command line contract.
    pub fn word(self) -> &'static str {
        match self {
            Engine::JavaScript => "javascript",
            Engine::None => "none",
        }
    }
}

/// Whether an event looks at its matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attention {
    /// It is tested on the event's subject.
    Tested,
    /// It is ignored: every group fires.
    Ignored,
}

/// How a matcher's text is read: one agent's rule for one kind of event at one version, as data.
#[derive(Debug, Clone, Copy)]
pub struct MatcherRule {
    /// Whether the matcher counts at all.
    pub attention: Attention,
    /// Texts that match everything.
    pub match_all: &'static [&'static str],
    /// Characters beside ASCII letters and digits that a list of exact names may consist of.
    pub list_marks: &'static str,
    /// Those of them that separate names. Names are trimmed, empty ones dropped.
    pub separators: &'static [char],
    /// What reads every other text.
    pub engine: Engine,
    /// Known names with their former ones; a matcher may use either.
    pub tools: &'static [ToolSpec],
    /// How MCP tools are named, for hints.
    pub servers: Option<ServerNames>,
}

/// What a matcher turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Matches everything.
    All,
    /// One exact name.
    Exact,
    /// Several exact names.
    List,
    /// A regular expression.
    Regex,
    /// A regular expression that does not compile: never matches.
    Invalid,
    /// The event ignores it.
    Ignored,
    /// Compared whole, by a rule without regular expressions.
    Literal,
}

impl Kind {
    /// The word of the command line contract.
    pub fn word(self) -> &'static str {
        match self {
            Kind::All => "all",
            Kind::Exact => "exact",
            Kind::List => "list",
            Kind::Regex => "regex",
            Kind::Invalid => "invalid",
            Kind::Ignored => "ignored",
            Kind::Literal => "literal",
        }
    }
}

/// What a test of a matcher on a subject gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Whether it matches; `None`: undecided, it would take too long to find out.
    pub matched: Option<bool>,
    /// Bytes of the subject that the pattern matched; `None` where nothing of the subject itself was matched
    /// (match-all, a former name).
    pub span: Option<(usize, usize)>,
    /// Why, in words for a person.
    pub why: String,
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// Found, in these bytes of the subject.
    Found(usize, usize),
    /// Not found.
    NotFound,
    /// Not known, because …
    Undecided(String),
}

/// Tests patterns that may take exponential time, somewhere where that can be stopped.
pub trait Judge {
    /// Searches `subject` for the JavaScript regular expression `pattern`.
    fn test(&self, pattern: &str, subject: &str) -> Judged;
}

/// Judges nothing: risky patterns stay undecided.
#[derive(Debug, Clone, Copy)]
pub struct NoJudge;

impl Judge for NoJudge {
    fn test(&self, _: &str, _: &str) -> Judged {
        Judged::Undecided("it may take exponential time and was not tried".to_owned())
    }
}

/// A matcher, read. Cheap to clone and to keep; results are worth caching per distinct subject.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: Option<Arc<str>>,
    rule: MatcherRule,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    All,
    Ignored,
    /// Trimmed, none empty.
    Names(Arc<[String]>),
    Literal,
    Regex(Arc<Searcher>),
    Invalid(Arc<str>),
    /// Valid perhaps, but larger than the engine here takes.
    TooLarge(Arc<str>),
}

impl Matcher {
    /// Reads a matcher's text (`None`: no matcher given). Never fails: a pattern that does not compile is a
    /// matcher that never matches.
    pub fn compile(text: Option<&str>, rule: &MatcherRule) -> Matcher {
        let form = match text {
            None => Form::All,
            Some(_) if rule.attention == Attention::Ignored => Form::Ignored,
            Some(text) if rule.match_all.contains(&text) => Form::All,
            Some(text) if rule.is_list(text) => {
                let names = text.split(rule.separators).map(str::trim).filter(|name| !name.is_empty());
                Form::Names(names.map(str::to_owned).collect())
            }
            Some(text) => match rule.engine {
                Engine::None => Form::Literal,
                Engine::JavaScript => match Searcher::compile(text) {
                    Ok(searcher) => Form::Regex(Arc::new(searcher)),
                    Err(Refusal::Invalid(error)) => Form::Invalid(error.into()),
                    Err(Refusal::TooLarge(error)) => Form::TooLarge(error.into()),
                },
            },
        };
        Matcher { text: text.map(Arc::from), rule: *rule, form }
    }

    /// The text as written.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The rule it was read by.
    pub fn rule(&self) -> &MatcherRule {
        &self.rule
    }

    /// What it turned out to be.
    pub fn kind(&self) -> Kind {
        match &self.form {
            Form::All => Kind::All,
            Form::Ignored => Kind::Ignored,
            Form::Names(names) if names.len() == 1 => Kind::Exact,
            Form::Names(_) => Kind::List,
            Form::Literal => Kind::Literal,
            Form::Regex(_) | Form::TooLarge(_) => Kind::Regex,
            Form::Invalid(_) => Kind::Invalid,
        }
    }

    /// What reads it.
    pub fn engine(&self) -> Engine {
        match self.form {
            Form::Regex(_) | Form::Invalid(_) | Form::TooLarge(_) => self.rule.engine,
            Form::All | Form::Ignored | Form::Names(_) | Form::Literal => Engine::None,
        }
    }

    /// The engine's words where the pattern does not compile.
    pub fn error(&self) -> Option<&str> {
        match &self.form {
            Form::Invalid(error) | Form::TooLarge(error) => Some(error),
            _ => None,
        }
    }

    /// Tests it on a subject. Patterns that may take exponential time on it stay undecided.
    pub fn test(&self, subject: &str) -> Match {
        self.test_with(subject, &NoJudge)
    }

    /// Tests it on a subject; what may take exponential time goes to `judge`.
    pub fn test_with(&self, subject: &str, judge: &dyn Judge) -> Match {
        match &self.form {
            Form::All => Match { matched: Some(true), span: None, why: words::match_all(self.text()) },
            Form::Ignored => Match { matched: Some(true), span: None, why: words::IGNORED.to_owned() },
            Form::Names(names) => self.test_names(names, subject),
            Form::Literal => {
                let matched = self.text() == Some(subject);
                let why = words::exact(matched, self.text().unwrap_or_default(), subject);
                Match { matched: Some(matched), span: matched.then_some((0, subject.len())), why }
            }
            Form::Regex(searcher) => self.test_regex(searcher, subject, judge),
            Form::Invalid(_) => Match { matched: Some(false), span: None, why: words::INVALID.to_owned() },
            Form::TooLarge(error) => Match { matched: None, span: None, why: words::undecided(error) },
        }
    }

    /// The pattern in plain words.
    pub fn explain(&self) -> String {
        match &self.form {
            Form::All => words::match_all(self.text()),
            Form::Ignored => words::IGNORED.to_owned(),
            Form::Names(names) => words::explain_names(names, &self.rule),
            Form::Literal => format!("one text, which has to be exactly `{}`", self.text().unwrap_or_default()),
            Form::Regex(searcher) => {
                let text = self.text().unwrap_or_default();
                // Whoever asks for letters only and takes none is content with any name.
                let all = !words::looks_around(text) && matches!(searcher.find("", &NoJudge), Judged::Found(..));
                words::explain_regex(text, all, &self.rule)
            }
            Form::Invalid(error) => words::invalid(error),
            Form::TooLarge(error) => words::undecided(error),
        }
    }

    /// What may have been meant instead: slips that this pattern shows, given names that the subject may have.
    pub fn hints(&self, known: &[&str]) -> Vec<Hint> {
        hints::hints(self, known)
    }

    fn test_names(&self, names: &[String], subject: &str) -> Match {
        if names.iter().any(|name| name == subject) {
            let why = if names.len() == 1 { words::same(subject) } else { words::listed(subject) };
            return Match { matched: Some(true), span: Some((0, subject.len())), why };
        }
        let present = self.rule.present_name(subject);
        if let Some(name) = names.iter().find(|name| self.rule.present_name(name) == present) {
            return Match { matched: Some(true), span: None, why: words::former(name, subject, present) };
        }
        Match { matched: Some(false), span: None, why: words::not_listed(names, subject, &self.rule) }
    }

    /// The agent tries the tool's name and its former ones.
    fn test_regex(&self, searcher: &Searcher, subject: &str, judge: &dyn Judge) -> Match {
        let mut undecided = None;
        for name in self.rule.all_names(subject) {
            match searcher.find(name, judge) {
                Judged::Found(start, end) if name == subject => {
                    let why = words::found(self.text().unwrap_or_default(), subject, start, end);
                    return Match { matched: Some(true), span: Some((start, end)), why };
                }
                Judged::Found(..) => {
                    return Match { matched: Some(true), span: None, why: words::found_other(name, subject) };
                }
                Judged::NotFound => {}
                Judged::Undecided(because) => undecided = Some(because),
            }
        }
        match undecided {
            Some(because) => Match { matched: None, span: None, why: words::undecided(&because) },
            None => {
                let why = words::not_found(self.text().unwrap_or_default(), subject);
                Match { matched: Some(false), span: None, why }
            }
        }
    }
}

impl MatcherRule {
    /// Whether a text is read as a list of exact names.
    pub fn is_list(&self, text: &str) -> bool {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || self.list_marks.contains(c))
    }

    /// The name that a tool bears now.
    fn present_name<'a>(&self, name: &'a str) -> &'a str {
        self.tools.iter().find(|tool| tool.aliases.contains(&name)).map_or(name, |tool| tool.name)
    }

    /// A subject as given, by its present name, and by its former ones.
    fn all_names<'a>(&self, subject: &'a str) -> Vec<&'a str> {
        let present = self.present_name(subject);
        let mut names = vec![subject];
        if present != subject {
            names.push(present);
        }
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == present) {
            names.extend(tool.aliases.iter().filter(|alias| **alias != subject));
        }
        names
    }
}
