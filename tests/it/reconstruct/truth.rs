//! Recorded sessions beside what their hooks really got.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::merge::{Loaded, load};

/// The events that are measured, and the fields that tell two of a kind apart.
const MEASURED: &[(&str, &[&str])] = &[
    ("SessionStart", &["source"]),
    ("UserPromptSubmit", &["prompt"]),
    ("PreToolUse", &["tool_use_id", "agent_id"]),
    ("PostToolUse", &["tool_use_id", "agent_id"]),
    ("PostToolUseFailure", &["tool_use_id", "agent_id"]),
    ("PostToolBatch", &["tool_calls", "agent_id"]),
    ("Stop", &["last_assistant_message", "stop_hook_active"]),
    ("SubagentStart", &["agent_id", "agent_type"]),
    ("SubagentStop", &["agent_type", "stop_hook_active"]),
    ("PreCompact", &["trigger"]),
    ("PostCompact", &["trigger"]),
    ("SessionEnd", &["reason"]),
    ("PermissionRequest", &["tool_name", "tool_input"]),
    ("StopFailure", &["error"]),
    ("InstructionsLoaded", &["file_path", "load_reason"]),
    ("CwdChanged", &["new_cwd"]),
    ("MessageDisplay", &["delta"]),
];

/// Of these the aim holds.
const AIMED_AT: usize = 12;

/// What is known not to be in a transcript: session, event, why.
const MISSES: &[(&str, &str, &str)] = &[
    ("setup-init", "Setup", "a mute hook of an event that leaves no line"),
    ("setup-maintenance", "Setup", "a mute hook of an event that leaves no line"),
    ("elicitation", "Elicitation", "the question of an MCP server is not written down"),
];

/// Fields whose values cannot be told from the copied files: they name the place where the session was recorded.
const PLACES: &[&str] = &["transcript_path", "agent_transcript_path"];

pub fn sessions() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth-sessions");
    let mut found: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .flat_map(|version| fs::read_dir(version.unwrap().path()).unwrap().map(|dir| dir.unwrap().path()))
        .collect();
    found.sort();
    found
}

/// Everything a session directory holds, its files in the order in which they were begun.
pub fn loaded(dir: &Path) -> Vec<Loaded> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl") && !path.ends_with("fired.jsonl"))
        .collect();
    files.sort();
    let mut loaded: Vec<Loaded> = files.iter().map(|path| load(path)).collect();
    loaded.sort_by_key(|one| one.session.span().map(|(first, _)| first));
    loaded
}

fn fired(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("fired.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn derived(dir: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for one in loaded(dir) {
        all.extend((0..one.session.events.len()).filter_map(|ix| one.input(ix)));
    }
    all
}

fn key(input: &Value) -> Option<String> {
    let name = input["hook_event_name"].as_str()?;
    let (_, fields) = MEASURED.iter().find(|(measured, _)| *measured == name)?;
    let mut key = Map::new();
    for field in *fields {
        let value = match *field {
            "tool_calls" => {
                let ids = input["tool_calls"].as_array()?.iter().map(|call| call["tool_use_id"].clone());
                Value::Array(ids.collect())
            }
            field => input.get(field).cloned().unwrap_or_default(),
        };
        key.insert((*field).to_owned(), value);
    }
    Some(format!("{name} {}", sorted(&Value::Object(key))))
}

/// Text with the keys in order, so that equal values give equal texts.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let fields: BTreeMap<&String, String> = map.iter().map(|(key, value)| (key, sorted(value))).collect();
            format!("{fields:?}")
        }
        Value::Array(list) => format!("{:?}", list.iter().map(sorted).collect::<Vec<_>>()),
        other => other.to_string(),
    }
}

/// Length of the longest common subsequence.
fn in_order(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (ix, y) in b.iter().enumerate() {
            let above = row[ix + 1];
            row[ix + 1] = if x == y { diagonal + 1 } else { above.max(row[ix]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

#[derive(Default)]
struct Count {
    fired: usize,
    derived: usize,
    both: usize,
}

impl Count {
    fn recall(&self) -> f64 {
        if self.fired == 0 { 1.0 } else { self.both as f64 / self.fired as f64 }
    }
    fn precision(&self) -> f64 {
        if self.derived == 0 { 1.0 } else { self.both as f64 / self.derived as f64 }
    }
}

#[test]
fn recorded_sessions_give_the_events_that_fired() {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let (mut longest, mut steps) = (0, 0);
    let mut notes = Vec::new();
    for dir in sessions() {
        let session = format!(
            "{}/{}",
            dir.parent().unwrap().file_name().unwrap().to_string_lossy(),
            dir.file_name().unwrap().to_string_lossy()
        );
        let real: Vec<String> = fired(&dir).iter().filter_map(key).collect();
        let ours: Vec<String> = derived(&dir).iter().filter_map(key).collect();
        for input in fired(&dir) {
            let name = input["hook_event_name"].as_str().unwrap();
            let known = MEASURED.iter().any(|(measured, _)| *measured == name);
            let explained = MISSES.iter().find(|miss| session.ends_with(miss.0) && miss.1 == name);
            assert!(known || explained.is_some(), "{session}: {name} is neither measured nor explained");
            if let Some((_, _, why)) = explained {
                notes.push(format!("{session}: no {name}: {why}"));
            }
        }
        let mut left = real.clone();
        for key in &ours {
            let count = counts.entry(measured(key)).or_default();
            count.derived += 1;
            match left.iter().position(|other| other == key) {
                Some(at) => {
                    left.remove(at);
                    count.both += 1;
                }
                None => notes.push(format!("{session}: did not fire: {key}")),
            }
        }
        for key in &real {
            counts.entry(measured(key)).or_default().fired += 1;
        }
        notes.extend(left.iter().map(|key| format!("{session}: missed: {key}")));
        let common = in_order(&real, &ours);
        longest += common;
        steps += real.len().max(ours.len());
        if common < real.len().max(ours.len()) {
            notes.push(format!("{session}: {common} of {} in order", real.len().max(ours.len())));
        }
    }
    println!("{:<20} {:>6} {:>8} {:>7} {:>10}", "event", "fired", "derived", "recall", "precision");
    let mut all = Count::default();
    for (name, _) in MEASURED {
        let Some(count) = counts.get(name) else { continue };
        println!(
            "{name:<20} {:>6} {:>8} {:>7.3} {:>10.3}",
            count.fired,
            count.derived,
            count.recall(),
            count.precision()
        );
        if MEASURED[..AIMED_AT].iter().any(|(aimed, _)| aimed == name) {
            all.fired += count.fired;
            all.derived += count.derived;
            all.both += count.both;
        }
    }
    println!("aimed at: recall {:.4}, precision {:.4}", all.recall(), all.precision());
    println!("in order: {longest} of {steps}");
    for note in &notes {
        println!("{note}");
    }
    assert!(all.recall() >= 0.98 && all.precision() >= 0.98);
    for (name, _) in &MEASURED[..AIMED_AT] {
        let count = counts.get(name).unwrap_or_else(|| panic!("no {name} at all"));
        assert!(count.recall() >= 0.98 && count.precision() >= 0.98, "{name}");
    }
    assert!(longest as f64 >= 0.98 * steps as f64);
}

fn measured(key: &str) -> &'static str {
    MEASURED.iter().map(|(name, _)| *name).find(|name| key.split(' ').next() == Some(name)).unwrap()
}

#[test]
fn hook_inputs_say_nothing_that_the_real_ones_did_not_say() {
    let (mut told, mut real_fields) = (0, 0);
    let mut wrong = Vec::new();
    for dir in sessions() {
        let mut real = fired(&dir);
        for ours in derived(&dir) {
            let Some(wanted) = key(&ours) else { continue };
            let Some(at) = real.iter().position(|input| key(input).as_ref() == Some(&wanted)) else { continue };
            let theirs = real.remove(at);
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            real_fields += theirs.len();
            let order = |map: &Map<String, Value>| {
                let shared: Vec<String> = map.keys().filter(|k| ours.contains_key(*k)).cloned().collect();
                shared
            };
            for (field, value) in ours {
                if PLACES.contains(&field.as_str()) {
                    assert!(theirs.contains_key(field), "{field}");
                    told += 1;
                    continue;
                }
                match theirs.get(field) {
                    Some(other) if other == value => told += 1,
                    other => wrong.push(format!("{}: {wanted}: {field} is {value}, was {other:?}", dir.display())),
                }
            }
            let theirs_order = order(theirs);
            if theirs_order != order(ours) {
                wrong.push(format!("{}: {wanted}: keys {:?}, were {theirs_order:?}", dir.display(), order(ours)));
            }
        }
    }
    println!("{told} of {real_fields} fields of the real inputs are told");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told * 100 >= real_fields * 85);
}
