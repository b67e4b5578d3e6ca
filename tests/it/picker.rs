//! The picker, by key strokes.

use std::path::PathBuf;

use hookscope::app::picker::Choice;
use hookscope::app::{App, Colours, Effect, Input, Options, input};
use hookscope::load::discover::{Counts, Found, Listing, Scanned};
use hookscope::model::{Diagnostic, Level, Place, Time};
use hookscope::text::Charset;

use crate::screen::Bench;

const NOW: i64 = 1_796_000_000_000;

fn found(id: &str, project: &str, title: &str, bytes: u64, minutes_ago: i64) -> Found {
    Found {
        dialect: "claude-code",
        path: PathBuf::from(format!("/home/you/.claude/projects/-home-you-shop/{id}.jsonl")),
        session_id: id.into(),
        project: Some(project.into()),
        title: Some(title.into()),
        prompt: None,
        bytes,
        modified: Time(NOW),
        last_activity: Time(NOW - minutes_ago * 60_000),
    }
}

fn listing() -> Listing {
    let mut sessions = vec![
        found("4f6c0d1e-3b2a-4c5d-8e9f-001122334455", "/home/you/shop", "nightly refactor of the cart", 1_234_567, 2),
        found(
            "7a1b2c3d-0000-4000-8000-000000000002",
            "/home/you/博客",
            "提交前检查所有的钩子并且修复它们",
            88_000,
            130,
        ),
        found("9e8d7c6b-0000-4000-8000-000000000003", "/srv/a/very/long/path/to/some/project", "fix", 980, 3000),
    ];
    sessions.push(Found {
        title: None,
        prompt: Some("why does\nthe stop hook loop?".into()),
        ..found("c", "/home/you", "", 2_300_000_000, 200_000)
    });
    for at in 0..30 {
        sessions.push(found(&format!("more-{at}"), "/home/you/shop", &format!("session {at}"), 4096, 300_000 + at));
    }
    Listing {
        sessions,
        problems: vec![Diagnostic {
            level: Level::Warning,
            message: "cannot be read: permission denied".into(),
            place: Place { path: "/home/you/.claude/projects/x".into(), ..Place::default() },
            help: None,
        }],
        looked_in: vec![("/home/you/.claude/projects".into(), true)],
    }
}

fn bench_with(size: (u16, u16), options: Options, listing: Option<Listing>) -> Bench {
    let app = App::picker(options, Some("/home/you".into()));
    let mut bench = Bench { app, copied: Vec::new(), quit: false };
    let effects = input(&mut bench.app, Input::Resize(size.0, size.1));
    let Some(Effect::Rescan(generation)) = effects.first() else { panic!("the picker asks for sessions: {effects:?}") };
    if let Some(listing) = listing {
        let busy = Counts { lines: 9, calls: 180, refused_calls: 3, suspected_loops: 1, ..Counts::default() };
        let calm = Counts { lines: 9, calls: 12, ..Counts::default() };
        bench.give(Input::Listed { generation: *generation, listing, now: Time(NOW) });
        let counts = vec![
            Scanned { ix: 0, counts: Ok(busy) },
            Scanned { ix: 1, counts: Ok(calm) },
            Scanned { ix: 2, counts: Err("permission denied".into()) },
        ];
        bench.give(Input::Counted(*generation, counts));
    }
    bench
}

fn after(size: (u16, u16), keys: &str) -> Bench {
    let mut bench = bench_with(size, Options::default(), Some(listing()));
    bench.type_keys(keys);
    bench
}

fn check(size: (u16, u16), keys: &str) -> String {
    after(size, keys).screen()
}

#[test]
fn picker_80() {
    insta::assert_snapshot!(check((80, 24), ""));
}

#[test]
fn picker_120() {
    insta::assert_snapshot!(check((120, 40), "jjjjj"));
}

#[test]
fn picker_40() {
    insta::assert_snapshot!(check((40, 10), "jjj<right>"));
}

#[test]
fn picker_filtered_80() {
    insta::assert_snapshot!(check((80, 24), "/钩子"));
}

#[test]
fn picker_ascii_80() {
    let options = Options { charset: Charset::Ascii, colours: Colours::Mono, ..Options::default() };
    let mut bench = bench_with((80, 24), options, Some(listing()));
    bench.type_keys("G");
    insta::assert_snapshot!(bench.screen());
}

#[test]
fn picker_help_80() {
    insta::assert_snapshot!(check((80, 24), "?"));
}

#[test]
fn an_empty_picker_says_where_was_looked() {
    let listing = Listing { looked_in: vec![("/home/you/.claude/projects".into(), false)], ..Listing::default() };
    insta::assert_snapshot!(bench_with((80, 24), Options::default(), Some(listing)).screen());
    assert!(bench_with((80, 24), Options::default(), None).screen().contains("Looking for sessions."));
}

#[test]
fn enter_opens_what_is_chosen() {
    let name = |keys: &str| match after((80, 24), keys).app.choice {
        Some(Choice::Demo(demo)) => demo.name.to_owned(),
        Some(Choice::Session(path)) => path.file_stem().unwrap().to_string_lossy().into_owned(),
        Some(Choice::Quit) => "quit".to_owned(),
        None => "nothing".to_owned(),
    };
    for (keys, expect) in [
        ("<enter>", "never-fires"),
        ("j<enter>", "ignored"),
        ("3", "stop-loop"),
        ("jjj<enter>", "refused"),
        ("<right><enter>", "refused"),
        ("<right><right><enter>", "subagents"),
        ("<left><left><enter>", "banner"),
        ("jjjjj<enter>", "7a1b2c3d-0000-4000-8000-000000000002"),
        ("G<enter>", "more-29"),
        ("/night<enter>", "4f6c0d1e-3b2a-4c5d-8e9f-001122334455"),
        ("/session<down><down><enter>", "more-2"),
        ("/zzzz<enter>", "nothing"),
        ("q", "quit"),
        ("/night<esc>q", "quit"),
        ("?q", "nothing"),
    ] {
        assert_eq!(name(keys), expect, "{keys}");
    }
}

#[test]
fn escape_shows_all_sessions_again() {
    let bench = after((80, 24), "/night<esc>");
    assert_eq!(bench.app.picking().unwrap().shown.len(), 34);
    assert!(!bench.quit);
}

#[test]
fn every_question_and_session_can_be_seen_at_every_size() {
    for size in [(80, 24), (120, 40), (40, 10), (200, 60), (60, 16), (20, 5)] {
        for keys in ["", "jjj", "G", "jjjj"] {
            let screen = check(size, keys);
            assert!(screen.lines().count() == usize::from(size.1), "{size:?}");
            if size.1 >= 10 {
                assert!(screen.contains('>') || screen.contains('['), "{size:?} {keys}\n{screen}");
            }
        }
    }
}

#[test]
fn a_click_chooses_and_a_second_one_opens() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut bench = after((80, 24), "");
    let click = |row| {
        Input::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: 10,
            row,
            modifiers: KeyModifiers::NONE,
        })
    };
    bench.give(click(15));
    assert_eq!(bench.app.choice, None);
    assert_eq!(bench.app.picking().unwrap().cursor.at, 5);
    bench.give(click(15));
    assert!(matches!(bench.app.choice, Some(Choice::Session(_))));
}

#[test]
fn of_several_named_sessions_one_is_chosen() {
    let app = App::chooser(Options::default(), Some("/home/you".into()));
    let mut bench = Bench { app, copied: Vec::new(), quit: false };
    let effects = input(&mut bench.app, Input::Resize(80, 24));
    let Some(Effect::Rescan(generation)) = effects.first() else { panic!("it asks for sessions: {effects:?}") };
    let listing = Listing { problems: Vec::new(), looked_in: Vec::new(), ..listing() };
    let second = listing.sessions[1].path.clone();
    bench.give(Input::Listed { generation: *generation, listing, now: Time(NOW) });
    insta::assert_snapshot!("chooser_80", bench.screen());
    bench.type_keys("123lj<enter>");
    assert_eq!(bench.app.choice, Some(Choice::Session(second)), "no question and no demo is in the way");
}
