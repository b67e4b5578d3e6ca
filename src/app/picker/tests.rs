use super::*;
use crate::model::{Diagnostic, Level, Place};

fn found(id: &str, project: &str, title: &str, minutes_ago: i64) -> Found {
    Found {
        dialect: "claude-code",
        path: PathBuf::from(format!("/home/you/.claude/projects/x/{id}.jsonl")),
        session_id: id.into(),
        project: Some(project.into()),
        title: Some(title.into()),
        prompt: None,
        bytes: 100,
        modified: Time(0),
        last_activity: Time(NOW - minutes_ago * 60_000),
    }
}

const NOW: i64 = 1_796_000_000_000;

fn picker(sessions: Vec<Found>) -> Picker {
    let mut picker = Picker::new(Some("/home/you".into()));
    let generation = picker.wanted().unwrap();
    picker.listed(generation, Listing { sessions, ..Listing::default() }, Time(NOW));
    picker
}

#[test]
fn the_questions_lead_and_sessions_follow() {
    let picker = picker(vec![found("a", "/p", "one", 1)]);
    assert!(matches!(picker.item_at(0), Some(Item::Question(demo)) if demo.name == "never-fires"));
    assert!(matches!(picker.item_at(2), Some(Item::Question(demo)) if demo.name == "stop-loop"));
    assert!(matches!(picker.item_at(3), Some(Item::More(_))));
    assert!(matches!(picker.item_at(4), Some(Item::Session(found)) if found.session_id == "a"));
    assert_eq!(picker.item_at(5), None);
}

#[test]
fn typing_filters_by_project_title_and_id() {
    let mut picker = picker(vec![
        found("aaa1", "/home/you/shop", "Fix the cart", 1),
        found("bbb2", "/home/you/blog", "提交钩子", 2),
        found("ccc3", "/home/you/blog", "Write about hooks", 3),
    ]);
    for (typed, expect) in
        [("", "aaa1 bbb2 ccc3"), ("cart", "aaa1"), ("blog", "bbb2 ccc3"), ("钩", "bbb2"), ("ccc", "ccc3"), ("zzz", "")]
    {
        picker.filter_by(typed);
        let ids: Vec<&str> = picker.shown.iter().map(|&at| picker.found(at).unwrap().session_id.as_str()).collect();
        assert_eq!(ids.join(" "), expect, "{typed}");
    }
}

#[test]
fn a_rescan_keeps_the_chosen_session_chosen() {
    let mut picker = picker(vec![found("a", "/p", "one", 1), found("b", "/p", "two", 2)]);
    picker.cursor.at = picker.first_session() + 1;
    picker.rescan();
    let generation = picker.wanted().unwrap();
    let newer = vec![found("new", "/p", "three", 0), found("a", "/p", "one", 1), found("b", "/p", "two", 2)];
    picker.listed(generation, Listing { sessions: newer, ..Listing::default() }, Time(NOW));
    assert!(matches!(picker.item(), Some(Item::Session(found)) if found.session_id == "b"));
}

#[test]
fn counts_of_an_older_list_are_dropped() {
    let mut picker = picker(vec![found("a", "/p", "one", 1)]);
    let scanned = || vec![Scanned { ix: 0, counts: Ok(Counts { lines: 1, calls: 3, ..Counts::default() }) }];
    picker.rescan();
    let generation = picker.wanted().unwrap();
    picker.counted(generation - 1, scanned());
    let found = picker.found(0).unwrap().clone();
    assert_eq!(picker.counts(&found), None);
    picker.counted(generation, scanned());
    assert!(picker.counts(&found).is_some());
    assert!(!picker.scanning);
    let grown = Found { bytes: 200, ..found };
    assert_eq!(picker.counts(&grown), None, "the file has changed since");
}

#[test]
fn ages_are_told_in_one_unit() {
    let picker = picker(Vec::new());
    for (minutes, expect) in [
        (0, "now"),
        (-5, "now"),
        (1, "1 min"),
        (59, "59 min"),
        (60, "1 h"),
        (1439, "23 h"),
        (1440, "1 d"),
        (144_000, "100 d"),
    ] {
        assert_eq!(picker.age(&found("a", "/p", "t", minutes)), expect);
    }
}

#[test]
fn problems_do_not_hide_sessions() {
    let mut picker = Picker::new(None);
    let generation = picker.wanted().unwrap();
    let problem = Diagnostic {
        level: Level::Warning,
        message: "cannot be read".into(),
        place: Place { path: "/x".into(), ..Place::default() },
        help: None,
    };
    let listing =
        Listing { sessions: vec![found("a", "/p", "one", 1)], problems: vec![problem], looked_in: Vec::new() };
    picker.listed(generation, listing, Time(NOW));
    assert_eq!(picker.shown, [0]);
}
