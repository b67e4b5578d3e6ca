use proptest::prelude::*;

use super::*;

#[derive(Debug, PartialEq)]
struct Seen {
    kind: Kind,
    offset: usize,
    line: u32,
    text: String,
    leading: String,
}

fn find(text: &[u8], piece: usize) -> (Vec<Seen>, u32) {
    let mut seen = Vec::new();
    let mut finder = Finder::new();
    let mut each = |found: Found| {
        seen.push(Seen {
            kind: found.kind,
            offset: found.offset as usize,
            line: found.line,
            text: String::from_utf8_lossy(found.bytes).into_owned(),
            leading: String::from_utf8_lossy(found.leading).into_owned(),
        });
    };
    for piece in text.chunks(piece.max(1)) {
        finder.push(piece, &mut each);
    }
    finder.end(&mut each);
    let stray = finder.stray_lines();
    (seen, stray)
}

fn check(text: &str, expect: &[&str]) {
    for piece in [1, 3, 7, text.len().max(1)] {
        let (seen, _) = find(text.as_bytes(), piece);
        let values: Vec<&str> =
            seen.iter().filter(|seen| seen.kind != Kind::Broken).map(|seen| seen.text.as_str()).collect();
        assert_eq!(values, expect, "in pieces of {piece}: {text}");
        for seen in seen {
            assert_eq!(&text[seen.offset..seen.offset + seen.text.len()], seen.text);
            assert_eq!(seen.line as usize, text[..seen.offset].matches('\n').count() + 1);
        }
    }
}

#[test]
fn objects_are_found_in_any_layout() {
    check(r#"{"a":1}{"b":{"c":"}"}}"#, &[r#"{"a":1}"#, r#"{"b":{"c":"}"}}"#]);
    check(
        "{\n  \"a\": [1, {\"b\": 2}]\n}\n{\r\n\"c\": null\r\n}\r\n",
        &["{\n  \"a\": [1, {\"b\": 2}]\n}", "{\r\n\"c\": null\r\n}"],
    );
    check("12:00 INFO {\"a\":\"x \\\" { y\"} tail {\"b\":[]}", &["{\"a\":\"x \\\" { y\"}", "{\"b\":[]}"]);
    check(r#"[{"a":1},{"b":2}]"#, &[r#"{"a":1}"#, r#"{"b":2}"#]);
    check("a \"word\" input={\"b\":\"c\"}", &["{\"b\":\"c\"}"]);
    check("\u{feff}{\"a\":1}", &["{\"a\":1}"]);
    check("", &[]);
}

#[test]
fn encoded_objects_are_found_as_strings() {
    check(r#"msg "{\"a\":1}" end"#, &[r#""{\"a\":1}""#]);
    check("5\" disk\n\"{\\\"a\\\":{}}\"\n", &["\"{\\\"a\\\":{}}\""]);
}

#[test]
fn a_brace_that_never_closes_does_not_swallow_what_follows() {
    check("data = {\"x\": json.load(f)}\n{\"a\":1}", &["{\"a\":1}"]);
    check("{\"x\": [\n---\n{\"a\":1}", &["{\"a\":1}"]);
    check("{\"cut\": \"off\n{\"a\":1}", &["{\"a\":1}"]);
    check("{\"cut\":\n{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
    check("if (x) { y }\n{ {\"a\":1}", &["{\"a\":1}"]);
    check("{\"a\":1}\n{\"b\":", &["{\"a\":1}"]);
    check("{\"t\":1,\"data\":{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
    check("{\"n\":01}{\"a\":1}", &["{\"a\":1}"]);
}

#[test]
fn deep_nesting_that_breaks_off_takes_no_square_of_its_length() {
    let text = "{\"a\":".repeat(40_000) + "!\n{\"b\":1}";
    let (seen, _) = find(text.as_bytes(), 1 << 16);
    assert_eq!(seen.iter().filter(|seen| seen.kind == Kind::Object).count(), 1);
    // What is open is not tried again from each opening inside of it.
    assert!(seen.iter().map(|seen| seen.text.len()).sum::<usize>() < 2 * text.len());
    let text = "x\"\\\"".repeat(100_000) + "\n{\"b\":1}";
    let (seen, _) = find(text.as_bytes(), 1 << 12);
    assert_eq!(seen.iter().filter(|seen| seen.kind == Kind::Object).count(), 1);
}

#[test]
fn leading_text_belongs_to_the_value_it_stands_before() {
    let text = "2026 A {\"a\":1} after a\nbefore b\n{\"b\":1}; {\"c\":1}";
    let (seen, stray) = find(text.as_bytes(), 5);
    let leading: Vec<&str> = seen.iter().map(|seen| seen.leading.as_str()).collect();
    assert_eq!(leading, ["2026 A ", "before b\n", "; "]);
    assert_eq!(stray, 1);
    let long = format!("{}end {{\"a\":1}}", "x".repeat(5000));
    let (seen, _) = find(long.as_bytes(), 600);
    assert_eq!(seen[0].leading.len(), LEADING);
    assert!(seen[0].leading.ends_with("end "));
}

#[test]
fn an_object_that_broke_off_is_told() {
    let (seen, _) = find(b"{\"hook\":\"x\", \"cut", 4);
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].kind, seen[0].offset), (Kind::Broken, 0));
}

#[test]
fn values_longer_than_the_limit_are_text() {
    let mut finder = Finder { longest: 64, ..Finder::new() };
    let mut found = Vec::new();
    let text = format!("{{\"a\":\"{}\"}}\n{{\"b\":1}}\n", "x".repeat(500));
    for piece in text.as_bytes().chunks(10) {
        finder.push(piece, &mut |seen: Found| found.push((seen.kind, seen.bytes.to_vec())));
        assert!(finder.buffer.len() < 100, "only what is being read is kept");
    }
    let objects: Vec<_> = found.iter().filter(|(kind, _)| *kind == Kind::Object).collect();
    assert_eq!(objects, [&(Kind::Object, b"{\"b\":1}".to_vec())]);
}

#[test]
fn half_surrogates_and_bytes_that_are_no_text_are_mended() {
    assert_eq!(parse_lenient(br#"{"a":"\ud83d x \ud83d\ude00 \\ud83d"}"#).unwrap()["a"], "\u{fffd} x 😀 \\ud83d");
    assert_eq!(parse_lenient(b"{\"a\":\"\xff\"}").unwrap()["a"], "\u{fffd}");
    assert_eq!(parse_lenient(b"{\"a\":"), None);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(Value::from("{\"x\": }")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = String> {
    (prop::collection::vec((".{0,8}", any_value()), 0..5), any::<bool>()).prop_map(|(pairs, pretty)| {
        let object = Value::Object(pairs.into_iter().collect());
        if pretty { serde_json::to_string_pretty(&object).unwrap() } else { object.to_string() }
    })
}

proptest! {
    #[test]
    fn exactly_the_embedded_objects_are_found(
        parts in prop::collection::vec(("[^{\"\\\\]{0,20}", any_object()), 0..6),
        tail in "[^{\"\\\\]{0,20}",
        piece in 1_usize..40,
    ) {
        let mut text = String::new();
        let mut expect = Vec::new();
        for (words, object) in &parts {
            text.push_str(words);
            expect.push((text.len(), object.clone()));
            text.push_str(object);
        }
        text.push_str(&tail);
        let (seen, _) = find(text.as_bytes(), piece);
        let seen: Vec<_> = seen.into_iter().map(|seen| (seen.offset, seen.text)).collect();
        prop_assert_eq!(seen, expect);
    }

    #[test]
    fn pieces_make_no_difference_and_any_bytes_are_taken(
        text in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "[{}\\[\\]\":,a1\\\\ \n]{0,200}".prop_map(String::into_bytes),
        ],
        piece in 1_usize..20,
    ) {
        let whole = find(&text, text.len());
        let parts = find(&text, piece);
        let objects = |found: &(Vec<Seen>, u32)| -> Vec<(usize, String, String)> {
            found.0.iter().filter(|seen| seen.kind != Kind::Broken)
                .map(|seen| (seen.offset, seen.text.clone(), seen.leading.clone())).collect()
        };
        prop_assert_eq!(objects(&whole), objects(&parts));
        prop_assert_eq!(whole.1, parts.1);
    }
}
