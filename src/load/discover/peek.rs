//! What the first and last 64 KB of a session file tell.
//!
//! Owns the few fields worth a glance. Lines that are cut, broken or of a shape of their own are passed over: the
//! reader of the session reports them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::model::Time;

const GLANCE: u64 = 64 * 1024;
const PROMPT_CHARS: usize = 300;

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glance {
    pub cwd: Option<String>,
    pub title: Option<String>,
    pub prompt: Option<String>,
    pub last: Time,
}

/// Looks at the ends of a file of `bytes` bytes. A file that shrinks meanwhile just shows less.
pub(super) fn peek(path: &Path, bytes: u64) -> io::Result<Glance> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(GLANCE).read_to_end(&mut head)?;
    let mut tail = Vec::new();
    if bytes > GLANCE {
        file.seek(SeekFrom::Start((bytes - GLANCE).max(GLANCE)))?;
        file.take(GLANCE).read_to_end(&mut tail)?;
    }
    Ok(glance(&head, &tail))
}

/// The fields worth a glance; the rest of a line is skipped.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Line<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    cwd: Option<String>,
    timestamp: Option<String>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    summary: Option<String>,
    is_meta: bool,
    is_sidechain: bool,
    is_compact_summary: bool,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

fn glance(head: &[u8], tail: &[u8]) -> Glance {
    let mut glance = Glance { cwd: None, title: None, prompt: None, last: Time::UNKNOWN };
    let (mut custom, mut ai, mut summary) = (None, None, None);
    let lines = head.split(|&byte| byte == b'\n').chain(tail.split(|&byte| byte == b'\n'));
    for line in lines {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
        if let Some(time) = line.timestamp.as_deref().and_then(time) {
            glance.last = time;
        }
        if glance.prompt.is_none() {
            glance.prompt = prompt(&line);
        }
        if glance.cwd.is_none() {
            glance.cwd = line.cwd.filter(|cwd| !cwd.is_empty());
        }
        custom = line.custom_title.or(custom);
        ai = line.ai_title.or(ai);
        if line.kind.as_deref() == Some("summary") {
            summary = line.summary.or(summary);
        }
    }
    glance.title = custom.or(ai).or(summary).filter(|title| !title.trim().is_empty());
    glance
}

fn time(text: &str) -> Option<Time> {
    Some(Time::read(text)).filter(|time| !time.is_unknown())
}

/// The words that a person typed, if this is a line with such.
fn prompt(line: &Line) -> Option<String> {
    if line.kind.as_deref() != Some("user") || line.is_meta || line.is_sidechain || line.is_compact_summary {
        return None;
    }
    let content = line.message.as_ref()?.content?.get();
    let text = serde_json::from_str::<String>(content).ok().or_else(|| {
        let blocks = serde_json::from_str::<Vec<Block>>(content).ok()?;
        blocks.into_iter().find_map(|block| block.text)
    })?;
    // What the client itself puts into user lines.
    let machine = ["<command-", "<local-command-", "<task-notification>", "[Request interrupted by user"];
    let text = text.trim();
    if text.is_empty() || machine.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    Some(text.chars().take(PROMPT_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str, tail: &str, expect: (Option<&str>, Option<&str>, Option<&str>, i64)) {
        let seen = glance(head.as_bytes(), tail.as_bytes());
        let last = seen.last.millis().unwrap_or(-1);
        assert_eq!((seen.cwd.as_deref(), seen.title.as_deref(), seen.prompt.as_deref(), last), expect, "{head}{tail}");
    }

    #[test]
    fn the_first_folder_and_prompt_and_the_last_title_and_time_count() {
        check(
            "{\"type\":\"ai-title\",\"aiTitle\":\"old\"}\n\
             {\"type\":\"user\",\"isMeta\":true,\"cwd\":\"/a\",\"message\":{\"content\":\"Caveat\"}}\n\
             {\"type\":\"user\",\"message\":{\"content\":\"<command-name>/clear</command-name>\"}}\n\
             {\"type\":\"user\",\"cwd\":\"/b\",\"timestamp\":\"1970-01-01T00:00:01Z\",\"message\":{\"content\":\"go\"}}\n",
            "cut\":1}\n{\"type\":\"ai-title\",\"aiTitle\":\"new\"}\n{\"timestamp\":\"1970-01-01T00:00:09.5Z\"}\n{\"typ",
            (Some("/a"), Some("new"), Some("go"), 9500),
        );
    }

    #[test]
    fn a_title_given_by_the_person_wins() {
        check(
            "{\"type\":\"custom-title\",\"customTitle\":\"mine\"}\n{\"type\":\"ai-title\",\"aiTitle\":\"its\"}\n",
            "",
            (None, Some("mine"), None, -1),
        );
    }

    #[test]
    fn prompts_may_be_made_of_blocks_but_not_of_results() {
        check(
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":\"x\"}]}}\n\
             {\"type\":\"user\",\"isSidechain\":true,\"message\":{\"content\":\"to a subagent\"}}\n\
             {\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"image\"},{\"type\":\"text\",\"text\":\" see \"}]}}",
            "",
            (None, None, Some("see"), -1),
        );
    }

    #[test]
    fn anything_else_is_passed_over() {
        check("", "", (None, None, None, -1));
        check("null\n[]\n{\"cwd\":5}\n\u{0}\n{\"timestamp\":\"yesterday\"}\n", "", (None, None, None, -1));
    }
}
