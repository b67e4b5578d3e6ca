//! Sources as the rest of the program uses them, on made-up sessions.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookscope::bench::{Made, Milestone, Profile, generate, measure, report, scan, size};
use hookscope::model::LineRef;
use hookscope::source::{Cause, Excerpt, LineEnd, Lines, Next, Packing, Source, SourceError, Store};
use serde_json::Value;

fn made(profile: Profile, seed: u64, bytes: u64) -> (Vec<u8>, Made) {
    let mut text = Vec::new();
    let made = generate(profile, seed, bytes, &mut text).unwrap();
    (text, made)
}

fn read_all(store: &Store, source: Source) -> (Vec<(LineRef, Vec<u8>)>, Option<SourceError>) {
    let mut cursor = source.cursor(store.add(source.clone()).unwrap());
    let (mut lines, mut failure) = (Vec::new(), None);
    loop {
        match cursor.next() {
            Next::Line(line) => lines.push((line.at, line.bytes.to_vec())),
            Next::Pending => {
                cursor.wait(Duration::from_secs(60));
            }
            Next::Failed(error) => failure = Some(error),
            Next::End => return (lines, failure),
        }
    }
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_session_reads_the_same_plain_packed_and_piped() {
    let folder = tempfile::tempdir().unwrap();
    let (text, made) = made(Profile::Large, 7, 3 << 20);
    let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
    // The names lie: only the bytes tell.
    let plain = written(folder.path(), "plain.gz", &text);
    let gz = written(folder.path(), "packed.jsonl", &gzip(&text));
    let zst = written(folder.path(), "packed.txt", &zstd);

    let store = Store::new();
    let (lines, failure) = read_all(&store, Source::open(&plain).unwrap());
    assert_eq!((lines.len() as u64, failure), (made.lines, None));
    for (path, packing) in [(gz, Packing::Gzip), (zst, Packing::Zstd)] {
        let source = Source::open(&path).unwrap();
        let (same, failure) = read_all(&store, source.clone());
        assert_eq!(failure, None);
        assert!(same.iter().map(|line| &line.1).eq(lines.iter().map(|line| &line.1)), "{packing:?}");
        assert_eq!(source.info().packing, packing);
        assert_eq!((source.info().bytes, source.info().complete), (text.len() as u64, true));
    }

    let (reader, mut writer) = io::pipe().unwrap();
    let source = Source::open(Path::new(&format!("/dev/fd/{}", reader.as_raw_fd()))).unwrap();
    let feeder = std::thread::spawn(move || writer.write_all(&text));
    let (same, failure) = read_all(&store, source);
    feeder.join().unwrap().unwrap();
    assert_eq!(failure, None);
    assert!(same.iter().map(|line| &line.1).eq(lines.iter().map(|line| &line.1)));
}

#[test]
fn bodies_are_read_by_place_from_many_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (text, _) = made(Profile::Large, 8, 1 << 20);
    let store = Arc::new(Store::new());
    let (mut lines, _) = read_all(&store, Source::open(&written(folder.path(), "a", &text)).unwrap());
    lines.extend(read_all(&store, Source::open(&written(folder.path(), "b", &gzip(&text))).unwrap()).0);
    std::thread::scope(|scope| {
        for part in lines.chunks(lines.len() / 4 + 1) {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                for (at, bytes) in part {
                    assert_eq!(&store.read(*at).unwrap(), bytes);
                }
            });
        }
    });
}

#[test]
fn lines_around_a_place_are_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let (text, _) = made(Profile::Large, 9, 1 << 20);
    let store = Store::new();
    let (lines, _) = read_all(&store, Source::open(&written(folder.path(), "s", &text)).unwrap());
    let is = |excerpt: &Excerpt, (at, bytes): &(LineRef, Vec<u8>)| {
        excerpt.at == *at && excerpt.length == bytes.len() as u64 && bytes.starts_with(&excerpt.bytes)
    };
    for at in [0, 1, lines.len() / 2, lines.len() - 1] {
        let before = store.lines_before(lines[at].0, 12).unwrap();
        let after = store.lines_after(lines[at].0, 12).unwrap();
        assert_eq!((before.len(), after.len()), (at.min(12), (lines.len() - 1 - at).min(12)));
        assert!(before.iter().zip(&lines[at - before.len()..at]).all(|(one, other)| is(one, other)));
        assert!(after.iter().zip(&lines[at + 1..]).all(|(one, other)| is(one, other)));
    }
}

#[test]
fn a_packed_session_that_is_cut_off_gives_its_beginning_and_a_diagnostic() {
    let folder = tempfile::tempdir().unwrap();
    let (text, made) = made(Profile::Large, 10, 2 << 20);
    let packed = gzip(&text);
    let path = written(folder.path(), "cut.gz", &packed[..packed.len() / 3]);
    let (lines, failure) = read_all(&Store::new(), Source::open(&path).unwrap());
    assert!(lines.len() as u64 > made.lines / 5 && (lines.len() as u64) < made.lines);
    let failure = failure.unwrap();
    assert!(matches!(failure.cause, Cause::Damaged { format: "gzip", .. }));
    let found = failure.diagnostic(Some(lines.len() as u32));
    assert_eq!(found.place.path, path.display().to_string());
    assert!(found.message.contains("damaged or cut off after"), "{}", found.message);
    assert!(found.help.is_some());
}

#[test]
fn opening_what_is_no_session_says_which_and_why() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), "monday.jsonl", b"");
    for (name, message, help) in [
        ("mondy.jsonl", "no such file", Some("did you mean ")),
        ("unlike.jsonl", "no such file", None),
        ("gone/monday.jsonl", "no such file", Some("the folder ")),
        ("", "is a folder, not a file", Some("name a file in it")),
        ("monday.jsonl/x", "Not a directory", None),
    ] {
        let path = folder.path().join(name);
        let error = Source::open(&path).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{}: {message}", path.display())), "{error}");
        assert!(!error.to_string().contains('\n'));
        match (&error.help, help) {
            (None, None) => {}
            (Some(said), Some(wanted)) => assert!(said.starts_with(wanted), "{said}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_session() {
    for profile in [Profile::Large, Profile::Many] {
        let one = made(profile, 1, 300_000);
        assert!(one == made(profile, 1, 300_000));
        assert!(one != made(profile, 2, 300_000));
        assert_eq!(one.0.len() as u64, one.1.bytes);
        assert!((300_000..900_000).contains(&one.1.bytes), "{:?}", one.1);
    }
}

#[test]
fn a_made_up_session_is_a_chain_of_json_lines() {
    for profile in [Profile::Large, Profile::Many] {
        let (text, made) = made(profile, 3, 2 << 20);
        let lines: Vec<Value> = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(parsed).collect();
        assert_eq!(lines.len() as u64, made.lines);
        let (mut known, mut open) = (HashSet::new(), HashSet::new());
        let mut counted = Made { bytes: made.bytes, lines: made.lines, batches: made.batches, ..Made::default() };
        for line in &lines {
            if let Some(uuid) = line["uuid"].as_str() {
                let parent = line["parentUuid"].as_str();
                assert!(parent.is_none_or(|parent| known.contains(parent)), "{line}");
                assert_eq!(parent.is_none(), known.is_empty(), "one line alone starts the chain");
                assert!(known.insert(uuid));
                assert_eq!(line["version"], "2.1.332");
            }
            let block = &line["message"]["content"][0];
            if line["message"]["content"].is_string() && line["isMeta"] != true {
                counted.prompts += 1;
            }
            if block["type"] == "tool_use" {
                counted.calls += 1;
                assert!(open.insert(block["id"].as_str().unwrap()));
            }
            if block["type"] == "tool_result" {
                assert!(open.remove(block["tool_use_id"].as_str().unwrap()), "answered once, after it was asked");
                counted.denied += u64::from(line["toolDenialKind"] == "permission-rule");
                counted.failed += u64::from(line["toolUseResult"].as_str().is_some_and(|it| it.contains("Exit code")));
            }
            counted.traces += u64::from(line["attachment"]["hookEvent"].is_string());
            if line["subtype"] == "stop_hook_summary" {
                counted.stops += 1;
                counted.blocked += u64::from(line["hookErrors"] != serde_json::json!([]));
            }
        }
        assert!(open.is_empty());
        assert_eq!(counted, made);
        assert!(made.denied > 0 && made.blocked > 0 && made.failed > 0 && made.traces > 0, "{made:?}");
    }
}

fn parsed(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(line)))
}

#[test]
fn measuring_counts_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let (text, made) = made(Profile::Many, 4, 200_000);
    let path = written(folder.path(), "s", &text);
    let measured = measure(&path, &mut |path, tell| scan(path, tell)).unwrap();
    assert_eq!((measured.bytes, measured.lines, measured.events), (made.bytes, made.lines, 0));
    assert!(measured.first.unwrap() <= measured.all.unwrap());
    let text = report(&measured, &[]);
    assert!(text.contains(&format!("{} lines, 0 events", made.lines)), "{text}");

    let loaded = measure(&path, &mut |_, tell| {
        tell(Milestone::First);
        tell(Milestone::All { lines: 5, events: 9 });
        Ok(())
    });
    assert_eq!(loaded.map(|loaded| (loaded.lines, loaded.events)).unwrap(), (5, 9));
    assert!(measure(&folder.path().join("none"), &mut |path, tell| scan(path, tell)).is_err());
}

#[test]
fn sizes_are_read_with_their_unit() {
    for (text, bytes) in [
        ("4096", Some(4096)),
        ("64K", Some(64 << 10)),
        ("700m", Some(700 << 20)),
        (" 2G ", Some(2 << 30)),
        ("", None),
        ("G", None),
        ("1.5G", None),
        ("-1", None),
        ("1T", None),
        ("99999999999999G", None),
    ] {
        assert_eq!(size(text), bytes, "{text}");
    }
}

#[test]
fn a_stream_shows_its_first_line_before_it_ends() {
    let (reader, mut writer) = io::pipe().unwrap();
    let source = Source::from_reader("-", reader.take(1 << 20)).unwrap();
    writer.write_all(b"{\"type\":\"system\"}\n{\"ty").unwrap();
    assert_eq!(source.prefix(1 << 16).unwrap(), b"{\"type\":\"system\"}\n{\"ty");
    let mut cursor = source.cursor(hookscope::model::SourceIx(0));
    let Next::Line(line) = cursor.next() else { panic!("no line") };
    assert_eq!((line.bytes, line.end, line.at.line), (&b"{\"type\":\"system\"}"[..], LineEnd::Newline, 1));
    assert_eq!(cursor.next(), Next::Pending);
    drop(writer);
    assert!(cursor.wait(Duration::from_secs(60)));
    let Next::Line(line) = cursor.next() else { panic!("no line") };
    assert_eq!((line.bytes, line.end, line.at.line), (&b"{\"ty"[..], LineEnd::Missing, 2));
    assert_eq!(cursor.next(), Next::End);
}

#[test]
fn a_value_that_is_asked_for_again_is_not_parsed_again_but_is_gone_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, "{\"a\":1}\n").unwrap();
    let store = Store::new();
    let ix = store.add(Source::open(&path).unwrap()).unwrap();
    let at = LineRef::new(ix, 0, 7, 1);
    let first = store.value(at).unwrap().unwrap();
    assert!(Arc::ptr_eq(&first, &store.value(at).unwrap().unwrap()));
    std::fs::write(&path, "").unwrap();
    assert!(store.value(at).is_err());
}
