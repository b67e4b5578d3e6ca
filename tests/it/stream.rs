//! Streams of recorded runs, held against what really fired: a handler on every event wrote down its input.
//!
//! `tests/data/streams/RUN/stream-N.jsonl` are the client's streams, `fired.tsv` the inputs in order: event,
//! matcher subject, call, subagent, `stop_hook_active`.

use std::collections::BTreeMap;
use std::path::Path;

use hookscope::dialect::claude_code::stream::{StreamReader, hook_input};
use hookscope::dialect::{Output, Shared};
use hookscope::model::{Delta, EventIx, LineRef, MarkKind, Origin, Session};
use serde_json::Value;

use crate::logs::{data, read_with};

/// Reads one stream into a session.
fn session(text: &[u8]) -> Session {
    let mut shared = Shared::new();
    let out: Output = read_with(&mut StreamReader::new(), text, &mut shared);
    let mut session = Session::new("claude-code");
    session.agents = shared.agents.clone();
    session.apply(Delta {
        names: shared.names.since(1),
        id: out.id,
        contexts: shared.contexts,
        calls: out.calls.into_iter().map(|(ix, call)| (hookscope::model::SourceIx(0), ix, call)).collect(),
        events: out.events,
        marks: out.marks,
        diagnostics: out.diagnostics,
        ..Delta::default()
    });
    session
}

fn read_at(text: &[u8], at: LineRef) -> Option<Vec<u8>> {
    let start = usize::try_from(at.offset()).ok()?;
    text.get(start..start + at.len as usize).map(<[u8]>::to_vec)
}

/// Events as in `fired.tsv`.
fn rows(text: &[u8]) -> Vec<String> {
    let session = session(text);
    let row = |event| {
        let input = hook_input(&session, event, &|at| read_at(text, at));
        let field = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(input["hook_event_name"], session.names.text(event.name));
        let subject = session.names.text(event.subject).to_owned();
        let stop = input["stop_hook_active"].as_bool().map(|active| active.to_string()).unwrap_or_default();
        [field("hook_event_name"), subject, field("tool_use_id"), field("agent_id"), stop].join("\t")
    };
    session.events.iter().map(row).collect()
}

#[derive(Default)]
struct Tally {
    real: usize,
    seen: usize,
    hit: usize,
}

/// Every run against what fired in it; `keep` takes lines of the streams.
fn tally(keep: &dyn Fn(&str) -> bool) -> (BTreeMap<String, Tally>, Vec<String>) {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut misses = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(data("streams")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.join("fired.tsv").is_file()) {
        let run = folder.file_name().unwrap().to_string_lossy().into_owned();
        let fired = std::fs::read_to_string(folder.join("fired.tsv")).unwrap();
        let mut seen: Vec<String> = (1..9).flat_map(|number| stream_rows(folder, number, keep)).collect();
        let event = |row: &str| row.split('\t').next().unwrap_or_default().to_owned();
        for row in &seen {
            tallies.entry(event(row)).or_default().seen += 1;
        }
        for real in fired.lines() {
            let tally = tallies.entry(event(real)).or_default();
            tally.real += 1;
            match seen.iter().position(|row| row == real) {
                Some(place) => {
                    seen.remove(place);
                    tally.hit += 1;
                }
                None => misses.push(format!("{run}: not seen: {real}")),
            }
        }
        misses.extend(seen.iter().map(|row| format!("{run}: did not fire: {row}")));
    }
    (tallies, misses)
}

fn stream_rows(folder: &Path, number: usize, keep: &dyn Fn(&str) -> bool) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(folder.join(format!("stream-{number}.jsonl"))) else { return Vec::new() };
    let text: String = text.split_inclusive('\n').filter(|line| keep(line)).collect();
    rows(text.as_bytes())
}

fn print(title: &str, (tallies, misses): &(BTreeMap<String, Tally>, Vec<String>)) {
    println!("{title}\n{:22} {:>5} {:>5} {:>7} {:>9}", "event", "fired", "seen", "recall", "precision");
    for (event, tally) in tallies {
        let share = |of: usize| if of == 0 { "-".to_owned() } else { format!("{:.2}", tally.hit as f64 / of as f64) };
        println!("{event:22} {:>5} {:>5} {:>7} {:>9}", tally.real, tally.seen, share(tally.real), share(tally.seen));
    }
    misses.iter().for_each(|miss| println!("  {miss}"));
}

#[test]
fn a_stream_with_hook_lines_tells_what_fired() {
    let found = tally(&|_| true);
    print("streams with hook lines", &found);
    // The client tells nothing of these in a stream.
    let untold = ["InstructionsLoaded", "CwdChanged", "Elicitation"];
    for (event, tally) in &found.0 {
        if untold.contains(&event.as_str()) {
            assert_eq!(tally.seen, 0, "{event} is not in a stream");
            continue;
        }
        // The subagent that makes a compaction's summary has an id that only its hooks see.
        let unknowable = usize::from(event == "SubagentStop");
        assert_eq!((tally.hit, tally.seen), (tally.real - unknowable, tally.real), "{event}: {:#?}", found.1);
    }
}

#[test]
fn a_stream_without_hook_lines_still_tells_calls_prompts_and_stops() {
    let found = tally(&|line| !line.contains("\"subtype\":\"hook_"));
    print("streams without hook lines", &found);
    for event in ["PreToolUse", "PostToolUse", "PostToolBatch", "Stop", "UserPromptSubmit", "PreCompact", "SessionEnd"]
    {
        let tally = &found.0[event];
        assert!(tally.hit * 100 >= tally.real * 93, "{event}: {}/{}", tally.hit, tally.real);
        assert!(tally.hit * 100 >= tally.seen * 93, "{event}: {}/{} seen", tally.hit, tally.seen);
    }
}

#[test]
fn every_hook_run_is_a_mark_of_its_event() {
    let text = std::fs::read(data("streams/subagent/stream-1.jsonl")).unwrap();
    let session = session(&text);
    let lines = String::from_utf8_lossy(&text);
    let count = |kind: MarkKind| session.marks.iter().filter(|mark| mark.kind == kind).count();
    assert_eq!(count(MarkKind::Started), lines.matches("\"hook_started\"").count());
    assert_eq!(count(MarkKind::Response), lines.matches("\"hook_response\"").count());
    for (ix, event) in session.events.iter().enumerate() {
        let marks: Vec<_> = session.marks_of(EventIx(ix as u32)).collect();
        let started = marks.iter().filter(|mark| mark.kind == MarkKind::Started).count();
        assert_eq!(started > 0, event.origin == Origin::Recorded);
        for mark in marks {
            let line: Value = serde_json::from_slice(&read_at(&text, mark.at).unwrap()).unwrap();
            if let Some(of) = line["hook_event"].as_str() {
                assert_eq!(of, session.names.text(event.name), "the mark belongs to this event");
            }
            if mark.kind == MarkKind::Response {
                assert_eq!(mark.exit_code.map(i64::from), line["exit_code"].as_i64());
            }
        }
    }
}

#[test]
fn the_input_of_a_call_is_as_the_stream_tells_it() {
    let text = std::fs::read(data("streams/tools/stream-1.jsonl")).unwrap();
    let session = session(&text);
    let post = session.events.iter().find(|event| session.names.text(event.name) == "PostToolUse").unwrap();
    let input = hook_input(&session, post, &|at| read_at(&text, at));
    assert_eq!(input["tool_name"], "Bash");
    assert_eq!(input["cwd"], "/home/dev/project");
    assert_eq!(input["tool_response"]["stdout"], "hi");
    assert!(input["tool_input"]["command"].is_string());
    assert_eq!(input.get("transcript_path"), None, "the stream does not tell it");
}
