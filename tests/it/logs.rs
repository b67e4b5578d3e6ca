//! Logs that people's own hooks write, and telling formats apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookscope::dialect::hook_log::{HookLog, dialect_of, extract_input};
use hookscope::dialect::{Format, Output, PREFIX, Reader, Shared, recognise};
use hookscope::model::{LineRef, Origin, SourceIx};
use serde_json::Value;

pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

/// Hands a file to a reader line by line, as the pipeline does.
pub fn read_with(reader: &mut dyn Reader, text: &[u8], shared: &mut Shared) -> Output {
    let mut out = Output::default();
    let mut offset = 0;
    for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        reader.line(LineRef::new(SourceIx(0), offset, bare.len() as u32, number as u32 + 1), bare, shared, &mut out);
        offset += line.len() as u64;
    }
    reader.end(shared, &mut out);
    out
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<String, u64> {
    names.fold(BTreeMap::new(), |mut counts, name| {
        *counts.entry(name.to_owned()).or_default() += 1;
        counts
    })
}

fn expected(expect: &Value, key: &str) -> BTreeMap<String, u64> {
    serde_json::from_value(expect[key].clone()).unwrap()
}

fn check_log(name: &str) {
    let text = std::fs::read(data(&format!("logs/{name}"))).unwrap();
    let stem = name.rsplit_once('.').unwrap().0;
    let expect: Value =
        serde_json::from_slice(&std::fs::read(data(&format!("logs/{stem}.expect.json"))).unwrap()).unwrap();
    assert_eq!(recognise(&text[..text.len().min(PREFIX)]).name(), expect["format"], "{name}");

    let (mut shared, mut log) = (Shared::new(), HookLog::new());
    let out = read_with(&mut log, &text, &mut shared);
    assert_eq!(out.events.len() as u64, expect["records"].as_u64().unwrap(), "{name}");
    assert_eq!(out.marks.len(), out.events.len(), "{name}: each input is a trace of its own");
    let names = count(out.events.iter().map(|event| shared.names.text(event.name)));
    assert_eq!(names, expected(&expect, "events"), "{name}");
    let dialects =
        count(out.events.iter().map(|event| match shared.names.text(shared.contexts[event.context.at()].dialect) {
            "" => "claude",
            other => other,
        }));
    assert_eq!(dialects, expected(&expect, "dialects"), "{name}");
    let sessions = count(out.events.iter().map(|event| shared.names.text(shared.contexts[event.context.at()].session)));
    assert_eq!(sessions.len() as u64, expect["sessions"].as_u64().unwrap(), "{name}");
    if let Some(stray) = expect["stray_lines"].as_u64() {
        assert_eq!(u64::from(log.stray_lines()), stray, "{name}");
    }
    assert_eq!(u64::from(log.other_objects()), expect["other_objects"].as_u64().unwrap_or(0), "{name}");
    for (key, event) in [("first_time", out.events.first()), ("last_time", out.events.last())] {
        if let Some(text) = expect[key].as_str() {
            let time: jiff::Timestamp = text.parse().unwrap();
            assert_eq!(event.unwrap().time.millis(), Some(time.as_millisecond()), "{name}: {key}");
        }
    }
    for event in &out.events {
        let at = event.at.offset() as usize;
        let input = extract_input(&text[at..at + event.at.len as usize]).expect("the input is at its place");
        assert_eq!(input["hook_event_name"], shared.names.text(event.name));
        assert!(["claude-code", "codex", "devin"].contains(&dialect_of(&input)));
        assert_eq!(event.origin, Origin::Recorded);
        if let Some(tool) = input["tool_name"].as_str().filter(|_| !event.calls.first.is_some()) {
            assert_eq!(input["hook_event_name"], "PermissionRequest", "{tool} has a call");
        }
    }
    assert!(out.diagnostics.is_empty(), "{name}: {:?}", out.diagnostics);
}

#[test]
fn inputs_appended_without_line_ends_are_events() {
    check_log("l01-cat-append.log");
}

#[test]
fn indented_inputs_are_events() {
    check_log("l02-jq-pretty.log");
}

#[test]
fn inputs_behind_a_time_are_events() {
    check_log("l03-time-prefix.log");
}

#[test]
fn inputs_in_a_wrapper_are_events() {
    check_log("l04-wrapper.jsonl");
}

#[test]
fn inputs_between_separators_and_tracebacks_are_events() {
    check_log("l05-python-indent-mixed.log");
}

#[test]
fn carriage_returns_and_wrapping_into_strings_change_nothing() {
    let text = std::fs::read_to_string(data("logs/l05-python-indent-mixed.log")).unwrap();
    let windows = text.replace('\n', "\r\n");
    let as_string = serde_json::json!({ "log": text }).to_string();
    let as_list = format!(
        "[\n{}\n]",
        std::fs::read_to_string(data("logs/l02-jq-pretty.log")).unwrap().replace("\n}\n", "\n},\n")
    );
    for text in [&text, &windows, &as_string, &as_list] {
        let mut shared = Shared::new();
        let out = read_with(&mut HookLog::new(), text.as_bytes(), &mut shared);
        assert_eq!(out.events.len(), 9);
    }
}

#[test]
fn formats_are_told_by_content() {
    let table = [
        ("codex-rollout", Format::CodexRollout),
        ("codex-stream", Format::CodexStream),
        ("codex-hook-inputs", Format::HookInputLog),
        ("cortex-session", Format::CortexSession),
        ("cortex-history", Format::CortexSession),
        ("cortex-embedded", Format::CortexSession),
        ("debug-log", Format::DebugLog),
        ("debug-log-old", Format::DebugLog),
        ("devin-atif", Format::DevinAtif),
        ("gemini-chat", Format::GeminiChat),
        ("gemini-hook-inputs", Format::HookInputLog),
        ("qwen-chat", Format::QwenChat),
        ("settings", Format::Settings),
        ("stream", Format::Stream),
        ("subagent-meta", Format::SubagentMeta),
        ("subagent-transcript", Format::SubagentTranscript),
        ("transcript-start", Format::Transcript),
    ];
    for (name, format) in table {
        let text = std::fs::read(data(&format!("logs/other/{name}"))).unwrap();
        assert_eq!(recognise(&text), format, "{name}");
    }
}
