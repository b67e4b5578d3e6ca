//! One transcript line as far as it is read: borrowed, lenient, without the bodies.
//!
//! Owns which fields are read, and decoding. Must not know what a line means.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

use super::lenient::{Flag, Number, Object, Str, skip_map, skip_others};
use super::text::without_lone_surrogates;
use crate::model::Time;

/// What a message holds.
#[derive(Debug, Default)]
pub enum Content<'a> {
    /// Nothing usable.
    #[default]
    None,
    /// Plain text.
    Text(Cow<'a, str>),
    /// Content blocks.
    Blocks(Vec<Object<Block<'a>>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
            type Value = Content<'a>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(v)))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(v.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::with_capacity(1);
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
            skip_others!(Content::None; visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
            skip_map!(Content::None);
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// A JSON value of which only the place is kept.
pub type Raw<'a> = Option<&'a RawValue>;

/// One content block.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub id: Str<'a>,
    #[serde(borrow)]
    pub name: Str<'a>,
    #[serde(borrow)]
    pub tool_use_id: Str<'a>,
    pub is_error: Flag,
    #[serde(borrow)]
    pub text: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
}

/// `message` of user and assistant lines.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub id: Str<'a>,
    #[serde(borrow)]
    pub model: Str<'a>,
    #[serde(borrow)]
    pub stop_reason: Str<'a>,
    #[serde(borrow)]
    pub content: Content<'a>,
}

/// `attachment`, and `data` of the older progress lines.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub hook_name: Str<'a>,
    #[serde(borrow)]
    pub hook_event: Str<'a>,
    #[serde(borrow, rename = "toolUseID")]
    pub tool_use_id: Str<'a>,
    #[serde(borrow)]
    pub tool_name: Str<'a>,
    #[serde(borrow)]
    pub command: Str<'a>,
    pub exit_code: Number,
    pub duration_ms: Number,
    #[serde(borrow)]
    pub decision: Str<'a>,
    #[serde(borrow)]
    pub command_mode: Str<'a>,
    pub is_meta: Flag,
    #[serde(borrow)]
    pub blocking_error: Object<BlockingError<'a>>,
    #[serde(borrow)]
    pub stdout: Raw<'a>,
    #[serde(borrow)]
    pub stderr: Raw<'a>,
    #[serde(borrow)]
    pub prompt: Raw<'a>,
    #[serde(borrow)]
    pub files: Raw<'a>,
}

/// `blockingError` of an attachment.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct BlockingError<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
}

/// `permissionDecision` of a tool result's line.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct PermissionDecision<'a> {
    #[serde(borrow)]
    pub decision: Str<'a>,
    #[serde(borrow)]
    pub source: Str<'a>,
    #[serde(borrow)]
    pub reason_type: Str<'a>,
    #[serde(borrow)]
    pub reason_code: Str<'a>,
}

/// `compactMetadata` of a boundary.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactMetadata<'a> {
    #[serde(borrow)]
    pub trigger: Str<'a>,
    pub duration_ms: Number,
}

/// `promptSubmitEnding` of an informational line.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct PromptSubmitEnding<'a> {
    #[serde(borrow)]
    pub ending: Object<PromptEnding<'a>>,
}

/// How the submission ended.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct PromptEnding<'a> {
    #[serde(borrow)]
    pub kind: Str<'a>,
}

/// `commandRun` of a local command's line.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub struct CommandRun<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
}

/// One entry of `hookInfos`.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub struct HookInfo<'a> {
    #[serde(borrow)]
    pub command: Str<'a>,
    pub duration_ms: Number,
}

macro_rules! envelope {
    ($($field:ident: $ty:ty = $key:literal, $variant:ident;)*) => {
        /// A line's envelope.
        #[derive(Debug, Default)]
        pub struct Line<'a> {
            $(#[doc = concat!("`", $key, "`.")] pub $field: $ty,)*
        }

        /// Which field comes next.
        #[derive(Deserialize)]
        #[serde(field_identifier)]
        enum Key {
            $(#[serde(rename = $key)] $variant,)*
            #[serde(other)]
            Other,
        }

        /// Fills a line where it stands: it is too large to be handed around a few million times. Of a repeated key
        /// the last counts.
        struct Fill<'x, 'a>(&'x mut Line<'a>);

        impl<'de: 'a, 'a> Visitor<'de> for Fill<'_, 'a> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                while let Some(key) = map.next_key()? {
                    match key {
                        $(Key::$variant => self.0.$field = map.next_value()?,)*
                        Key::Other => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(())
            }
        }
    };
}

envelope! {
    kind: Str<'a> = "type", Kind;
    subtype: Str<'a> = "subtype", Subtype;
    uuid: Str<'a> = "uuid", Uuid;
    parent_uuid: Str<'a> = "parentUuid", ParentUuid;
    session_id: Str<'a> = "sessionId", SessionId;
    timestamp: Str<'a> = "timestamp", Timestamp;
    cwd: Str<'a> = "cwd", Cwd;
    git_branch: Str<'a> = "gitBranch", GitBranch;
    version: Str<'a> = "version", Version;
    entrypoint: Str<'a> = "entrypoint", Entrypoint;
    prompt_id: Str<'a> = "promptId", PromptId;
    permission_mode: Str<'a> = "permissionMode", PermissionMode;
    prompt_source: Str<'a> = "promptSource", PromptSource;
    per_turn_effort: Str<'a> = "perTurnEffort", PerTurnEffort;
    agent_id: Str<'a> = "agentId", AgentId;
    is_sidechain: Flag = "isSidechain", IsSidechain;
    is_meta: Flag = "isMeta", IsMeta;
    is_compact_summary: Flag = "isCompactSummary", IsCompactSummary;
    is_api_error_message: Flag = "isApiErrorMessage", IsApiErrorMessage;
    error: Str<'a> = "error", Error;
    message: Object<Message<'a>> = "message", Message;
    attachment: Object<Box<Attachment<'a>>> = "attachment", Attachment;
    data: Object<Box<Attachment<'a>>> = "data", Data;
    tool_use_result: Raw<'a> = "toolUseResult", ToolUseResult;
    tool_denial_kind: Str<'a> = "toolDenialKind", ToolDenialKind;
    permission_decision: Object<PermissionDecision<'a>> = "permissionDecision", PermissionDecision;
    tool_use_id: Str<'a> = "toolUseID", ToolUseId;
    forked_from: Raw<'a> = "forkedFrom", ForkedFrom;
    content: Raw<'a> = "content", Content;
    hook_infos: Raw<'a> = "hookInfos", HookInfos;
    hook_errors: Raw<'a> = "hookErrors", HookErrors;
    hook_additional_context: Raw<'a> = "hookAdditionalContext", HookAdditionalContext;
    prevented_continuation: Flag = "preventedContinuation", PreventedContinuation;
    compact_metadata: Object<CompactMetadata<'a>> = "compactMetadata", CompactMetadata;
    prompt_submit_ending: Object<PromptSubmitEnding<'a>> = "promptSubmitEnding", PromptSubmitEnding;
    command_run: Object<CommandRun<'a>> = "commandRun", CommandRun;
    ai_title: Str<'a> = "aiTitle", AiTitle;
    custom_title: Str<'a> = "customTitle", CustomTitle;
    summary: Str<'a> = "summary", Summary;
    operation: Str<'a> = "operation", Operation;
}

/// Reads an object into `line`.
fn fill<'a>(text: &'a str, line: &mut Line<'a>) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Fill(line))?;
    json.end()
}

impl Line<'_> {
    /// When it was written.
    pub fn time(&self) -> Time {
        self.timestamp.get().map_or(Time::UNKNOWN, Time::read)
    }
}

/// Why a line is no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, one sentence.
    pub message: String,
    /// 1-based, in characters, where it is known.
    pub column: Option<u32>,
    /// What to do or to know.
    pub help: &'static str,
}

/// What else was found while decoding a line that is usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    None,
    /// Bytes that are no UTF-8 were replaced.
    InvalidUtf8,
}

/// Decodes a line and hands it on. The fast way borrows everything; a line that it can't take (lone surrogates,
/// repeated keys, bytes that are no UTF-8) is mended and read again.
pub fn with_line<R>(bytes: &[u8], take: impl FnOnce(&Line, Repair) -> R) -> Result<R, Problem> {
    let (text, repair) = match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Repair::None),
        Err(_) => (String::from_utf8_lossy(bytes), Repair::InvalidUtf8),
    };
    if !text.starts_with('{') {
        return Err(not_an_object(&text));
    }
    let mut line = Line::default();
    let first = match fill(&text, &mut line) {
        Ok(()) => return Ok(take(&line, repair)),
        Err(error) => error,
    };
    // Lone surrogates and repeated keys are legal JSON text that the strict reading refuses.
    let mended = without_lone_surrogates(&text);
    let value: serde_json::Value = serde_json::from_str(&mended).map_err(|_| broken(&text, &first))?;
    let text = value.to_string();
    let mut line = Line::default();
    fill(&text, &mut line).map_err(|_| broken(&text, &first))?;
    Ok(take(&line, repair))
}

fn not_an_object(text: &str) -> Problem {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => {
            let what = match text.as_bytes().first() {
                Some(b'[') => "a list",
                Some(b'"') => "a string",
                Some(b'n') => "null",
                Some(b't' | b'f') => "a boolean",
                _ => "a number",
            };
            Problem {
                message: format!("the line is {what}, not a JSON object"),
                column: Some(1),
                help: "every line of a transcript is one JSON object; the other lines are shown",
            }
        }
        Err(error) => broken(text, &error),
    }
}

fn broken(text: &str, error: &serde_json::Error) -> Problem {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    let help = if error.is_eof() {
        "the line was cut off, as when the client is killed while writing; the other lines are shown"
    } else {
        "the other lines are shown"
    };
    // The library counts bytes.
    let before = error.column().saturating_sub(1).min(text.len());
    let column = String::from_utf8_lossy(&text.as_bytes()[..before]).chars().count() + 1;
    let column = u32::try_from(column).unwrap_or(u32::MAX);
    Problem { message: format!("the line is no valid JSON: {said}"), column: Some(column), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_another_type_count_as_absent() {
        let text = r#"{"type":7,"uuid":["x"],"isMeta":"yes","message":"hello","attachment":null,"timestamp":{}}"#;
        with_line(text.as_bytes(), |line, _| {
            assert!(line.kind.get().is_none() && line.uuid.get().is_none() && !line.is_meta.0);
            assert!(line.message.0.is_none() && line.attachment.0.is_none());
        })
        .unwrap();
    }

    #[test]
    fn lone_surrogates_and_repeated_keys_do_not_cost_the_line() {
        for text in [
            r#"{"type":"user","message":{"content":"\ud83d half \\ud83d"}}"#,
            r#"{"type":"system","type":"user","message":{"content":"x"}}"#,
        ] {
            with_line(text.as_bytes(), |line, _| assert_eq!(line.kind.text(), "user")).unwrap();
        }
    }

    #[test]
    fn a_problem_names_what_and_where() {
        let check = |text: &str, message: &str, column| {
            let problem = with_line(text.as_bytes(), |_, _| ()).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.column, Some(column), "{text}");
        };
        check("[]", "a list", 1);
        check("null", "null", 1);
        check("42", "a number", 1);
        check(r#"{"a":1}{"b":2}"#, "trailing characters", 8);
        check(r#"{"a":"#, "EOF", 5);
        check("not json", "expected ident", 2);
    }
}
