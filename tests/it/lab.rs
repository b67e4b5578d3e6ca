//! The matcher lab, by key strokes.

use hookscope::app::Options;
use hookscope::text::Charset;

use crate::screen::{Bench, check, check_with, desk};

fn after(keys: &str) -> Bench {
    let (session, desk) = desk::nightly_refactor();
    let mut bench = Bench::new(session, desk, (80, 24), Options::default());
    bench.type_keys(keys);
    bench
}

#[test]
fn lab_80() {
    insta::assert_snapshot!(check((80, 24), "8Gm<c-u>Edit.*"));
}

#[test]
fn lab_120() {
    insta::assert_snapshot!(check((120, 40), "8Gm<c-u>Edit.*<down><c-k><down><down><down><down><c-k><c-k>"));
}

#[test]
fn lab_40() {
    insta::assert_snapshot!(check((40, 10), "8Gm"));
}

#[test]
fn lab_ascii_80() {
    let options = Options { charset: Charset::Ascii, ..Options::default() };
    insta::assert_snapshot!(check_with((80, 24), "8Gm<c-u>mcp__github<tab>", options));
}

#[test]
fn lab_of_another_subject_80() {
    insta::assert_snapshot!(check((80, 24), "1Gm<c-u>Bash<c-k><down><c-k><c-k>"));
}

#[test]
fn in_a_small_room_the_hint_comes_first() {
    insta::assert_snapshot!(check((40, 10), "8Gm<c-u>bash<c-k>"));
}

#[test]
fn what_matches_everything_has_no_brackets() {
    let screen = check((80, 24), "8Gm<c-u>Edit.*|");
    assert!(screen.contains("every name fits"), "{screen}");
    assert!(screen.contains("  Bash ") && !screen.contains("[]"), "{screen}");
}

#[test]
fn what_the_keys_did_is_said() {
    for (keys, words) in [
        ("8Gm<c-u>^Edit$<enter>", "copied \"^Edit$\": paste it behind \"matcher\":"),
        ("8Gm<c-u>x<c-g>", "event 10 is the next PreToolUse of Read"),
        ("14Gm<c-u>x<c-g>", "event 3 is the next PreToolUse of Read, found from the start on"),
        ("8Gm<c-u>x<down><down><down><down><c-g>", "no PreToolUse of this session has PowerShell"),
    ] {
        let screen = check((80, 24), keys);
        assert!(screen.contains(words), "{keys}: {screen}");
    }
}

#[test]
fn the_lab_opens_with_the_matcher_of_the_hook_in_focus() {
    let bench = after("8G<tab>m");
    let lab = bench.app.lab().unwrap();
    assert_eq!((lab.field.value(), lab.event.as_str()), ("Bash", "PreToolUse"));
    let bench = after("12Gm");
    assert_eq!(bench.app.lab().map(|lab| lab.event.as_str()), Some("PreToolUse"), "a stop has no subject");
}

#[test]
fn letters_are_typed_and_escape_leads_back() {
    let mut bench = after("8Gm<c-u>q?:mH");
    assert_eq!(bench.app.lab().unwrap().field.value(), "q?:mH");
    bench.type_keys("<esc>");
    assert!(bench.app.lab().is_none());
    assert!(!bench.quit);
}

#[test]
fn the_chosen_name_can_be_gone_to() {
    let mut bench = after("8Gm<c-u>x");
    let at = bench.app.lab().unwrap().report.results.iter().position(|row| row.subject == "Grep").unwrap();
    bench.type_keys(&"<down>".repeat(at));
    bench.type_keys("<c-g>");
    assert!(bench.app.lab().is_none());
    assert_eq!(bench.app.timeline.selected().map(|event| event.0 + 1), Some(7));
}

#[test]
fn the_matcher_is_copied_as_json() {
    assert_eq!(after("8Gm<c-u>^\\w+$<enter>").copied, ["\"^\\\\w+$\""]);
}

#[test]
fn without_a_judge_a_risky_pattern_stays_undecided() {
    let screen = check((80, 24), "8Gm<c-u>(a|b)\\1");
    assert!(screen.contains("undecided"), "{screen}");
    assert!(!screen.contains("trying"), "{screen}");
}
