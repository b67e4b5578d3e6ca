//! Rows and steps over recorded sessions.

use std::io;
use std::path::Path;
use std::sync::Arc;

use hookscope::diagnose::stop_loop::{Ended, clean, stop_loops};
use hookscope::dialect::claude_code::{DIALECT, Transcript};
use hookscope::dialect::{Output, Reader, Shared};
use hookscope::engine::filter::{Filter, complete, why_empty};
use hookscope::engine::{Inputs, Mode, Options, StepOptions, Tracer};
use hookscope::model::{
    Action, Delta, EventIx, Evidence, LineRef, Outcome, RunMark, Says, Session, SourceInfo, SourceIx, Step, Verdict,
};
use hookscope::settings::{Given, Request, plan};
use hookscope::source::Lines;

/// A session that is held in memory.
pub struct Held {
    pub session: Session,
    pub lines: Text,
}

/// The bytes of its only source.
#[derive(Clone)]
pub struct Text(Arc<Vec<u8>>);

impl Lines for Text {
    fn read(&self, at: LineRef) -> io::Result<Vec<u8>> {
        let start = at.offset() as usize;
        let bytes = self.0.get(start..start + at.len as usize);
        bytes.map(<[u8]>::to_vec).ok_or_else(|| io::Error::other("past the end"))
    }
}

/// Reads a transcript as one source.
pub fn hold(name: &str, text: &str) -> Held {
    let mut shared = Shared::new();
    let mut out = Output::default();
    let mut reader = Transcript::main(None);
    let mut offset = 0u64;
    for (number, line) in text.split('\n').enumerate() {
        if !line.is_empty() {
            let at = LineRef::new(SourceIx(0), offset, line.len() as u32, number as u32 + 1);
            reader.line(at, line.as_bytes(), &mut shared, &mut out);
        }
        offset += line.len() as u64 + 1;
    }
    reader.end(&mut shared, &mut out);
    let mut session = Session::new("claude-code");
    session.apply(Delta {
        names: shared.names.since(1),
        id: out.id.clone(),
        sources: vec![SourceInfo { path: name.to_owned(), format: "claude-code-transcript", bytes: text.len() as u64 }],
        contexts: shared.contexts.clone(),
        agents: shared.agents.iter().copied().enumerate().collect(),
        calls: out.calls.iter().map(|(ix, call)| (SourceIx(0), *ix, *call)).collect(),
        events: out.events.clone(),
        marks: out.marks.iter().map(|mark| RunMark { ..*mark }).collect(),
        diagnostics: out.diagnostics.clone(),
        ..Delta::default()
    });
    Held { session, lines: Text(Arc::new(text.as_bytes().to_vec())) }
}

/// A tracer over settings given as text.
pub fn tracer(settings: &str, mode: Mode) -> Tracer {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    std::fs::write(&path, settings).unwrap();
    let given = Given::parse(&format!("project={}", path.display()));
    let plan = plan(&Request { given: vec![given], ..Request::default() }, None, &[]);
    Tracer::new(&DIALECT, plan, Options { mode, ..Options::default() })
}

pub fn data(name: &str) -> Held {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts").join(name);
    hold(name, &std::fs::read_to_string(path).unwrap())
}

fn step(held: &Held, tracer: &Tracer, ix: usize) -> Step {
    let options = StepOptions { inputs: Inputs::Omitted, mode: None };
    tracer.step(&held.session, EventIx(ix as u32), &held.lines, options).unwrap()
}

fn steps(held: &Held, tracer: &Tracer) -> Vec<Step> {
    (0..held.session.events.len()).map(|ix| step(held, tracer, ix)).collect()
}

const LOOP: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "gate --changelog"}]}]}}"#;

#[test]
fn row_and_step_agree_over_every_recorded_session() {
    let settings = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "guard"}]},
                       {"matcher": "*", "hooks": [{"type": "command", "command": "audit"}]}],
        "PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "fmt"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "notify"}]}]}}"#;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "jsonl") {
            continue;
        }
        let held = hold("session", &String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        for mode in [Mode::Match, Mode::Recorded] {
            let tracer = tracer(settings, mode);
            for (ix, step) in steps(&held, &tracer).into_iter().enumerate() {
                let row = tracer.row(&held.session, EventIx(ix as u32));
                let at = format!("{} event {} {}", path.display(), step.seq, step.event);
                assert_eq!(row.verdict, step.decision.verdict, "{at}: {:?}", step.decision);
                assert_eq!(row.evidence, step.decision.evidence, "{at}");
                assert_eq!(usize::from(row.considered), step.groups.len(), "{at}");
                let matched = step.groups.iter().filter(|group| group.matched == Some(true)).count();
                assert_eq!(usize::from(row.matched), matched, "{at}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_recorded_stop_loop_counts_its_rounds_and_ends_by_the_cap() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let tracer = tracer(LOOP, Mode::Recorded);
    let stops: Vec<Step> = steps(&held, &tracer).into_iter().filter(|step| step.event == "Stop").collect();
    let told: Vec<(Verdict, Option<Action>)> =
        stops.iter().map(|step| (step.decision.verdict, step.decision.action)).collect();
    let mut expect = vec![(Verdict::Block, Some(Action::TurnContinues)); 8];
    expect.push((Verdict::Block, Some(Action::TurnEndsByCap)));
    expect.push((Verdict::Quiet, Some(Action::TurnEnds)));
    assert_eq!(told, expect);
    let rounds: Vec<u16> = stops.iter().map(|step| tracer.row(&held.session, EventIx(step.seq - 1)).round).collect();
    assert_eq!(rounds, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
    for step in &stops[..9] {
        assert_eq!(step.runs.len(), 1, "attachment, feedback and summary tell of one run: {:?}", step.runs);
        assert_eq!(step.runs[0].handler, "project:Stop/0/0");
        assert_eq!(step.runs[0].says, Some(Says::Block));
        assert_eq!(step.runs[0].sources.len(), 3);
        assert_eq!(step.decision.reason.as_deref(), Some("Update the changelog before you stop."));
        assert_eq!(step.decision.decided_by.as_deref(), Some("project:Stop/0/0"));
    }
}

#[test]
fn attachments_and_results_become_runs_with_their_handlers() {
    let held = data("t04-v2.1.140-attachments.jsonl");
    let settings = r#"{"hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "cat NOTES.md"}]}],
        "PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "guard"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "fmt"}, {"type": "command", "command": "spell --all"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "notify"}, {"type": "command", "command": "other"}]}]}}"#;
    let tracer = tracer(settings, Mode::Recorded);
    let all = steps(&held, &tracer);
    let pre: Vec<&Step> = all.iter().filter(|step| step.event == "PreToolUse").collect();
    assert_eq!(pre[0].decision.verdict, Verdict::Allow);
    assert_eq!(pre[0].decision.decided_by.as_deref(), Some("project:PreToolUse/0/0"));
    // Exit 2: the words name the command.
    assert_eq!(pre[1].decision.verdict, Verdict::Deny);
    assert_eq!(pre[1].decision.rule, Some("exit-2-blocks"));
    assert_eq!(pre[1].decision.reason.as_deref(), Some("pushes are done by the bot"));
    assert_eq!((pre[1].runs[0].exit_code, pre[1].runs[0].outcome), (Some(2), Some(Outcome::Blocking)));
    // JSON: they do not, but only one handler can have said it.
    assert_eq!(pre[2].decision.reason.as_deref(), Some("tags need a second pair of eyes"));
    assert_eq!(pre[2].runs[0].handler, "project:PreToolUse/0/0");
    assert!(pre[2].runs[0].notes.iter().any(|note| note.contains("only one left")), "{:?}", pre[2].runs[0].notes);
    let post = all.iter().find(|step| step.event == "PostToolUse").unwrap();
    assert_eq!(post.decision.verdict, Verdict::Quiet);
    let failed = post.runs.iter().find(|run| run.command.as_deref() == Some("spell --all")).unwrap();
    assert_eq!((failed.exit_code, failed.outcome), (Some(127), Some(Outcome::NonBlockingError)));
    assert!(failed.notes.iter().any(|note| note.contains("not found")), "{:?}", failed.notes);
    // The summary lists who ran: a handler that is not on it was not started.
    let stop = all.iter().find(|step| step.event == "Stop").unwrap();
    let handlers = &stop.groups[0].handlers;
    assert_eq!((handlers[0].started, handlers[0].evidence), (Some(true), Evidence::Recorded));
    assert_eq!((handlers[1].started, handlers[1].evidence), (Some(false), Evidence::Derived));
    assert!(stop.runs.iter().any(|run| run.handler.is_empty() && run.command.as_deref() == Some("remember")));
}

#[test]
fn a_mute_handler_is_unknown_never_none() {
    let held = data("t01-v1.0-basic.jsonl");
    let settings = r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let tracer = tracer(settings, Mode::Recorded);
    let all = steps(&held, &tracer);
    let pre = all.iter().find(|step| step.event == "PreToolUse").unwrap();
    assert_eq!(pre.decision.verdict, Verdict::Unknown);
    assert_eq!(pre.groups[0].handlers[0].started, None);
    assert!(pre.decision.unknown_because.as_deref().unwrap().contains("prints nothing"));
    let stop = all.iter().find(|step| step.event == "Stop").unwrap();
    assert_eq!(stop.decision.verdict, Verdict::None);
}

#[test]
fn in_match_mode_nothing_is_decided() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let all = steps(&held, &tracer(LOOP, Mode::Match));
    for step in &all {
        let matched = step.groups.iter().any(|group| group.matched == Some(true));
        let expect = if matched { Verdict::Unknown } else { Verdict::None };
        assert_eq!(step.decision.verdict, expect, "{}", step.event);
        assert!(step.runs.is_empty());
        assert!(!matched || step.decision.evidence == Evidence::Unknown);
    }
}

#[test]
fn the_recorded_loop_is_described() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let tracer = tracer(LOOP, Mode::Recorded);
    let loops = stop_loops(&tracer, &held.session, &held.lines);
    assert_eq!(loops.len(), 1);
    let found = &loops[0];
    assert_eq!((found.blocks.len(), found.verdict(), found.ended), (9, "recorded-loop", Ended::Cap));
    assert_eq!(found.reasons, [("Update the changelog before you stop.".to_owned(), 9)]);
    assert_eq!(found.handlers, ["project:Stop/0/0"]);
    assert_eq!((found.flag_true, found.flag_unknown), (8, 0));
    assert_eq!((found.tools_between, found.counter, found.cap), (0, 9, Some(8)));
    assert_eq!(found.respects_flag(), Some(false));
    assert!(found.tokens.is_some_and(|tokens| tokens > 0));
    assert!(found.span_ms.is_some_and(|span| span > 60_000));
}

#[test]
fn a_session_without_blocks_has_no_loop() {
    for name in ["t01-v1.0-basic.jsonl", "t02-v2.0-stop-summary-compact.jsonl", "t04-v2.1.140-attachments.jsonl"] {
        let held = data(name);
        let tracer = tracer(LOOP, Mode::Recorded);
        assert!(stop_loops(&tracer, &held.session, &held.lines).is_empty(), "{name}");
        assert!(clean(&tracer, &held.session).iter().any(|(event, stops)| *event == "Stop" && *stops > 0), "{name}");
    }
}

fn found(held: &Held, tracer: &Tracer, text: &str) -> Vec<u32> {
    let filter = Filter::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
    let all = (0..held.session.events.len() as u32).map(EventIx);
    all.filter(|ix| filter.matches(tracer, &held.session, *ix, &held.lines)).map(|ix| ix.0 + 1).collect()
}

#[test]
fn filters_over_a_session() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let tracer = tracer(LOOP, Mode::Recorded);
    let stops = found(&held, &tracer, "event:Stop");
    assert_eq!(stops.len(), 10);
    for (text, count) in [
        ("verdict:block", 9),
        ("event:Stop not verdict:block", 1),
        ("round:>7", 2),
        ("action:turn-ends-by-cap", 1),
        ("hook:gate", 9 + 1),
        ("by:gate*", 9),
        ("text:changelog event:Stop", 10),
        ("text:CHANGELOG", 0),
        ("tool:Edit", 2),
        ("tool:Edit,Bash event:Pre*", 1),
        ("took:>=40ms", 9),
        ("took:38ms", 1),
        ("started:yes", 10),
        ("started:unknown", 0),
        ("matched:>0", 10),
        ("time:<09:00:10", 5),
        ("time:2026-03-02 event:Stop", 10),
        ("failed or changed or unreadable", 0),
        ("mode:*", 0),
        ("origin:recorded", 0),
    ] {
        let hits = found(&held, &tracer, text);
        assert_eq!(hits.len(), count, "{text}: {hits:?}");
    }
}

#[test]
fn an_empty_result_says_why() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let tracer = tracer(LOOP, Mode::Recorded);
    for (text, words) in [
        ("verdict:deny", "no event has verdict deny"),
        ("tool:edit", "differs only by case: Edit"),
        ("event:PreTolUse", "no event is called PreTolUse; did you mean PreToolUse?"),
        ("event:worktreecreate", "no event is called worktreecreate: case counts, it is WorktreeCreate"),
        ("mode:plan", "no event carries this field: mode"),
        ("changed", "nothing was rerun"),
        ("event:PreToolUse verdict:block", "each of the conditions"),
        ("failed", "no hook is recorded as failed"),
        ("tool:Edti", "there is Edit"),
    ] {
        let filter = Filter::parse(text).unwrap();
        let why = why_empty(&filter, &tracer, &held.session);
        assert!(why.contains(words), "{text}: {why}");
    }
}

#[test]
fn completion_offers_fields_operators_and_values_seen() {
    let held = data("t05-v2.1.226-stop-loop.jsonl");
    let tracer = tracer(LOOP, Mode::Recorded);
    let offers = |text: &str| -> Vec<(usize, String, String)> {
        let offers = complete(text, text.chars().count(), &tracer, &held.session);
        offers.into_iter().map(|offer| (offer.start, offer.text, offer.about)).collect()
    };
    assert_eq!(offers("ver")[0].1, "verdict:");
    assert_eq!(offers("event:St"), [(6, "Stop".to_owned(), "10 events".to_owned())]);
    assert_eq!(offers("not tool:")[0], (9, "Edit".to_owned(), "2 events".to_owned()));
    assert_eq!(offers("verdict:b")[0], (8, "block".to_owned(), "9 events".to_owned()));
    assert_eq!(offers("event:Stop,")[0].0, 11);
    assert!(offers("event:Stop a").iter().any(|(start, text, _)| (*start, text.as_str()) == (11, "and ")));
    assert!(!offers("a").iter().any(|(_, text, _)| text == "and "));
    assert!(offers("hook:g")[0].1.contains("gate"));
}

#[test]
fn the_tally_counts_what_the_steps_attribute() {
    let settings = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "guard.sh"}]},
                       {"matcher": "Write", "hooks": [{"type": "command", "command": "audit", "if": "Write(*.md)"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "fmt"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "context.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "ci.sh"}]}]}}"#;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut sessions = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "jsonl") {
            continue;
        }
        let held = hold("session", &String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        for text in [settings, LOOP] {
            for mode in [Mode::Match, Mode::Recorded] {
                let tracer = tracer(text, mode);
                counts_agree(&path.display().to_string(), &tracer, &held.session, &held.lines);
                sessions += 1;
            }
        }
    }
    assert!(sessions >= 28, "{sessions}");
}

#[test]
fn the_tally_of_every_demo_counts_what_its_steps_attribute() {
    for demo in hookscope::load::demo::ALL {
        let store = Arc::new(hookscope::source::Store::new());
        let from = hookscope::load::open::From::Demo(demo);
        let loaded = hookscope::load::open::load(&from, &Request::default(), &store).unwrap();
        let tracer = Tracer::new(&DIALECT, loaded.plan, Options::default());
        counts_agree(demo.name, &tracer, &loaded.session, store.as_ref());
    }
}

/// Every count of every hook is the sum of what the steps say of it.
fn counts_agree(name: &str, tracer: &Tracer, session: &Session, lines: &dyn Lines) {
    let options = StepOptions { inputs: Inputs::Omitted, mode: None };
    let count = session.events.len() as u32;
    let steps: Vec<Step> = (0..count).map(|ix| tracer.step(session, EventIx(ix), lines, options).unwrap()).collect();
    for hook in hookscope::engine::tally(tracer, session, lines) {
        let at = format!("{name}: {}", hook.id);
        let own: Vec<_> = steps
            .iter()
            .flat_map(|step| step.groups.iter().flat_map(|group| &group.handlers).map(move |handler| (step, handler)))
            .filter(|(_, handler)| handler.id == hook.id)
            .collect();
        let holding = |holds| own.iter().filter(|(_, handler)| handler.started == holds).count() as u64;
        assert_eq!(hook.started, holding(Some(true)), "{at} started");
        assert_eq!(hook.started_unknown, holding(None), "{at} started unknown");
        let selected = own.iter().filter(|(_, handler)| handler.selected).count() as u64;
        assert_eq!(hook.selected, selected, "{at} selected");
        let runs: Vec<_> =
            own.iter().filter_map(|(step, _)| step.runs.iter().find(|run| run.handler == hook.id)).collect();
        let mut said = std::collections::BTreeMap::new();
        for says in runs.iter().filter_map(|run| run.says) {
            *said.entry(says.word()).or_insert(0u64) += 1;
        }
        assert_eq!(hook.said, said, "{at} said");
        let failed = |run: &&&hookscope::model::HookRun| {
            matches!(run.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout | Outcome::CannotRun))
        };
        assert_eq!(hook.failed, runs.iter().filter(failed).count() as u64, "{at} failed");
        assert_eq!(hook.why_never.is_some(), hook.started == 0 && hook.started_unknown == 0, "{at} why never");
    }
}
