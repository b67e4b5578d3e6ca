//! The recorded stop loops, by key strokes, over the bundled sessions.

use hookscope::app::{Colours, Options};
use hookscope::text::Charset;

use crate::screen::Bench;

fn after(demo: &str, size: (u16, u16), keys: &str) -> Bench {
    let mut bench = Bench::demo(demo, size, Options::default());
    bench.type_keys(keys);
    bench
}

#[test]
fn loops_80() {
    insta::assert_snapshot!(after("stop-loop", (80, 24), "L").screen());
}

#[test]
fn loops_120() {
    insta::assert_snapshot!(after("stop-loop", (120, 40), "Ljj").screen());
}

#[test]
fn loops_40() {
    insta::assert_snapshot!(after("stop-loop", (40, 10), "L").screen());
}

#[test]
fn loops_ascii_80() {
    let options = Options { charset: Charset::Ascii, colours: Colours::Mono, ..Options::default() };
    let mut bench = Bench::demo("stop-loop", (80, 24), options);
    bench.type_keys("LG");
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn without_a_loop_the_screen_says_so_and_why() {
    insta::assert_snapshot!(after("never-fires", (80, 24), "L").screen());
    let once = after("subagents", (80, 24), "L").screen();
    assert!(once.contains("No stop was blocked twice in a row"), "{once}");
}

#[test]
fn enter_goes_to_the_round() {
    let event = |keys: &str| {
        let bench = after("stop-loop", (80, 24), keys);
        assert!(bench.app.layers.is_empty(), "{keys}");
        let at = bench.app.timeline.selected().unwrap();
        let session = bench.app.session.read();
        (at.0 + 1, session.names.text(session.events[at.at()].name).to_owned())
    };
    let (first, name) = event("Lg<enter>");
    assert_eq!(name, "Stop");
    let (third, name) = event("Lgjj<enter>");
    assert_eq!(name, "Stop");
    assert!(third > first);
    assert_eq!(event("Lg<enter><c-o>").0, event("").0, "one can come back");
}

#[test]
fn the_reason_is_copied() {
    let copied = after("stop-loop", (80, 24), "Ly").copied;
    assert_eq!(copied.len(), 1);
    assert!(!copied[0].is_empty());
}

#[test]
fn loops_open_at_the_round_that_was_selected() {
    let screen = after("stop-loop", (80, 24), "21GL").screen();
    assert!(screen.contains(">     4      21"), "{screen}");
    let screen = after("stop-loop", (80, 24), "31GL").screen();
    assert!(screen.contains(">     9      31") && screen.contains("round 9 of 9"), "{screen}");
}

#[test]
fn keys_without_a_use_are_not_offered() {
    let bottom = |demo: &str, keys: &str| {
        let screen = after(demo, (120, 40), keys).screen();
        screen.lines().last().unwrap_or_default().to_owned()
    };
    let empty = bottom("never-fires", "L");
    assert!(["go", "copy", "Tab"].iter().all(|word| !empty.contains(word)) && empty.contains("close"), "{empty}");
    assert!(!bottom("stop-loop", "L").contains("Tab loop"));
    let (list, grid) = (bottom("never-fires", "H"), bottom("never-fires", "Ht"));
    assert!(["sort", "matcher", "copy"].iter().all(|word| list.contains(word)), "{list}");
    assert!(["sort", "matcher", "copy"].iter().all(|word| !grid.contains(word)), "{grid}");
}

#[test]
fn help_says_what_a_demo_shows_once_it_was_closed() {
    let words = "ci.sh sends the agent back nine times";
    assert!(!after("stop-loop", (80, 24), "<esc>").screen().contains(words));
    let screen = after("stop-loop", (80, 24), "<esc>?").screen();
    assert!(screen.contains(words), "{screen}");
}
