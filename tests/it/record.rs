//! A session written as a recording and read back.

use hookscope::cli::convert;
use hookscope::dialect::claude_code::stream::{StreamReader, hook_input};
use hookscope::dialect::{Format, Output, Reader, Shared, recognise};
use hookscope::model::{
    Decision, Delta, Event, EventIx, Evidence, HookRun, MarkKind, Place, Session, SourceIx, Step, Verdict,
};
use hookscope::record::{Line, RecordingReader, parse};

use crate::logs::{data, read_with};

fn session(reader: &mut dyn Reader, text: &[u8]) -> Session {
    let mut shared = Shared::new();
    let out: Output = read_with(reader, text, &mut shared);
    let mut session = Session::new("claude-code");
    session.agents = shared.agents.clone();
    session.apply(Delta {
        names: shared.names.since(1),
        id: out.id,
        contexts: shared.contexts,
        calls: out.calls.into_iter().map(|(ix, call)| (SourceIx(0), ix, call)).collect(),
        events: out.events,
        marks: out.marks,
        diagnostics: out.diagnostics,
        ..Delta::default()
    });
    session
}

/// An event in full, with one run, as the engine would give it.
fn step(session: &Session, ix: EventIx, text: &[u8]) -> Option<Step> {
    let event = session.events.get(ix.at())?;
    let input = hook_input(session, event, &|at| {
        let start = at.offset() as usize;
        text.get(start..start + at.len as usize).map(<[u8]>::to_vec)
    });
    let run = HookRun {
        handler: "project:X/0/0".into(),
        kind: "command",
        command: Some("guard.sh".into()),
        evidence: Evidence::Recorded,
        exit_code: Some(0),
        signal: None,
        duration_ms: Some(1.0),
        stdout: Some("line\nline".into()),
        stderr: None,
        timed_out: false,
        outcome: None,
        says: None,
        notes: Vec::new(),
        lost: false,
        sources: Vec::new(),
    };
    Some(Step {
        seq: ix.0 + 1,
        event: session.names.text(event.name).to_owned(),
        session_id: session.text(session.context_of(event).session).map(str::to_owned),
        time: event.time.millis().map(|ms| jiff::Timestamp::from_millisecond(ms).unwrap().to_string()),
        subject: session.text(event.subject).map(str::to_owned),
        sub: None,
        tool_use_id: None,
        origin: event.origin,
        source: Place { path: "stream".into(), line: Some(event.at.line), column: None },
        input: Some(input),
        groups: Vec::new(),
        runs: vec![run],
        decision: decision(),
        recorded: None,
        changed: false,
        hypothetical: false,
        settings_note: None,
        branch: None,
        left_at: None,
        diagnostics: Vec::new(),
        evidence: event.evidence,
    })
}

fn decision() -> Decision {
    Decision {
        verdict: Verdict::Quiet,
        reason: None,
        decided_by: None,
        rule: None,
        action: None,
        effect: String::new(),
        permission: None,
        overruled: Vec::new(),
        updated_input: None,
        updated_output: None,
        additional_context: Vec::new(),
        system_messages: Vec::new(),
        initial_prompt: None,
        updated_permissions: Vec::new(),
        evidence: Evidence::Recorded,
        assumed: Vec::new(),
        steps: Vec::new(),
        model_sees: Vec::new(),
        user_sees: Vec::new(),
        unknown_because: None,
    }
}

#[test]
fn a_session_written_as_a_recording_reads_back_the_same() {
    for run in ["subagent", "compact-manual", "clear", "197-outcomes"] {
        let text = std::fs::read(data(&format!("streams/{run}/stream-1.jsonl"))).unwrap();
        let first = session(&mut StreamReader::new(), &text);
        let mut written = Vec::new();
        convert::write(&first, &mut |ix| step(&first, ix, &text), &mut written).unwrap();
        assert_eq!(recognise(&written), Format::Recording);
        let again = session(&mut RecordingReader::new(), &written);
        let show = |session: &Session, event: &Event| {
            let context = session.context_of(event);
            let text = |name| session.names.text(name).to_owned();
            let agent = session.agent_of(event).id;
            let names = [event.name, event.subject, agent, context.session, context.version, context.cwd].map(text);
            (names, event.time, event.origin, event.stop_hook_active)
        };
        let all = |session: &Session| session.events.iter().map(|event| show(session, event)).collect::<Vec<_>>();
        assert_eq!(all(&again), all(&first), "{run}");
        for kind in [MarkKind::RecordedRun, MarkKind::RecordedDecision] {
            assert_eq!(again.marks.iter().filter(|mark| mark.kind == kind).count(), first.events.len());
        }
        assert_eq!(again.marks.len(), 2 * first.events.len());
        for line in written.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let read = parse(line).unwrap();
            assert_eq!(hookscope::record::format(&read).as_bytes(), line);
            if let Line::Entry(entry) = read {
                assert_eq!(entry.runs[0]["stdout"], "line\nline");
            }
        }
    }
}
