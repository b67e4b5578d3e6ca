//! Lines of text with meaning but without looks, and a cursor in them: what panes and help screens are made of.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use super::{Amount, Way};
use crate::model::Step;
use crate::text::{self, Charset};

/// What a piece of text means; how that looks is the drawing's affair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Beside the point.
    Dim,
    /// The point.
    Strong,
    /// Stopped something: deny, block, halt.
    Stop,
    /// Failed, doubtful.
    Warn,
    /// Allowed, matched.
    Good,
    /// A heading.
    Title,
    /// A key to press.
    Key,
    /// A name that can be opened.
    Link,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The words; made safe when drawn.
    pub text: String,
    /// What they mean.
    pub tone: Tone,
}

/// What Enter on a line opens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A handler (or a group without any), by id: unfolds.
    Handler(String),
    /// A rule of the dialect, by name.
    Rule(String),
    /// An event.
    Event(crate::model::EventIx),
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its pieces.
    pub spans: Vec<Span>,
    /// What Enter does there.
    pub target: Option<Target>,
}

impl Line {
    /// An empty line.
    pub fn new() -> Line {
        Line::default()
    }

    /// With one more piece.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>, tone: Tone) -> Line {
        self.spans.push(Span { text: text.into(), tone });
        self
    }

    /// With a target.
    #[must_use]
    pub fn to(mut self, target: Option<Target>) -> Line {
        self.target = target;
        self
    }

    /// Its words.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// Lines of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doc {
    /// From the top.
    pub lines: Vec<Line>,
}

/// More lines than this of one text are not laid out.
const LINES_OF_A_TEXT: usize = 400;
/// More bytes than this of one text are not laid out.
const BYTES_OF_A_TEXT: usize = 64 * 1024;

impl Doc {
    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds `words` after `lead`, wrapped into `cells`, further lines hanging under the first word.
    pub fn hang(&mut self, lead: Line, words: &str, tone: Tone, cells: usize, charset: Charset) {
        let indent = lead.spans.iter().map(|span| text::width(&text::safe_as(&span.text, charset))).sum::<usize>();
        let target = lead.target.clone();
        // Too little room beside the lead: the words go beneath it.
        let (first, indent) = if indent + 12 > cells && indent > 4 {
            self.push(lead);
            (Line::new().and("  ", Tone::Plain).to(target.clone()), 2)
        } else {
            (lead, indent)
        };
        let mut first = Some(first);
        for words in text_lines(words) {
            for piece in text::wrap(&text::safe_as(&words, charset), cells.saturating_sub(indent).max(1)) {
                let line = first.take().unwrap_or_else(|| Line::new().and(" ".repeat(indent), Tone::Plain));
                self.push(line.and(piece, tone).to(target.clone()));
            }
        }
        if let Some(line) = first {
            self.push(line);
        }
    }

    /// The next line after `from` that holds a text, going round.
    pub fn find(&self, needle: &str, from: usize, way: Way) -> Option<Hit> {
        let hits: Vec<usize> = (0..self.lines.len()).filter(|&at| contains(&self.lines[at].text(), needle)).collect();
        Hit::next(&hits, from, way)
    }
}

/// Where a text was found, and which hit that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// In which line, from 0.
    pub at: usize,
    /// Which of the hits, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// The search went on at the other end.
    pub wrapped: bool,
}

impl Hit {
    /// The next of some lines, in order, after one line (or before it), going round.
    pub fn next(hits: &[usize], from: usize, way: Way) -> Option<Hit> {
        let last = hits.len().checked_sub(1)?;
        let (index, wrapped) = match way {
            Way::Forward => {
                let next = hits.partition_point(|&at| at <= from);
                if next > last { (0, true) } else { (next, false) }
            }
            Way::Back => match hits.partition_point(|&at| at < from) {
                0 => (last, true),
                next => (next - 1, false),
            },
        };
        Some(Hit { at: hits[index], number: index + 1, of: hits.len(), wrapped })
    }

    /// What there is to say of it: `what` names what its number counts.
    pub fn words(&self, text: &str, what: &str, way: Way) -> String {
        let round = match (self.wrapped, way) {
            (false, _) => "",
            (true, _) if self.of == 1 => ", the only one",
            (true, Way::Forward) => ", from the start again",
            (true, Way::Back) => ", from the end again",
        };
        format!("\"{text}\": {what} {}, {} of {}{round}", self.at + 1, self.number, self.of)
    }
}

/// The lines of a text, tabs widened, cut where it is too long to be read anyway.
pub fn text_lines(text: &str) -> Vec<String> {
    let mut end = text.len().min(BYTES_OF_A_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut lines: Vec<String> = text[..end]
        .split('\n')
        .take(LINES_OF_A_TEXT)
        .map(|line| line.trim_end_matches('\r').replace('\t', "    "))
        .collect();
    if lines.len() > 1 && lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if end < text.len() || text[..end].split('\n').nth(LINES_OF_A_TEXT).is_some() {
        lines.push(format!("({} bytes in all)", text.len()));
    }
    lines
}

/// Whether a text holds another; case counts only where the needle has capitals.
pub fn contains(text: &str, needle: &str) -> bool {
    if needle.is_empty() {
        return false;
    }
    if needle.chars().any(char::is_uppercase) { text.contains(needle) } else { text.to_lowercase().contains(needle) }
}

/// The last document that was laid out, and for what: it is asked for several times between two keys.
#[derive(Debug, Default)]
pub(super) struct Laid(RefCell<Option<Layout>>);

#[derive(Debug)]
struct Layout {
    step: Arc<Step>,
    cells: usize,
    open: HashSet<String>,
    doc: Arc<Doc>,
}

impl Laid {
    /// The document for this event, as wide as this, with this unfolded.
    pub fn get(&self, step: &Arc<Step>, cells: usize, open: &HashSet<String>, make: impl FnOnce() -> Doc) -> Arc<Doc> {
        let mut last = self.0.borrow_mut();
        if let Some(last) = last.as_ref()
            && Arc::ptr_eq(&last.step, step)
            && last.cells == cells
            && last.open == *open
        {
            return last.doc.clone();
        }
        let doc = Arc::new(make());
        *last = Some(Layout { step: step.clone(), cells, open: open.clone(), doc: doc.clone() });
        doc
    }
}

/// Where one is in a list of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The line with the cursor.
    pub at: usize,
    /// The first line that is seen.
    pub top: usize,
}

impl Cursor {
    /// Moves, `count` times, among `len` lines of which `height` are seen.
    pub fn step(&mut self, way: Way, amount: Amount, count: usize, len: usize, height: usize) {
        let far = match amount {
            Amount::Line => count,
            Amount::HalfPage => (height / 2).max(1).saturating_mul(count),
            Amount::Page => height.saturating_sub(1).max(1).saturating_mul(count),
            Amount::End => usize::MAX,
        };
        self.at = match way {
            Way::Back => self.at.saturating_sub(far),
            Way::Forward => self.at.saturating_add(far),
        };
        self.settle(len, height);
    }

    /// Brings cursor and view back among `len` lines of which `height` are seen.
    pub fn settle(&mut self, len: usize, height: usize) {
        self.at = self.at.min(len.saturating_sub(1));
        let height = height.max(1);
        self.top = self.top.min(len.saturating_sub(height)).min(self.at).max((self.at + 1).saturating_sub(height));
    }

    /// Moves the view without the cursor leaving it.
    pub fn scroll(&mut self, way: Way, lines: usize, len: usize, height: usize) {
        self.top = match way {
            Way::Back => self.top.saturating_sub(lines),
            Way::Forward => self.top.saturating_add(lines).min(len.saturating_sub(height.max(1))),
        };
        self.at = self.at.clamp(self.top, (self.top + height.max(1) - 1).min(len.saturating_sub(1)).max(self.top));
        self.settle(len, height);
    }
}
