//! JSON Lines that a terminal can be given: what is no printable character stays an escape.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// One value and a line end. Control characters beyond ASCII and characters that turn or hide text, which JSON
/// would allow as they are, are written as `\uXXXX`.
///
/// # Errors
/// The output can't be written.
pub fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut to = serde_json::Serializer::with_formatter(&mut *out, Escaping);
    value.serialize(&mut to).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// The compact form, with more characters escaped.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut plain = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| hides(*c)) {
            writer.write_all(&fragment.as_bytes()[plain..at])?;
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[plain..])
    }
}

/// Controls, bidirectional overrides, invisible characters, line separators.
fn hides(c: char) -> bool {
    matches!(c,
        '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn what_would_move_the_cursor_is_escaped_and_reads_back() {
        let value = serde_json::json!({ "a\u{9b}": "x\u{1b}[31m\u{9b}2J\u{202e}\u{7f}é日\u{e0001}" });
        let mut out = Vec::new();
        line(&value, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.trim_end().chars().any(|c| c.is_control() || c == '\u{202e}'), "{text:?}");
        assert!(text.contains("é日"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
