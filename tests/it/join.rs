//! A stream, the log of a handler on every event, and the debug log of one run, joined: one event a firing.

use std::path::{Path, PathBuf};

use hookscope::dialect::claude_code::debug_log::DebugLog;
use hookscope::dialect::claude_code::stream::StreamReader;
use hookscope::dialect::hook_log::HookLog;
use hookscope::dialect::{Format, Reader, Shared, recognise};
use hookscope::load::join::{Part, append, join};
use hookscope::model::{Delta, EventIx, Evidence, MarkKind, Origin, Session, SourceInfo, SourceIx};

use crate::logs::{data, read_with};

fn part(path: &Path) -> Part {
    part_of(path, &std::fs::read(path).unwrap())
}

fn part_of(path: &Path, text: &[u8]) -> Part {
    let format = recognise(text);
    let mut reader: Box<dyn Reader> = match format {
        Format::Stream => Box::new(StreamReader::new()),
        Format::HookInputLog => Box::new(HookLog::new()),
        Format::DebugLog => Box::new(DebugLog::new()),
        other => panic!("{}: {other:?}", path.display()),
    };
    let mut shared = Shared::new();
    let out = read_with(&mut *reader, text, &mut shared);
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

/// The streams of a run, their lines for which `keep` holds.
fn streams(folder: &Path, keep: &dyn Fn(&str) -> bool) -> Part {
    let paths = (1..9).map(|number| folder.join(format!("stream-{number}.jsonl"))).filter(|path| path.is_file());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let text: String = text.split_inclusive('\n').filter(|line| keep(line)).collect();
        part_of(&path, text.as_bytes())
    };
    paths.map(read).reduce(append).unwrap()
}

/// A run's log of inputs, then its debug log, joined to what is known of it.
fn with_logs(whole: Part, folder: &Path) -> Part {
    let whole = join(whole, part(&folder.join("inputs.jsonl")), &|_| true);
    join(whole, part(&folder.join("debug.txt")), &|_| true)
}

fn joined(folder: &Path) -> Part {
    with_logs(streams(folder, &|_| true), folder)
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

fn runs() -> Vec<PathBuf> {
    let mut folders: Vec<_> = std::fs::read_dir(data("streams")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 20);
    folders
}

/// What really fired, as `rows` says it.
fn fired(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("fired.tsv")).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        [fields[0], fields[1], fields[3], fields[4]].join(" ")
    };
    text.lines().map(row).collect()
}

fn sorted(rows: &[String]) -> Vec<String> {
    let mut rows = rows.to_vec();
    rows.sort();
    rows
}

#[test]
fn every_firing_is_one_event_in_the_order_in_which_it_fired() {
    let mut swapped = 0;
    for folder in runs() {
        let run = folder.file_name().unwrap().to_string_lossy().into_owned();
        let real = fired(&folder);
        let part = joined(&folder);
        let seen = rows(&part);
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
    println!("{swapped} events in another order");
    // What happens at once is written in either order.
    assert!(swapped <= 12, "{swapped} events out of order");
}

#[test]
fn a_log_completes_what_only_follows_from_calls() {
    for folder in runs() {
        let run = folder.file_name().unwrap().to_string_lossy().into_owned();
        let bare = streams(&folder, &|line| !line.contains("\"subtype\":\"hook_"));
        let part = with_logs(bare, &folder);
        let session = &part.session;
        let recorded = session.events.iter().filter(|event| event.origin == Origin::Recorded).count();
        assert_eq!(recorded, fired(&folder).len(), "{run}: each firing once");
        let wrong = session.events.iter().filter(|event| event.origin == Origin::Derived).count();
        // Older clients give a refusal's bare reason as the result: without hook lines that looks like a failure.
        assert!(wrong <= if run == "197-outcomes" { 2 } else { 0 }, "{run}: {wrong} events did not fire");
    }
}

#[test]
fn the_log_alone_and_joined_to_itself_is_the_same() {
    for folder in runs() {
        let log = || part(&folder.join("inputs.jsonl"));
        let twice = join(log(), log(), &|_| true);
        assert_eq!(rows(&twice), rows(&log()));
    }
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

#[test]
fn firings_of_a_debug_log_that_fit_no_event_are_counted_and_told() {
    let folder = data("streams/outcomes");
    let whole = joined(&folder);
    assert!(!whole.session.diagnostics.iter().any(|it| it.message.contains("left out")));
    // The same debug log beside a stream that was cut off.
    let stream = std::fs::read_to_string(folder.join("stream-1.jsonl")).unwrap();
    let half: Vec<&str> = stream.lines().take(stream.lines().count() / 2).collect();
    let cut = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(cut.path(), half.join("\n")).unwrap();
    let session = join(part(cut.path()), part(&folder.join("debug.txt")), &|_| true).session;
    let told = session.diagnostics.iter().find(|it| it.message.contains("left out")).unwrap();
    assert!(told.message.contains("firings in it fit no event") && told.place.path.ends_with("debug.txt"), "{told:?}");
}
