//! The one way into the grid of cells: text is made safe, measured and cut here.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::theme::Theme;
use crate::app::{Area, Line, Tone};
use crate::text::{self, Charset};

/// A grid of cells to draw on.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    /// Which characters may be drawn.
    pub charset: Charset,
    /// What meanings look like.
    pub theme: Theme,
}

/// A row within an area.
pub fn row(area: Area, at: usize) -> Area {
    match u16::try_from(at) {
        Ok(at) if at < area.height => Area::new(area.x, area.y + at, area.width, 1),
        _ => Area::default(),
    }
}

impl<'a> Canvas<'a> {
    /// Draws on `buffer`.
    pub fn new(buffer: &'a mut Buffer, charset: Charset, theme: Theme) -> Canvas<'a> {
        Canvas { buffer, charset, theme }
    }

    /// Chooses between two forms of a mark.
    pub fn mark(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }

    /// Puts safe text that is known to fit.
    fn put(&mut self, x: u16, y: u16, safe: &str, cells: usize, style: Style) -> u16 {
        let area = self.buffer.area;
        if x >= area.right() || y >= area.bottom() {
            return x;
        }
        self.buffer.set_stringn(x, y, safe, cells, style).0
    }

    /// Text on the first row of an area, cut where it does not fit. Gives the column after it.
    pub fn text(&mut self, area: Area, words: &str, tone: Tone) -> u16 {
        self.styled(area, words, self.theme.of(tone))
    }

    /// As [`Canvas::text`], in a given look.
    pub fn styled(&mut self, area: Area, words: &str, style: Style) -> u16 {
        if area.is_empty() {
            return area.x;
        }
        let cells = usize::from(area.width);
        let safe = text::safe_as(words, self.charset);
        let cut = text::cut(&safe, cells, self.charset);
        self.put(area.x, area.y, &cut, cells, style)
    }

    /// Text that ends at the right edge of an area; what does not fit is cut. Gives the column before it.
    pub fn text_right(&mut self, area: Area, words: &str, tone: Tone) -> u16 {
        let safe = text::safe_as(words, self.charset).into_owned();
        let width = text::width(&safe).min(usize::from(area.width));
        let x = area.x + area.width - u16::try_from(width).unwrap_or(area.width);
        self.text(Area { x, width: area.x + area.width - x, ..area }, &safe, tone);
        x
    }

    /// A line of pieces on the first row of an area.
    pub fn line(&mut self, area: Area, line: &Line) -> u16 {
        let mut x = area.x;
        let end = area.x + area.width;
        for span in &line.spans {
            if x >= end {
                break;
            }
            x = self.text(Area { x, width: end - x, ..area }, &span.text, span.tone);
        }
        x
    }

    /// A thin line across.
    pub fn rule(&mut self, area: Area) {
        if area.is_empty() {
            return;
        }
        let line = self.mark("─", "-").repeat(usize::from(area.width));
        let style = self.theme.of(Tone::Dim);
        self.put(area.x, area.y, &line, usize::from(area.width), style);
    }

    /// A thin line down.
    pub fn rule_down(&mut self, area: Area) {
        let (mark, style) = (self.mark("│", "|"), self.theme.of(Tone::Dim));
        for at in 0..area.height {
            self.put(area.x, area.y + at, mark, 1, style);
        }
    }

    /// A title with a thin line after it, and a word at its end.
    pub fn title(&mut self, area: Area, title: &str, focused: Focused, end: &str) {
        if area.is_empty() {
            return;
        }
        self.rule(area);
        let (open, close) = match focused {
            Focused::Yes => ("[", "]"),
            Focused::No => (" ", " "),
        };
        let style = match focused {
            Focused::Yes => self.theme.of(Tone::Title),
            Focused::No => Style::new(),
        };
        let x = self.styled(area, &format!("{open}{title}{close}"), style);
        let rest = Area { x, width: area.x + area.width - x, ..area };
        if !end.is_empty() && usize::from(rest.width) > text::width(end) + 3 {
            self.text_right(rest, &format!(" {end}"), Tone::Dim);
        }
    }

    /// Lays a look over an area.
    pub fn dress(&mut self, area: Area, style: Style) {
        let rect = Rect::new(area.x, area.y, area.width, area.height).intersection(self.buffer.area);
        self.buffer.set_style(rect, style);
    }

    /// Empties an area.
    pub fn clear(&mut self, area: Area) {
        let rect = Rect::new(area.x, area.y, area.width, area.height).intersection(self.buffer.area);
        for position in rect.positions() {
            if let Some(cell) = self.buffer.cell_mut(position) {
                cell.reset();
            }
        }
    }
}

/// Whether keys go there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focused {
    /// They do.
    Yes,
    /// They do not.
    No,
}

impl Focused {
    /// From a comparison.
    pub fn when(holds: bool) -> Focused {
        if holds { Focused::Yes } else { Focused::No }
    }
}
