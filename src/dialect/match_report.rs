//! One matcher held against many subjects: what `hookscope match` prints and the matcher lab shows.

use serde::Serialize;

use super::matching::on_tools;
use super::{Dialect, EventClass, EventSpec};
use crate::matcher::{Hint, Judge, Match, Matcher};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The agent that reads it.
    pub dialect: &'static Dialect,
    /// The matcher's text.
    pub pattern: &'a str,
    /// The event it stands under.
    pub event: &'a str,
    /// The client version; `None`: the newest known.
    pub version: Option<&'a str>,
}

/// A matcher, read and held against subjects. Its JSON is that of the command line contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchReport {
    /// The matcher's text.
    pub pattern: String,
    /// The dialect's id.
    pub dialect: &'static str,
    /// The client version it was read for.
    pub agent_version: String,
    /// The event it was read for.
    pub event: String,
    /// `all`, `exact`, `list`, `regex`, `invalid`, `ignored`, `literal`.
    pub kind: &'static str,
    /// `javascript`, `rust`, `none`.
    pub engine: &'static str,
    /// The engine's words where the pattern does not compile.
    pub error: Option<String>,
    /// The pattern in plain words.
    pub explanation: String,
    /// One row a subject, in the order given.
    pub results: Vec<MatchRow>,
    /// Likely slips.
    pub hints: Vec<Hint>,
    /// Name of the unmeasured rule that this rests on.
    #[serde(skip)]
    pub assumed: Option<&'static str>,
    /// Name of the rule by which it was read.
    #[serde(skip)]
    pub rule: &'static str,
}

/// One subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchRow {
    /// The name.
    pub subject: String,
    /// Whether it matches; `None`: undecided.
    pub matched: Option<bool>,
    /// Bytes of the subject that were matched.
    pub span: Option<(usize, usize)>,
    /// Why.
    pub why: String,
}

/// Holds a matcher against subjects. `known` are further names that hints may draw on.
pub fn report(question: Question<'_>, subjects: &[&str], known: &[&str], judge: &dyn Judge) -> MatchReport {
    let Question { dialect, pattern, event, version } = question;
    let matching = &dialect.matching;
    let matcher = matching.compile(Some(pattern), event, version);
    let mut names = subjects.to_vec();
    names.extend(known.iter().filter(|name| !subjects.contains(name)));
    MatchReport {
        pattern: pattern.to_owned(),
        dialect: dialect.id,
        agent_version: version.unwrap_or(dialect.newest).to_owned(),
        event: event.to_owned(),
        kind: matcher.kind().word(),
        engine: matcher.engine().word(),
        error: matcher.error().map(str::to_owned),
        explanation: matcher.explain(),
        results: subjects.iter().map(|subject| row(&matcher, subject, judge)).collect(),
        hints: (matching.hints)(&matcher, event, version, &names),
        assumed: (matching.assumption)(event),
        rule: (matching.rule_name)(&matcher, event),
    }
}

fn row(matcher: &Matcher, subject: &str, judge: &dyn Judge) -> MatchRow {
    let Match { matched, span, why } = matcher.test_with(subject, judge);
    MatchRow { subject: subject.to_owned(), matched, span, why }
}

/// The event of another dialect that is the same moment: of the same name, or, for the foremost event of a kind of
/// moment, the foremost of that kind there.
pub fn counterpart(event: &str, there: &'static Dialect) -> Option<&'static str> {
    if let Some(spec) = there.event(event) {
        return Some(spec.name);
    }
    let foremost = |dialect: &'static Dialect, class| dialect.events.iter().find(|spec| spec.class == class);
    // The first agent that has it says what it is: in another, a lesser event may come first for want of the greater.
    let dialect = super::MATCHERS.iter().copied().find(|dialect| dialect.event(event).is_some())?;
    let class = dialect.event(event)?.class;
    let leads = foremost(dialect, class).is_some_and(|first| first.name == event);
    let told_apart = !matches!(class, EventClass::Start | EventClass::Gate | EventClass::Notice);
    if leads && told_apart { foremost(there, class).map(|spec| spec.name) } else { None }
}

/// Names that the subject of an event is known to have; unknown events are taken for tool events.
pub fn known_subjects(dialect: &'static Dialect, event: &str) -> Vec<&'static str> {
    match dialect.event(event) {
        Some(EventSpec { subject: None, .. }) => Vec::new(),
        Some(spec) if !on_tools(dialect, event) => spec.values.to_vec(),
        _ => dialect.tools.iter().map(|tool| tool.name).collect(),
    }
}
