//! Made-up transcripts of several client versions, held against their expectation files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hookscope::model::{Ending, Event, EventIx, MarkKind, Says};
use serde_json::Value;

use super::merge::{Loaded, lines, load};
use hookscope::model::SourceIx;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts")
}

fn expectation(name: &str) -> (Loaded, Value) {
    let path = folder().join(format!("{name}.jsonl"));
    let expect = fs::read_to_string(folder().join(format!("{name}.expect.json"))).unwrap();
    (load(&path), serde_json::from_str(&expect).unwrap())
}

const NAMES: &[&str] = &[
    "t01-v1.0-basic",
    "t02-v2.0-stop-summary-compact",
    "t03-v2.1.39-progress-parallel",
    "t04-v2.1.140-attachments",
    "t05-v2.1.226-stop-loop",
    "t06-broken-lines",
    "t07-sidechains-duplicates",
];

fn count_by<'a>(keys: impl Iterator<Item = &'a str>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key.to_owned()).or_default() += 1;
    }
    counts
}

fn wanted(value: &Value) -> BTreeMap<String, u64> {
    let map = value.as_object().into_iter().flatten();
    map.filter_map(|(key, value)| Some((key.clone(), value.as_u64()?))).filter(|(_, n)| *n > 0).collect()
}

#[test]
fn made_up_transcripts_give_the_expected_events() {
    for name in NAMES {
        let (loaded, expect) = expectation(name);
        let counts = count_by(loaded.session.events.iter().map(|event| loaded.name(event)));
        for (event, number) in expect["events"].as_object().unwrap() {
            assert_eq!(counts.get(event).copied().unwrap_or(0), number.as_u64().unwrap(), "{name}: {event}");
        }
    }
}

#[test]
fn made_up_transcripts_give_the_expected_endings_of_calls() {
    for name in NAMES {
        let (loaded, expect) = expectation(name);
        let calls = &loaded.session.calls[0];
        let mut counts = count_by(calls.iter().map(|call| match call.ending {
            Ending::Pending => "pending",
            Ending::Succeeded => "succeeded",
            Ending::Failed => "failed",
            Ending::DeniedByHook => "denied_by_hook",
            Ending::DeniedByRule => "denied_by_rule",
            Ending::Rejected => "rejected",
            Ending::Interrupted => "interrupted",
            Ending::Cancelled => "cancelled",
            Ending::Deferred => "deferred",
            Ending::RefusedBeforeHooks => "refused_before_hooks",
        }));
        counts.insert("calls".to_owned(), calls.len() as u64);
        assert_eq!(counts, wanted(&expect["tools"]), "{name}");
    }
}

#[test]
fn made_up_transcripts_give_the_expected_traces_of_hooks() {
    for name in NAMES {
        let (loaded, expect) = expectation(name);
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        for (ix, event) in loaded.session.events.iter().enumerate() {
            let event = loaded.name(event);
            for mark in loaded.session.marks_of(EventIx(ix as u32)) {
                let outcome = match mark.kind {
                    MarkKind::Started => "started",
                    MarkKind::StopSummary if mark.says == Some(Says::Block) => "blocking",
                    MarkKind::StopSummary => "success",
                    _ if event == "Stop" => continue,
                    MarkKind::Success => "success",
                    MarkKind::Context => "context",
                    MarkKind::NonBlockingError => "non_blocking_error",
                    MarkKind::Blocking | MarkKind::RefusedCall => "blocking",
                    MarkKind::Cancelled => "cancelled",
                    MarkKind::SystemMessage => "system_message",
                    MarkKind::Stopped => "stopped",
                    MarkKind::Async => "async",
                    MarkKind::PermissionDecision => "decision",
                    _ => continue,
                };
                *found.entry(format!("{event}/{outcome}")).or_default() += 1;
            }
        }
        assert_eq!(found, wanted(&expect["recorded_hooks"]), "{name}");
    }
}

#[test]
fn made_up_transcripts_give_the_expected_stop_loops() {
    for name in NAMES {
        let (loaded, expect) = expectation(name);
        if expect["stop"].is_null() {
            continue;
        }
        let stops: Vec<EventIx> = (0..loaded.session.events.len())
            .filter(|&ix| loaded.name(&loaded.session.events[ix]) == "Stop")
            .map(|ix| EventIx(ix as u32))
            .collect();
        let summary = |ix: EventIx| {
            let summed: Vec<_> =
                loaded.session.marks_of(ix).filter(|mark| mark.kind == MarkKind::StopSummary).copied().collect();
            (!summed.is_empty()).then(|| summed.iter().any(|mark| mark.says == Some(Says::Block)))
        };
        let summaries: Vec<bool> = stops.iter().filter_map(|&ix| summary(ix)).collect();
        assert_eq!(summaries.len() as u64, expect["stop"]["summaries"].as_u64().unwrap(), "{name}");
        let blocked = summaries.iter().filter(|blocked| **blocked).count();
        assert_eq!(blocked as u64, expect["stop"]["blocked"].as_u64().unwrap(), "{name}");
        if let Some(longest) = expect["stop"]["longest_run"].as_u64() {
            let runs = summaries.split(|blocked| !blocked).map(<[bool]>::len).max().unwrap();
            assert_eq!(runs as u64, longest, "{name}");
            let cap = stops
                .iter()
                .filter(|&&ix| loaded.session.marks_of(ix).any(|mark| mark.kind == MarkKind::Informational));
            assert_eq!(cap.count(), 1, "{name}: the cap is told at one stop");
        }
        // The flag is false for the first stop of a prompt and true for those that a hook brought about.
        let flags: Vec<bool> =
            stops.iter().map(|ix| loaded.session.events[ix.at()].stop_hook_active.unwrap()).collect();
        assert!(!flags[0], "{name}");
        assert_eq!(flags.iter().filter(|flag| **flag).count(), blocked.saturating_sub(1), "{name}");
    }
}

#[test]
fn broken_lines_are_events_that_say_what_is_wrong() {
    for name in NAMES {
        let (loaded, expect) = expectation(name);
        let unreadable: Vec<&Event> =
            loaded.session.events.iter().filter(|event| loaded.name(event) == Event::UNREADABLE).collect();
        let found: BTreeSet<u64> = unreadable.iter().map(|event| u64::from(event.at.line)).collect();
        let malformed: BTreeSet<u64> =
            expect["lines"]["malformed"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
        assert!(malformed.is_subset(&found), "{name}: {malformed:?} in {found:?}");
        let others = expect["lines"]["non_objects"].as_u64().unwrap();
        assert_eq!(found.len() as u64, malformed.len() as u64 + others, "{name}");
        for event in unreadable {
            let diagnostic = &loaded.session.diagnostics[event.diagnostic as usize];
            assert_eq!(diagnostic.place.line, Some(event.at.line), "{name}");
            assert!(diagnostic.place.column.is_some() && diagnostic.help.is_some(), "{name}: {diagnostic:?}");
        }
    }
}

#[test]
fn repeated_lines_are_counted_and_passed_over() {
    use hookscope::dialect::Shared;
    use hookscope::dialect::claude_code::Transcript;
    for name in NAMES {
        let bytes = fs::read(folder().join(format!("{name}.jsonl"))).unwrap();
        let (_, expect) = expectation(name);
        let mut reader = Transcript::main(None);
        super::merge::read(&mut reader, SourceIx(0), &bytes, &mut Shared::new());
        assert_eq!(reader.repeated(), expect["duplicate_uuid_lines"].as_u64().unwrap(), "{name}");
        let total = lines(SourceIx(0), &bytes).len() as u64;
        assert_eq!(total, expect["lines"]["total"].as_u64().unwrap(), "{name}");
    }
}

#[test]
fn results_that_overtake_show_that_calls_ran_side_by_side() {
    let (loaded, expect) = expectation("t03-v2.1.39-progress-parallel");
    let ids = |name: &str| -> Vec<String> {
        let inputs = (0..loaded.session.events.len()).filter_map(|ix| loaded.input(ix));
        inputs
            .filter(|input| input["hook_event_name"].as_str().unwrap().starts_with(name))
            .filter_map(|input| Some(input.get("tool_use_id")?.as_str()?.to_owned()))
            .collect()
    };
    assert_eq!(Value::from(ids("PostToolUse")), expect["result_order"]);
    assert_eq!(ids("PreToolUse"), ["toolu_03A", "toolu_03B", "toolu_03C", "toolu_03D"]);
}

#[test]
fn inline_sidechains_are_agents_of_the_calls_that_started_them() {
    let (loaded, _) = expectation("t07-sidechains-duplicates");
    let session = &loaded.session;
    assert_eq!(session.agents.len(), 3);
    for (agent, task) in [(1, 0), (2, 1)] {
        assert_eq!(session.agents[agent].call.unwrap().1.at(), task);
        assert_eq!(session.names.text(session.agents[agent].kind), "general-purpose");
    }
    let told: Vec<(&str, u16)> = session
        .events
        .iter()
        .map(|event| (loaded.name(event), event.agent.0))
        .filter(|(_, agent)| *agent > 0)
        .collect();
    let expected = [
        ("SubagentStart", 1),
        ("SubagentStart", 2),
        ("PreToolUse", 1),
        ("PreToolUse", 2),
        ("PostToolUse", 2),
        ("SubagentStop", 2),
        ("SubagentStop", 1),
    ];
    assert_eq!(told, expected);
}
