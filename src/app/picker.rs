//! The picker: three questions, further demos, and the sessions found on this machine.
//!
//! State and layout; where sessions are looked for and how they are counted is the affair of the room that finds
//! them, and reaches this one as results.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::{Amount, Area, Cursor, Way};
use crate::load::demo::{self, Demo};
use crate::load::discover::{Counts, Found, Listing, Scanned};
use crate::model::Time;

/// What there is to pick from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offer {
    /// Questions, further demos, the sessions of this machine.
    #[default]
    Machine,
    /// The sessions in the files and folders that were named, nothing else.
    Given,
}

/// What the person picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// A bundled session.
    Demo(&'static Demo),
    /// A session of this machine.
    Session(PathBuf),
    /// Nothing: leave.
    Quit,
}

/// A row that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// One of the questions.
    Question(&'static Demo),
    /// One of the further demos.
    More(&'static Demo),
    /// A session.
    Session(&'a Found),
}

/// The counts of a session's file, as long as it is unchanged.
type Counted = (u64, Time, Result<Counts, String>);

/// The picker.
#[derive(Debug, Clone, Default)]
pub struct Picker {
    /// What there is to pick from.
    pub offer: Offer,
    /// What was found; nothing while it is looked for the first time.
    pub listing: Option<Listing>,
    /// Positions in the list of those that fit the filter.
    pub shown: Vec<usize>,
    /// What was typed to filter by.
    pub filter: String,
    /// Over questions, further demos (one row) and sessions; `top` is the first session in view.
    pub cursor: Cursor,
    /// Which of the further demos.
    pub more: usize,
    /// When the list was made.
    pub now: Option<Time>,
    /// The person's home folder, shown as `~`.
    pub home: Option<PathBuf>,
    /// The list is being made, or its sessions counted.
    pub scanning: bool,
    counts: HashMap<PathBuf, Counted>,
    generation: u64,
    wanted: bool,
}

/// Where the parts of the picker stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PickerRegions {
    /// The first line.
    pub title: Area,
    /// One each question.
    pub questions: Vec<Area>,
    /// The further demos.
    pub more: Area,
    /// The line above the sessions.
    pub heading: Area,
    /// Names of the columns.
    pub columns: Area,
    /// The sessions.
    pub list: Area,
    /// What is to be said of the chosen row.
    pub status: Area,
}

impl PickerRegions {
    /// Divides a screen of that size; the bottom line is not among the parts.
    pub fn new((columns, rows): (u16, u16), offer: Offer) -> PickerRegions {
        let (rest, _) = Area::new(0, 0, columns, rows).split_bottom(1);
        let (rest, status) = if rows >= 14 { rest.split_bottom(1) } else { (rest, Area::default()) };
        let (title, rest) = rest.split_top(1);
        let (_, mut rest) = rest.split_top(u16::from(rows >= 22));
        let lines = match (columns, rows) {
            (_, ..20) => 1,
            (..WIDE, _) => 3,
            _ => 2,
        };
        let mut regions = PickerRegions { title, status, ..PickerRegions::default() };
        for _ in questions(offer) {
            let (area, below) = rest.split_top(lines);
            regions.questions.push(area);
            rest = below;
        }
        (regions.more, rest) = rest.split_top(u16::from(offer == Offer::Machine));
        (_, rest) = rest.split_top(u16::from(rows >= 28 && offer == Offer::Machine));
        (regions.heading, rest) = rest.split_top(1);
        (regions.columns, rest) = rest.split_top(u16::from(rows >= 14));
        regions.list = rest;
        regions
    }
}

/// From this width on a question and its sentence share a line.
pub const WIDE: u16 = 110;

/// The demos that answer a question.
pub fn questions(offer: Offer) -> impl Iterator<Item = &'static Demo> {
    demo::ALL.iter().filter(move |demo| offer == Offer::Machine && demo.question.is_some())
}

/// The other demos.
pub fn further(offer: Offer) -> impl Iterator<Item = &'static Demo> {
    demo::ALL.iter().filter(move |demo| offer == Offer::Machine && demo.question.is_none())
}

impl Picker {
    /// A picker that has not looked yet.
    pub fn new(home: Option<PathBuf>) -> Picker {
        Picker { home, wanted: true, ..Picker::default() }
    }

    /// A picker of the sessions that were named.
    pub fn of_given(home: Option<PathBuf>) -> Picker {
        Picker { offer: Offer::Given, ..Picker::new(home) }
    }

    /// Rows before the first session.
    pub fn first_session(&self) -> usize {
        questions(self.offer).count() + usize::from(further(self.offer).next().is_some())
    }

    /// Asks for the list anew.
    pub fn rescan(&mut self) {
        self.wanted = true;
    }

    /// The request for a list, once.
    pub fn wanted(&mut self) -> Option<u64> {
        if !std::mem::take(&mut self.wanted) {
            return None;
        }
        self.generation += 1;
        self.scanning = true;
        Some(self.generation)
    }

    /// Takes the list. The chosen session stays chosen where it is still there.
    pub fn listed(&mut self, generation: u64, listing: Listing, now: Time) {
        if generation != self.generation {
            return;
        }
        let chosen = match self.item() {
            Some(Item::Session(found)) => Some(found.path.clone()),
            _ => None,
        };
        self.scanning = !listing.sessions.is_empty();
        self.listing = Some(listing);
        self.now = Some(now);
        self.show();
        if let Some(path) = chosen {
            let at = self.shown.iter().position(|&at| self.found(at).is_some_and(|found| found.path == path));
            self.cursor.at = at.map_or(self.cursor.at, |at| self.first_session() + at);
        }
    }

    /// Takes counts of some sessions of the list.
    pub fn counted(&mut self, generation: u64, scanned: Vec<Scanned>) {
        if generation != self.generation {
            return;
        }
        for Scanned { ix, counts } in scanned {
            if let Some(found) = self.found(ix) {
                let (path, counted) = (found.path.clone(), (found.bytes, found.modified, counts));
                self.counts.insert(path, counted);
                self.scanning = self.listing.as_ref().is_some_and(|listing| ix + 1 < listing.sessions.len());
            }
        }
    }

    fn found(&self, at: usize) -> Option<&Found> {
        self.listing.as_ref()?.sessions.get(at)
    }

    /// The counts of a session, or why there are none; nothing while it has not been counted.
    pub fn counts(&self, found: &Found) -> Option<&Result<Counts, String>> {
        let (bytes, modified, counts) = self.counts.get(&found.path)?;
        (*bytes == found.bytes && *modified == found.modified).then_some(counts)
    }

    /// Filters by what was typed.
    pub fn filter_by(&mut self, text: &str) {
        if self.filter != text {
            self.filter = text.to_owned();
            self.show();
            // What is looked for is a session.
            self.cursor = Cursor { at: if self.filter.is_empty() { 0 } else { self.first_session() }, top: 0 };
        }
    }

    fn show(&mut self) {
        let sessions = self.listing.as_ref().map_or(&[][..], |listing| &listing.sessions);
        let typed = self.filter.trim();
        if typed.is_empty() {
            self.shown = (0..sessions.len()).collect();
            return;
        }
        let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        for (at, found) in sessions.iter().enumerate() {
            let project = found.project.as_deref().unwrap_or_default();
            let text = format!("{project} {} {}", found.label(), found.session_id);
            if let Some(score) = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher) {
                scored.push((score, at));
            }
        }
        // Stable: equal scores keep the order of the list, newest first.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.shown = scored.into_iter().map(|(_, at)| at).collect();
    }

    /// How many rows can be chosen.
    pub fn len(&self) -> usize {
        self.first_session() + self.shown.len()
    }

    /// Whether nothing can be chosen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A row that can be chosen.
    pub fn item_at(&self, at: usize) -> Option<Item<'_>> {
        let asked = questions(self.offer).count();
        if at < asked {
            return questions(self.offer).nth(at).map(Item::Question);
        }
        if at < self.first_session() {
            return further(self.offer).nth(self.more).map(Item::More);
        }
        self.shown.get(at - self.first_session()).and_then(|&at| self.found(at)).map(Item::Session)
    }

    /// The chosen row.
    pub fn item(&self) -> Option<Item<'_>> {
        self.item_at(self.cursor.at)
    }

    /// What the chosen row opens.
    pub fn choice(&self) -> Option<Choice> {
        Some(match self.item()? {
            Item::Question(demo) | Item::More(demo) => Choice::Demo(demo),
            Item::Session(found) => Choice::Session(found.path.clone()),
        })
    }

    /// Moves among the rows; `height` sessions are seen.
    pub fn step(&mut self, way: Way, amount: Amount, count: usize, height: usize) {
        let mut cursor = Cursor { at: self.cursor.at, top: 0 };
        cursor.step(way, amount, count, self.len(), height);
        self.cursor.at = cursor.at;
        self.settle(height);
    }

    /// Brings cursor and view back into the list.
    pub fn settle(&mut self, height: usize) {
        self.cursor.at = self.cursor.at.min(self.len().saturating_sub(1));
        match self.cursor.at.checked_sub(self.first_session()) {
            Some(at) => {
                let mut cursor = Cursor { at, top: self.cursor.top };
                cursor.settle(self.shown.len(), height);
                self.cursor.top = cursor.top;
            }
            None => self.cursor.top = 0,
        }
    }

    /// Chooses among the further demos.
    pub fn turn_more(&mut self, way: Way) {
        if self.offer == Offer::Given {
            return;
        }
        let count = further(self.offer).count().max(1);
        let asked = questions(self.offer).count();
        // The first press only goes there.
        if self.cursor.at == asked {
            self.more = match way {
                Way::Forward => (self.more + 1) % count,
                Way::Back => (self.more + count - 1) % count,
            };
        }
        self.cursor.at = asked;
    }

    /// A folder with `~` for the home folder.
    pub fn folder(&self, path: &str) -> String {
        match self.home.as_deref().and_then(|home| Path::new(path).strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.to_owned(),
        }
    }

    /// How long ago a session was last written to: `now`, `12 min`, `5 h`, `3 d`.
    pub fn age(&self, found: &Found) -> String {
        let (Some(now), Some(at)) = (self.now.and_then(Time::millis), found.at().millis()) else {
            return String::new();
        };
        let minutes = now.saturating_sub(at) / 60_000;
        match minutes {
            ..1 => "now".to_owned(),
            1..60 => format!("{minutes} min"),
            60..1440 => format!("{} h", minutes / 60),
            _ => format!("{} d", minutes / 1440),
        }
    }
}

#[cfg(test)]
mod tests;
