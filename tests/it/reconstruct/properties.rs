//! What holds for any file.

use std::fs;
use std::path::{Path, PathBuf};

use hookscope::dialect::claude_code::Transcript;
use hookscope::dialect::{Output, Reader, Shared};
use hookscope::model::{Session, SourceIx};
use proptest::prelude::*;

use super::merge::lines;

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found: Vec<PathBuf> = fs::read_dir(root.join("transcripts"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    for name in ["subagent", "compact-manual", "resume", "prompt-hooks"] {
        for file in fs::read_dir(root.join("truth-sessions/2.1.332").join(name)).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.retain(|path| path.is_file() && !path.ends_with("fired.jsonl"));
    found.sort();
    found
}

/// Reads, emptying the output after every line for which `empties` says so; then everything in one.
fn read(bytes: &[u8], mut empties: impl FnMut(usize) -> bool) -> (Output, Shared) {
    let mut shared = Shared::new();
    let mut reader = Transcript::main(None);
    let (mut all, mut out) = (Output::default(), Output::default());
    let mut empty = |out: &mut Output| {
        let new = std::mem::take(out);
        all.events.extend(new.events);
        all.marks.extend(new.marks);
        all.calls.extend(new.calls);
        all.diagnostics.extend(new.diagnostics);
        all.id = new.id.or(all.id.take());
        all.title = new.title.or(all.title.take());
    };
    for (ix, (at, line)) in lines(SourceIx(0), bytes).into_iter().enumerate() {
        reader.line(at, line, &mut shared, &mut out);
        if empties(ix) {
            empty(&mut out);
        }
    }
    reader.end(&mut shared, &mut out);
    empty(&mut out);
    (all, shared)
}

/// Every index points at something, and marks and calls belong to events that are there.
fn check_sound(out: &Output, shared: &Shared) {
    for event in &out.events {
        assert!(event.context.at() < shared.contexts.len());
        assert!(event.agent.at() < shared.agents.len());
        assert!(shared.names.get(event.name).is_some());
        if event.calls.count > 0 {
            let last = event.calls.first.at() + usize::from(event.calls.count) - 1;
            assert!(out.calls.iter().any(|(ix, _)| ix.at() == last));
        }
        assert!(event.diagnostic == u32::MAX || (event.diagnostic as usize) < out.diagnostics.len());
    }
    for mark in &out.marks {
        assert!(mark.event.at() < out.events.len());
    }
    let mut session = Session::new("claude-code");
    session.events = out.events.clone();
    for mark in &out.marks {
        session.add_mark(*mark);
    }
    assert_eq!(session.marks.len(), out.marks.len());
}

#[test]
fn emptying_the_output_at_any_line_gives_the_same() {
    for file in files() {
        let bytes = fs::read(&file).unwrap();
        let (whole, shared) = read(&bytes, |_| false);
        check_sound(&whole, &shared);
        for every in 1..5 {
            let (parts, _) = read(&bytes, |ix| ix % every == 0);
            assert_eq!(whole.events, parts.events, "{}", file.display());
            assert_eq!(whole.marks, parts.marks, "{}", file.display());
            assert_eq!(whole.calls, parts.calls, "{}", file.display());
            assert_eq!(whole.diagnostics, parts.diagnostics, "{}", file.display());
            assert_eq!((&whole.id, &whole.title), (&parts.id, &parts.title), "{}", file.display());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let (out, shared) = read(&bytes, |_| false);
        check_sound(&out, &shared);
    }

    #[test]
    fn any_damage_to_a_file_is_read(
        pick in any::<prop::sample::Index>(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let files = files();
        let mut bytes = fs::read(pick.get(&files)).unwrap();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let (out, shared) = read(&bytes, |_| false);
        check_sound(&out, &shared);
    }

    #[test]
    fn lines_in_any_order_with_any_missing_are_read(
        pick in any::<prop::sample::Index>(),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..80),
    ) {
        let files = files();
        let bytes = fs::read(pick.get(&files)).unwrap();
        let all: Vec<&[u8]> = lines(SourceIx(0), &bytes).into_iter().map(|(_, line)| line).collect();
        let mut shuffled = Vec::new();
        for ix in order {
            shuffled.extend_from_slice(all[ix.index(all.len())]);
            shuffled.push(b'\n');
        }
        let (out, shared) = read(&shuffled, |ix| ix % 3 == 0);
        check_sound(&out, &shared);
    }
}
