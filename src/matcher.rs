//! Matchers: match-all, exact list, regular expression. Compiles, tests, explains, finds near misses.
//!
//! Owns how a matcher's text is read under a rule given as data. Must not know events or agents; does no IO:
//! what may take exponential time is handed to a [`Judge`].

mod effort;
mod hints;
mod javascript;
mod names;
mod pattern;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use hints::{Hint, HintKind};
pub use javascript::{Found, search};

use pattern::{Pattern, Refusal};

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
    /// A JavaScript regular expression without flags.
    JavaScript,
    /// A regular expression of Rust's `regex` crate: no look-around, no back-references.
    Rust,
    /// Nothing: the text is compared whole.
    None,
}

impl Engine {
    /// The word of the command line contract.
    pub fn word(self) -> &'static str {
        match self {
            Engine::JavaScript => "javascript",
            Engine::Rust => "rust",
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
    /// There is nothing to test it on: a group with any matcher but a match-all one never fires.
    Barred,
}

/// Which texts are lists of exact names rather than regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lists {
    /// Those of letters, digits and the rule's marks alone.
    OfMarks,
    /// None for sure: what stands between bars, unless the text begins with `^` or `(`, is compared with the name
    /// and its other names first, and then the whole is read as a regular expression.
    First,
    /// None.
    Never,
}

/// What becomes of a regular expression that does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Invalid {
    /// It never matches.
    NeverMatches,
    /// It is compared with the name as it stands.
    Literal,
}

/// Which names of a tool a regular expression is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriedOn {
    /// Its own and the others.
    AllNames,
    /// Its own alone.
    OwnName,
    /// The others, where it has some.
    OtherNames,
}

/// How a matcher's text is read: one agent's rule for one kind of event at one version, as data.
#[derive(Debug, Clone, Copy)]
pub struct MatcherRule {
    /// Whether the matcher counts at all.
    pub attention: Attention,
    /// Whether white space around the text is dropped first.
    pub trimmed: bool,
    /// Texts that match everything.
    pub match_all: &'static [&'static str],
    /// Which texts are lists.
    pub lists: Lists,
    /// Characters beside ASCII letters and digits that a list of exact names may consist of.
    pub list_marks: &'static str,
    /// Those of them that separate names. Names are trimmed, empty ones dropped.
    pub separators: &'static [char],
    /// What reads every other text.
    pub engine: Engine,
    /// Whether a regular expression must fit the whole name, as if it were written `^(?:…)$`.
    pub whole: bool,
    /// What becomes of one that does not compile.
    pub invalid: Invalid,
    /// Known names with their former or other ones; a matcher may use either.
    pub tools: &'static [ToolSpec],
    /// Whether the others are former ones; else they are in use beside a tool's own.
    pub former: bool,
    /// Which of a tool's names a regular expression is tried on.
    pub tried_on: TriedOn,
    /// How MCP tools are named, for hints.
    pub servers: Option<ServerNames>,
}

impl MatcherRule {
    /// A regular expression of that engine, searched anywhere; no text is a list, nothing but `""` matches all.
    pub const fn regex(engine: Engine) -> MatcherRule {
        MatcherRule {
            attention: Attention::Tested,
            trimmed: false,
            match_all: &[""],
            lists: Lists::Never,
            list_marks: "",
            separators: &['|'],
            engine,
            whole: false,
            invalid: Invalid::NeverMatches,
            tools: &[],
            former: false,
            tried_on: TriedOn::AllNames,
            servers: None,
        }
    }
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
    /// Compared with these names first, then, where it compiles, a regular expression.
    First(Arc<[String]>, Option<Arc<Pattern>>),
    /// Compared with the name; why it is no regular expression.
    Fallen(Arc<str>),
    Regex(Arc<Pattern>),
    Invalid(Arc<str>),
    /// Nothing to test it on.
    Barred,
    /// Valid perhaps, but larger than the engine here takes.
    TooLarge(Arc<str>),
}

impl Matcher {
    /// Reads a matcher's text (`None`: no matcher given). Never fails: a pattern that does not compile is a
    /// matcher that never matches.
    pub fn compile(text: Option<&str>, rule: &MatcherRule) -> Matcher {
        let read = if rule.trimmed { text.map(str::trim) } else { text };
        let form = match read {
            None => Form::All,
            Some(_) if rule.attention == Attention::Ignored => Form::Ignored,
            Some(text) if rule.match_all.contains(&text) => Form::All,
            Some(_) if rule.attention == Attention::Barred => Form::Barred,
            Some(text) if rule.is_list(text) => Form::Names(rule.names_of(text).map(str::to_owned).collect()),
            Some(text) if rule.lists == Lists::First => first(text, rule),
            Some(_) if rule.engine == Engine::None => Form::Literal,
            Some(text) => match Pattern::compile(text, rule) {
                Ok(pattern) => Form::Regex(Arc::new(pattern)),
                Err(Refusal::TooLarge(error)) => Form::TooLarge(error.into()),
                Err(Refusal::Invalid(error)) => match rule.invalid {
                    Invalid::NeverMatches => Form::Invalid(error.into()),
                    Invalid::Literal => Form::Fallen(error.into()),
                },
            },
        };
        Matcher { text: text.map(Arc::from), rule: *rule, form }
    }

    /// The text as written.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The text as it is read: trimmed where the rule says so.
    fn read_text(&self) -> &str {
        let text = self.text().unwrap_or_default();
        if self.rule.trimmed { text.trim() } else { text }
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
            Form::Names(_) | Form::First(_, None) => Kind::List,
            Form::Literal | Form::Fallen(_) => Kind::Literal,
            Form::Regex(_) | Form::First(_, Some(_)) | Form::TooLarge(_) | Form::Barred => Kind::Regex,
            Form::Invalid(_) => Kind::Invalid,
        }
    }

    /// What reads it.
    pub fn engine(&self) -> Engine {
        match self.form {
            Form::Regex(_) | Form::First(_, Some(_)) | Form::Invalid(_) | Form::TooLarge(_) => self.rule.engine,
            Form::All | Form::Ignored | Form::Names(_) | Form::First(_, None) => Engine::None,
            Form::Literal | Form::Fallen(_) | Form::Barred => Engine::None,
        }
    }

    /// The engine's words where the pattern does not compile.
    pub fn error(&self) -> Option<&str> {
        match &self.form {
            Form::Invalid(error) | Form::TooLarge(error) | Form::Fallen(error) => Some(error),
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
            Form::Literal | Form::Fallen(_) => {
                let text = self.read_text();
                let matched = text == subject;
                let why = words::exact(matched, text, subject);
                Match { matched: Some(matched), span: matched.then_some((0, subject.len())), why }
            }
            Form::Regex(pattern) => self.test_regex(pattern, subject, judge),
            Form::First(names, pattern) => match (self.test_names(names, subject), pattern) {
                (tested, Some(pattern)) if tested.matched != Some(true) => self.test_regex(pattern, subject, judge),
                (tested, _) => tested,
            },
            Form::Barred => Match { matched: Some(false), span: None, why: words::BARRED.to_owned() },
            Form::Invalid(_) => Match { matched: Some(false), span: None, why: words::INVALID.to_owned() },
            Form::TooLarge(error) => Match { matched: None, span: None, why: words::undecided(error) },
        }
    }

    /// The pattern in plain words.
    pub fn explain(&self) -> String {
        match &self.form {
            Form::All => words::match_all(self.text()),
            Form::Ignored => words::IGNORED.to_owned(),
            Form::Names(names) | Form::First(names, None) => words::explain_names(names, &self.rule),
            Form::Literal => format!("one text, which has to be exactly `{}`", self.text().unwrap_or_default()),
            Form::Fallen(error) => words::fallen(error),
            Form::Regex(pattern) | Form::First(_, Some(pattern)) => {
                let text = self.read_text();
                // Whoever asks for letters only and takes none is content with any name.
                let loose = !self.rule.whole && !words::looks_around(text);
                let all = loose && matches!(pattern.find("", &NoJudge), Judged::Found(..));
                words::explain_regex(text, all, &self.rule)
            }
            Form::Invalid(error) => words::invalid(error, self.rule.engine),
            Form::Barred => words::BARRED.to_owned(),
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
        let other = |name: &&String| {
            let names_it = |tool: &ToolSpec| tool.name == present && tool.aliases.contains(&name.as_str());
            name.as_str() == present || self.rule.present_name(name) == present || self.rule.tools.iter().any(names_it)
        };
        if let Some(name) = names.iter().find(other) {
            return Match {
                matched: Some(true),
                span: None,
                why: words::other_name(name, subject, present, self.rule.former),
            };
        }
        Match { matched: Some(false), span: None, why: words::not_listed(names, subject, &self.rule) }
    }

    /// The agent tries the names that the rule says.
    fn test_regex(&self, pattern: &Pattern, subject: &str, judge: &dyn Judge) -> Match {
        let mut undecided = None;
        for name in self.rule.tried_names(subject) {
            match pattern.find(name, judge) {
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
                let why = words::not_found(self.read_text(), subject);
                Match { matched: Some(false), span: None, why }
            }
        }
    }
}

/// A text that is compared first and searched then; one of `match_all` between its bars matches everything.
fn first(text: &str, rule: &MatcherRule) -> Form {
    let listed = text.contains('|') && !text.starts_with(['^', '(']);
    let names: Arc<[String]> =
        if listed { rule.names_of(text).map(str::to_owned).collect() } else { Arc::from([text.to_owned()]) };
    if listed && names.iter().any(|name| rule.match_all.contains(&name.as_str())) {
        return Form::All;
    }
    if names.is_empty() {
        return Form::Names(names);
    }
    match Pattern::compile(&names.join("|"), rule) {
        Ok(pattern) => Form::First(names, Some(Arc::new(pattern))),
        Err(Refusal::TooLarge(error)) => Form::TooLarge(error.into()),
        Err(Refusal::Invalid(_)) if names.len() > 1 => Form::First(names, None),
        Err(Refusal::Invalid(error)) => Form::Invalid(error.into()),
    }
}

impl MatcherRule {
    /// Whether a text is read as a list of exact names.
    pub fn is_list(&self, text: &str) -> bool {
        match self.lists {
            Lists::OfMarks => {
                !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || self.list_marks.contains(c))
            }
            Lists::First | Lists::Never => false,
        }
    }

    /// The names of a list.
    fn names_of<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        text.split(self.separators).map(str::trim).filter(|name| !name.is_empty())
    }

    /// The name that a tool bears now.
    fn present_name<'a>(&self, name: &'a str) -> &'a str {
        self.tools.iter().find(|tool| tool.aliases.contains(&name)).map_or(name, |tool| tool.name)
    }

    /// The names that a regular expression is tried on, for a subject.
    fn tried_names<'a>(&self, subject: &'a str) -> Vec<&'a str> {
        let present = self.present_name(subject);
        let others = self.tools.iter().find(|tool| tool.name == present).map_or(&[][..], |tool| tool.aliases);
        let mut names = match self.tried_on {
            TriedOn::OtherNames if !others.is_empty() => return others.to_vec(),
            TriedOn::OwnName | TriedOn::OtherNames => return vec![subject],
            TriedOn::AllNames => vec![subject],
        };
        if present != subject {
            names.push(present);
        }
        names.extend(others.iter().filter(|alias| **alias != subject));
        names
    }
}
