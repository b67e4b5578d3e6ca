//! Matchers of Claude Code against what real clients did, and the child process that judges risky patterns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookscope::dialect::claude_code::{DIALECT, matching};
use hookscope::dialect::match_report::{Question, known_subjects, report};
use hookscope::dialect::{EventClass, MatcherUse};
use hookscope::exec::judge::ChildJudge;
use hookscope::matcher::{Judge, Judged, NoJudge, search};
use serde::Deserialize;
use serde_json::Value;

fn lines(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth").join(name);
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// What one client did with one subject under many matchers; `null` is no matcher.
#[derive(Deserialize)]
struct Observed {
    version: String,
    events: Vec<String>,
    subject: String,
    fired: Vec<Option<String>>,
    silent: Vec<Option<String>>,
}

#[test]
fn every_observed_matcher_fires_where_the_real_client_fired_it() {
    let lines = lines("matchers.jsonl");
    println!("matchers.jsonl: {}", lines[0]);
    let mut held = BTreeMap::<(String, String), usize>::new();
    let mut wrong = Vec::new();
    for line in &lines[1..] {
        let row: Observed = serde_json::from_str(line).unwrap();
        for event in &row.events {
            for (matcher, fired) in
                row.fired.iter().map(|matcher| (matcher, true)).chain(row.silent.iter().map(|matcher| (matcher, false)))
            {
                let read = matching::compile(matcher.as_deref(), event, Some(&row.version));
                let found = read.test(&row.subject);
                if found.matched == Some(fired) {
                    *held.entry((row.version.clone(), event.clone())).or_default() += 1;
                } else {
                    wrong.push(format!("{} {event} {matcher:?} on {:?}: {found:?}", row.version, row.subject));
                }
            }
        }
    }
    for ((version, event), count) in &held {
        println!("{version} {event}: {count} held");
    }
    let summary: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(held.values().sum::<usize>() as u64, summary["rows"].as_u64().unwrap());
}

/// One pattern under node without flags: the bytes found in each subject; absent where it does not compile.
#[derive(Deserialize)]
struct JavaScript {
    pattern: String,
    found: Option<Vec<Option<(usize, usize)>>>,
}

#[test]
fn regular_expressions_find_what_node_finds() {
    let lines = lines("javascript.jsonl");
    let head: Value = serde_json::from_str(&lines[0]).unwrap();
    let subjects: Vec<&str> = head["subjects"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for line in &lines[1..] {
        let row: JavaScript = serde_json::from_str(line).unwrap();
        let mine = |subject: &&str| search(&row.pattern, subject).ok();
        let found: Option<Vec<_>> = subjects.iter().map(mine).collect();
        assert_eq!(found, row.found, "{}", row.pattern);
    }
}

/// Matcher groups of one event each, inputs, and which groups fire.
#[derive(Deserialize)]
struct Case {
    id: String,
    versions: String,
    groups: BTreeMap<String, Vec<Option<String>>>,
    events: Vec<Fires>,
}

#[derive(Deserialize)]
struct Fires {
    input: Value,
    fires: Vec<usize>,
}

/// Versions at the edge of a range and within it.
fn versions(range: &str) -> Vec<Option<&str>> {
    match range {
        "any" => vec![None, Some("2.1.332"), Some("2.1.193"), Some("2.1.64"), Some("1.0.30"), Some("?")],
        ">=2.1.195" => vec![None, Some("2.1.195"), Some("2.1.332")],
        ">=2.1.332" => vec![None, Some("2.1.332"), Some("2.2.0")],
        "<2.1.191" => vec![Some("2.1.190"), Some("2.0.1"), Some("1.0.128")],
        other => panic!("no versions listed for {other}"),
    }
}

#[test]
fn the_groups_of_every_case_fire_as_expected() {
    let lines = lines("matcher-cases.jsonl");
    println!("matcher-cases.jsonl: {}", lines[0]);
    let mut checks = 0;
    for line in &lines[1..] {
        let case: Case = serde_json::from_str(line).unwrap();
        for version in versions(&case.versions) {
            for event in &case.events {
                let name = event.input["hook_event_name"].as_str().unwrap();
                let subject = matching::subject_for(name, &event.input).unwrap_or_default();
                let fires: Vec<usize> = (0..)
                    .zip(&case.groups[name])
                    .filter(|(_, matcher)| {
                        matching::compile(matcher.as_deref(), name, version).test(subject).matched == Some(true)
                    })
                    .map(|(group, _)| group)
                    .collect();
                assert_eq!(fires, event.fires, "{} {version:?} {subject}", case.id);
                checks += 1;
            }
        }
    }
    assert!(checks >= 60, "only {checks} checks");
}

#[test]
fn hints_name_the_slip_in_words_that_tell_what_to_write() {
    for (pattern, event, version, words) in [
        ("bash", "PreToolUse", None, "`bash` is not `Bash`"),
        (
            "Bash",
            "SessionStart",
            None,
            "`Bash` is a tool, but SessionStart tests its matcher on `source`, as in startup",
        ),
        ("^Edit$", "SubagentStart", None, "`Edit` is a tool, but SubagentStart tests its matcher on `agent_type`"),
        ("Edit|Wrt", "PreToolUse", None, "no tool is named `Wrt`; did you mean `Write`?"),
        ("Edit|Frobnicate", "PreToolUse", None, "no tool that is known here is named `Frobnicate`"),
        ("startp", "SessionStart", None, "no subject is named `startp`; did you mean `startup`?"),
        ("Edit|mcp__ledger", "PreToolUse", None, "write ^(Edit|mcp__ledger__.*)$ for all tools of `mcp__ledger`"),
        ("mcp__my-ledger", "PreToolUse", Some("2.1.194"), "mcp__my-ledger__.* is right for both"),
        ("mcp__my-ledger", "PreToolUse", None, "a server name alone matches nothing: write mcp__my-ledger__.*"),
        ("mcp__ledger", "PreToolUse", None, "mcp__ledger__.*"),
        ("mcp__mail__*", "PreToolUse", None, "mcp__mail__.*"),
        ("mcp__mail__*", "PreToolUse", None, "servers whose name begins with `mcp__mail_`"),
        ("mcp__db__.*", "PreToolUse", None, "mcp__plugin_PLUGIN_db__TOOL"),
        ("Edit.*", "PostToolUse", None, "also catches NotebookEdit, MultiEdit: ^Edit$ would not"),
        ("Write|Edit|Bash(rm *)", "PreToolUse", None, "TodoWrite"),
        ("Bash(git commit:*)", "PreToolUse", None, "the matcher `Bash` and \"if\": \"Bash(git commit *)\""),
        ("*Edit", "PreToolUse", None, ".*Edit"),
        ("(?i)bash", "PreToolUse", None, "(?i:bash) or Bash"),
        ("Task", "PreToolUse", None, "`Task` is called `Agent` now"),
        ("start", "SessionStart", None, "`start` is only a part of `startup`"),
        ("rate_limit, overloaded", "StopFailure", None, "rate_limit|overloaded"),
        ("Bash,PowerShell", "PreToolUse", Some("2.1.190"), "only | separates names here: Bash|PowerShell"),
        ("Bash,PowerShell", "PreToolUse", Some("2.1.190"), "from 2.1.191 on this is a list"),
        ("Edit | Write", "PostToolUse", None, "before 2.1.191 take commas and spaces for a regular expression"),
        ("doc-writer", "SubagentStart", None, "before 2.1.195 take a hyphen for a regular expression"),
        ("doc-writer", "SubagentStart", Some("2.1.194"), "^doc-writer$ is exact"),
        ("Bash", "Stop", None, "the matcher does nothing here"),
    ] {
        let known = known_subjects(&DIALECT, event);
        let report = report(Question { dialect: &DIALECT, pattern, event, version }, &known, &[], &NoJudge);
        let said: Vec<&str> = report.hints.iter().map(|hint| hint.text.as_str()).collect();
        assert!(said.iter().any(|text| text.contains(words)), "{pattern} on {event}: {said:?}");
    }
}

#[test]
fn the_report_is_the_document_of_the_contract() {
    let question = Question { dialect: &DIALECT, pattern: "Edit.*", event: "PreToolUse", version: None };
    let json = serde_json::to_value(report(question, &["Edit", "NotebookEdit", "Read"], &[], &NoJudge)).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let expect = "pattern dialect agent_version event kind engine error explanation results hints";
    assert_eq!(keys, expect.split(' ').collect::<Vec<_>>());
    assert_eq!(json["agent_version"], "2.1.332");
    assert_eq!((&json["kind"], &json["engine"], &json["error"]), (&"regex".into(), &"javascript".into(), &Value::Null));
    assert_eq!(
        json["results"][1],
        serde_json::json!({"subject": "NotebookEdit", "matched": true, "span": [8, 12],
                           "why": "the pattern is found at the end of the name"})
    );
    assert_eq!(json["results"][2]["span"], Value::Null);
    assert_eq!(json["hints"], serde_json::json!(["also catches NotebookEdit: ^Edit$ would not"]));
}

#[test]
fn the_event_table_is_whole() {
    assert_eq!(DIALECT.events.len(), 34);
    for event in DIALECT.events {
        assert_eq!(DIALECT.events.iter().filter(|other| other.name == event.name).count(), 1, "{}", event.name);
        assert_eq!(event.subject.is_none(), event.matcher == MatcherUse::Ignored, "{}", event.name);
        assert!(event.fires.ends_with('.'), "{}", event.name);
    }
    let narrow = DIALECT.events.iter().filter(|event| event.matcher == MatcherUse::TestedNarrow);
    assert_eq!(narrow.map(|event| event.name).collect::<Vec<_>>(), ["StopFailure", "FileChanged"]);
    assert_eq!(DIALECT.event("PreToolUse").unwrap().class, EventClass::BeforeTool);
    for rule in matching::RULES {
        assert_eq!(matching::RULES.iter().filter(|other| other.name == rule.name).count(), 1, "{}", rule.name);
    }
}

#[test]
fn every_reading_names_a_rule_that_is_listed() {
    for (pattern, event, version, name) in [
        (None, "PreToolUse", None, "matcher-all"),
        (Some("*"), "PreToolUse", None, "matcher-all"),
        (Some("Bash, Edit"), "PreToolUse", None, "matcher-exact-list"),
        (Some("Bash, Edit"), "PreToolUse", Some("2.1.190"), "matcher-comma-is-regex"),
        (Some("a, b"), "StopFailure", None, "matcher-comma-is-regex"),
        (Some("a-b"), "SubagentStop", Some("2.1.194"), "matcher-hyphen-is-regex"),
        (Some("Bash.*"), "PreToolUse", None, "matcher-regex"),
        (Some("["), "PreToolUse", None, "matcher-invalid-never-fires"),
        (Some("["), "Stop", None, "matcher-ignored"),
        (Some("Bash"), "PreSkillShellCommand", None, "matcher-of-unconfirmed-event"),
        (Some("Bash"), "BeforeTheMoon", None, "matcher-of-unconfirmed-event"),
    ] {
        let matcher = matching::compile(pattern, event, version);
        assert_eq!(matching::rule_name(&matcher, event), name, "{pattern:?} {event}");
        assert!(matching::RULES.iter().any(|rule| rule.name == name));
    }
}

#[test]
fn the_subject_is_the_field_that_the_event_is_matched_on() {
    for (event, input, subject) in [
        ("PreToolUse", r#"{"tool_name":"Bash"}"#, Some("Bash")),
        ("SessionStart", r#"{"source":"compact"}"#, Some("compact")),
        ("SubagentStop", r#"{"agent_type":""}"#, Some("")),
        ("FileChanged", r#"{"file_path":"/srv/demo/.env"}"#, Some(".env")),
        ("Stop", r#"{"tool_name":"Bash"}"#, None),
        ("PreToolUse", r#"{"tool_name":7}"#, None),
        ("PreToolUse", "[]", None),
        ("BeforeTheMoon", r#"{"tool_name":"Bash"}"#, Some("Bash")),
    ] {
        let input: Value = serde_json::from_str(input).unwrap();
        assert_eq!(matching::subject_for(event, &input), subject, "{event} {input}");
    }
}

fn judge() -> ChildJudge {
    ChildJudge::new(PathBuf::from(env!("CARGO_BIN_EXE_hookscope")))
}

#[test]
fn a_risky_pattern_on_a_short_name_is_decided_by_a_child_process() {
    let question = Question { dialect: &DIALECT, pattern: "^(mcp__|[a-z]+_*)+$", event: "PreToolUse", version: None };
    let found = report(question, &["mcp__db__query", "Bash"], &[], &judge());
    assert_eq!(found.results[0].matched, Some(true));
    assert_eq!(found.results[0].span, Some((0, 14)));
    assert_eq!(found.results[1].matched, Some(false));
    assert_eq!(judge().test(r"(.)\1", "mcp__x"), Judged::Found(3, 5));
}

#[test]
fn an_exponential_pattern_is_given_up_and_said_to_be_undecided() {
    let question = Question { dialect: &DIALECT, pattern: "^(a+)+$", event: "PreToolUse", version: None };
    let subject = format!("{}!", "a".repeat(60));
    let judge = judge();
    for _ in 0..2 {
        let found = report(question, &[&subject], &[], &judge);
        assert_eq!(found.results[0].matched, None);
        assert!(found.results[0].why.starts_with("undecided: the pattern takes more than 100 ms"), "{found:?}");
    }
}

#[test]
fn a_pattern_that_is_slow_on_many_names_is_not_tried_on_all_of_them() {
    let judge = judge();
    let verdicts: Vec<Judged> =
        (0..12).map(|more| judge.test("^(a+)+$", &format!("{}!", "a".repeat(60 + more)))).collect();
    assert!(
        verdicts[..10].iter().all(|said| matches!(said, Judged::Undecided(why) if why.contains("more than 100 ms")))
    );
    assert!(verdicts[10..].iter().all(|said| matches!(said, Judged::Undecided(why) if why.contains("not tried"))));
}

#[test]
fn a_judge_that_cannot_be_started_leaves_the_question_open() {
    let judge = ChildJudge::new(PathBuf::from("/nonexistent/hookscope"));
    assert!(matches!(judge.test("(a+)+", "a"), Judged::Undecided(because) if because.contains("no process")));
}
