//! A stream, the log of a handler on every event, and the debug log of one run, joined: one event a firing.

use std::path::Path;

use hookscope::dialect::claude_code::debug_log::DebugLog;
use hookscope::dialect::claude_code::stream::StreamReader;
use hookscope::dialect::hook_log::HookLog;
use hookscope::dialect::{Format, Reader, Shared, recognise};
use hookscope::load::join::{Part, append, join};
use hookscope::model::{Delta, EventIx, Evidence, MarkKind, Origin, Session, SourceInfo, SourceIx};

use crate::logs::{data, read_with};

fn part(path: &Path) -> Part {
    let text = std::fs::read(path).unwrap();
    let format = recognise(&text);
    let mut reader: Box<dyn Reader> = match format {
        Format::Stream => Box::new(StreamReader::new()),
        Format::HookInputLog => Box::new(HookLog::new()),
        Format::DebugLog => Box::new(DebugLog::new()),
        other => panic!("{}: {other:?}", path.display()),
    };
    let mut shared = Shared::new();
    let out = read_with(&mut *reader, &text, &mut shared);
    let mut session = Session::new("claude-code");
    session.agents = shared.agents.clone();
    session.apply(Delta {
        names: shared.names.since(1),
        id: out.id,
        sources: vec![SourceInfo { path: path.display().to_string(), format: format.name(), bytes: 0 }],
        contexts: shared.contexts,
        calls: out.calls.into_iter().map(|(ix, call)| (SourceIx(0), ix, call)).collect(),
        events: out.events,
        marks: out.marks,
        diagnostics: out.diagnostics,
        ..Delta::default()
    });
    Part::new(session, &|at| {
        let start = at.offset() as usize;
        text.get(start..start + at.len as usize).map(<[u8]>::to_vec)
    })
}

/// The streams of a run, then its log of inputs, then its debug log.
fn joined(folder: &Path) -> Part {
    let streams = (1..9).map(|number| folder.join(format!("stream-{number}.jsonl"))).filter(|path| path.is_file());
    let whole = streams.map(|path| part(&path)).reduce(append).unwrap();
    let whole = join(whole, part(&folder.join("inputs.jsonl")), &|_| true);
    join(whole, part(&folder.join("debug.txt")), &|_| true)
}

fn rows(part: &Part) -> Vec<String> {
    let session = &part.session;
    let row = |event: &hookscope::model::Event| {
        let agent = session.names.text(session.agent_of(event).id);
        let stop = event.stop_hook_active.map(|active| active.to_string()).unwrap_or_default();
        [session.names.text(event.name), session.names.text(event.subject), agent, &stop].join(" ")
    };
    session.events.iter().map(row).collect()
}

#[test]
fn every_firing_is_one_event_in_the_order_in_which_it_fired() {
    let mut swapped = 0;
    let mut folders: Vec<_> = std::fs::read_dir(data("streams")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 20);
    for folder in folders {
        let run = folder.file_name().unwrap().to_string_lossy().into_owned();
        let fired = std::fs::read_to_string(folder.join("fired.tsv")).unwrap();
        let real: Vec<String> = fired
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                [fields[0], fields[1], fields[3], fields[4]].join(" ")
            })
            .collect();
        let part = joined(&folder);
        let seen = rows(&part);
        let sorted = |rows: &[String]| {
            let mut rows = rows.to_vec();
            rows.sort();
            rows
        };
        assert_eq!(sorted(&seen), sorted(&real), "{run}");
        swapped += seen.iter().zip(&real).filter(|(seen, real)| seen != real).count();
        let session = &part.session;
        for (ix, event) in session.events.iter().enumerate() {
            let name = session.names.text(event.name);
            assert_eq!((event.origin, event.evidence), (Origin::Recorded, Evidence::Recorded), "{run}: {name}");
            let logged = session.marks_of(EventIx(ix as u32)).filter(|mark| mark.kind == MarkKind::InputLogged);
            assert!(logged.count() >= 1, "{run}: {name} was logged");
        }
        let inputs = std::fs::read_to_string(folder.join("inputs.jsonl")).unwrap();
        let logged = session.marks.iter().filter(|mark| mark.kind == MarkKind::InputLogged).count();
        assert_eq!(logged, inputs.lines().count(), "{run}: no input is lost");
    }
    // What happens at once is written in either order.
    assert!(swapped <= 12, "{swapped} events out of order");
}

#[test]
fn debug_lines_reach_the_event_that_their_handler_ran_on() {
    let part = joined(&data("streams/outcomes"));
    let session = &part.session;
    let mut placed = 0;
    for (ix, event) in session.events.iter().enumerate() {
        for mark in session.marks_of(EventIx(ix as u32)).filter(|mark| mark.kind == MarkKind::DebugLine) {
            placed += 1;
            assert_eq!(session.sources[mark.at.source().at()].format, "claude-debug-log");
            if let Some(command) = session.names.get(mark.command).filter(|command| command.contains("/rec\" ")) {
                assert!(command.ends_with(session.names.text(event.name)), "{command}");
            }
        }
    }
    assert!(placed > 90, "{placed}");
    // The exit codes in the stream and in the debug log agree, event by event.
    for (ix, event) in session.events.iter().enumerate() {
        let codes = |kind: MarkKind| {
            let marks = session.marks_of(EventIx(ix as u32)).filter(move |mark| mark.kind == kind);
            let mut codes: Vec<i32> = marks.filter_map(|mark| mark.exit_code).collect();
            codes.sort_unstable();
            codes
        };
        let (debug, stream) = (codes(MarkKind::DebugLine), codes(MarkKind::Response));
        if debug.len() == stream.len() && !debug.contains(&137) && session.names.text(event.name) != "PreToolUse" {
            assert_eq!(debug, stream, "{}", session.names.text(event.name));
        }
    }
}
