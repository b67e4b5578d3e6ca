//! The matcher lab: a pattern held against the names of this session and those the agent is known to have, while it
//! is typed.
//!
//! Patterns that may take exponential time are not tried here; they are handed out ([`Lab::wanted`]) and come back
//! name by name ([`Lab::tried`]).

use std::collections::{HashMap, HashSet};

use tui_input::Input as Field;

use super::doc::Line;
use super::{Cursor, Doc, Subjects, Tone, Way};
use crate::dialect::match_report::{MatchReport, MatchRow, Question, known_subjects, report};
use crate::dialect::{self, Dialect, EventSpec};
use crate::matcher::NoJudge;
use crate::model::Session;
use crate::text::Charset;

/// What a kept name is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Must {
    /// The pattern has to match it.
    Match,
    /// It must not.
    NotMatch,
}

/// A name that is kept beside the pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep {
    /// Under this event.
    pub event: String,
    /// The name.
    pub subject: String,
    /// What it is to do.
    pub must: Must,
}

/// What a pattern makes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It matches.
    Match,
    /// It does not.
    Not,
    /// It is being tried.
    Trying,
    /// Nobody can tell in reasonable time.
    Undecided,
}

impl Fit {
    /// The word on the screen.
    pub fn word(self, charset: Charset) -> String {
        match self {
            Fit::Match => "match".to_owned(),
            Fit::Not => "-".to_owned(),
            Fit::Trying => format!("trying{}", charset.ellipsis()),
            Fit::Undecided => "undecided".to_owned(),
        }
    }
}

/// A pattern for which the background is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The pattern.
    pub pattern: String,
    /// The event it stands under.
    pub event: String,
    /// The client version.
    pub version: Option<String>,
    /// Names that could not be decided at once.
    pub subjects: Vec<String>,
    /// Answers of earlier generations are stale.
    pub generation: u64,
}

/// The lab.
#[derive(Debug, Clone)]
pub struct Lab {
    /// The pattern as typed.
    pub field: Field,
    /// The event it is held against.
    pub event: String,
    /// The client version whose rules hold.
    pub version: Option<String>,
    /// How often each name of the report's rows occurred; 0: only known.
    pub counts: Vec<u32>,
    /// What the pattern makes of the names, in the order in which they are listed.
    pub report: MatchReport,
    /// The chosen name.
    pub cursor: Cursor,
    dialect: &'static Dialect,
    /// The names and how often each occurred, in their own order.
    names: Vec<(String, u32)>,
    generation: u64,
    /// Names that the background has not answered for; asked for or not.
    waiting: Vec<String>,
    asked: bool,
    /// Events counted when the names were listed.
    upto: usize,
}

impl Lab {
    /// A lab for a pattern under an event.
    pub fn new(pattern: &str, event: &str, version: Option<String>, session: &Session, subjects: &Subjects) -> Lab {
        let dialect = dialect::of_session(session.dialect);
        let question = Question { dialect, pattern, event, version: version.as_deref() };
        let mut lab = Lab {
            report: report(question, &[], &[], &NoJudge),
            field: Field::new(pattern.to_owned()),
            event: event.to_owned(),
            version,
            counts: Vec::new(),
            cursor: Cursor::default(),
            dialect,
            names: Vec::new(),
            generation: 0,
            waiting: Vec::new(),
            asked: false,
            upto: 0,
        };
        lab.list(session, subjects);
        lab
    }

    /// Lists the names of the event anew.
    fn list(&mut self, session: &Session, subjects: &Subjects) {
        self.upto = subjects.upto();
        let seen = subjects.of(session, &self.event);
        let known = known_subjects(self.dialect, &self.event);
        let unseen = known.iter().filter(|name| !seen.iter().any(|(seen, _)| seen == *name));
        let all = seen.iter().copied().chain(unseen.map(|name| (*name, 0)));
        self.names = all.map(|(name, count)| (name.to_owned(), count)).collect();
        let old: HashSet<&str> = self.report.results.iter().map(|row| row.subject.as_str()).collect();
        if old.len() == self.names.len() && self.names.iter().all(|(name, _)| old.contains(name.as_str())) {
            self.arrange();
        } else {
            self.hold();
        }
    }

    /// Takes in what was read since the names were listed.
    pub fn catch_up(&mut self, session: &Session, subjects: &Subjects) {
        if self.upto != subjects.upto() {
            self.list(session, subjects);
        }
    }

    /// The pattern was edited.
    pub fn typed(&mut self) {
        if self.report.pattern != self.field.value() {
            self.hold();
        }
    }

    /// Holds the pattern against names.
    fn hold(&mut self) {
        let names: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
        let chosen = self.chosen().map(|row| row.subject.clone());
        let question = Question {
            dialect: self.dialect,
            pattern: self.field.value(),
            event: &self.event,
            version: self.version.as_deref(),
        };
        self.report = report(question, &names, &[], &NoJudge);
        self.generation += 1;
        // What the engine here does not take (then there is an error) nobody can try.
        let undecided = self.report.results.iter().filter(|row| row.matched.is_none() && self.report.error.is_none());
        self.waiting = undecided.map(|row| row.subject.clone()).collect();
        self.asked = false;
        self.arrange_with(chosen);
    }

    fn arrange(&mut self) {
        let chosen = self.chosen().map(|row| row.subject.clone());
        self.arrange_with(chosen);
    }

    /// Names of the session by count; those that are only known stand below them, the matching ones first. The
    /// chosen name stays the chosen one, unless it is the first.
    fn arrange_with(&mut self, chosen: Option<String>) {
        let place: HashMap<&str, (usize, u32)> =
            self.names.iter().enumerate().map(|(at, (name, count))| (name.as_str(), (at, *count))).collect();
        let of = |row: &MatchRow| place.get(row.subject.as_str()).copied().unwrap_or((usize::MAX, 0));
        self.report.results.sort_by_key(|row| {
            let (at, count) = of(row);
            (count == 0, count == 0 && row.matched != Some(true), at)
        });
        self.counts = self.report.results.iter().map(|row| of(row).1).collect();
        if self.cursor.at > 0
            && let Some(at) = self.report.results.iter().position(|row| Some(&row.subject) == chosen.as_ref())
        {
            self.cursor.at = at;
        }
    }

    /// What the background is to try, once.
    pub fn wanted(&mut self) -> Option<Trial> {
        if self.asked || self.waiting.is_empty() {
            return None;
        }
        self.asked = true;
        Some(Trial {
            pattern: self.report.pattern.clone(),
            event: self.event.clone(),
            version: self.version.clone(),
            subjects: self.waiting.clone(),
            generation: self.generation,
        })
    }

    /// Takes what the background found out about one name.
    pub fn tried(&mut self, generation: u64, row: MatchRow) {
        if generation != self.generation {
            return;
        }
        self.waiting.retain(|name| *name != row.subject);
        if let Some(old) = self.report.results.iter_mut().find(|old| old.subject == row.subject) {
            *old = row;
            self.arrange();
        }
    }

    /// Whether something is being tried.
    pub fn is_trying(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What the pattern makes of a name.
    pub fn fit(&self, row: &MatchRow) -> Fit {
        match row.matched {
            Some(true) => Fit::Match,
            Some(false) => Fit::Not,
            None if self.waiting.contains(&row.subject) => Fit::Trying,
            None => Fit::Undecided,
        }
    }

    /// Events whose matchers are tested on something: those of the session first.
    pub fn events(&self, session: &Session, subjects: &Subjects) -> Vec<&'static str> {
        let specs = self.dialect.events;
        let tested = |spec: &&EventSpec| spec.subject.is_some();
        let (mut seen, rest): (Vec<_>, Vec<_>) =
            specs.iter().filter(tested).map(|spec| spec.name).partition(|name| subjects.has(session, name));
        seen.extend(rest);
        seen
    }

    /// Holds the pattern against the next event.
    pub fn turn_event(&mut self, way: Way, session: &Session, subjects: &Subjects) {
        let events = self.events(session, subjects);
        let count = events.len();
        if count == 0 {
            return;
        }
        let next = match (events.iter().position(|name| *name == self.event), way) {
            (Some(at), Way::Forward) => (at + 1) % count,
            (Some(at), Way::Back) => (at + count - 1) % count,
            (None, _) => 0,
        };
        self.event = events[next].to_owned();
        self.cursor = Cursor::default();
        self.report.results.clear();
        self.list(session, subjects);
        // The event without any name is a question of its own, too.
        if self.report.event != self.event {
            self.hold();
        }
    }

    /// The chosen name.
    pub fn chosen(&self) -> Option<&MatchRow> {
        self.report.results.get(self.cursor.at)
    }

    /// What stands above the list: the reading, hints, what is kept. At most `rows` lines of `cells`; where that is
    /// not enough, what to do comes before how the pattern is read.
    pub fn head(&self, keeps: &[Keep], cells: usize, rows: usize, charset: Charset) -> Doc {
        let lead = |words: &str| Line::new().and(format!(" {words:<8}"), Tone::Dim);
        let (mut reading, mut hints, mut kept) = (Doc::default(), Doc::default(), Doc::default());
        reading.hang(lead("reads"), &self.report.explanation, Tone::Plain, cells, charset);
        for hint in &self.report.hints {
            hints.hang(lead("hint"), &hint.text, Tone::Warn, cells, charset);
        }
        if let Some(rule) = self.assumption() {
            kept.hang(lead("assumed"), rule, Tone::Warn, cells, charset);
        }
        for (at, keep) in keeps.iter().filter(|keep| keep.event == self.event).enumerate() {
            let (words, tone) = self.kept(keep, charset);
            kept.hang(lead(if at == 0 { "keep" } else { "" }), &words, tone, cells, charset);
        }
        let scarce = reading.lines.len() + hints.lines.len() + kept.lines.len() > rows;
        let parts = if scarce { [hints, reading, kept] } else { [reading, hints, kept] };
        let mut doc = Doc { lines: parts.into_iter().flat_map(|part| part.lines).collect() };
        if doc.lines.len() > rows {
            doc.lines.truncate(rows);
            if let Some(last) = doc.lines.last_mut() {
                *last = std::mem::take(last).and(format!(" {}", charset.ellipsis()), Tone::Dim);
            }
        }
        doc
    }

    fn assumption(&self) -> Option<&'static str> {
        (self.dialect.behaviour.rule)(self.report.assumed?).map(|rule| rule.text)
    }

    /// A kept name in words: what it is to do, and whether it does.
    fn kept(&self, keep: &Keep, charset: Charset) -> (String, Tone) {
        let must = match keep.must {
            Must::Match => "must match",
            Must::NotMatch => "must not match",
        };
        let holds = self.holds(keep);
        let (word, tone) = match holds {
            Some(true) => ("holds".to_owned(), Tone::Good),
            Some(false) => ("FAILS".to_owned(), Tone::Stop),
            None if self.is_trying() => (Fit::Trying.word(charset), Tone::Plain),
            None => ("undecided".to_owned(), Tone::Warn),
        };
        (format!("{must} {}: {word}", keep.subject), tone)
    }

    /// Whether a kept name does what it is to do.
    pub fn holds(&self, keep: &Keep) -> Option<bool> {
        let row = self.report.results.iter().find(|row| row.subject == keep.subject)?;
        row.matched.map(|matched| matched == (keep.must == Must::Match))
    }
}

/// Turns what a name is kept for: must match, must not match, not kept.
pub fn turn_keep(keeps: &mut Vec<Keep>, event: &str, subject: &str) {
    match keeps.iter().position(|keep| keep.event == event && keep.subject == subject) {
        None => keeps.push(Keep { event: event.to_owned(), subject: subject.to_owned(), must: Must::Match }),
        Some(at) if keeps[at].must == Must::Match => keeps[at].must = Must::NotMatch,
        Some(at) => {
            keeps.remove(at);
        }
    }
}

#[cfg(test)]
mod tests;
