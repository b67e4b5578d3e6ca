//! The whole state of the interactive program.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::doc::Laid;
use super::picker::{Choice, Picker};
use super::scope::left_out;
use super::timeline::depth;
use super::{
    Bookmark, Cursor, Detail, Doc, Inspect, Jumps, Keep, Layer, Line, Mode, MouseUse, Note, Reader, Regions, Said,
    Share, SharedSession, Subjects, Survey, Timeline, Tone, Warning, Way, decision_doc, hooks_doc,
};
use crate::load::demo::Demo;
use crate::model::{Delta, Diagnostic, EventIx, Level, Session, Time};
use crate::text::{self, Charset};

/// What has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Focus {
    /// The list of events.
    Timeline,
    /// The hook input.
    Event,
    /// Groups and handlers.
    Hooks,
    /// What was decided.
    Decision,
}

impl Focus {
    /// The panes, in the order of the tabs.
    pub const PANES: [Focus; 3] = [Focus::Hooks, Focus::Event, Focus::Decision];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Focus::Timeline => "Timeline",
            Focus::Event => "Event",
            Focus::Hooks => "Hooks",
            Focus::Decision => "Decision",
        }
    }
}

/// Whether one pane has the whole screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zoom {
    /// Timeline and panes.
    Split,
    /// One pane.
    Pane,
}

/// How colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colours {
    /// The sixteen colours of every terminal.
    #[default]
    Colour,
    /// None: bold, dim, reverse and underline must do.
    Mono,
}

/// What holds for the whole run: from flags and environment.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which characters may be drawn.
    pub charset: Charset,
    /// Which colours.
    pub colours: Colours,
    /// In which times are shown.
    pub zone: TimeZone,
    /// Select this event (from 1) once it is there.
    pub start_at: Option<u32>,
    /// What a demo shows, until Esc.
    pub intro: Option<Intro>,
}

/// What a demo shows, and what to press next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intro {
    /// What is wrong, one sentence.
    pub sentence: String,
    /// Keys, and what they show.
    pub keys: Vec<(String, String)>,
}

impl Intro {
    /// Of a bundled session.
    pub fn of(demo: &Demo) -> Intro {
        let keys = demo.keys.iter().map(|(key, shows)| ((*key).to_owned(), (*shows).to_owned()));
        // The title above says already that it is made up.
        let sentence = demo.sentence.strip_prefix("Made up: ").unwrap_or(demo.sentence);
        Intro { sentence: sentence.to_owned(), keys: keys.collect() }
    }

    /// Its lines: sentence and keys, on one line where they fit.
    pub fn lines(&self, cells: usize) -> Vec<Line> {
        let sentence = Line::new().and(format!(" {}", self.sentence), Tone::Strong);
        let keys = |line: Line| {
            self.keys.iter().enumerate().fold(line, |line, (at, (key, shows))| {
                let line = if at == 0 { line } else { line.and("  ", Tone::Plain) };
                line.and(key.as_str(), Tone::Key).and(format!(" {shows}"), Tone::Plain)
            })
        };
        let both = keys(sentence.clone().and("  ", Tone::Plain));
        if text::width(&both.text()) <= cells {
            vec![both]
        } else {
            vec![sentence, keys(Line::new().and(" ", Tone::Plain))]
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            charset: Charset::Unicode,
            colours: Colours::Colour,
            zone: TimeZone::UTC,
            start_at: None,
            intro: None,
        }
    }
}

/// How a person leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// Back to where they came from, if there is such a place.
    Back,
    /// For good.
    Quit,
}

/// A search under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is looked for.
    pub text: String,
    /// Of the last request.
    pub generation: u64,
    /// Its way.
    pub way: Way,
    /// Where it started: having gone round, it ends there.
    pub(super) origin: EventIx,
    /// It has gone round.
    pub(super) wrapped: bool,
    /// What to ask next.
    pub(super) next: Option<NextFind>,
}

impl Finding {
    pub(super) fn new(text: String, generation: u64) -> Finding {
        Finding { text, generation, way: Way::Forward, origin: EventIx(0), wrapped: false, next: None }
    }
}

/// How a search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextFind {
    /// The last hit is not seen: on from there.
    From(EventIx),
    /// Nothing is left on this side: from the other end.
    OtherEnd,
    /// Found: which hit of how many it is.
    Count,
}

/// A row of the timeline as seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenRow {
    /// A line of what was said before an event.
    Said(EventIx, usize),
    /// An event, with its position among those seen.
    Event(EventIx, usize),
}

/// How many rows a pane needed at most since it was turned to: it grows with what it shows, and does not jump back
/// with every step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Filled {
    /// Pane, size of the screen, number of unfolded handlers: with another one it starts anew.
    of: Option<(Focus, (u16, u16), usize)>,
    pub(super) rows: u16,
}

/// At most this many lines of conversation are shown before an event.
const SAID_SHOWN: usize = 3;

/// The state.
pub struct App {
    /// What is looked at.
    pub session: SharedSession,
    /// What is known about it; nothing while settings are being read.
    pub inspect: Option<Arc<dyn Inspect>>,
    /// What holds for the whole run.
    pub options: Options,
    /// Columns and rows.
    pub size: (u16, u16),
    /// What has the focus.
    pub focus: Focus,
    /// The pane that is shown where only one can be.
    pub pane: Focus,
    /// Whether one pane has the whole screen.
    pub zoom: Zoom,
    /// The share of the timeline in percent: beside the panes, and above them where the person said.
    pub dividers: (u16, Option<u16>),
    /// How many rows the pane beneath the timeline has filled so far.
    pub(super) filled: Filled,
    /// The divider is being dragged.
    pub dragging: bool,
    /// Which events are seen.
    pub timeline: Timeline,
    /// The selected event in full.
    pub detail: Detail,
    /// What lies on top; the last gets the keys.
    pub layers: Vec<Layer>,
    /// All events at a glance.
    pub survey: Survey,
    /// Warnings from outside, most pressing first.
    pub warnings: Vec<Warning>,
    /// Why loading stopped early.
    pub load_error: Option<String>,
    /// Something to say once.
    pub message: Option<(String, Tone)>,
    /// A count being typed.
    pub count: Option<u32>,
    /// The search under way.
    pub finding: Option<Finding>,
    /// What was picked, once something was.
    pub choice: Option<Choice>,
    /// How the person left.
    pub leaving: Leaving,
    /// Names kept beside patterns in the matcher lab.
    pub keeps: Vec<Keep>,
    /// What matchers are tested on in this session.
    pub subjects: Subjects,
    /// Events to come back to.
    pub bookmarks: Vec<Bookmark>,
    /// Where the selection leapt from.
    pub jumps: Jumps,
    /// Whether conversation lines are shown.
    pub talk: bool,
    /// Conversation lines, by the event they stand before.
    pub said: HashMap<EventIx, Vec<Said>>,
    /// Conversation lines that were asked for.
    pub said_asked: HashSet<EventIx>,
    /// Short words after verdicts.
    pub notes: HashMap<EventIx, Note>,
    /// Words that were asked for.
    pub notes_asked: HashSet<EventIx>,
    /// Changes whenever rows may have: with the settings, with late marks.
    pub generation: u64,
    /// What a demo shows was taken off the screen; help goes on saying it.
    pub intro_closed: bool,
    /// Who has the mouse.
    pub mouse: MouseUse,
    /// Counts ticks, for what spins.
    pub ticks: u32,
    /// Lines that could not be read.
    pub broken: usize,
    /// What was selected before there was a filter.
    pub unfiltered: Option<EventIx>,
    /// To be selected as soon as it is seen.
    pub wanted: Option<EventIx>,
    /// The screen has to be drawn from scratch: something else was on it.
    pub redraw: bool,
    /// What was loaded and waits to be taken in.
    pub(super) queue: VecDeque<Box<Delta>>,
    pub(super) rows_changed: bool,
    pub(super) late: bool,
    laid_hooks: Laid,
    laid_decision: Laid,
}

impl App {
    /// Looks at a session that may still be empty.
    pub fn new(session: Session, options: Options) -> App {
        let mut timeline = Timeline::default();
        timeline.grow(&session, 0);
        let mut subjects = Subjects::default();
        subjects.count(&session);
        App {
            broken: broken(&session.diagnostics),
            session: SharedSession::new(session),
            inspect: None,
            size: (80, 24),
            focus: Focus::Timeline,
            pane: Focus::Hooks,
            zoom: Zoom::Split,
            dividers: (52, None),
            filled: Filled::default(),
            dragging: false,
            timeline,
            detail: Detail::default(),
            layers: Vec::new(),
            survey: Survey::default(),
            warnings: Vec::new(),
            load_error: None,
            message: None,
            count: None,
            finding: None,
            choice: None,
            leaving: Leaving::Quit,
            keeps: Vec::new(),
            subjects,
            bookmarks: Vec::new(),
            jumps: Jumps::default(),
            talk: false,
            said: HashMap::new(),
            said_asked: HashSet::new(),
            notes: HashMap::new(),
            notes_asked: HashSet::new(),
            generation: 0,
            intro_closed: false,
            mouse: MouseUse::On,
            ticks: 0,
            unfiltered: None,
            wanted: options.start_at.and_then(|seq| seq.checked_sub(1)).map(EventIx),
            options,
            redraw: false,
            queue: VecDeque::new(),
            rows_changed: false,
            late: false,
            laid_hooks: Laid::default(),
            laid_decision: Laid::default(),
        }
    }

    /// The picker, with nothing opened yet.
    pub fn picker(options: Options, home: Option<PathBuf>) -> App {
        App::picking_from(Picker::new(home), options)
    }

    /// A picker of the sessions that were named, with nothing opened yet.
    pub fn chooser(options: Options, home: Option<PathBuf>) -> App {
        App::picking_from(Picker::of_given(home), options)
    }

    fn picking_from(picker: Picker, options: Options) -> App {
        let mut session = Session::new("");
        session.progress.done = true;
        let mut app = App::new(session, options);
        app.layers.push(Layer::Picker(Box::new(picker)));
        app
    }

    /// What keys mean now.
    pub fn mode(&self) -> Mode {
        self.layers.last().map_or_else(|| self.base_mode(), Layer::mode)
    }

    /// What keys mean beneath all layers.
    pub fn base_mode(&self) -> Mode {
        match self.focus {
            Focus::Timeline => Mode::Timeline,
            Focus::Event => Mode::Event,
            Focus::Hooks => Mode::Hooks,
            Focus::Decision => Mode::Decision,
        }
    }

    /// Where everything stands.
    pub fn regions(&self) -> Regions {
        let below = self.dividers.1.map_or(Share::Panes(self.filled.rows), Share::Timeline);
        let intro = self.intro_lines().len();
        Regions::new(
            self.size,
            self.focus,
            self.pane,
            self.zoom,
            (self.dividers.0, below),
            u16::try_from(intro).unwrap_or(0),
        )
    }

    /// What a demo shows, in as many lines as there is room for.
    pub fn intro_lines(&self) -> Vec<Line> {
        let Some(intro) = self.options.intro.as_ref().filter(|_| !self.intro_closed) else { return Vec::new() };
        let mut lines = intro.lines(usize::from(self.size.0));
        lines.truncate(if self.size.1 >= 16 { 2 } else { 1 });
        lines
    }

    /// Whether something is under way that a person waits for: then time should pass.
    pub fn busy(&self) -> bool {
        !self.session.read().progress.done
            || matches!(self.detail.body, super::Body::Reading)
            || self.timeline.filter.as_ref().is_some_and(|filter| filter.asked)
            || !self.queue.is_empty()
    }

    /// Whether something was loaded that could not be taken in yet.
    pub fn is_behind(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The hooks of the selected event, as wide as their pane.
    pub fn hooks_doc(&self) -> Arc<Doc> {
        let cells = usize::from(self.regions().hooks.body.width);
        let Some(step) = self.detail.step() else { return Arc::default() };
        self.laid_hooks.get(step, cells, &self.detail.open, || {
            let mut doc = hooks_doc(step, &self.detail.open, cells, self.options.charset);
            if let Some(inspect) = &self.inspect {
                let events = &self.session.read().events;
                let event = self.detail.event.and_then(|event| events.get(event.at()));
                let time = event.map_or(Time::UNKNOWN, |event| event.time);
                left_out(&mut doc, inspect.plan(), step, time, cells, self.options.charset);
            }
            doc
        })
    }

    /// The decision of the selected event, as wide as its pane.
    pub fn decision_doc(&self) -> Arc<Doc> {
        let cells = usize::from(self.regions().decision.body.width);
        let Some(step) = self.detail.step() else { return Arc::default() };
        self.laid_decision.get(step, cells, &HashSet::new(), || decision_doc(step, cells, self.options.charset))
    }

    /// Where a reader stands: all but the bottom line.
    pub fn reader_body(&self) -> super::Area {
        let regions = self.regions();
        let (_, rest) = regions.whole.split_top(1);
        rest.split_bottom(1).0
    }

    /// The lines of a reader.
    pub fn reader_doc(&self, reader: &Reader) -> Doc {
        let cells = usize::from(self.reader_body().width).saturating_sub(1);
        let doc = reader.doc(cells, self.options.charset);
        let intro = self.options.intro.as_ref().filter(|_| self.intro_closed && reader.is_help());
        let Some(intro) = intro else { return doc };
        let mut with_intro = Doc::default();
        for line in intro.lines(cells) {
            with_intro.hang(Line::new(), line.text().trim(), Tone::Plain, cells, self.options.charset);
        }
        with_intro.push(Line::new());
        for line in doc.lines {
            with_intro.push(line);
        }
        with_intro
    }

    /// How many rows an event fills, conversation included.
    pub fn rows_of(&self, event: EventIx) -> usize {
        let said = if self.talk { self.said.get(&event).map_or(0, Vec::len) } else { 0 };
        said.min(SAID_SHOWN) + 1
    }

    /// The rows of the timeline from the top of the view on.
    pub fn seen_rows(&self, height: usize) -> Vec<SeenRow> {
        let mut rows = Vec::with_capacity(height);
        let mut position = self.timeline.cursor.top;
        while rows.len() < height {
            let Some(event) = self.timeline.event_at(position) else { break };
            rows.extend((0..self.rows_of(event) - 1).map(|line| SeenRow::Said(event, line)));
            rows.push(SeenRow::Event(event, position));
            position += 1;
        }
        rows.truncate(height);
        rows
    }

    /// A time of day, local, `HH:MM:SS`; blank where unknown.
    pub fn clock(&self, time: Time) -> String {
        time.stamp()
            .map(|stamp| stamp.to_zoned_datetime(self.options.zone.clone()).strftime("%H:%M:%S").to_string())
            .unwrap_or_default()
    }

    /// How deep the agent of an event is nested.
    pub fn depth_of(&self, session: &Session, event: EventIx) -> usize {
        session.events.get(event.at()).map_or(0, |event| depth(session, event.agent))
    }

    /// The cursor of a pane.
    pub fn cursor(&self, pane: Focus) -> Cursor {
        match pane {
            Focus::Timeline => self.timeline.cursor,
            Focus::Event => self.detail.event_cursor,
            Focus::Hooks => self.detail.hooks_cursor,
            Focus::Decision => self.detail.decision_cursor,
        }
    }

    pub(super) fn cursor_mut(&mut self, pane: Focus) -> &mut Cursor {
        match pane {
            Focus::Timeline => &mut self.timeline.cursor,
            Focus::Event => &mut self.detail.event_cursor,
            Focus::Hooks => &mut self.detail.hooks_cursor,
            Focus::Decision => &mut self.detail.decision_cursor,
        }
    }

    /// Makes room for what the pane beneath the timeline shows.
    pub(super) fn fit_pane(&mut self) {
        let pane = if self.focus == Focus::Timeline { self.pane } else { self.focus };
        let of = Some((pane, self.size, self.detail.open.len()));
        if self.detail.step().is_none() {
            return;
        }
        let rows = u16::try_from(self.lines_in(pane)).unwrap_or(u16::MAX);
        let before = if self.filled.of == of { self.filled.rows } else { 0 };
        self.filled = Filled { of, rows: rows.max(before) };
    }

    /// How many lines a pane has.
    pub fn lines_in(&self, pane: Focus) -> usize {
        match pane {
            Focus::Timeline => self.timeline.len(),
            Focus::Event => self.detail.json.shown().len(),
            Focus::Hooks => self.hooks_doc().lines.len(),
            Focus::Decision => self.decision_doc().lines.len(),
        }
    }
}

/// How many of these say that something could not be read.
pub(super) fn broken(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|it| it.level == Level::Error).count()
}
