//! How a dialect reads matchers, as a table, and the rules of all dialects that are alike in it.
//!
//! Owns what every dialect's matching answers. Must not know any one agent's rules.

use super::elsewhere::SAME_TOOLS;
use super::{Dialect, EventSpec, MatcherUse, Rule};
use crate::matcher::{Attention, Hint, HintKind, Kind, Matcher, MatcherRule};

/// A dialect's reading of matchers.
#[derive(Debug)]
pub struct Matching {
    /// How a matcher of that event is read at that client version; no version is the newest.
    pub rule: fn(event: &str, version: Option<&str>) -> MatcherRule,
    /// Slips that a matcher shows, given names that the subject may have.
    pub hints: fn(matcher: &Matcher, event: &str, version: Option<&str>, known: &[&str]) -> Vec<Hint>,
    /// The name of the rule in `rules` by which a matcher was read.
    pub rule_name: fn(matcher: &Matcher, event: &str) -> &'static str,
    /// The name of the unmeasured and undocumented rule that a match on this event rests on, if it does.
    pub assumption: fn(event: &str) -> Option<&'static str>,
    /// The rules, for people.
    pub rules: &'static [Rule],
}

impl Matching {
    /// Reads a group's matcher (`None`: none given) as the client of that version does for that event.
    pub fn compile(&self, matcher: Option<&str>, event: &str, version: Option<&str>) -> Matcher {
        Matcher::compile(matcher, &(self.rule)(event, version))
    }

    /// A rule by name.
    pub fn rule_text(&self, name: &str) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

/// The rule's name where it follows from what the matcher turned out to be.
pub fn rule_by_kind(matcher: &Matcher, _: &str) -> &'static str {
    match matcher.kind() {
        Kind::All => "matcher-all",
        Kind::Ignored => "matcher-ignored",
        Kind::Exact | Kind::List => "matcher-exact-list",
        Kind::Literal => "matcher-literal",
        Kind::Invalid => "matcher-invalid",
        Kind::Regex if matcher.rule().attention == Attention::Barred => "matcher-without-subject",
        Kind::Regex => "matcher-regex",
    }
}

/// Nothing is assumed.
pub fn nothing_assumed(_: &str) -> Option<&'static str> {
    None
}

/// Whether a dialect's event looks at its matcher; an event that it does not have is taken for one of a tool.
pub fn attention(dialect: &Dialect, event: &str) -> Attention {
    match dialect.event(event).map(|spec| spec.matcher) {
        Some(MatcherUse::Ignored) => Attention::Ignored,
        Some(MatcherUse::Barred) => Attention::Barred,
        Some(MatcherUse::Tested | MatcherUse::TestedNarrow) | None => Attention::Tested,
    }
}

/// Whether an event's matcher is tested on the name of a tool.
pub fn on_tools(dialect: &Dialect, event: &str) -> bool {
    let is_tool = |spec: &EventSpec| spec.subject.is_some_and(|field| TOOL_FIELDS.contains(&field));
    dialect.event(event).is_none_or(is_tool)
}

/// Fields of a hook input that name a tool.
pub const TOOL_FIELDS: &[&str] = &["tool_name", "toolName"];

/// The slips that every dialect shows: those of the matcher itself, and an event that no list names.
pub fn hints_of(dialect: &Dialect, matcher: &Matcher, event: &str, known: &[&str]) -> Vec<Hint> {
    let mut hints = matcher.hints(known);
    hints.extend(foreign_names(dialect, matcher, event));
    hints.extend(unknown_event(dialect, event));
    hints.extend(wrong_subject(dialect, matcher, event, known));
    hints
}

/// Names looked at: a list made by a program would turn into minutes.
const LOOKED_AT: usize = 100;

/// Names in a matcher that only other agents have, with the name that the tool has here.
pub fn foreign_names(dialect: &Dialect, matcher: &Matcher, event: &str) -> Vec<Hint> {
    let Some(text) = matcher.text().filter(|_| on_tools(dialect, event)) else { return Vec::new() };
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut hints: Vec<Hint> = Vec::new();
    for word in words.take(LOOKED_AT) {
        let Some(same) = SAME_TOOLS.iter().find(|names| names.contains(&word)) else { continue };
        let Some(here) = dialect.tools.iter().find(|tool| same.contains(&tool.name)) else { continue };
        // By case alone it is another slip, which has a word of its own.
        if here.name.eq_ignore_ascii_case(word) {
            continue;
        }
        let read = Matcher::compile(Some(word), matcher.rule());
        if dialect.tools.iter().any(|tool| read.test(tool.name).matched != Some(false)) {
            continue;
        }
        let said = format!("`{word}` is another agent's name: {} calls this tool `{}`", dialect.name, here.name);
        let hint = Hint::new(HintKind::NearName, said, Some(text.replacen(word, here.name, 1)));
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

/// A tool's name where the matcher is tested on something else.
pub fn wrong_subject(dialect: &Dialect, matcher: &Matcher, event: &str, known: &[&str]) -> Option<Hint> {
    let spec = dialect.event(event)?;
    let field = spec.subject.filter(|_| !on_tools(dialect, event))?;
    let tested = attention(dialect, event) == Attention::Tested;
    if !tested || known.iter().chain(spec.values).any(|name| matcher.test(name).matched != Some(false)) {
        return None;
    }
    let is_tool = |word: &&str| dialect.tools.iter().any(|tool| tool.name == *word || tool.aliases.contains(word));
    let tool = matcher.text()?.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(is_tool)?;
    let such_as = match spec.values {
        [] => String::new(),
        values => format!(", as in {}", values.iter().take(2).copied().collect::<Vec<_>>().join(" or ")),
    };
    let said = format!("`{tool}` is a tool, but {event} tests its matcher on `{field}`{such_as}");
    Some(Hint::new(HintKind::WrongSubject, said, None))
}

/// An event that no list names, with the one that may have been meant.
pub fn unknown_event(dialect: &Dialect, event: &str) -> Option<Hint> {
    if dialect.event(event).is_some() {
        return None;
    }
    let names = dialect.events.iter().map(|spec| spec.name);
    let near = names.map(|name| (strsim::damerau_levenshtein(&name.to_lowercase(), &event.to_lowercase()), name)).min();
    let meant = match near {
        Some((distance, name)) if distance <= 3 => format!("; the nearest is {name}"),
        _ => String::new(),
    };
    let said = format!("`{event}` is no event that {} is known to have{meant}", dialect.name);
    Some(Hint::new(HintKind::UnknownEvent, said, None))
}
