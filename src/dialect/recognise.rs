//! What a file is, told by its first bytes and never by its name.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::source::values::{Finder, Found, Kind, parse_lenient};

/// What a source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A Claude Code transcript, main chain.
    Transcript,
    /// A Claude Code transcript of one subagent.
    SubagentTranscript,
    /// `--output-format stream-json`, or messages of an agent SDK.
    Stream,
    /// The client's debug log.
    DebugLog,
    /// Hook inputs as people's own hooks write them.
    HookInputLog,
    /// A hookscope recording.
    Recording,
    /// What stands beside a subagent's transcript.
    SubagentMeta,
    /// Agent settings.
    Settings,
    /// A Codex session.
    CodexRollout,
    /// What `codex exec --json` prints.
    CodexStream,
    /// A Devin transcript export.
    DevinAtif,
    /// Devin's session store.
    DevinSessionsDb,
    /// A Cortex Code session, or its history.
    CortexSession,
    /// A Gemini CLI session.
    GeminiChat,
    /// A Qwen Code session.
    QwenChat,
    /// Text of no known kind.
    UnknownText,
    /// No text.
    Binary,
    /// Nothing but white space.
    Empty,
}

impl Format {
    /// The name of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Format::Transcript | Format::SubagentTranscript => "claude-code-transcript",
            Format::Stream => "stream-json",
            Format::DebugLog => "claude-debug-log",
            Format::HookInputLog => "hook-input-log",
            Format::Recording => "hookscope-recording",
            Format::SubagentMeta => "subagent-meta",
            Format::Settings => "settings",
            Format::CodexRollout => "codex-rollout",
            Format::CodexStream => "codex-stream",
            Format::DevinAtif => "devin-atif",
            Format::DevinSessionsDb => "devin-sessions-db",
            Format::CortexSession => "cortex-session",
            Format::GeminiChat => "gemini-chat",
            Format::QwenChat => "qwen-chat",
            Format::UnknownText => "unknown-text",
            Format::Binary => "binary",
            Format::Empty => "empty",
        }
    }

    /// For people, with article: "a Codex rollout".
    pub fn words(self) -> &'static str {
        match self {
            Format::Transcript => "a Claude Code transcript",
            Format::SubagentTranscript => "the transcript of a Claude Code subagent",
            Format::Stream => "a stream of Claude Code (stream-json)",
            Format::DebugLog => "a debug log of Claude Code",
            Format::HookInputLog => "a log of hook inputs",
            Format::Recording => "a hookscope recording",
            Format::SubagentMeta => "the description of a subagent",
            Format::Settings => "agent settings",
            Format::CodexRollout => "a Codex rollout",
            Format::CodexStream => "output of codex exec --json",
            Format::DevinAtif => "a Devin transcript",
            Format::DevinSessionsDb => "a Devin session store",
            Format::CortexSession => "a Cortex Code session",
            Format::GeminiChat => "a Gemini CLI session",
            Format::QwenChat => "a Qwen Code session",
            Format::UnknownText => "text of no known kind",
            Format::Binary => "a binary file",
            Format::Empty => "an empty file",
        }
    }

    /// What can be done with it.
    pub fn role(self) -> Role {
        match self {
            Format::Transcript
            | Format::SubagentTranscript
            | Format::Stream
            | Format::DebugLog
            | Format::HookInputLog
            | Format::Recording => Role::Session,
            Format::SubagentMeta | Format::Settings => Role::Aside,
            Format::CodexRollout
            | Format::CodexStream
            | Format::DevinAtif
            | Format::DevinSessionsDb
            | Format::CortexSession
            | Format::GeminiChat
            | Format::QwenChat => Role::NotYet,
            Format::UnknownText | Format::Binary | Format::Empty => Role::Nothing,
        }
    }
}

/// What can be done with a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A session can be read from it.
    Session,
    /// It belongs to a session or to its settings.
    Aside,
    /// A session of an agent that can't be opened.
    NotYet,
    /// Not a session.
    Nothing,
}

/// How many bytes of a source are worth handing to [`recognise`]. More is never needed, less is taken.
pub const PREFIX: usize = 256 << 10;
/// A telling object further in than this comes too late.
const OBJECTS: usize = 400;

/// Tells by its start what a source is: the first telling object decides; broken lines, book-keeping and values
/// that are no objects are passed over. `prefix` may end anywhere.
pub fn recognise(prefix: &[u8]) -> Format {
    if prefix.starts_with(b"SQLite format 3\0") {
        let devin = ["main_chain_id", "message_nodes"].iter().any(|word| contains(prefix, word));
        return if devin { Format::DevinSessionsDb } else { Format::Binary };
    }
    let decoded = decode_utf16(prefix);
    let text = decoded.as_deref().unwrap_or(prefix);
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Format::Empty;
    }
    if is_debug_log(text) {
        return Format::DebugLog;
    }
    let mut telling = Telling::default();
    let mut finder = Finder::new();
    let mut first = true;
    let mut first_broken = None;
    finder.push(text, &mut |found| telling.see(&found, std::mem::take(&mut first)));
    if telling.decided.is_none() {
        // A document or a line that is longer than the prefix: its keys so far have to do.
        finder.end(&mut |found| match found.kind {
            Kind::Broken if first_broken.is_none() => {
                first_broken = Some(());
                telling.see_start(found.bytes, std::mem::take(&mut first));
            }
            Kind::Broken => {}
            _ if first_broken.is_some() => {}
            _ => telling.see(&found, std::mem::take(&mut first)),
        });
    }
    match telling.verdict() {
        Some(format) => format,
        None if names_hook_event(text) => Format::HookInputLog,
        None if is_binary(text) => Format::Binary,
        None => Format::UnknownText,
    }
}

#[derive(Default)]
struct Telling {
    decided: Option<Format>,
    seen: usize,
    /// Book-keeping of a transcript.
    bookkeeping: bool,
    /// Chain lines of subagents; one of the main chain decides at once.
    subagent: bool,
}

impl Telling {
    fn see(&mut self, found: &Found, first: bool) {
        if self.decided.is_some() || self.seen > OBJECTS {
            return;
        }
        self.seen += 1;
        match found.kind {
            Kind::Object => {
                if let Some(Value::Object(object)) = parse_lenient(found.bytes) {
                    self.object(&object, first);
                }
            }
            Kind::Text if names_hook_event(found.bytes) => self.decided = Some(Format::HookInputLog),
            Kind::Text | Kind::Broken => {}
        }
    }

    /// The start of an object that goes on beyond what is known.
    fn see_start(&mut self, bytes: &[u8], first: bool) {
        let object = start_of_object(bytes);
        self.object(&object, first);
        if self.decided.is_none() && !self.subagent && !self.bookkeeping {
            let message_before_chain = object.contains_key("message")
                && matches!(object.get("type").and_then(Value::as_str), Some("assistant" | "user"));
            if message_before_chain {
                self.decided = Some(Format::Stream);
            }
        }
    }

    fn object(&mut self, object: &Map<String, Value>, first: bool) {
        match tell(object, first) {
            Told::Format(Format::SubagentTranscript) => self.subagent = true,
            Told::Format(format) => self.decided = Some(format),
            Told::Bookkeeping => self.bookkeeping = true,
            Told::Nothing => {}
        }
    }

    fn verdict(&self) -> Option<Format> {
        self.decided
            .or(self.subagent.then_some(Format::SubagentTranscript))
            .or(self.bookkeeping.then_some(Format::Transcript))
    }
}

enum Told {
    Format(Format),
    /// A line that transcripts have, but that may stand elsewhere too.
    Bookkeeping,
    Nothing,
}

fn tell(object: &Map<String, Value>, first: bool) -> Told {
    let has = |key: &str| object.contains_key(key);
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let all = |keys: &[&str]| keys.iter().all(|key| object.contains_key(*key));
    let kind = text("type").unwrap_or_default();

    if first && object.get("hookscope").is_some_and(Value::is_number) {
        return Told::Format(Format::Recording);
    }
    if text("hook_event_name").is_some() {
        return Told::Format(Format::HookInputLog);
    }
    if has("parentUuid") && (has("sessionId") || has("isSidechain")) {
        if has("provenance")
            || has("systemPayload")
            || object.get("message").is_some_and(|it| it.get("parts").is_some())
        {
            return Told::Format(Format::QwenChat);
        }
        let of_subagent = object.get("isSidechain") == Some(&Value::Bool(true)) && text("agentId").is_some();
        return Told::Format(if of_subagent { Format::SubagentTranscript } else { Format::Transcript });
    }
    if has("sessionId") && has("projectHash") {
        return Told::Format(Format::GeminiChat);
    }
    // A chain line without its chain, as tools that rewrite transcripts leave it: a stream says `session_id`.
    if text("sessionId").is_some()
        && matches!(kind, "user" | "assistant")
        && object.get("message").is_some_and(|message| message.get("role").is_some() && message.get("parts").is_none())
    {
        return Told::Format(Format::Transcript);
    }
    const CODEX: &[&str] = &["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];
    if has("payload") && CODEX.contains(&kind) {
        return Told::Format(Format::CodexRollout);
    }
    if matches!(kind, "thread.started" | "turn.started" | "turn.completed" | "item.started" | "item.completed") {
        return Told::Format(Format::CodexStream);
    }
    if text("schema_version").is_some_and(|version| version.starts_with("ATIF")) {
        return Told::Format(Format::DevinAtif);
    }
    if all(&["session_id", "connection_name"]) || all(&["session_id", "working_directory", "created_at"]) {
        return Told::Format(Format::CortexSession);
    }
    if text("role").is_some() && has("content") && (has("user_sent_time") || has("is_user_prompt") || has("id")) {
        return Told::Format(Format::CortexSession);
    }
    let in_stream = match kind {
        "assistant" | "user" => has("message") && (has("session_id") || has("parent_tool_use_id")),
        "system" => has("subtype") && has("session_id"),
        "result" => has("subtype") || has("is_error"),
        "stream_event" => has("event"),
        "control_request" | "control_response" => has("request") || has("response"),
        "conversation_reset" | "rate_limit_event" | "tool_progress" | "auth_status" => has("session_id"),
        _ => false,
    };
    if in_stream {
        return Told::Format(Format::Stream);
    }
    const BOOKKEEPING: &[&str] = &[
        "queue-operation",
        "summary",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "agent-setting",
        "tag",
        "pr-link",
        "cost-state",
        "tools-used",
        "atis-latch",
        "api-request",
        "api-request-shape",
        "api-request-blob",
        "worktree-state",
        "relocated",
    ];
    if BOOKKEEPING.contains(&kind) {
        return Told::Bookkeeping;
    }
    if first && text("agentType").is_some() && !has("hooks") {
        return Told::Format(Format::SubagentMeta);
    }
    if has("hook_event_name") || object.values().any(tells_hook_event) {
        return Told::Format(Format::HookInputLog);
    }
    const SETTINGS: &[&str] = &["hooks", "permissions", "enabledPlugins", "disableAllHooks", "statusLine", "$schema"];
    if first && SETTINGS.iter().any(|key| object.contains_key(*key)) {
        return Told::Format(Format::Settings);
    }
    Told::Nothing
}

/// Whether a hook input is somewhere in a value, as an object or encoded in a text.
fn tells_hook_event(value: &Value) -> bool {
    match value {
        Value::String(text) => names_hook_event(text.as_bytes()),
        Value::Array(items) => items.iter().any(tells_hook_event),
        Value::Object(object) => object.contains_key("hook_event_name") || object.values().any(tells_hook_event),
        _ => false,
    }
}

fn names_hook_event(text: &[u8]) -> bool {
    contains(text, "\"hook_event_name\"") || contains(text, "\\\"hook_event_name\\\"")
}

fn contains(text: &[u8], word: &str) -> bool {
    memchr::memmem::find(text, word.as_bytes()).is_some()
}

/// Lines of the debug log start with a level, with or without a time before it.
fn is_debug_log(text: &[u8]) -> bool {
    const LEVELS: &[&str] = &["[DEBUG] ", "[INFO] ", "[WARN] ", "[ERROR] ", "[VERBOSE] "];
    let mut levelled = 0;
    let mut telling = false;
    for line in text.split(|byte| *byte == b'\n').take(200) {
        let line = String::from_utf8_lossy(&line[..line.len().min(400)]);
        let Some(rest) = after_time(&line).and_then(|rest| LEVELS.iter().find_map(|level| rest.strip_prefix(level)))
        else {
            continue;
        };
        if rest.starts_with('{') {
            return false;
        }
        levelled += 1;
        telling |= ["Hooks: ", "Hook ", "\"Hook ", "Hook result", "[API REQUEST]", "Applying permission update"]
            .iter()
            .any(|word| rest.starts_with(word))
            || rest.contains(" hook");
    }
    levelled >= 1 && telling
}

/// What follows a time at the start of a line; the line itself where there is none.
fn after_time(line: &str) -> Option<&str> {
    if line.starts_with('[') {
        return Some(line);
    }
    let (time, rest) = line.split_once(' ')?;
    (time.len() >= 19 && time.as_bytes()[..4].iter().all(u8::is_ascii_digit) && time.contains('T')).then_some(rest)
}

/// The entries of an object of which only a start is known. A value that is cut off stands as null.
fn start_of_object(bytes: &[u8]) -> Map<String, Value> {
    let mut object = Map::new();
    let Some(mut rest) = bytes.strip_prefix(b"{") else { return object };
    loop {
        let mut keys = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
        let Some(Ok(key)) = keys.next() else { return object };
        rest = rest[keys.byte_offset()..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b":") else { return object };
        let mut values = serde_json::Deserializer::from_slice(value).into_iter::<IgnoredAny>();
        if !matches!(values.next(), Some(Ok(_))) {
            object.insert(key, Value::Null);
            return object;
        }
        let end = values.byte_offset();
        object.insert(key, parse_lenient(&value[..end]).unwrap_or(Value::Null));
        rest = value[end..].trim_ascii_start();
        let Some(next) = rest.strip_prefix(b",") else { return object };
        rest = next.trim_ascii_start();
    }
}

/// Text in UTF-16, told by its byte order mark.
fn decode_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes[2..].chunks_exact(2).map(|unit| read([unit[0], unit[1]]));
    Some(char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into())
}

/// Whether a text is none: control characters that no log has, more than a few.
fn is_binary(text: &[u8]) -> bool {
    let odd = text.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count();
    odd * 50 > text.len() || std::str::from_utf8(text).is_err_and(|error| error.valid_up_to() * 4 < text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: impl AsRef<[u8]>, expect: Format) {
        assert_eq!(recognise(text.as_ref()), expect, "{}", String::from_utf8_lossy(text.as_ref()));
    }

    const CHAIN: &str = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{}}"#;
    const SIDE: &str = r#"{"parentUuid":null,"isSidechain":true,"agentId":"a","sessionId":"s","type":"user"}"#;
    const BOOK: &str = r#"{"type":"summary","summary":"{\"hook_event_name\":\"x\"}"}"#;
    const INPUT: &str = r#"{"session_id":"s","hook_event_name":"Stop"}"#;

    #[test]
    fn the_first_telling_object_decides() {
        check(CHAIN, Format::Transcript);
        check(format!("\u{feff}\n\nnull\n{{broken\n[1]\n{BOOK}\n{CHAIN}"), Format::Transcript);
        check(format!("{BOOK}\n{BOOK}"), Format::Transcript);
        check(SIDE, Format::SubagentTranscript);
        check(format!("{SIDE}\n{SIDE}\n{CHAIN}"), Format::Transcript);
        check(INPUT, Format::HookInputLog);
        check(format!("=== start\n2026 {{\"a\":1}}\n{{\"x\": j}}\n{{\"d\":{INPUT}}}"), Format::HookInputLog);
        check(format!("{:?}", INPUT), Format::HookInputLog);
        check(format!("{{\"m\":{INPUT:?}}}"), Format::HookInputLog);
        check(r#"{"hookscope":1,"dialect":"claude-code"}"#, Format::Recording);
        check(r#"{"type":"system","subtype":"init","session_id":"s"}"#, Format::Stream);
        check(r#"{"type":"assistant","message":{},"session_id":"s"}"#, Format::Stream);
        check("{\n \"hooks\": {}\n}", Format::Settings);
        check("{\"agentType\":\"Explore\"}", Format::SubagentMeta);
        check("[DEBUG] Hooks: Found 0 total hooks in registry\n", Format::DebugLog);
        check("2026-11-30T18:05:03.771Z [DEBUG] Hooks: Stop [x] finished with status 0 (1ms)", Format::DebugLog);
        check(format!("[DEBUG] {INPUT}"), Format::HookInputLog);
    }

    #[test]
    fn a_chain_line_without_its_chain_is_a_line_of_a_transcript() {
        let line = r#"{"sessionId":"s","type":"user","message":{"role":"user","content":"go"}}"#;
        check(line, Format::Transcript);
        check(format!("{SIDE}\n{line}"), Format::Transcript);
        check(line.replace("sessionId", "id"), Format::UnknownText);
        check(line.replace("content", "parts"), Format::UnknownText);
        check(line.replace("sessionId", "session_id"), Format::Stream);
    }

    #[test]
    fn what_is_no_session_is_told_apart() {
        check("", Format::Empty);
        check(" \n\r\n\t", Format::Empty);
        check("\u{feff}\n", Format::Empty);
        check("# Notes\n\nNothing here. {x}\n", Format::UnknownText);
        check(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0", Format::Binary);
        check(b"SQLite format 3\0 CREATE TABLE x", Format::Binary);
        check("#!/bin/sh\nexit 2\n", Format::UnknownText);
    }

    #[test]
    fn a_line_longer_than_the_prefix_is_told_by_its_first_keys() {
        let long = "x".repeat(10_000);
        check(
            format!(r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":"{long}"#),
            Format::Transcript,
        );
        check(format!(r#"{{"type":"assistant","message":{{"content":"{long}"#), Format::Stream);
        check(format!(r#"{{"t":1,"d":{{"hook_event_name":"Stop","x":"{long}"#), Format::HookInputLog);
        check(format!("{{\n\"schema_version\":\"ATIF-v1.7\",\n\"steps\":[{{\"m\":\"{long}"), Format::DevinAtif);
    }

    #[test]
    fn sixteen_bit_text_and_stray_nuls_are_no_obstacle() {
        let wide: Vec<u8> = [0xFEFF].into_iter().chain(CHAIN.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        check(wide, Format::Transcript);
        check(format!("\0\0\0\n{CHAIN}"), Format::Transcript);
    }

    proptest! {
        #[test]
        fn any_bytes_are_something(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            recognise(&bytes);
        }

        #[test]
        fn a_prefix_of_any_length_never_names_another_agent(cut in 0_usize..400) {
            let text = format!("{BOOK}\n{CHAIN}\n{CHAIN}\n");
            let format = recognise(&text.as_bytes()[..cut.min(text.len())]);
            prop_assert_ne!(format.role(), Role::NotYet);
        }
    }
}
