//! The hooks of the session, by key strokes, over the bundled sessions.

use hookscope::app::{Colours, Layer, Options};
use hookscope::text::Charset;

use crate::screen::Bench;

fn after(demo: &str, size: (u16, u16), keys: &str) -> Bench {
    let mut bench = Bench::demo(demo, size, Options::default());
    bench.type_keys(keys);
    bench
}

fn check(demo: &str, size: (u16, u16), keys: &str) -> String {
    after(demo, size, keys).screen()
}

#[test]
fn demo_opens_with_its_sentence_80() {
    insta::assert_snapshot!(check("never-fires", (80, 24), ""));
}

#[test]
fn hooks_80() {
    insta::assert_snapshot!(check("never-fires", (80, 24), "H"));
}

#[test]
fn hooks_120() {
    insta::assert_snapshot!(check("subagents", (120, 40), "Hj"));
}

#[test]
fn hooks_40() {
    insta::assert_snapshot!(check("ignored", (40, 10), "H"));
}

#[test]
fn tools_and_hooks_80() {
    insta::assert_snapshot!(check("never-fires", (80, 24), "Ht"));
}

#[test]
fn events_and_hooks_ascii_80() {
    let options = Options { charset: Charset::Ascii, colours: Colours::Mono, ..Options::default() };
    let mut bench = Bench::demo("stop-loop", (80, 24), options);
    bench.type_keys("Htt");
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn enter_filters_the_timeline_to_the_hook() {
    let bench = after("stop-loop", (80, 24), "H<enter>");
    assert!(bench.app.layers.is_empty());
    let filter = bench.app.timeline.filter.as_ref().unwrap();
    assert!(filter.expr.starts_with("hook:"), "{}", filter.expr);
    assert!(!filter.matches.is_empty(), "{filter:?}");
}

#[test]
fn enter_in_a_grid_filters_to_the_tool_or_event() {
    let filter = |keys: &str| after("never-fires", (80, 24), keys).app.timeline.filter.map(|filter| filter.expr);
    assert_eq!(filter("Ht<enter>").as_deref(), Some("tool:Bash"));
    assert!(filter("Htt<enter>").is_some_and(|expr| expr.starts_with("event:")));
}

#[test]
fn the_lab_opens_with_the_matcher_of_the_chosen_hook() {
    let bench = after("never-fires", (80, 24), "Hm");
    let lab = bench.app.lab().unwrap();
    assert_eq!((lab.field.value(), lab.event.as_str()), ("bash", "PreToolUse"));
}

#[test]
fn the_screen_is_left_by_the_key_that_opened_it() {
    for keys in ["HH", "Hq", "H<esc>", "LL", "Lq"] {
        let bench = after("never-fires", (80, 24), keys);
        assert!(bench.app.layers.is_empty() && !bench.quit, "{keys}");
    }
    assert!(matches!(after("never-fires", (80, 24), "H?").app.layers.last(), Some(Layer::Reader(_))));
}

#[test]
fn the_sentence_of_a_demo_goes_with_escape() {
    let mut bench = after("never-fires", (80, 24), "");
    assert!(bench.screen().contains("guard.sh never runs"));
    bench.type_keys("<esc>");
    assert!(!bench.screen().contains("guard.sh never runs"));
}
