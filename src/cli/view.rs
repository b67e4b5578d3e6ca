//! What the reports look at, and how they write words that came from outside.

use std::borrow::Cow;

use crate::cli::style::Paint;
use crate::engine::Tracer;
use crate::model::{Event, Session, Time};
use crate::source::Lines;
use crate::text::{self, Charset};

/// A session that was read to its end, and how it is to be shown.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its events under its hooks.
    pub tracer: &'a Tracer,
    /// Its sources.
    pub lines: &'a dyn Lines,
    /// Only events of this session id.
    pub session_id: Option<&'a str>,
    /// Whether to colour.
    pub paint: Paint,
    /// What the terminal can be trusted with.
    pub charset: Charset,
    /// Whether columns may be cut.
    pub fit: Fit,
    /// Whether other sessions are told of beside it.
    pub of_several: bool,
}

/// How wide columns may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// A person looks at a screen: long words are cut.
    Terminal,
    /// Another program reads it: nothing is cut.
    Whole,
}

impl View<'_> {
    /// Whether an event belongs to the session that was asked for.
    pub fn is_asked_for(&self, event: &Event) -> bool {
        let Some(wanted) = self.session_id else { return true };
        let own = self.session.text(self.session.context_of(event).session);
        own.unwrap_or(&self.session.id) == wanted
    }

    /// Ids of the sessions that its events belong to.
    pub fn session_ids(&self) -> Vec<String> {
        let mut names: Vec<crate::model::Name> = Vec::new();
        for event in &self.session.events {
            let own = self.session.context_of(event).session;
            if names.last() != Some(&own) && !names.contains(&own) {
                names.push(own);
            }
        }
        let mut ids: Vec<String> = names.into_iter().map(|own| self.id_of(own).to_owned()).collect();
        ids.extend(Some(self.session.id.clone()).filter(|id| !ids.contains(id)));
        ids
    }

    /// The id of that name, or the session's own.
    pub fn id_of(&self, name: crate::model::Name) -> &str {
        self.session.text(name).unwrap_or(&self.session.id)
    }

    /// Words from outside as one line that a terminal can be given.
    pub fn safe<'t>(&self, words: &'t str) -> Cow<'t, str> {
        text::safe_as(words, self.charset)
    }

    /// The first line of words from outside, at most `cells` wide.
    pub fn short(&self, words: &str, cells: usize) -> String {
        let mut lines = words.trim().lines();
        let first = lines.next().unwrap_or_default();
        let more = lines.next().is_some();
        let safe = self.safe(first);
        let mark = self.charset.ellipsis();
        if more && text::width(&safe) + text::width(mark) <= cells {
            format!("{safe}{mark}")
        } else {
            text::cut(&safe, cells, self.charset)
        }
    }

    /// Between parts of a line.
    pub fn dot(&self) -> &'static str {
        self.charset.dot()
    }
}

/// `10:41:05`, in UTC; blanks where nothing tells.
pub fn clock(time: Time) -> String {
    time.stamp().map_or_else(|| " ".repeat(8), |stamp| stamp.strftime("%H:%M:%S").to_string())
}

/// `11 ms`, `3.2 s`, `4 min 10 s`.
pub fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1_000),
    }
}
