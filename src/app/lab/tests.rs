use super::*;
use crate::model::{ContextIx, Event, LineRef, Time};

fn session(subjects: &[(&str, &str)]) -> (Session, Subjects) {
    let mut session = Session::new("claude-code");
    for (event, subject) in subjects {
        let name = session.names.intern(event);
        let mut event = Event::new(name, Time::UNKNOWN, LineRef::NONE, ContextIx(0));
        event.subject = session.names.intern(subject);
        session.events.push(event);
    }
    let mut counted = Subjects::default();
    counted.count(&session);
    (session, counted)
}

fn lab(pattern: &str) -> Lab {
    let (session, subjects) =
        session(&[("PreToolUse", "Edit"), ("PreToolUse", "Bash"), ("PreToolUse", "Bash"), ("SessionStart", "startup")]);
    Lab::new(pattern, "PreToolUse", None, &session, &subjects)
}

fn keep(subject: &str, must: Must) -> Keep {
    Keep { event: "PreToolUse".into(), subject: subject.into(), must }
}

#[test]
fn names_of_the_session_come_first_by_count_then_known_ones() {
    let lab = lab("Edit");
    let first: Vec<(&str, u32)> =
        lab.report.results.iter().map(|row| row.subject.as_str()).zip(lab.counts.iter().copied()).take(3).collect();
    assert_eq!(first, [("Bash", 2), ("Edit", 1), ("PowerShell", 0)]);
    assert!(!lab.report.results.iter().skip(2).any(|row| row.subject == "Bash"), "no name twice");
}

#[test]
fn a_kept_name_holds_or_fails_as_the_pattern_is_typed() {
    let mut lab = lab("Edit.*");
    for (pattern, keep, expect) in [
        ("Edit.*", keep("Edit", Must::Match), Some(true)),
        ("Edit.*", keep("NotebookEdit", Must::NotMatch), Some(false)),
        ("^Edit$", keep("NotebookEdit", Must::NotMatch), Some(true)),
        ("Write", keep("Edit", Must::Match), Some(false)),
        ("Write", keep("NoSuchTool", Must::Match), None),
    ] {
        lab.field = Field::new(pattern.into());
        lab.typed();
        assert_eq!(lab.holds(&keep), expect, "{pattern} {keep:?}");
    }
}

#[test]
fn keeping_turns_from_must_to_must_not_to_nothing() {
    let mut keeps = Vec::new();
    turn_keep(&mut keeps, "PreToolUse", "Edit");
    assert_eq!(keeps, [keep("Edit", Must::Match)]);
    turn_keep(&mut keeps, "PreToolUse", "Edit");
    assert_eq!(keeps, [keep("Edit", Must::NotMatch)]);
    turn_keep(&mut keeps, "PreToolUse", "Edit");
    assert_eq!(keeps, []);
}

#[test]
fn risky_patterns_are_handed_out_once_and_come_back_name_by_name() {
    let mut lab = lab("(E|d)\\1x");
    let trial = lab.wanted().unwrap();
    assert_eq!(trial.subjects.len(), lab.report.results.len());
    assert_eq!(lab.wanted(), None, "asked once");
    assert_eq!(lab.fit(&lab.report.results[1]), Fit::Trying);
    let row = MatchRow { subject: "Edit".into(), matched: Some(false), span: None, why: "no".into() };
    lab.tried(trial.generation + 1, row.clone());
    assert_eq!(lab.fit(&lab.report.results[1]), Fit::Trying, "an answer to another pattern");
    lab.tried(trial.generation, row);
    assert_eq!(lab.fit(&lab.report.results[1]), Fit::Not);
    let row = MatchRow { subject: "Bash".into(), matched: None, span: None, why: "too long".into() };
    lab.tried(trial.generation, row);
    assert_eq!(lab.fit(&lab.report.results[0]), Fit::Undecided);
}

#[test]
fn events_of_the_session_are_turned_to_first() {
    let (session, subjects) = session(&[("PreToolUse", "Edit"), ("SessionStart", "startup")]);
    let mut lab = Lab::new("startup", "PreToolUse", None, &session, &subjects);
    lab.turn_event(Way::Back, &session, &subjects);
    assert_eq!(lab.event, "SessionStart");
    assert_eq!(lab.report.results[0].subject, "startup");
    assert_eq!(lab.report.results[0].matched, Some(true));
    lab.turn_event(Way::Forward, &session, &subjects);
    assert_eq!(lab.event, "PreToolUse");
}

#[test]
fn new_names_are_listed_as_they_are_read() {
    let (mut session, mut subjects) = session(&[("PreToolUse", "Edit")]);
    let mut lab = Lab::new("mcp__.*", "PreToolUse", None, &session, &subjects);
    let name = session.names.intern("PreToolUse");
    let mut event = Event::new(name, Time::UNKNOWN, LineRef::NONE, ContextIx(0));
    event.subject = session.names.intern("mcp__mail__send");
    session.events.push(event);
    subjects.count(&session);
    lab.catch_up(&session, &subjects);
    let row = lab.report.results.iter().find(|row| row.subject == "mcp__mail__send").unwrap();
    assert_eq!(row.matched, Some(true));
}
