//! What lies on top of the debugger: texts to read, text fields, the palette, lists. The last layer gets the keys.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use tui_input::Input as Field;

use super::decision::rule_doc;
use super::keys::{Binding, Mode, bindings, key_name, own_bindings};
use super::picker::Picker;
use super::{Action, Completion, Cursor, Doc, Focus, HookTable, Lab, Line, Loops, Rule, Tone};
use crate::engine::filter::FilterError;
use crate::model::EventIx;
use crate::text::{self, Charset};

/// One layer.
#[derive(Debug, Clone)]
pub enum Layer {
    /// A text to read.
    Reader(Reader),
    /// A text field.
    Ask(Ask),
    /// The palette.
    Palette(Palette),
    /// The list of bookmarks.
    Bookmarks(Bookmarks),
    /// The matcher lab.
    Lab(Box<Lab>),
    /// The hooks of the session.
    HookTable(Box<HookTable>),
    /// The stop loops.
    Loops(Box<Loops>),
    /// The picker; always the lowest one.
    Picker(Box<Picker>),
}

impl Layer {
    /// Which keys hold.
    pub fn mode(&self) -> Mode {
        match self {
            Layer::Reader(_) => Mode::Reader,
            Layer::Ask(_) => Mode::Ask,
            Layer::Palette(_) => Mode::Palette,
            Layer::Bookmarks(_) => Mode::Bookmarks,
            Layer::Lab(_) => Mode::Lab,
            Layer::Picker(_) => Mode::Picker,
            Layer::HookTable(_) => Mode::HookTable,
            Layer::Loops(_) => Mode::Loops,
        }
    }

    /// Its text field, if it has one.
    pub fn field_mut(&mut self) -> Option<&mut Field> {
        match self {
            Layer::Ask(ask) => Some(&mut ask.field),
            Layer::Palette(palette) => Some(&mut palette.field),
            Layer::Lab(lab) => Some(&mut lab.field),
            Layer::Reader(_) | Layer::Bookmarks(_) | Layer::Picker(_) | Layer::HookTable(_) | Layer::Loops(_) => None,
        }
    }
}

/// What there is to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// What keys do in a mode.
    Help(Mode),
    /// A rule of the dialect.
    Rule(&'static Rule),
}

/// A text to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// What.
    pub text: Text,
    /// Where in it.
    pub cursor: Cursor,
}

impl Reader {
    /// Opens a text.
    pub fn new(text: Text) -> Reader {
        Reader { text, cursor: Cursor::default() }
    }

    /// Its title.
    pub fn title(&self, charset: Charset) -> String {
        let dot = charset.dot();
        match &self.text {
            Text::Help(mode) => format!("Keys{dot}{}", mode.title()),
            Text::Rule(rule) => format!("Rule{dot}{}", rule.name),
        }
    }

    /// Whether it explains keys.
    pub fn is_help(&self) -> bool {
        matches!(self.text, Text::Help(_))
    }

    /// Its lines, at most `cells` wide.
    pub fn doc(&self, cells: usize, charset: Charset) -> Doc {
        match &self.text {
            Text::Help(mode) => help_doc(*mode, cells, charset),
            Text::Rule(rule) => rule_doc(rule, cells, charset),
        }
    }
}

fn help_doc(mode: Mode, cells: usize, charset: Charset) -> Doc {
    let mut doc = Doc::default();
    for binding in bindings(mode) {
        let keys = keys_of(binding, charset);
        let lead = Line::new().and(format!("{}  ", text::pad(&keys, 18.min(cells / 2), charset)), Tone::Key);
        doc.hang(lead, binding.help, Tone::Plain, cells, charset);
    }
    for (word, meaning) in WORDS {
        if doc.lines.last().is_some_and(|line| !line.spans.is_empty()) && *word == WORDS[0].0 {
            doc.push(Line::new());
            doc.push(Line::new().and("Words", Tone::Title));
        }
        let lead = Line::new().and(format!("{}  ", text::pad(word, 18.min(cells / 2), charset)), Tone::Strong);
        doc.hang(lead, meaning, Tone::Plain, cells, charset);
    }
    doc
}

/// The words of the screen, as help explains them.
const WORDS: &[(&str, &str)] = &[
    ("none", "no hook ran at this event"),
    ("quiet", "hooks ran, none decided"),
    ("unknown", "hooks matched, but nothing recorded tells whether they ran: a mute handler leaves no trace"),
    ("allow, ask", "a hook allowed the call, or wants a person asked"),
    ("DENY", "a call or a permission was refused"),
    ("BLOCK 2", "a prompt, stop or compaction was prevented; the number counts stop blocks in a row"),
    ("HALT", "a hook stopped the agent"),
    ("FAILED", "a handler failed, which decides nothing"),
    ("LOST", "a handler wrote a refusal where the agent does not read one"),
    ("2 of 4", "two of four matcher groups for this event matched"),
    ("1 + ?", "ran once for sure; of other times nothing tells"),
    ("recorded", "the agent wrote it down"),
    ("derived", "follows from what was recorded"),
    ("assumed", "rests on a rule that is not documented or measured"),
];

/// The keys of a binding as people write them.
pub fn keys_of(binding: &Binding, charset: Charset) -> String {
    binding.keys.iter().map(|key| key_name(key, charset)).collect::<Vec<_>>().join(" ")
}

/// What a text field asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A text to find there; `None`: in the layer beneath.
    Find(Option<Focus>),
    /// A filter.
    Filter,
    /// A note on an event.
    Note(EventIx),
    /// A filter of the sessions in the picker.
    Sessions,
}

/// A text field.
#[derive(Debug, Clone)]
pub struct Ask {
    /// For what.
    pub asked: Asked,
    /// What was typed.
    pub field: Field,
    /// Ways to go on.
    pub completions: Vec<Completion>,
    /// The chosen one.
    pub chosen: Option<usize>,
    /// What is wrong with what was typed.
    pub fault: Option<FilterError>,
    /// It was to be taken as it stands, and is not: only now is the fault worth a word.
    pub refused: bool,
}

impl Ask {
    /// An open field.
    pub fn new(asked: Asked, text: String) -> Ask {
        Ask { asked, field: Field::new(text), completions: Vec::new(), chosen: None, fault: None, refused: false }
    }

    /// What stands before the field.
    pub fn sign(&self) -> &'static str {
        match self.asked {
            Asked::Find(_) => "/",
            Asked::Filter => "& ",
            Asked::Note(_) => "note ",
            Asked::Sessions => "/ ",
        }
    }
}

/// The palette.
#[derive(Debug, Clone)]
pub struct Palette {
    /// What was typed.
    pub field: Field,
    /// Which mode's actions it offers.
    pub mode: Mode,
    /// Where in the list.
    pub cursor: Cursor,
}

impl Palette {
    /// An open palette over a mode.
    pub fn new(mode: Mode) -> Palette {
        Palette { field: Field::default(), mode, cursor: Cursor::default() }
    }

    /// Where the text itself leads to, if it is a number or a time.
    pub fn place(&self) -> Option<Action> {
        // The picker has no events, and numbers are keys there.
        if self.mode == Mode::Picker {
            return None;
        }
        let typed = self.field.value().trim();
        match typed.strip_prefix('@') {
            Some(time) => Some(Action::GoToTime(time.to_owned())),
            None => typed.parse().ok().map(Action::GoTo),
        }
    }

    /// What fits what was typed, what belongs to the pane first, then the best first. None for a place to go to.
    pub fn choices(&self) -> Vec<&'static Binding> {
        if self.place().is_some() {
            return Vec::new();
        }
        let own = own_bindings(self.mode);
        let is_own = |binding: &Binding| own.iter().any(|it| std::ptr::eq(it, binding));
        let mut all: Vec<&'static Binding> = bindings(self.mode).collect();
        all.sort_by_key(|binding| !is_own(binding));
        let typed = self.field.value().trim();
        if typed.is_empty() {
            return all;
        }
        // Words as they stand; letters apart only where no word fits.
        let scored = [AtomKind::Substring, AtomKind::Fuzzy].into_iter().map(|kind| scored(&all, typed, kind));
        let mut scored = scored.into_iter().find(|scored| !scored.is_empty()).unwrap_or_default();
        // Stable: equal scores keep the order of the table.
        scored.sort_by_key(|(score, binding)| (*score < u32::MAX, !is_own(binding), std::cmp::Reverse(*score)));
        scored.into_iter().map(|(_, binding)| binding).collect()
    }
}

/// Actions that fit a text, with how well; a key itself fits best.
fn scored(all: &[&'static Binding], typed: &str, kind: AtomKind) -> Vec<(u32, &'static Binding)> {
    let pattern = Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, kind);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let fits = |binding: &&'static Binding| {
        if binding.keys.contains(&typed) {
            return Some((u32::MAX, *binding));
        }
        let words = format!("{} {}", binding.help, binding.label);
        pattern.score(Utf32Str::new(&words, &mut buffer), &mut matcher).map(|score| (score, *binding))
    };
    let mut scored: Vec<(u32, &'static Binding)> = all.iter().filter_map(fits).collect();
    if kind == AtomKind::Fuzzy {
        // Letters strewn over a sentence are no match.
        let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
        scored.retain(|(score, _)| *score > best - best / 4);
    }
    scored
}

/// The list of bookmarks.
#[derive(Debug, Clone, Default)]
pub struct Bookmarks {
    /// Where in it.
    pub cursor: Cursor,
}
