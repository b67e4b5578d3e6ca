//! A session made by hand, and what is known of its events.

use hookscope::app::{Completion, HooksSeen, Inspect, LoopsSeen, Rule, Said, Test};
use hookscope::dialect::Speaker;
use hookscope::engine::Row;
use hookscope::engine::filter::FilterError;
use hookscope::model::*;
use serde_json::{Value, json};

/// Answers from a table.
pub struct Desk {
    pub plan: Plan,
    pub steps: Vec<Step>,
    pub rounds: Vec<u16>,
}

impl Inspect for Desk {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn row(&self, _: &Session, event: EventIx) -> Row {
        let Some(step) = self.steps.get(event.at()) else {
            return Row {
                considered: 0,
                matched: 0,
                verdict: Verdict::None,
                failed: false,
                lost: false,
                round: 0,
                started_unknown: false,
                needs_input: false,
                took_ms: None,
                evidence: Evidence::Derived,
            };
        };
        Row {
            considered: step.groups.len() as u16,
            matched: step.groups.iter().filter(|group| group.matched == Some(true)).count() as u16,
            verdict: step.decision.verdict,
            failed: step.runs.iter().any(|run| run.outcome == Some(Outcome::NonBlockingError)),
            lost: step.runs.iter().any(|run| run.lost),
            round: self.rounds.get(event.at()).copied().unwrap_or(0),
            needs_input: false,
            started_unknown: step.decision.verdict == Verdict::Unknown,
            took_ms: None,
            evidence: step.decision.evidence,
        }
    }

    fn step(&self, session: &Session, event: EventIx) -> Option<Step> {
        Some(self.steps.get(event.at()).cloned().unwrap_or_else(|| {
            let it = session.events[event.at()];
            step(event.at(), session.names.text(it.name), session.text(it.subject), json!({}))
        }))
    }

    /// `word` holds where the name or subject contains it; `bad` is a fault.
    fn filter(&self, expr: &str) -> Result<Test, FilterError> {
        if expr.contains("bad:") {
            return Err(FilterError {
                message: "there is no field \"bad\"".into(),
                column: 1,
                help: Some("did you mean tool: ?".into()),
            });
        }
        let word = expr.trim_start_matches("tool:").trim_start_matches("text:").to_owned();
        Ok(Box::new(move |session, event| {
            let it = &session.events[event.at()];
            session.names.text(it.name).contains(&word) || session.names.text(it.subject).contains(&word)
        }))
    }

    fn complete(&self, _: &Session, expr: &str, cursor: usize) -> Vec<Completion> {
        let fields = [("tool:", "the tool"), ("text:", "any text"), ("verdict:", "what the hooks say together")];
        let word: String = expr.chars().take(cursor).collect();
        let start = word.rfind(' ').map_or(0, |at| at + 1);
        fields
            .iter()
            .filter(|(name, _)| name.starts_with(&word[start..]) && *name != &word[start..])
            .map(|(name, about)| Completion { start, text: (*name).into(), about: (*about).into() })
            .collect()
    }

    fn why_empty(&self, _: &Session, expr: &str) -> String {
        format!("no event has {expr:?}")
    }

    fn text_filter(&self, text: &str) -> String {
        format!("text:{text}")
    }

    fn conversation(&self, session: &Session, event: EventIx) -> Vec<Said> {
        if event.0 != 7 {
            return Vec::new();
        }
        vec![Said { time: session.events[6].time, who: Speaker::Model, words: "I will push\nthe branch now.".into() }]
    }

    fn hooks_seen(&self, session: &Session) -> HooksSeen {
        HooksSeen { events: session.events.len(), ..HooksSeen::default() }
    }

    fn loops_seen(&self, session: &Session) -> LoopsSeen {
        LoopsSeen { events: session.events.len(), ..LoopsSeen::default() }
    }

    fn rule(&self, name: &str) -> Option<&'static Rule> {
        const RULE: &Rule = &Rule {
            name: "exit-2-blocks",
            text: "A command that exits with 2 blocks; its stderr is the reason.",
            versions: "all measured, up to 2.1.332",
            source: "documentation of the hooks, section on exit codes",
        };
        (name == RULE.name).then_some(RULE)
    }
}

pub fn step(at: usize, event: &str, subject: Option<&str>, input: Value) -> Step {
    Step {
        seq: at as u32 + 1,
        event: event.into(),
        session_id: Some("4f6c0d1e".into()),
        time: None,
        subject: subject.map(Into::into),
        sub: None,
        tool_use_id: None,
        origin: Origin::Derived,
        source: Place { path: "nightly.jsonl".into(), line: Some(at as u32 + 1), column: None },
        input: Some(input),
        groups: Vec::new(),
        runs: Vec::new(),
        decision: Decision {
            verdict: Verdict::None,
            reason: None,
            decided_by: None,
            rule: None,
            action: Some(Action::Proceeds),
            effect: String::new(),
            permission: None,
            overruled: Vec::new(),
            updated_input: None,
            updated_output: None,
            additional_context: Vec::new(),
            system_messages: Vec::new(),
            initial_prompt: None,
            updated_permissions: Vec::new(),
            evidence: Evidence::Derived,
            assumed: Vec::new(),
            steps: Vec::new(),
            model_sees: Vec::new(),
            user_sees: Vec::new(),
            unknown_because: None,
        },
        recorded: None,
        changed: false,
        hypothetical: false,
        settings_note: None,
        branch: None,
        left_at: None,
        diagnostics: Vec::new(),
        evidence: Evidence::Derived,
    }
}

pub fn handler(id: &str, label: &str, line: u32, started: Option<bool>) -> HandlerStep {
    let stage = |holds, why: &str| match holds {
        Some(holds) => Stage::known(holds, Evidence::Recorded, why),
        None => Stage::unknown(why),
    };
    HandlerStep {
        id: id.into(),
        selected: started != Some(false),
        why: String::new(),
        started,
        evidence: if started.is_some() { Evidence::Recorded } else { Evidence::Unknown },
        label: label.into(),
        line,
        stages: [
            Stage::known(true, Evidence::Derived, "in settings that this session could load"),
            Stage::known(started != Some(false), Evidence::Derived, "by its matcher"),
            Stage::known(started != Some(false), Evidence::Derived, "no duplicate, no condition"),
            stage(
                started,
                if started.is_some() { "the transcript shows it" } else { "a mute handler leaves no trace" },
            ),
            stage(started, if started.is_some() { "its output is recorded" } else { "nothing tells" }),
        ],
    }
}

pub fn group(
    id: &str,
    scope: &str,
    matcher: &str,
    line: u32,
    matched: bool,
    why: &str,
    handler: HandlerStep,
) -> GroupStep {
    GroupStep {
        id: id.into(),
        scope: scope.into(),
        path: format!(".claude/{}.json", if scope == "project" { "settings" } else { scope }),
        line,
        matcher: Some(matcher.into()),
        matched: Some(matched),
        why: why.into(),
        handlers: vec![handler],
        span: None,
        hint: None,
    }
}

pub fn run(handler: &str, exit: i32, ms: f64, says: Option<Says>, stderr: &str) -> HookRun {
    HookRun {
        handler: handler.into(),
        kind: "command",
        command: Some(format!("sh .claude/hooks/{handler}")),
        evidence: Evidence::Recorded,
        exit_code: Some(exit),
        signal: None,
        duration_ms: Some(ms),
        stdout: Some(String::new()),
        stderr: Some(stderr.into()),
        timed_out: false,
        outcome: Some(match exit {
            0 => Outcome::Success,
            2 => Outcome::Blocking,
            _ => Outcome::NonBlockingError,
        }),
        says,
        notes: if exit == 1 { vec!["exit 1 does not block: only exit 2 does".into()] } else { Vec::new() },
        lost: false,
        sources: Vec::new(),
    }
}

/// One event: name, subject, agent.
pub struct Line(pub &'static str, pub &'static str, pub u16);

pub fn session(lines: &[Line]) -> Session {
    let mut session = Session::new("claude-code");
    session.id = "4f6c0d1e-0000-4000-8000-000000000000".into();
    session.title = Some("nightly-refactor".into());
    session.sources.push(SourceInfo { path: "nightly.jsonl".into(), format: "claude-code-transcript", bytes: 9000 });
    let version = session.names.intern("2.1.332");
    session.contexts.push(Context { version, ..Context::EMPTY });
    let kind = session.names.intern("reviewer");
    session.agents.push(Agent { kind, parent: AgentIx(0), ..Agent::MAIN });
    for (at, Line(name, subject, agent)) in lines.iter().enumerate() {
        let name = session.names.intern(name);
        let place = LineRef::new(SourceIx(0), at as u64 * 100, 99, at as u32 + 1);
        let mut event = Event::new(name, Time(1_796_035_262_000 + at as i64 * 3_000), place, ContextIx(0));
        if !subject.is_empty() {
            event.subject = session.names.intern(subject);
        }
        event.agent = AgentIx(*agent);
        session.events.push(event);
    }
    session.progress.done = true;
    session
}

/// A session with one of everything.
pub fn nightly_refactor() -> (Session, Desk) {
    let lines = [
        Line("SessionStart", "startup", 0),
        Line("UserPromptSubmit", "", 0),
        Line("PreToolUse", "Read", 0),
        Line("PostToolUse", "Read", 0),
        Line("PreToolUse", "Edit", 0),
        Line("PostToolUse", "Edit", 0),
        Line("PreToolUse", "Grep", 0),
        Line("PreToolUse", "Bash", 0),
        Line("SubagentStart", "reviewer", 1),
        Line("PreToolUse", "Read", 1),
        Line("SubagentStop", "reviewer", 1),
        Line("Stop", "", 0),
        Line("Stop", "", 0),
        Line("Stop", "", 0),
        Line("SessionEnd", "other", 0),
    ];
    let session = session(&lines);
    let mut steps: Vec<Step> = lines
        .iter()
        .enumerate()
        .map(|(at, Line(name, subject, _))| {
            let subject = (!subject.is_empty()).then_some(*subject);
            let input = json!({
                "session_id": "4f6c0d1e", "cwd": "/home/dana/nightly", "hook_event_name": name,
                "permission_mode": "default", "tool_name": subject, "tool_input": {"file_path": "src/lib.rs"},
            });
            step(at, name, subject, input)
        })
        .collect();
    steps[1].groups.push(group(
        "user:UserPromptSubmit/0",
        "user",
        "",
        8,
        true,
        "no matcher: every prompt",
        handler("user:UserPromptSubmit/0/0", "stamp.sh", 9, Some(true)),
    ));
    steps[1].runs.push(run("user:UserPromptSubmit/0/0", 0, 4.0, None, ""));
    steps[1].decision.verdict = Verdict::Quiet;
    steps[3].groups.push(group(
        "project:PostToolUse/0",
        "project",
        "*",
        40,
        true,
        "matches everything",
        handler("project:PostToolUse/0/0", "log.sh", 41, None),
    ));
    steps[3].decision.verdict = Verdict::Unknown;
    steps[3].decision.evidence = Evidence::Unknown;
    steps[3].decision.unknown_because = Some("a mute handler leaves no trace in a transcript".into());
    steps[5].groups.push(group(
        "project:PostToolUse/1",
        "project",
        "Edit",
        44,
        true,
        "exact name",
        handler("project:PostToolUse/1/0", "fmt.sh", 45, Some(true)),
    ));
    steps[5].runs.push(run("project:PostToolUse/1/0", 1, 230.0, None, "rustfmt: not found\n"));
    steps[5].decision.verdict = Verdict::Quiet;
    let bash = &mut steps[7];
    bash.input = Some(json!({
        "session_id": "4f6c0d1e", "transcript_path": "/home/dana/.claude/projects/x/4f6c0d1e.jsonl",
        "cwd": "/home/dana/nightly", "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "git push --force origin main", "description": "Push the branch"},
        "tool_use_id": "toolu_01Hx",
    }));
    bash.groups = vec![
        group(
            "project:PreToolUse/0",
            "project",
            "Bash",
            12,
            true,
            "exact name",
            handler("project:PreToolUse/0/0", "guard.sh", 14, Some(true)),
        ),
        group(
            "project:PreToolUse/1",
            "project",
            "bash",
            20,
            false,
            "case counts: `bash` is not `Bash`",
            handler("project:PreToolUse/1/0", "lint.sh", 21, Some(false)),
        ),
        group(
            "user:PreToolUse/0",
            "user",
            "*",
            5,
            true,
            "matches everything",
            handler("user:PreToolUse/0/0", "audit.py", 6, Some(true)),
        ),
        group(
            "plugin-gh:PreToolUse/0",
            "plugin-gh",
            "mcp__github",
            3,
            false,
            "a server name alone matches nothing: write mcp__github__.*",
            handler("plugin-gh:PreToolUse/0/0", "gh-log", 4, Some(false)),
        ),
    ];
    bash.runs = vec![
        run("project:PreToolUse/0/0", 2, 11.0, Some(Says::Deny), "no force push\n"),
        run("user:PreToolUse/0/0", 0, 48.0, None, ""),
    ];
    let decision = &mut bash.decision;
    decision.verdict = Verdict::Deny;
    decision.reason = Some("no force push".into());
    decision.decided_by = Some("project:PreToolUse/0/0".into());
    decision.rule = Some("exit-2-blocks");
    decision.action = Some(Action::Blocked);
    decision.effect = "the call is not made; the model reads the reason".into();
    decision.model_sees = vec![Text { from: "guard.sh".into(), words: "no force push".into() }];
    decision.permission = Some(PermissionResult {
        result: "ask",
        rule: Some("Bash(git push*)".into()),
        path: Some(".claude/settings.json".into()),
        line: Some(52),
        mode: Some("default".into()),
    });
    decision.evidence = Evidence::Recorded;
    for round in 0..3 {
        let stop = &mut steps[11 + round];
        stop.groups = vec![group(
            "project:Stop/0",
            "project",
            "",
            30,
            true,
            "Stop has no matcher",
            handler("project:Stop/0/0", "ci.sh", 31, Some(true)),
        )];
        stop.runs = vec![run("project:Stop/0/0", 2, 900.0, Some(Says::Block), "tests must pass before you stop\n")];
        stop.decision.verdict = Verdict::Block;
        stop.decision.reason = Some("tests must pass before you stop".into());
        stop.decision.decided_by = Some("project:Stop/0/0".into());
        stop.decision.rule = Some("exit-2-blocks");
        stop.decision.effect = "the turn goes on; the model reads the reason".into();
        stop.decision.evidence = Evidence::Recorded;
    }
    let mut rounds = vec![0; steps.len()];
    rounds[11..14].copy_from_slice(&[1, 2, 3]);
    let file = |scope: &str, path: &str| SettingsFile {
        scope: scope.into(),
        path: path.into(),
        status: FileStatus::Loaded,
        drops: Vec::new(),
        changed: Time::UNKNOWN,
        origin: EraOrigin::Now,
        permissions: None,
        warnings: Vec::new(),
    };
    let handler = Handler {
        id: "project:PreToolUse/0/0".into(),
        kind: HandlerKind::Command { command: "sh guard.sh".into(), args: None, shell: None },
        position: Position { line: 14, column: 9 },
        timeout: None,
        condition: None,
        background: false,
        held_back: None,
        raw: Value::Null,
    };
    let group = |file: usize, event: &str| MatcherGroup {
        id: format!("project:{event}/0"),
        event: event.into(),
        file,
        position: Position { line: 12, column: 5 },
        matcher_position: None,
        matcher: Matching::Text("Bash".into()),
        handlers: vec![handler.clone()],
        limited_to: None,
    };
    let set = HookSet {
        files: vec![
            file("user", "~/.claude/settings.json"),
            file("project", ".claude/settings.json"),
            file("plugin-gh", "hooks/hooks.json"),
        ],
        groups: vec![group(0, "PreToolUse"), group(1, "PreToolUse"), group(1, "Stop"), group(2, "PreToolUse")],
        switches: Vec::new(),
    };
    let plan = Plan {
        eras: vec![Era { from: Time::UNKNOWN, set, note: None }],
        looked_at: Vec::new(),
        given: false,
        blind: false,
        trust_known: false,
        dialect: None,
    };
    (session, Desk { plan, steps, rounds })
}
