//! One file: what counts, what is dropped, what makes the agent refuse it.

use hookscope::model::{FileStatus, HandlerKind, Position};
use hookscope::settings::{Read, read_text};
use proptest::prelude::*;

fn read(text: &str) -> Read {
    read_text(text, "project", ".claude/settings.json")
}

/// `Ok(handlers, drops)` by id, or `Err(words of the refusal)`.
type Expect = Result<(&'static [&'static str], &'static [&'static str]), &'static str>;

fn check(text: &str, expect: Expect) {
    let read = read(text);
    let handlers: Vec<_> =
        read.groups.iter().flat_map(|group| &group.handlers).map(|handler| &handler.id[8..]).collect();
    let drops: Vec<_> = read.file.drops.iter().map(|drop| &drop.id[8..]).collect();
    match (expect, &read.file.status) {
        (Ok((kept, dropped)), FileStatus::Loaded) => {
            assert_eq!(handlers, kept, "handlers of {text}");
            assert_eq!(drops, dropped, "drops of {text}: {:?}", read.file.drops);
        }
        (Err(words), FileStatus::Rejected { why, .. }) => {
            assert!(why.contains(words), "{why:?} should speak of {words:?} in {text}");
            assert!(read.groups.is_empty(), "a refused file has no groups: {text}");
        }
        (expect, status) => panic!("{text}: expected {expect:?}, is {status:?}"),
    }
}

fn hooks(events: &str) -> String {
    format!("{{\"hooks\":{events}}}")
}

const RUN: &str = r#"{"type":"command","command":"true"}"#;

#[test]
fn the_shape_of_hooks_decides_what_counts() {
    check("{}", Ok((&[], &[])));
    check("", Ok((&[], &[])));
    check(" \r\n\t", Ok((&[], &[])));
    check("[]", Err("a list"));
    check("null", Err("null"));
    check(&hooks("null"), Ok((&[], &["hooks"])));
    check(&hooks("7"), Ok((&[], &["hooks"])));
    check(&hooks("[1, \"x\"]"), Ok((&[], &["hooks"])));
    check(&hooks(r#"[{"matcher":"Bash","hooks":[]}]"#), Err("`hooks` is a list"));
    check(&hooks(&format!(r#"[[{{"PreToolUse":[{{"hooks":[{RUN}]}}]}}]]"#)), Err("inside a list"));
    check(&hooks(&format!(r#"{{"matcher":"Bash","hooks":[{RUN}]}}"#)), Err("itself a matcher group"));
    check(&hooks(&format!(r#"{{"Stop":[{{"hooks":[{RUN}]}}]}}"#)), Ok((&["Stop/0/0"], &[])));
}

#[test]
fn a_guard_event_outside_hooks_refuses_the_file() {
    check(&format!(r#"{{"PreToolUse":[{{"hooks":[{RUN}]}}]}}"#), Err("outside `hooks`"));
    check(&format!(r#"{{"hook":{{"PermissionRequest":[{{"hooks":[{RUN}]}}]}}}}"#), Err("outside `hooks`"));
    check(&format!(r#"{{"Stop":[{{"hooks":[{RUN}]}}]}}"#), Ok((&[], &[])));
    check(r#"{"env":{"PreToolUse":["x"]}}"#, Ok((&[], &[])));
    check(r#"{"statusLine":"PreToolUse"}"#, Ok((&[], &[])));
}

#[test]
fn an_unknown_event_loses_only_itself_unless_a_guard_hides_in_it() {
    let good = format!(r#""Stop":[{{"hooks":[{RUN}]}}]"#);
    check(&hooks(&format!(r#"{{"PreToolCall":[{{"hooks":[{RUN}]}}],{good}}}"#)), Ok((&["Stop/0/0"], &["PreToolCall"])));
    check(&hooks(&format!(r#"{{"PreToolCall":{{"hooks":[{RUN}]}},{good}}}"#)), Err("a single group"));
    check(
        &hooks(&format!(r#"{{"x":{{"y":{{"PreToolUse":[{{"hooks":[{RUN}]}}]}}}},{good}}}"#)),
        Err("unknown event `x`"),
    );
    check(&hooks(&format!(r#"{{"x":{{"a":{{"b":{{"PreToolUse":[1]}}}}}},{good}}}"#)), Err("PreToolUse"));
    check(
        &hooks(&format!(r#"{{"x":{{"a":{{"b":{{"c":{{"PreToolUse":[1]}}}}}}}},{good}}}"#)),
        Ok((&["Stop/0/0"], &["x"])),
    );
}

#[test]
fn a_fault_under_a_guard_event_refuses_the_file_and_elsewhere_costs_one_entry() {
    // An entry as it stands in the list of groups; what is kept and dropped of it under another event.
    let group = |hooks: &str| format!(r#"{{"hooks":[{hooks}]}}"#);
    let faults: Vec<(String, &[&str], &[&str])> = vec![
        ("7".into(), &[], &["0"]),
        ("{}".into(), &[], &["0"]),
        (r#"{"hooks":{}}"#.into(), &[], &["0"]),
        (format!(r#"{{"matcher":null,"hooks":[{RUN}]}}"#), &[], &["0"]),
        (format!(r#"{{"matcher":{{"tools":["Bash"]}},"hooks":[{RUN}]}}"#), &[], &["0"]),
        (r#"{"matcher":"Bash","type":"command","command":"true"}"#.into(), &[], &["0"]),
        (group(&format!("{RUN},7,{RUN}")), &["0/0", "0/2"], &["0/1"]),
        (group(&format!(r#"{{"command":"true"}},{RUN}"#)), &["0/1"], &["0/0"]),
        (group(r#"{"type":"Command","command":"true"}"#), &[], &["0/0"]),
        (group(r#"{"type":"command"}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":["sh"]}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","timeout":0}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","timeout":"5"}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","timeout":null}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","async":"yes"}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","onFailure":"stop"}"#), &[], &["0/0"]),
        (group(r#"{"type":"command","command":"true","args":"x"}"#), &[], &["0/0"]),
        (group(r#"{"type":"http","url":"nowhere"}"#), &[], &["0/0"]),
        (group(r#"{"type":"http","url":"https://"}"#), &[], &["0/0"]),
        (group(r#"{"type":"mcp_tool","server":"s"}"#), &[], &["0/0"]),
        (group(r#"{"type":"prompt"}"#), &[], &["0/0"]),
        (group(r#"{"type":"agent","prompt":7}"#), &[], &["0/0"]),
    ];
    for (entry, kept, dropped) in faults {
        let tail = format!(r#"{{"hooks":[{RUN}]}}"#);
        for guard in ["PreToolUse", "PermissionRequest", "PreSkillShellCommand"] {
            check(&hooks(&format!(r#"{{"{guard}":[{entry},{tail}],"Stop":[{tail}]}}"#)), Err(""));
        }
        let read = read(&hooks(&format!(r#"{{"PostToolUse":[{entry},{tail}],"Stop":[{tail}]}}"#)));
        let under = |id: &str| format!("project:PostToolUse/{id}");
        let handlers: Vec<_> =
            read.groups.iter().flat_map(|group| &group.handlers).map(|handler| handler.id.clone()).collect();
        let mut expect: Vec<_> = kept.iter().map(|id| under(id)).collect();
        expect.extend([under("1/0"), "project:Stop/0/0".into()]);
        assert_eq!(handlers, expect, "{entry}");
        let drops: Vec<_> = read.file.drops.iter().map(|drop| drop.id.clone()).collect();
        assert_eq!(drops, dropped.iter().map(|id| under(id)).collect::<Vec<_>>(), "{entry}");
    }
}

#[test]
fn an_event_that_holds_no_list_is_dropped_or_fatal() {
    let good = format!(r#""Stop":[{{"hooks":[{RUN}]}}]"#);
    check(&hooks(&format!(r#"{{"PreToolUse":{{}},{good}}}"#)), Err("must be a list"));
    check(&hooks(&format!(r#"{{"PreToolUse":null,{good}}}"#)), Ok((&["Stop/0/0"], &["PreToolUse"])));
    check(&hooks(&format!(r#"{{"PostToolUse":{{}},{good}}}"#)), Ok((&["Stop/0/0"], &["PostToolUse"])));
}

#[test]
fn what_the_client_tolerates_is_kept() {
    for handler in [
        r#"{"type":"command","command":""}"#,
        r#"{"type":"command","command":"true","unknown":[1],"cloud":"x"}"#,
        r#"{"type":"command","command":"node","args":["a b"],"shell":"bash","timeout":0.5,"asyncRewake":true}"#,
        r#"{"type":"mcp_tool","server":"s","tool":"t","onFailure":"whatever"}"#,
        r#"{"type":"http","url":"http://localhost:8080/x","headers":{"A":"b"}}"#,
    ] {
        check(
            &hooks(&format!(r#"{{"PreToolUse":[{{"hooks":[{handler}],"note":1}}]}}"#)),
            Ok((&["PreToolUse/0/0"], &[])),
        );
    }
}

#[test]
fn broken_json_is_refused_with_its_place() {
    for (text, line, column) in [
        ("{\n  \"hooks\": {},\n}", 2, 14),
        ("{\n  // why\n}", 2, 3),
        ("{\"a\": 'x'}", 1, 7),
        ("{\"é\": 1, b: 2}", 1, 10),
        ("{\"a\": 1", 1, 1),
        ("{} {}", 1, 4),
        ("{\"a\": \"\tx\"}", 1, 7),
    ] {
        let read = read(text);
        let FileStatus::Rejected { position: Some(position), why } = &read.file.status else {
            panic!("{text}: {:?}", read.file.status);
        };
        assert_eq!((position.line, position.column), (line, column), "{text}: {why}");
    }
}

#[test]
fn every_part_knows_its_line_and_column() {
    let text = "\u{feff}{\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      { \"é\": 1, \"matcher\": \"x\",\r\n        \"hooks\": [\r\n          {\"type\": \"command\", \"command\": \"a\"}, {\"type\": \"command\", \"command\": \"b\"}]}]}}";
    let read = read(text);
    assert_eq!(read.file.status, FileStatus::Loaded);
    let group = &read.groups[0];
    let place = |line, column| Position { line, column };
    assert_eq!(group.position, place(4, 7));
    assert_eq!(group.matcher_position, Some(place(4, 28)));
    assert_eq!(group.handlers[0].position, place(6, 11));
    assert_eq!(group.handlers[1].position, place(6, 48));
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    let read = read(&hooks(&format!(
        r#"{{"Stop":[{{"hooks":[{RUN}]}}],"Stop":[{{"matcher":"a","matcher":"b","hooks":[{{"type":"command","command":"x","command":"y"}}]}}]}}"#
    )));
    assert_eq!(read.groups.len(), 1);
    assert_eq!(read.groups[0].matcher.text(), Some("b"));
    assert!(matches!(&read.groups[0].handlers[0].kind, HandlerKind::Command { command, .. } if command == "y"));
    assert_eq!(read.file.drops.len(), 1, "the first one is named: {:?}", read.file.drops);
}

#[test]
fn permissions_keep_their_places() {
    let read = read(
        "{\"permissions\": {\n \"allow\": [\"Bash(git *)\", 7],\n \"deny\": [\"Read(.env)\"],\n \"defaultMode\": \"plan\"}}",
    );
    let permissions = read.file.permissions.unwrap();
    assert_eq!(permissions.allow, [("Bash(git *)".to_owned(), Position { line: 2, column: 12 })]);
    assert_eq!(permissions.deny, [("Read(.env)".to_owned(), Position { line: 3, column: 11 })]);
    assert_eq!(permissions.default_mode.as_deref(), Some("plan"));
    assert_eq!(read_text("{}", "user", "x").file.permissions, None);
}

#[test]
fn front_matter_is_read_with_places_in_the_file() {
    let text = "---\nname: reviewer\ndescription: 'x: y'\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ./check.sh\n          timeout: 5\n  PreToolUse:\n    - matcher: Bash|Edit\n      hooks: [{type: command, command: guard.sh}]\n---\nWords.\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        let read = read_text(&text, "agent-reviewer", ".claude/agents/reviewer.md");
        assert_eq!(read.file.status, FileStatus::Loaded);
        let [stop, guard] = &read.groups[..] else { panic!("{:?}", read.groups) };
        assert_eq!((stop.id.as_str(), stop.event.as_str()), ("agent-reviewer:Stop/0", "SubagentStop"));
        assert!(stop.limited_to.as_deref().is_some_and(|why| why.contains("reviewer")));
        assert_eq!(stop.position, Position { line: 6, column: 7 });
        assert_eq!(stop.handlers[0].position, Position { line: 7, column: 11 });
        assert_eq!(stop.handlers[0].timeout, Some(5.0));
        assert_eq!(guard.matcher.text(), Some("Bash|Edit"));
        assert_eq!(guard.matcher_position, Some(Position { line: 11, column: 16 }));
        assert_eq!(guard.event, "PreToolUse");
    }
}

#[test]
fn aliases_in_front_matter_do_not_multiply() {
    let text = "---\na: &a [x, x]\nb: &b [*a, *a]\nhooks: *b\n---\n";
    let read = read_text(text, "skill-x", "SKILL.md");
    assert!(matches!(read.file.status, FileStatus::Rejected { position: Some(Position { line: 3, .. }), .. }));
}

#[test]
fn the_known_cases_hold() {
    for line in include_str!("../../data/settings/cases.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let reads: Vec<_> = case["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                let text = |name: &str| file[name].as_str().unwrap();
                read_text(text("text"), text("scope"), text("path"))
            })
            .collect();
        let handlers: Vec<_> = reads
            .iter()
            .flat_map(|read| &read.groups)
            .flat_map(|group| &group.handlers)
            .map(|handler| handler.id.as_str())
            .collect();
        for fires in case["fires"].as_array().unwrap() {
            assert!(
                handlers.contains(&fires.as_str().unwrap()),
                "{id}: {fires} should be there, not only {handlers:?}"
            );
        }
        if case["rejected"] == true {
            assert!(reads.iter().any(|read| matches!(read.file.status, FileStatus::Rejected { .. })), "{id}");
        }
    }
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(100_000), format!("---\na: {}\n---\n", "[".repeat(20_000))] {
        let path = if text.starts_with('-') { "a.md" } else { "settings.json" };
        assert!(matches!(read_text(&text, "project", path).file.status, FileStatus::Rejected { .. }));
    }
    let deep =
        format!("{{\"x\":{}1{},\"hooks\":{{\"Stop\":[{{\"hooks\":[{RUN}]}}]}}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(read(&deep).groups.len(), 1);
}

#[test]
fn a_large_file_on_one_line_is_read_in_one_pass() {
    let group = format!("{{\"matcher\":\"é\",\"hooks\":[{RUN}]}},");
    let text = hooks(&format!("{{\"Stop\":[{}{{\"hooks\":[]}}]}}", group.repeat(20_000)));
    let read = read(&text);
    assert_eq!(read.groups.len(), 20_001);
    let last = read.groups.last().unwrap().position;
    assert_eq!((last.line, last.column as usize), (1, text.chars().count() - 14));
}

fn inside(text: &str, position: Position) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line = text.split('\n').nth(position.line as usize - 1);
    position.column >= 1 && line.is_some_and(|line| position.column as usize <= line.chars().count() + 1)
}

proptest! {
    #[test]
    fn any_text_is_read_and_its_places_are_inside(
        text in prop_oneof![
            ".*",
            "[\\[\\]{}:,\"a\\\\n\u{e9}\n\r0-9 ]{0,60}",
            r#"\{"hooks": ?\{"(Stop|PreToolUse)": ?(\[\{("matcher": ?("[a-z]"|7), ?)?"hooks": ?\[(\{"type": ?"command", ?"command": ?"x"\}|7)?\]\}\]|\{\}|null)\}\}\n?"#,
        ],
        markdown: bool,
    ) {
        let text = if markdown { format!("---\n{text}\n---\n") } else { text };
        let read = read_text(&text, "project", if markdown { "a.md" } else { "settings.json" });
        for group in &read.groups {
            prop_assert!(inside(&text, group.position));
            prop_assert!(group.handlers.iter().all(|handler| inside(&text, handler.position)));
        }
        prop_assert!(read.file.drops.iter().all(|drop| inside(&text, drop.position)));
        if let FileStatus::Rejected { position: Some(position), why } = &read.file.status {
            prop_assert!(inside(&text, *position), "{:?} {}", position, why);
        }
    }
}
