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
fn palette_40() {
    insta::assert_snapshot!(check((40, 10), "8G<tab>:57"));
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

#[test]
fn no_settings_says_where_was_looked_80() {
    let (session, mut desk) = desk::nightly_refactor();
    desk.plan.eras[0].set = Default::default();
    desk.plan.looked_at =
        [("user", "~/.claude/settings.json"), ("project", "/home/dana/nightly/.claude/settings.json")]
            .map(|(scope, path)| hookscope::model::LookedAt { scope: scope.into(), path: path.into(), found: false })
            .to_vec();
    let bench = Bench::new(session, desk, (80, 24), Options::default());
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn what_keeps_hooks_out_is_said_80() {
    use hookscope::model::{Drop, FileStatus, Position, Switch};
    let (session, mut desk) = desk::nightly_refactor();
    let set = &mut desk.plan.eras[0].set;
    set.files[0].status = FileStatus::NotLoadable { why: "an SDK session reads project settings only".into() };
    set.files[1].drops.push(Drop {
        id: "project:PreToolUse/4/0".into(),
        why: "it has no command".into(),
        position: Position { line: 60, column: 9 },
    });
    set.switches.push(Switch {
        name: "disableAllHooks".into(),
        file: Some(2),
        position: Some(Position { line: 2, column: 3 }),
        scopes: Vec::new(),
        why: "no hook runs".into(),
    });
    let mut bench = Bench::new(session, desk, (80, 24), Options::default());
    bench.type_keys("3G");
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn a_misspelt_event_does_not_hide_a_failure() {
    use hookscope::model::{Drop, Position};
    for (size, name) in [((80, 24), "misspelt_and_failed_80"), ((40, 10), "misspelt_and_failed_40")] {
        let (session, mut desk) = desk::nightly_refactor();
        desk.plan.eras[0].set.files[1].drops.push(Drop {
            id: "user:PostTooluse".into(),
            why: "no event has this name".into(),
            position: Position { line: 60, column: 9 },
        });
        let mut bench = Bench::new(session, desk, size, Options::default());
        bench.type_keys("6G");
        let screen = bench.screen();
        let status = screen.lines().rev().nth(1).unwrap_or_default().to_owned();
        assert!(status.contains("FAILED") && status.contains("user:PostToo"), "{status}");
        insta::assert_snapshot!(name, screen);
    }
}

#[test]
fn the_deciding_hook_leads_to_all_that_it_decided_80() {
    let mut bench = Bench::demo("stop-loop", (80, 24), Options::default());
    bench.type_keys("21G<tab><tab><tab>e");
    let screen = bench.screen();
    assert!(screen.contains("(9 of 31)"), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn where_no_hook_decided_there_is_none_to_filter_by() {
    let screen = check((80, 24), "1G<tab><tab><tab>e");
    assert!(screen.contains("no hook decided this event"), "{screen}");
    assert!(!screen.contains("same hook"), "{screen}");
}

#[test]
fn switches_say_what_they_did() {
    for (keys, words) in [
        ("t", "conversation lines are shown: t hides them"),
        ("tt", "conversation lines are hidden: t shows them"),
        (":mouse off<enter>", "the mouse is left to the terminal"),
        (":mouse on<enter>", "the mouse works here"),
    ] {
        let screen = check((80, 24), keys);
        assert!(screen.contains(words), "{keys}: {screen}");
    }
}
