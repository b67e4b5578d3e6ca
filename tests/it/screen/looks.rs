//! What the debugger looks like, at the three sizes that matter.

use super::*;

#[test]
fn debugger_120() {
    insta::assert_snapshot!(check((120, 40), "8G"));
}

#[test]
fn debugger_80() {
    insta::assert_snapshot!(check((80, 24), "8G"));
}

#[test]
fn debugger_40() {
    insta::assert_snapshot!(check((40, 10), "8G"));
}

#[test]
fn stages_of_a_handler_80() {
    insta::assert_snapshot!(check((80, 24), "8G<tab><enter>"));
}

#[test]
fn event_zoomed_80() {
    insta::assert_snapshot!(check((80, 24), "8G<tab><tab><enter>jjj"));
}

#[test]
fn decision_80() {
    insta::assert_snapshot!(check((80, 24), "8G<s-tab>"));
}

#[test]
fn rule_80() {
    insta::assert_snapshot!(check((80, 24), "8G<s-tab><enter>"));
}

#[test]
fn help_80() {
    insta::assert_snapshot!(check((80, 24), "?"));
}

#[test]
fn palette_80() {
    insta::assert_snapshot!(check((80, 24), ":filt"));
}

#[test]
fn filter_completes_80() {
    insta::assert_snapshot!(check((80, 24), "&t"));
}

#[test]
fn filter_in_force_80() {
    insta::assert_snapshot!(check((80, 24), "&tool:Bash<enter>"));
}

#[test]
fn filter_that_finds_nothing_120() {
    insta::assert_snapshot!(check((120, 30), "&tool:bash<enter>"));
}

#[test]
fn conversation_and_folded_subagent_80() {
    insta::assert_snapshot!(check((80, 24), "10Gt<space>"));
}

#[test]
fn bookmarks_80() {
    insta::assert_snapshot!(check((80, 24), "8GBlook here<enter>'"));
}

#[test]
fn lanes_200() {
    insta::assert_snapshot!(check((200, 50), "10G"));
}

#[test]
fn unknown_with_its_reason_80() {
    insta::assert_snapshot!(check((80, 24), "4G"));
}

#[test]
fn ascii_80() {
    let options = Options { charset: hookscope::text::Charset::Ascii, ..Options::default() };
    let screen = check_with((80, 24), "8G", options);
    assert!(screen.is_ascii(), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn too_small() {
    assert_eq!(check((12, 3), "").lines().next(), Some("too small"));
}
