use super::*;
use crate::model::{AgentIx, EventIx};

fn found(counters: &[usize], cap: Option<u16>, ended: Ended) -> StopLoop {
    let rounds = counters.iter().enumerate().map(|(at, &counter)| Round {
        event: EventIx(u32::try_from(at).unwrap()),
        time: Time::UNKNOWN,
        flag: Some(at > 0),
        reason: 0,
        tools: 0,
        counter,
    });
    StopLoop {
        event: "Stop".into(),
        agent: AgentIx(0),
        blocks: (0..u32::try_from(counters.len()).unwrap()).map(EventIx).collect(),
        span_ms: Some(192_000),
        tokens: None,
        reasons: vec![("tests must pass".into(), counters.len())],
        handlers: Vec::new(),
        labels: vec!["ci.sh".into()],
        place: None,
        flag_true: counters.len() - 1,
        flag_unknown: 0,
        tools_between: 0,
        counter: counters.iter().copied().max().unwrap_or(0),
        cap,
        rounds: rounds.collect(),
        ended,
        ended_at: None,
    }
}

fn strip_of(counters: &[usize], cap: Option<u16>, ended: Ended) -> String {
    let mut doc = Doc::default();
    strip(&mut doc, &found(counters, cap, ended), 60, Charset::Ascii);
    doc.lines[0].text().trim().to_owned()
}

#[test]
fn the_counter_is_shown_block_by_block_against_the_cap() {
    for (counters, cap, ended, expect) in [
        (&[1, 2, 3][..], Some(8), Ended::LetGo, "counter  1 2 3  the cap is 8"),
        (&[1, 2, 1, 2], Some(8), Ended::LetGo, "counter  1 2 0 1 2  the cap is 8"),
        (&[1, 2, 3], Some(2), Ended::Cap, "counter  1 2 3  over the cap of 2"),
        (&[1, 2], None, Ended::Open, "counter  1 2  no cap"),
    ] {
        assert_eq!(strip_of(counters, cap, ended), expect);
    }
    let long: Vec<usize> = (1..200).collect();
    let strip = strip_of(&long, None, Ended::Open);
    assert!(strip.len() <= 60 && strip.contains(".."), "{strip}");
}

#[test]
fn nothing_found_is_explained() {
    let words = |stops, once, unknown| {
        let seen = LoopsSeen { loops: Vec::new(), once, unknown, stops, events: 9 };
        none(&seen, 200, Charset::Ascii).lines[0].text().trim().to_owned()
    };
    for (stops, once, unknown, expect) in [
        (0, 0, 0, "No stop loop: this session has no stop that hooks could have blocked."),
        (1, 0, 0, "No stop loop: the only stop was not blocked, as far as is recorded."),
        (
            4,
            0,
            4,
            "No stop loop: none of the 4 stops was blocked, as far as is recorded. Of 4 stops nothing tells what the hooks said.",
        ),
        (5, 3, 0, "No stop was blocked twice in a row: 3 stops of 5 were blocked once and then let go."),
        (
            5,
            1,
            1,
            "No stop was blocked twice in a row: 1 stop of 5 was blocked once and then let go. Of 1 stop nothing tells what the hooks said.",
        ),
    ] {
        assert_eq!(words(stops, once, unknown), expect);
    }
}

#[test]
fn numbers_are_asked_for_once_and_again_when_rows_change_or_reading_ends() {
    let mut loops = Loops::default();
    assert!(loops.wants(1, 10, false));
    assert!(!loops.wants(1, 20, false), "asked already");
    loops.found(1, LoopsSeen { events: 10, ..LoopsSeen::default() });
    assert!(!loops.wants(1, 20, false), "more will come");
    assert!(loops.wants(1, 20, true), "all is read");
    loops.found(1, LoopsSeen { events: 20, ..LoopsSeen::default() });
    assert!(!loops.wants(1, 20, true));
    assert!(loops.wants(2, 20, true), "the settings changed");
    loops.found(1, LoopsSeen::default());
    assert_eq!(loops.seen.as_ref().map(|seen| seen.events), Some(20), "an answer of before is dropped");
}

#[test]
fn durations_are_told_in_two_units() {
    for (millis, expect) in [(900, "900 ms"), (12_000, "12 s"), (192_000, "3 min 12 s"), (7_500_000, "2 h 5 min")] {
        assert_eq!(duration(millis), expect);
    }
}
