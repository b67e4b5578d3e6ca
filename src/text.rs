//! Making text from outside safe to draw, and measuring it in terminal cells.
//!
//! Owns what a person may see of hostile text. Must not know events or screens. Everything here is pure.

mod measure;

use std::borrow::Cow;
use std::fmt::Write;

pub use measure::{cut, cut_middle, cut_start, fit, pad, pad_left, width, wrap};

/// Which characters a terminal can be trusted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Charset {
    /// UTF-8, with control pictures, arrows and box lines.
    #[default]
    Unicode,
    /// Nothing beyond printable ASCII: `--ascii`, `TERM=linux`, locales that are not UTF-8.
    Ascii,
}

impl Charset {
    /// What stands between parts of a line.
    pub fn dot(self) -> &'static str {
        match self {
            Charset::Unicode => " · ",
            Charset::Ascii => " - ",
        }
    }

    /// What stands for text that was cut away.
    pub fn ellipsis(self) -> &'static str {
        match self {
            Charset::Unicode => "…",
            Charset::Ascii => "..",
        }
    }
}

/// More combining marks than this on one letter are a stack, not a script.
const MARKS_ON_A_LETTER: usize = 3;

/// `text` as one line that changes nothing in a terminal but the cells it fills: [`safe_as`] for UTF-8.
pub fn safe(text: &str) -> Cow<'_, str> {
    safe_as(text, Charset::Unicode)
}

/// `text` as one line that changes nothing in a terminal but the cells it fills.
///
/// Control characters become pictures (`␛`, in ASCII `\x1b`); C1, bidi controls, zero-width, private-use and
/// unassigned characters become `\u{202e}`; marks stacked three deep on one letter become a count. Emoji lose
/// only their joiners and presentation selectors, on whose width terminals disagree. Doing it twice changes
/// nothing more.
pub fn safe_as(text: &str, charset: Charset) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut marks = 0;
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = kind(c, before, chars.peek().copied());
        if kind != Kind::Mark {
            close_stack(&mut out, &mut marks);
        }
        match kind {
            Kind::Plain if charset == Charset::Unicode || c.is_ascii() => out.push(c),
            Kind::Plain => escape(&mut out, c),
            Kind::Control if charset == Charset::Unicode => out.push(picture(c)),
            Kind::Control => short(&mut out, c),
            Kind::Escaped => escape(&mut out, c),
            Kind::Left => {}
            Kind::Mark => {
                marks += 1;
                if charset == Charset::Ascii {
                    escape(&mut out, c);
                    marks = 0;
                } else if before.is_none_or(|before: char| before == ' ' || before.is_control()) && marks == 1 {
                    // A mark without a letter would attach to whatever is drawn before it.
                    out.push('◌');
                    out.push(c);
                } else if marks <= MARKS_ON_A_LETTER {
                    out.push(c);
                }
            }
        }
        if kind != Kind::Mark {
            before = Some(c);
        } else if before.is_none() {
            before = Some('◌');
        }
    }
    close_stack(&mut out, &mut marks);
    Cow::Owned(out)
}

fn close_stack(out: &mut String, marks: &mut usize) {
    if *marks > MARKS_ON_A_LETTER {
        let _ = write!(out, "{{+{} marks}}", *marks - MARKS_ON_A_LETTER);
    }
    *marks = 0;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Control,
    Escaped,
    /// Left out: it would only join or style its neighbours.
    Left,
    Mark,
}

fn kind(c: char, before: Option<char>, after: Option<char>) -> Kind {
    match c {
        '\u{0}'..='\u{1f}' | '\u{7f}' => Kind::Control,
        ' '..='~' => Kind::Plain,
        '\u{80}'..='\u{9f}' => Kind::Escaped,
        // Presentation selectors and joiners inside emoji.
        '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(pictographic) => Kind::Left,
        '\u{200d}' if before.is_some_and(emoji_part) && after.is_some_and(pictographic) => Kind::Left,
        // Joiners inside scripts that are written with them.
        '\u{200c}' | '\u{200d}' if before.is_some_and(joined_script) && after.is_some_and(joined_script) => Kind::Left,
        _ if deceptive(c) => Kind::Escaped,
        _ => match unicode_width::UnicodeWidthChar::width(c) {
            Some(0) => Kind::Mark,
            Some(1 | 2) => Kind::Plain,
            _ => Kind::Escaped,
        },
    }
}

/// Characters that hide, reorder, or show something that depends on the font alone.
fn deceptive(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{fdfd}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
        || (c as u32) & 0xfffe == 0xfffe
}

fn pictographic(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn emoji_part(c: char) -> bool {
    pictographic(c) || matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

fn joined_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn picture(c: char) -> char {
    match c {
        '\u{7f}' => '␡',
        _ => char::from_u32(0x2400 + c as u32).unwrap_or('␀'),
    }
}

fn short(out: &mut String, c: char) {
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        _ => write!(out, "\\x{:02x}", c as u32),
    };
}

fn escape(out: &mut String, c: char) {
    let _ = write!(out, "\\u{{{:x}}}", c as u32);
}

/// Whether a text holds only what [`safe`] lets through. For checks on what was drawn.
pub fn is_safe(text: &str) -> bool {
    safe(text) == text
}

#[cfg(test)]
mod tests;
