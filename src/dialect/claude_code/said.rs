//! What was said in a conversation, line by line: the words between hook events.

use super::transcript::line::{Block, Content, Object, head, with_line};
use crate::model::Time;

/// Of one text, no more than this is taken. Bytes.
const WORDS: usize = 2 << 10;

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// When.
    pub time: Time,
    /// `user`, `model`, `agent` for what the client wrote itself.
    pub who: &'static str,
    /// The words, or their start.
    pub words: String,
}

/// What a transcript line says, if it is a line of the conversation. Calls and their results are events' affairs.
pub fn said(bytes: &[u8]) -> Option<Words> {
    with_line(bytes, |line, _| {
        let who = match line.kind.get()? {
            "assistant" => "model",
            "user" if line.is_meta.0 => "agent",
            "user" => "user",
            _ => return None,
        };
        let words = match &line.message.0.as_ref()?.content {
            Content::Text(text) => clipped(text),
            Content::Blocks(blocks) => blocks.iter().find_map(spoken)?,
            Content::None => return None,
        };
        (!words.trim().is_empty()).then(|| Words { time: line.time(), who, words })
    })
    .ok()
    .flatten()
}

fn spoken(block: &Object<Block>) -> Option<String> {
    let block = block.0.as_ref()?;
    block.kind.is("text").then(|| head(block.text, WORDS).into_owned())
}

fn clipped(text: &str) -> String {
    let mut end = text.len().min(WORDS);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<(&str, &str)>) {
        let found = said(line.as_bytes());
        assert_eq!(found.as_ref().map(|found| (found.who, found.words.as_str())), expect, "{line}");
    }

    #[test]
    fn words_are_told_from_calls_and_book_keeping() {
        check(r#"{"type":"user","message":{"content":"fix it"}}"#, Some(("user", "fix it")));
        check(
            r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\nno"}}"#,
            Some(("agent", "Stop hook feedback:\nno")),
        );
        check(
            r#"{"type":"assistant","message":{"content":[{"type":"thinking"},{"type":"text","text":"Done."}]}}"#,
            Some(("model", "Done.")),
        );
        check(
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#,
            None,
        );
        check(r#"{"type":"system","subtype":"informational","content":"x"}"#, None);
        check("not json", None);
    }
}
