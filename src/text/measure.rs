//! Widths in terminal cells, counted as the screen counts them: by grapheme. Texts are expected to be safe.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Charset;

/// How many cells a text fills.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// The longest start of `text` that fits into `cells`, and the cells it fills.
fn start(text: &str, cells: usize) -> (&str, usize) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = UnicodeWidthStr::width(grapheme);
        if used + wide > cells {
            return (&text[..at], used);
        }
        used += wide;
    }
    (text, used)
}

fn end(text: &str, cells: usize) -> (&str, usize) {
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let wide = UnicodeWidthStr::width(grapheme);
        if used + wide > cells {
            break;
        }
        used += wide;
        from = at;
    }
    (&text[from..], used)
}

/// `text` in at most `cells`; what is cut away at its end is marked. Never splits a grapheme.
pub fn cut(text: &str, cells: usize, charset: Charset) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let mark = charset.ellipsis();
    match cells.checked_sub(width(mark)) {
        Some(room) => format!("{}{mark}", start(text, room).0),
        None => start(text, cells).0.to_owned(),
    }
}

/// As [`cut`], at the start: keeps the end of a path.
pub fn cut_start(text: &str, cells: usize, charset: Charset) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let mark = charset.ellipsis();
    match cells.checked_sub(width(mark)) {
        Some(room) => format!("{mark}{}", end(text, room).0),
        None => end(text, cells).0.to_owned(),
    }
}

/// As [`cut`], in the middle: keeps the start of a path and its last parts.
pub fn cut_middle(text: &str, cells: usize, charset: Charset) -> String {
    let mark = charset.ellipsis();
    let marked = width(mark);
    if fits(text, cells) || cells < 2 * marked + 2 {
        return cut(text, cells, charset);
    }
    let room = cells - marked;
    let (tail, used) = end(text, room * 2 / 3);
    format!("{}{mark}{tail}", start(text, room - used).0)
}

/// `text` in exactly `cells`: cut, or filled with spaces on the right.
pub fn pad(text: &str, cells: usize, charset: Charset) -> String {
    let mut text = cut(text, cells, charset);
    let used = width(&text);
    text.extend(std::iter::repeat_n(' ', cells.saturating_sub(used)));
    text
}

/// As [`pad`], filled on the left: for numbers.
pub fn pad_left(text: &str, cells: usize, charset: Charset) -> String {
    let text = cut(text, cells, charset);
    let fill = cells.saturating_sub(width(&text));
    format!("{}{text}", " ".repeat(fill))
}

/// The longest start of `text` that fits into `cells`, unmarked.
pub fn fit(text: &str, cells: usize) -> &str {
    start(text, cells).0
}

fn fits(text: &str, cells: usize) -> bool {
    if text.is_ascii() {
        return text.len() <= cells;
    }
    start(text, cells).0.len() == text.len()
}

/// `text` in lines of at most `cells`, broken at spaces where it has them. At least one line.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ');
        if used > 0 && !fits(bare, cells.saturating_sub(used)) {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            used = 0;
        }
        let mut rest = word;
        while !fits(rest.trim_end_matches(' '), cells.saturating_sub(used)) {
            let piece = start(rest, cells.saturating_sub(used)).0;
            // A character wider than the line still has to go somewhere.
            let piece =
                if piece.is_empty() && used == 0 { rest.graphemes(true).next().unwrap_or_default() } else { piece };
            line.push_str(piece);
            lines.push(std::mem::take(&mut line));
            used = 0;
            rest = &rest[piece.len()..];
        }
        line.push_str(rest);
        used += width(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}
