//! Hostile text, odd sizes, any keys: nothing reaches the terminal raw, nothing panics.

use std::collections::HashSet;

use super::*;
use hookscope::app::{Action, Mode, Warning, bindings};
use hookscope::model::*;
use hookscope::text::{self, Charset};
use proptest::prelude::*;
use serde_json::json;

/// One of every kind of character that must not reach a terminal.
fn nasty() -> String {
    let mut text = String::from("a");
    text.extend((0..0x20u8).map(char::from));
    text.extend((0x7f..0xa0u32).filter_map(char::from_u32));
    text.push_str("\x1b[31mred\x1b]0;title\x07\u{9b}2J\u{202e}\u{2066}\u{200b}\u{200f}\u{feff}\u{ad}\u{e000}\u{2028}\u{115f}\u{e0041}");
    text.extend(std::iter::repeat_n('\u{301}', 50));
    text.push_str("你好👩\u{200d}💻 end");
    text
}

fn hostile_session(nasty: &str) -> (Session, desk::Desk) {
    let (mut session, mut desk) = desk::nightly_refactor();
    session.title = Some(nasty.into());
    session.id = nasty.into();
    let name = session.names.intern(nasty);
    for event in &mut session.events {
        event.subject = name;
    }
    session.events[2].name = name;
    let unreadable = session.names.intern(Event::UNREADABLE);
    session.events[3].name = unreadable;
    session.events[3].diagnostic = 0;
    session.diagnostics.push(Diagnostic {
        level: Level::Error,
        message: nasty.into(),
        place: Place::default(),
        help: Some(nasty.into()),
    });
    session.contexts[0].version = name;
    let step = &mut desk.steps[7];
    step.event = nasty.into();
    step.subject = Some(nasty.into());
    step.source.path = nasty.into();
    step.settings_note = Some(nasty.into());
    step.diagnostics = session.diagnostics.clone();
    step.input = Some(json!({ nasty: nasty, "lines": format!("{nasty}\n{nasty}"), "session_id": nasty }));
    for group in &mut step.groups {
        group.scope = nasty.into();
        group.path = nasty.into();
        group.matcher = Some(nasty.into());
        group.why = nasty.into();
        group.hint = Some(nasty.into());
        for handler in &mut group.handlers {
            handler.label = nasty.into();
            handler.why = nasty.into();
            for stage in &mut handler.stages {
                stage.why = nasty.into();
            }
        }
    }
    for run in &mut step.runs {
        run.command = Some(nasty.into());
        run.stdout = Some(format!("{nasty}\n{nasty}"));
        run.stderr = Some(nasty.into());
        run.notes = vec![nasty.into()];
        run.sources = vec![Place { path: nasty.into(), line: Some(1), column: None }];
    }
    let decision = &mut step.decision;
    decision.reason = Some(nasty.into());
    decision.effect = nasty.into();
    decision.unknown_because = Some(nasty.into());
    decision.model_sees = vec![Text { from: nasty.into(), words: nasty.into() }];
    decision.user_sees = vec![Text { from: nasty.into(), words: nasty.into() }];
    decision.updated_input = Some(json!({ nasty: nasty }));
    decision.assumed = vec![nasty.into()];
    decision.steps = vec![RuleStep { text: nasty.into(), rule: None }];
    (session, desk)
}

/// Every cell holds at most one harmless grapheme.
fn assert_clean(bench: &Bench, keys: &str) {
    let terminal = bench.terminal();
    let symbols: HashSet<&str> = terminal.backend().buffer().content().iter().map(|cell| cell.symbol()).collect();
    for symbol in symbols {
        assert!(text::is_safe(symbol) || symbol.chars().count() > 1, "{symbol:?} after {keys}");
        assert!(!symbol.chars().any(|c| c.is_control()), "{symbol:?} after {keys}");
        assert!(symbol.chars().count() <= 4, "{symbol:?} after {keys}");
        for bad in [
            "\u{202e}", "\u{2066}", "\u{200b}", "\u{200d}", "\u{200f}", "\u{feff}", "\u{ad}", "\u{e000}", "\u{2028}",
            "\u{115f}",
        ] {
            assert!(!symbol.contains(bad), "{symbol:?} after {keys}");
        }
    }
}

#[test]
fn nothing_hostile_reaches_the_screen() {
    let nasty = nasty();
    for charset in [Charset::Unicode, Charset::Ascii] {
        for size in [(80, 24), (120, 40), (40, 10), (200, 60)] {
            let (session, desk) = hostile_session(&nasty);
            let options = Options { charset, ..Options::default() };
            let mut bench = Bench::new(session, desk, size, options);
            bench.give(Input::Warned(vec![Warning { text: nasty.clone(), short: nasty.clone(), action: None }]));
            for keys in [
                "8G", "<tab>", "z", "jjjjj", "<tab>", "z", "jj", "<tab>", "<enter>", "<esc>", "t", "B", "x<enter>",
                "'", "q", "&", "<esc>", ":", "<esc>",
            ] {
                bench.type_keys(keys);
                assert_clean(&bench, keys);
            }
            bench.type_keys("&");
            bench.give(Input::Paste(nasty.clone()));
            assert_clean(&bench, "paste");
            bench.give(Input::JobFailed(nasty.clone()));
            bench.give(Input::LoadFailed(nasty.clone()));
            assert_clean(&bench, "failure");
            if charset == Charset::Ascii {
                let screen = bench.screen();
                assert!(screen.is_ascii(), "{screen}");
            }
        }
    }
}

#[test]
fn every_size_draws() {
    let (session, desk) = desk::nightly_refactor();
    let mut bench = Bench::new(session, desk, (1, 1), Options::default());
    bench.type_keys("8Gt");
    for columns in (1..=200).step_by(9) {
        for rows in (1..=60).step_by(5) {
            bench.give(Input::Resize(columns, rows));
            bench.terminal();
        }
    }
    for keys in ["?", ":", "<esc><esc>&t", "<esc>'", "q<tab><enter>", "z"] {
        bench.type_keys(keys);
        for (columns, rows) in [(1, 1), (20, 5), (21, 6), (39, 9), (99, 30), (100, 12), (100, 13), (200, 60)] {
            bench.give(Input::Resize(columns, rows));
            bench.terminal();
        }
    }
}

#[test]
fn event_names_are_never_cut_at_80_columns() {
    let (mut session, desk) = desk::nightly_refactor();
    let long = session.names.intern("PostToolUseFailure");
    session.events[5].name = long;
    let mut bench = Bench::new(session, desk, (80, 24), Options::default());
    bench.type_keys("6G");
    assert!(bench.screen().contains("PostToolUseFailure"), "{}", bench.screen());
    bench.give(Input::Resize(40, 10));
    assert!(bench.screen().contains("PostToolUseFailure"), "{}", bench.screen());
}

#[test]
fn a_huge_text_shows_its_start_and_its_size() {
    let (session, mut desk) = desk::nightly_refactor();
    desk.steps[7].input = Some(json!({ "tool_input": { "content": "x".repeat(50 << 20) } }));
    desk.steps[7].runs[0].stdout = Some("y\n".repeat(1 << 20));
    let mut bench = Bench::new(session, desk, (120, 40), Options::default());
    bench.type_keys("8G<tab><tab>z");
    let kept: usize = bench.app.detail.json.rows.iter().map(|row| row.text.len()).sum();
    assert!(kept < 70_000, "{kept} bytes are kept");
    let row = bench.app.detail.json.rows.iter().find(|row| row.key.as_deref() == Some("content"));
    assert!(row.is_some_and(|row| row.text.ends_with("(the first 64 KB of 50.0 MB)")));
    assert!(bench.app.hooks_doc().lines.len() < 2_000);
    bench.terminal();
}

#[test]
fn nothing_needs_colour_to_be_understood() {
    // The words are on the screen whatever the colours: the same text, no colour used.
    let (session, desk) = desk::nightly_refactor();
    let options = Options { colours: hookscope::app::Colours::Mono, ..Options::default() };
    let mut bench = Bench::new(session, desk, (120, 40), options);
    bench.type_keys("8G");
    let terminal = bench.terminal();
    for cell in terminal.backend().buffer().content() {
        assert_eq!((cell.fg, cell.bg), (ratatui::style::Color::Reset, ratatui::style::Color::Reset));
    }
    assert_eq!(bench.screen(), check((120, 40), "8G"));
}

#[test]
fn while_loading_the_screen_says_how_far() {
    let (mut session, desk) = desk::nightly_refactor();
    let events = std::mem::take(&mut session.events);
    session.progress = Progress::default();
    let mut bench = Bench {
        app: App::new(session, Options { start_at: Some(8), ..Options::default() }),
        copied: Vec::new(),
        quit: false,
    };
    bench.give(Input::Resize(80, 24));
    assert!(bench.screen().contains("Reading the session."));
    let progress = Progress { read: 34, total: 100, done: false };
    bench.give(Input::Loaded(Box::new(Delta { events: events[..5].to_vec(), progress, ..Delta::default() })));
    assert!(bench.screen().contains("loading 34 %"), "{}", bench.screen());
    assert!(bench.screen().contains("The settings are being read."), "{}", bench.screen());
    bench.give(Input::Planned(Arc::new(desk)));
    let progress = Progress { read: 100, total: 100, done: true };
    bench.give(Input::Loaded(Box::new(Delta { events: events[5..].to_vec(), progress, ..Delta::default() })));
    assert_eq!(bench.app.timeline.selected(), Some(EventIx(7)), "what was asked for is selected once it is there");
    assert!(!bench.screen().contains("loading"), "{}", bench.screen());
}

#[test]
fn the_key_of_a_warning_stays() {
    let (session, desk) = desk::nightly_refactor();
    let mut bench = Bench::new(session, desk, (80, 24), Options::default());
    bench.give(Input::Warned(vec![Warning {
        text: "ci.sh blocked 3 stops in a row with the same reason (cap 8)".into(),
        short: "3 stop blocks".into(),
        action: Some(Action::Find),
    }]));
    assert!(bench.screen().contains("3 stop blocks – /"), "{}", bench.screen());
}

fn key() -> impl Strategy<Value = String> {
    let bound: Vec<String> =
        Mode::ALL.into_iter().flat_map(bindings).flat_map(|it| it.keys).map(|key| (*key).to_owned()).collect();
    prop_oneof![
        4 => proptest::sample::select(bound).prop_filter("suspends or quits", |key| key != "<c-c>" && key != "q"),
        1 => "[a-zA-Z0-9:@ ]",
        1 => Just("<backspace>".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_on_any_small_session_never_panic(
        keys in proptest::collection::vec(key(), 0..25),
        count in 0usize..15,
        agents in proptest::collection::vec(0u16..4, 15),
        parents in proptest::collection::vec(0u16..5, 4),
        size in (1u16..140, 1u16..50),
    ) {
        let (mut session, desk) = desk::nightly_refactor();
        session.events.truncate(count);
        // Parent links may run in circles or nowhere.
        session.agents.truncate(1);
        for parent in parents {
            session.agents.push(Agent { parent: AgentIx(parent), ..Agent::MAIN });
        }
        for (event, agent) in session.events.iter_mut().zip(agents) {
            event.agent = AgentIx(agent);
        }
        let mut bench = Bench::new(session, desk, size, Options::default());
        for key in &keys {
            bench.type_keys(key);
            bench.terminal();
        }
    }
}
