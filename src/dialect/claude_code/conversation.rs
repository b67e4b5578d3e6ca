//! What is said around the events: prompts, replies, results of tools.
//!
//! Owns how lines of a session carry words. Must not know which events they belong to.

use serde::Deserialize;
use serde_json::Value;

use crate::dialect::{Said, Speaker};
use crate::model::Time;

/// Characters of one remark that are kept.
const WORDS: usize = 400;

/// What a line of a transcript or stream says in the conversation, if it says something.
pub fn said(line: &[u8]) -> Option<Said> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default, rename = "isMeta")]
        meta: bool,
        timestamp: Option<String>,
        message: Option<Message>,
    }
    #[derive(Deserialize)]
    struct Message {
        content: Value,
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let time = line.timestamp.map_or(Time::UNKNOWN, |text| Time::read(&text));
    let (who, words) = match (line.kind.as_str(), line.message?.content) {
        ("user", Value::String(text)) if line.meta => (Speaker::Client, text),
        ("user", Value::String(text)) => (Speaker::User, text),
        ("user", Value::Array(blocks)) => match texts(&blocks) {
            text if text.is_empty() => (Speaker::Result, result(&blocks)?),
            text => (Speaker::User, text),
        },
        ("assistant", Value::Array(blocks)) => (Speaker::Model, Some(texts(&blocks)).filter(|text| !text.is_empty())?),
        ("assistant", Value::String(text)) => (Speaker::Model, text),
        _ => return None,
    };
    Some(Said { time, who, words: words.chars().take(WORDS).collect() })
}

fn texts(blocks: &[Value]) -> String {
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join(" ")
}

fn result(blocks: &[Value]) -> Option<String> {
    let content = &blocks.iter().find(|block| block["type"] == "tool_result")?["content"];
    Some(match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => texts(blocks),
        _ => return None,
    })
}
