use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;

const IX: SourceIx = SourceIx(3);

/// A line with everything that was told about it.
type Told = (u64, u32, Vec<u8>, LineEnd);

fn all(cursor: &mut Cursor) -> (Vec<Told>, Option<SourceError>) {
    let (mut lines, mut failure) = (Vec::new(), None);
    loop {
        match cursor.next() {
            Next::Line(line) => {
                assert_eq!(line.at.len as usize, line.bytes.len());
                assert_eq!(line.at.source(), IX);
                lines.push((line.at.offset(), line.at.line, line.bytes.to_vec(), line.end));
            }
            Next::Pending => {
                cursor.wait(Duration::from_secs(60));
            }
            Next::Failed(error) => assert!(failure.replace(error).is_none(), "told twice"),
            Next::End => return (lines, failure),
        }
    }
}

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn opened(bytes: &[u8]) -> Source {
    // The opened file outlives its name.
    Source::open(file(bytes).path()).unwrap()
}

fn lines_of(source: &Source) -> (Vec<Told>, Option<SourceError>) {
    all(&mut source.cursor(IX))
}

fn texts(source: &Source) -> Vec<String> {
    lines_of(source).0.into_iter().map(|line| String::from_utf8_lossy(&line.2).into_owned()).collect()
}

/// The rule, written down a second time, without blocks.
fn expected(bytes: &[u8]) -> Vec<Told> {
    let mut lines = Vec::new();
    let mut offset = 0;
    for (at, piece) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (mut line, end) = match piece.strip_suffix(b"\n") {
            Some(line) => (line.strip_suffix(b"\r").unwrap_or(line), LineEnd::Newline),
            None => (piece, LineEnd::Missing),
        };
        let mut start = offset;
        if at == 0 && line.starts_with(b"\xef\xbb\xbf") {
            line = &line[3..];
            start = 3;
        }
        lines.push((start, at as u32 + 1, line.to_vec(), end));
        offset += piece.len() as u64;
    }
    lines
}

fn bytes_with_lines() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        3 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\xef\xbb\xbf".to_vec()),
        1 => prop::collection::vec(Just(b'x'), 0..300),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// A reader that gives its bytes in pieces of the given sizes, over and over.
struct Pieces {
    bytes: io::Cursor<Vec<u8>>,
    sizes: Vec<usize>,
    next: usize,
}

impl Read for Pieces {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()].min(buf.len());
        self.next += 1;
        self.bytes.read(&mut buf[..size])
    }
}

proptest! {
    #[test]
    fn any_block_size_gives_the_same_lines(bytes in bytes_with_lines(), block in 1..200_usize) {
        prop_assume!(Encoding::of(&bytes) == Encoding::Utf8 && Packing::of(&bytes) == Packing::Plain);
        let source = opened(&bytes);
        let (lines, failure) = all(&mut Cursor::new(source.clone(), IX, block));
        prop_assert_eq!(failure, None);
        prop_assert_eq!(&lines, &expected(&bytes));
        prop_assert_eq!(&lines, &lines_of(&source).0);
    }

    #[test]
    fn any_arrival_of_a_stream_gives_the_same_lines(
        bytes in bytes_with_lines(),
        sizes in prop::collection::vec(1..50_usize, 1..6),
        block in 1..200_usize,
    ) {
        prop_assume!(Encoding::of(&bytes) == Encoding::Utf8 && Packing::of(&bytes) == Packing::Plain);
        let pieces = Pieces { bytes: io::Cursor::new(bytes.clone()), sizes, next: 0 };
        let source = Source::from_reader("-", pieces).unwrap();
        let (lines, failure) = all(&mut Cursor::new(source, IX, block));
        prop_assert_eq!(failure, None);
        prop_assert_eq!(lines, expected(&bytes));
    }

    #[test]
    fn lines_with_their_ends_are_the_source(bytes in bytes_with_lines()) {
        prop_assume!(Encoding::of(&bytes) == Encoding::Utf8 && Packing::of(&bytes) == Packing::Plain);
        let source = opened(&bytes);
        let mut cursor = source.cursor(IX);
        let mut restored = Vec::new();
        loop {
            let (at, ended) = match cursor.next() {
                Next::Line(line) => (line.at, line.end == LineEnd::Newline),
                Next::End => break,
                other => panic!("{other:?}"),
            };
            // Only a mark may be left out before a line; only a line end after it.
            let before = at.offset() as usize - restored.len();
            prop_assert!(before == 0 || (restored.is_empty() && bytes.starts_with(b"\xef\xbb\xbf") && before == 3));
            restored.extend(&bytes[restored.len()..at.offset() as usize]);
            restored.extend(source.read_exact_at(at.offset(), at.len as usize).unwrap());
            let after = &bytes[restored.len()..cursor.read_bytes() as usize];
            prop_assert!(if ended { after == b"\n" || after == b"\r\n" } else { after.is_empty() }, "{:?}", after);
            restored.extend(after);
        }
        prop_assert_eq!(restored, bytes);
    }

    #[test]
    fn any_bytes_load(bytes in prop::collection::vec(any::<u8>(), 0..2000), magic in 0..7_usize) {
        let magic: &[u8] = [&b""[..], b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\xff\xfe",
            b"\xfe\xff", b"\xef\xbb\xbf"][magic];
        let bytes = [magic, &bytes].concat();
        for source in [opened(&bytes), Source::from_reader("-", io::Cursor::new(bytes.clone())).unwrap()] {
            let (lines, failure) = lines_of(&source);
            let said = failure.map(|failure| failure.to_string());
            prop_assert!(said.is_some() || bytes.is_empty() || !lines.is_empty() || magic.len() >= 2);
            looks_binary(&source.prefix(512).unwrap_or_default());
        }
    }

    #[test]
    fn any_text_survives_packing(bytes in bytes_with_lines(), cut in 1..4_usize) {
        prop_assume!(Encoding::of(&bytes) == Encoding::Utf8);
        // Several members or frames make one text.
        let parts: Vec<&[u8]> = bytes.chunks(bytes.len() / cut + 1).collect();
        let gz: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
        let zst: Vec<u8> = parts.iter().flat_map(|part| zstd(part)).collect();
        for (packed, packing) in [(gz, Packing::Gzip), (zst, Packing::Zstd)] {
            if bytes.is_empty() {
                continue;
            }
            let source = opened(&packed);
            let (lines, failure) = lines_of(&source);
            prop_assert_eq!(failure, None);
            prop_assert_eq!(lines, expected(&bytes));
            prop_assert_eq!(source.info().packing, packing);
        }
    }

    #[test]
    fn damage_anywhere_is_told_or_harmless(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..6),
        which in 0..2_usize,
    ) {
        let text: String = (0..400).map(|n| format!("{{\"line\":{n},\"x\":{}}}\n", n * 7919 % 104_729)).collect();
        let mut packed = if which == 0 { gzip(text.as_bytes()) } else { zstd(text.as_bytes()) };
        for (at, flip) in flips {
            // The magic number stays, else it is no packing at all.
            let at = 4 + at.index(packed.len() - 4);
            packed[at] ^= flip;
        }
        let (lines, failure) = lines_of(&opened(&packed));
        match failure.map(|failure| failure.cause) {
            Some(Cause::Damaged { .. }) => {}
            None => prop_assert!(lines == expected(text.as_bytes()) || which == 1, "gzip has a checksum"),
            Some(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn utf_16_reads_like_utf_8(text in "\\PC{0,80}\n\\PC{0,80}", sizes in prop::collection::vec(1..7_usize, 1..4)) {
        let plain = expected(text.as_bytes());
        for (bytes, encoding) in [
            (text.encode_utf16().fold(b"\xff\xfe".to_vec(), |mut all, unit| { all.extend(unit.to_le_bytes()); all }),
                Encoding::Utf16Le),
            (text.encode_utf16().fold(b"\xfe\xff".to_vec(), |mut all, unit| { all.extend(unit.to_be_bytes()); all }),
                Encoding::Utf16Be),
        ] {
            let source = opened(&bytes);
            prop_assert_eq!(lines_of(&source).0, plain.clone());
            prop_assert_eq!(source.info().encoding, encoding);
            let pieces = Pieces { bytes: io::Cursor::new(bytes), sizes: sizes.clone(), next: 0 };
            prop_assert_eq!(lines_of(&Source::from_reader("-", pieces).unwrap()).0, plain.clone());
        }
    }

    #[test]
    fn lines_around_a_place_are_those_the_cursor_gives(bytes in bytes_with_lines(), n in 0..9_usize, pick in any::<prop::sample::Index>()) {
        prop_assume!(Encoding::of(&bytes) == Encoding::Utf8 && Packing::of(&bytes) == Packing::Plain);
        prop_assume!(!bytes.is_empty());
        let store = Store::new();
        let ix = store.add(opened(&bytes)).unwrap();
        let lines = expected(&bytes);
        let places: Vec<LineRef> = lines.iter().map(|line| LineRef::new(ix, line.0, line.2.len() as u32, line.1)).collect();
        let at = pick.index(lines.len());
        let whole = |at: usize| Excerpt { at: places[at], bytes: lines[at].2.clone(), length: lines[at].2.len() as u64 };
        let before: Vec<Excerpt> = (at.saturating_sub(n)..at).map(whole).collect();
        let after: Vec<Excerpt> = (at + 1..lines.len().min(at + 1 + n)).map(whole).collect();
        prop_assert_eq!(store.lines_before(places[at], n).unwrap(), before);
        prop_assert_eq!(store.lines_after(places[at], n).unwrap(), after);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn a_line_of_fifty_megabytes_is_one_line() {
    let mut bytes = b"{}\n".to_vec();
    bytes.resize(3 + (50 << 20), b'a');
    bytes.extend(b"\n{}\n");
    let (lines, failure) = lines_of(&opened(&bytes));
    assert_eq!(failure, None);
    assert_eq!(
        lines.iter().map(|line| (line.0, line.2.len())).collect::<Vec<_>>(),
        [(0, 2), (3, 50 << 20), (4 + (50 << 20), 2)]
    );
}

#[test]
fn a_line_beyond_the_limit_is_cut_and_says_how_long_it_is() {
    for block in [1, 3, 7, 64, 1024] {
        for (bytes, then) in [(format!("a\n{}\r\nb\nc", "x".repeat(100)), 4), (format!("a\n{}", "x".repeat(100)), 2)] {
            let mut cursor = Cursor::new(opened(bytes.as_bytes()), IX, block).with_max_line(10);
            let (lines, failure) = all(&mut cursor);
            assert_eq!(failure, None);
            assert_eq!(lines.len(), then, "{lines:?}");
            let length = if then == 4 { 101 } else { 100 };
            assert_eq!(lines[1], (2, 2, vec![b'x'; 10], LineEnd::Cut { length }));
            if then == 4 {
                assert_eq!(lines[2], (104, 3, b"b".to_vec(), LineEnd::Newline));
                assert_eq!(lines[3], (106, 4, b"c".to_vec(), LineEnd::Missing));
            }
        }
    }
}

#[test]
fn a_stream_is_read_while_it_arrives() {
    struct Fed(mpsc::Receiver<Vec<u8>>, io::Cursor<Vec<u8>>);
    impl Read for Fed {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.1.position() == self.1.get_ref().len() as u64 {
                self.1 = io::Cursor::new(self.0.recv().unwrap_or_default());
            }
            self.1.read(buf)
        }
    }
    let (feed, fed) = mpsc::channel();
    let source = Source::from_reader("-", Fed(fed, io::Cursor::default())).unwrap();
    let mut cursor = source.cursor(IX);
    assert_eq!(cursor.next(), Next::Pending);
    feed.send(b"{\"a\":1}\n{\"b\"".to_vec()).unwrap();
    assert_eq!(source.prefix(4096).unwrap(), b"{\"a\":1}\n{\"b\"");
    assert!(cursor.wait(Duration::from_secs(60)));
    let Next::Line(line) = cursor.next() else { panic!("no line") };
    assert_eq!((line.bytes, line.end), (&b"{\"a\":1}"[..], LineEnd::Newline));
    assert_eq!(cursor.next(), Next::Pending);
    assert_eq!(cursor.total_bytes(), None);
    feed.send(b":2}".to_vec()).unwrap();
    drop(feed);
    let (lines, failure) = all(&mut cursor);
    assert_eq!((lines, failure), (vec![(8, 2, b"{\"b\":2}".to_vec(), LineEnd::Missing)], None));
    assert_eq!(cursor.total_bytes(), Some(15));
}

#[test]
fn appended_lines_are_read_on_and_an_unfinished_one_comes_again_whole() {
    let mut file = file(b"one\ntw");
    let source = Source::open(file.path()).unwrap();
    let mut cursor = source.cursor(IX);
    let (lines, _) = all(&mut cursor);
    assert_eq!(lines[1], (4, 2, b"tw".to_vec(), LineEnd::Missing));
    assert_eq!(source.more(), Ok(0));
    file.write_all(b"o\nthree\n").unwrap();
    assert_eq!(cursor.next(), Next::End);
    assert_eq!(source.more(), Ok(8));
    let (lines, failure) = all(&mut cursor);
    assert_eq!(failure, None);
    assert_eq!(lines, [(4, 2, b"two".to_vec(), LineEnd::Newline), (8, 3, b"three".to_vec(), LineEnd::Newline)]);
}

#[test]
fn a_file_that_shrank_is_told() {
    let file = file(b"one\ntwo\nthree\n");
    let store = Store::new();
    let ix = store.add(Source::open(file.path()).unwrap()).unwrap();
    let source = store.get(ix).unwrap();
    let mut cursor = Cursor::new(source.clone(), IX, 5);
    assert!(matches!(cursor.next(), Next::Line(_)));
    file.as_file().set_len(4).unwrap();
    let (lines, failure) = all(&mut cursor);
    assert_eq!(lines, [(4, 2, b"t".to_vec(), LineEnd::Missing)]);
    let failure = failure.unwrap();
    assert_eq!(failure.cause, Cause::Shrank { from: 14, to: 4 });
    assert_eq!(
        failure.to_string(),
        format!("{}: the file shrank from 14 to 4 bytes while open", file.path().display())
    );
    let error = store.read(LineRef::new(ix, 8, 5, 3)).unwrap_err();
    assert!(error.to_string().contains("shrank from 14 to 4"), "{error}");
    assert!(store.lines_before(LineRef::new(ix, 8, 5, 3), 2).is_err());
    assert!(source.more().is_err());
}

#[test]
fn a_file_that_was_overwritten_in_place_is_told() {
    let file = file(b"one\ntwo\n");
    let source = Source::open(file.path()).unwrap();
    std::fs::write(file.path(), b"other\nlines\nand more\n").unwrap();
    assert_eq!(source.read_exact_at(0, 3).unwrap_err().cause, Cause::Overwritten);
}

#[test]
fn a_file_that_was_replaced_stays_readable_but_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    let source = Source::open(&path).unwrap();
    std::fs::write(folder.path().join("new"), "another\n").unwrap();
    std::fs::rename(folder.path().join("new"), &path).unwrap();
    assert_eq!(source.read_exact_at(4, 3).unwrap(), b"two");
    assert_eq!(source.more().unwrap_err().cause, Cause::Replaced);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(source.more().unwrap_err().cause, Cause::Replaced);
}

#[test]
fn damaged_packing_gives_what_came_before_and_says_so() {
    let text: String = (0..20_000).map(|n| format!("{{\"line\":{n},\"x\":{}}}\n", n * 7919 % 104_729)).collect();
    for (packed, format) in [(gzip(text.as_bytes()), "gzip"), (zstd(text.as_bytes()), "zstd")] {
        let source = opened(&packed[..packed.len() / 2]);
        let (lines, failure) = lines_of(&source);
        let restored: Vec<u8> = lines.iter().flat_map(|line| [&line.2[..], b"\n"].concat()).collect();
        assert!(lines.len() > 1000, "{format}: {}", lines.len());
        assert!(text.as_bytes().starts_with(&restored[..restored.len() - 1]), "{format}");
        match failure.unwrap().cause {
            Cause::Damaged { format: said, after, .. } => {
                assert_eq!((said, after), (format, source.info().bytes));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_wrong_zstd_checksum_is_told() {
    let mut packed = zstd(b"{\"a\":1}\n");
    let last = packed.len() - 1;
    packed[last] ^= 0xff;
    let (lines, failure) = lines_of(&opened(&packed));
    assert_eq!(lines.len(), 1);
    assert!(failure.unwrap().to_string().contains("checksum"));
}

#[test]
fn a_bomb_ends_at_the_limit_with_a_message() {
    let source = Source::spooled("bomb.gz", io::Cursor::new(gzip(&[b'a'; 100_000])), Stream::No, 1000).unwrap();
    let (lines, failure) = lines_of(&source);
    assert_eq!(lines, [(0, 1, vec![b'a'; 1000], LineEnd::Missing)]);
    assert_eq!(failure.unwrap().cause, Cause::TooLarge { limit: 1000 });
}

#[test]
fn a_failing_stream_ends_with_its_error_after_what_it_gave() {
    struct Breaks(u8);
    impl Read for Breaks {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => {
                    buf[0] = b'a';
                    Ok(1)
                }
                2 => Err(io::ErrorKind::Interrupted.into()),
                3 => {
                    buf[0] = b'b';
                    Ok(1)
                }
                _ => Err(io::Error::other("the line went dead")),
            }
        }
    }
    let (lines, failure) = lines_of(&Source::from_reader("-", Breaks(0)).unwrap());
    assert_eq!(lines, [(0, 1, b"ab".to_vec(), LineEnd::Missing)]);
    assert_eq!(failure.unwrap().to_string(), "-: the line went dead");
}

#[test]
fn a_panicking_stream_ends_instead_of_hanging() {
    struct Panics;
    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("on purpose")
        }
    }
    let (lines, failure) = lines_of(&Source::from_reader("-", Panics).unwrap());
    assert_eq!(lines, []);
    assert_eq!(failure.unwrap().to_string(), "-: reading it broke off");
}

#[test]
fn a_mistyped_name_gets_the_near_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("session.jsonl"), "").unwrap();
    std::fs::write(folder.path().join("unlike.txt"), "").unwrap();
    let near = Source::open(&folder.path().join("sesion.jsonl")).unwrap_err();
    assert_eq!(near.cause, Cause::NotFound);
    assert_eq!(near.help.unwrap(), format!("did you mean {}?", folder.path().join("session.jsonl").display()));
    assert_eq!(Source::open(&folder.path().join("other.json")).unwrap_err().help, None);
    let nowhere = Source::open(&folder.path().join("no/such.jsonl")).unwrap_err();
    assert_eq!(
        nowhere.help.unwrap(),
        format!("the folder {} does not exist either", folder.path().join("no").display())
    );
    assert_eq!(Source::open(folder.path()).unwrap_err().cause, Cause::Folder);
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_a_size_are_read_all_the_same() {
    let source = Source::open(std::path::Path::new("/proc/self/status")).unwrap();
    assert!(texts(&source).iter().any(|line| line.starts_with("Name:")));
}

#[test]
fn an_empty_file_has_no_lines() {
    let source = opened(b"");
    assert_eq!(lines_of(&source), (vec![], None));
    assert_eq!(source.prefix(100).unwrap(), b"");
    let source = opened(b"\xff\xfe");
    assert_eq!(lines_of(&source), (vec![], None));
}

#[test]
fn unpaired_halves_become_the_replacement_character() {
    assert_eq!(texts(&opened(b"\xff\xfea\0\x00\xd8b\0\n\0c")), ["a\u{fffd}b", "\u{fffd}"]);
    assert_eq!(texts(&opened(b"\xff\xfea\0\x00\xd8")), ["a\u{fffd}"]);
}

#[test]
fn a_place_beyond_the_end_is_an_error_and_asks_for_no_memory() {
    let store = Store::new();
    let ix = store.add(opened(b"short\n")).unwrap();
    let error = store.read(LineRef::new(ix, 2, u32::MAX - 1, 1)).unwrap_err();
    assert!(error.to_string().contains("there are 6 bytes"), "{error}");
    assert!(store.read(LineRef::NONE).is_err());
    assert!(store.read(LineRef::new(SourceIx(7), 0, 1, 1)).is_err());
}

#[test]
fn lines_after_a_value_of_several_lines_are_numbered_on() {
    let store = Store::new();
    let ix = store.add(opened(b"a\n{\n\"x\":1\n} {}\nb\nc")).unwrap();
    let value = LineRef::new(ix, 2, 9, 2);
    assert_eq!(store.read(value).unwrap(), b"{\n\"x\":1\n}");
    let after = store.lines_after(value, 9).unwrap();
    assert_eq!(
        after.iter().map(|line| (line.at.line, &line.bytes[..])).collect::<Vec<_>>(),
        [(5, &b"b"[..]), (6, b"c")]
    );
    let before = store.lines_before(LineRef::new(ix, 12, 2, 4), 2).unwrap();
    assert_eq!(
        before.iter().map(|line| (line.at.line, &line.bytes[..])).collect::<Vec<_>>(),
        [(2, &b"{"[..]), (3, b"\"x\":1")]
    );
}

#[test]
fn a_huge_line_in_the_neighbourhood_is_shown_in_part_with_its_length() {
    let huge = "h".repeat(300_000);
    let store = Store::new();
    let ix = store.add(opened(format!("a\r\n{huge}\r\nb\n").as_bytes())).unwrap();
    let before = store.lines_before(LineRef::new(ix, 300_005, 1, 3), 5).unwrap();
    assert_eq!(before.len(), 2);
    assert_eq!((before[0].at.offset(), &before[0].bytes[..], before[0].is_whole()), (0, &b"a"[..], true));
    assert_eq!((before[1].length, before[1].bytes.len(), before[1].is_whole()), (300_000, EXCERPT, false));
    assert_eq!(store.lines_after(LineRef::new(ix, 0, 1, 1), 1).unwrap(), [before[1].clone()]);
}

#[test]
fn binary_is_told_from_text() {
    for (bytes, binary) in [
        (&b""[..], false),
        (b"{\"a\":1}\n", false),
        ("日本語のテキスト".as_bytes(), false),
        (&"日本語".as_bytes()[..8], false),
        (b"\x1b[31mred\x1b[0m\r\n\tx", false),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", true),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", true),
        (b"{\"a\":\"one stray \0 among much text\"}", false),
    ] {
        assert_eq!(looks_binary(bytes), binary, "{bytes:?}");
    }
}

#[test]
fn sources_can_be_added_and_read_at_once() {
    let store = Store::new();
    let first = store.add(opened(b"first\n")).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let ix = store.add(opened(b"x\nyz\n")).unwrap();
                    assert_eq!(store.read(LineRef::new(ix, 2, 2, 2)).unwrap(), b"yz");
                    assert_eq!(store.read(LineRef::new(first, 0, 5, 1)).unwrap(), b"first");
                }
            });
        }
    });
    assert_eq!(store.len(), 201);
}

#[test]
fn a_cursor_holds_no_more_than_it_needs() {
    let mut text = b"{}\n".repeat(10);
    let source = opened(&text);
    let mut cursor = source.cursor(IX);
    assert!(matches!(cursor.next(), Next::Line(_)));
    assert_eq!(cursor.buffered(), text.len());
    assert_eq!(all(&mut cursor).0.len(), 9);
    assert_eq!(cursor.buffered(), 0);

    text.resize(40 << 20, b'x');
    text.push(b'\n');
    text.extend([&[b'y'; 999][..], b"\n"].concat().repeat(60_000));
    let source = opened(&text);
    let mut cursor = source.cursor(IX);
    let (mut most, mut last) = (0, 0);
    while let Next::Line(_) = cursor.next() {
        most = most.max(cursor.buffered());
        last = cursor.buffered();
    }
    assert!(most > 40 << 20 && most < 90 << 20, "{most}");
    assert!(last <= 2 * BLOCK, "{last}");
}
