//! hookscope's own recording format, read and written: JSON Lines, first a header, then one line an event.
//!
//! Owns the format and its version. Unknown fields are kept. Must not know screens.

mod read;
mod recall;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use read::RecordingReader;
pub use recall::recall;
pub use write::{entry_of, header_of};

/// The version of the format that is written, and the newest that is read.
pub const VERSION: u64 = 1;

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The format's version.
    pub hookscope: u64,
    /// Dialect id.
    pub dialect: String,
    /// Version of the agent's client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// Working folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A line of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When: RFC 3339.
    #[serde(default)]
    pub t: Option<String>,
    /// The hook input.
    pub input: Map<String, Value>,
    /// What ran, in the shape of `replay --json`.
    #[serde(default)]
    pub runs: Vec<Value>,
    /// What was decided, in the shape of `replay --json`.
    #[serde(default)]
    pub decision: Option<Value>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// Its head.
    Header(Header),
    /// An event.
    Entry(Box<Entry>),
}

/// Reads a line of a recording, without its end.
///
/// # Errors
/// It is no JSON object, or none of this format; in words for a person.
pub fn parse(line: &[u8]) -> Result<Line, String> {
    let value = crate::source::values::parse_lenient(line).ok_or("no JSON")?;
    let Value::Object(object) = value else { return Err("no JSON object".to_owned()) };
    if object.contains_key("hookscope") {
        let header: Header = serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())?;
        if header.hookscope > VERSION {
            return Err(format!("recording format {}: this hookscope reads up to format {VERSION}", header.hookscope));
        }
        return Ok(Line::Header(header));
    }
    let entry: Entry = serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())?;
    Ok(Line::Entry(Box::new(entry)))
}

/// A line as it is written, without its end.
pub fn format(line: &Line) -> String {
    let text = match line {
        Line::Header(header) => serde_json::to_string(header),
        Line::Entry(entry) => serde_json::to_string(entry),
    };
    // Maps with text for keys always have a JSON form.
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests;
