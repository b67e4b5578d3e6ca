//! What agents have in common whose handlers answer by exit code and JSON: starting, listening, combining.
//!
//! Owns the code that works from a table of one agent's rules. Must not know which agent that is.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::claude_code::decide::{action, effect};
use super::{
    Admission, Behaviour, Candidate, Circumstances, Condition, EventClass, EventSpec, Firing, Joined, Ran, Reading,
    Rule, Said, Setting, Traces, hook_log,
};
use crate::model::{
    Action, Decision, EventIx, Evidence, Handler, HandlerKind, HookRun, MarkKind, Outcome, Overruled, RuleStep, Says,
    Session, Start, Text, Verdict,
};
use crate::source::Lines;

/// How an agent starts a command handler.
#[derive(Debug)]
pub(super) struct Starting {
    /// The shell that gets the command after `-c`; `None`: the one that `SHELL` names.
    pub shell: Option<&'static str>,
    /// Variables that name the project folder.
    pub project: &'static [&'static str],
    /// Variables that hold the session's id.
    pub session: &'static [&'static str],
    /// Variables that a plugin's handlers get.
    pub plugin: &'static [&'static str],
    /// Whether these names are replaced in the text of the command, too.
    pub substitutes: bool,
    /// Seconds where a handler names none.
    pub limit: f64,
    /// Seconds of what a handler names.
    pub seconds: fn(named: f64) -> f64,
}

/// The process that a handler is.
pub(super) fn start(rules: &Starting, handler: &Handler, setting: &Setting<'_>) -> Result<Start, String> {
    let HandlerKind::Command { command, .. } = &handler.kind else {
        return Err(format!("a handler of type {} needs the agent: it can't be run here", handler.kind.word()));
    };
    let mut env: Vec<(String, String)> = setting.env.to_vec();
    let named = |names: &'static [&'static str], value: &str| {
        names.iter().map(|name| ((*name).to_owned(), value.to_owned())).collect::<Vec<_>>()
    };
    let mut own = named(rules.project, setting.project);
    own.extend(named(rules.session, setting.session));
    own.extend(setting.plugin.map(|plugin| named(rules.plugin, plugin)).unwrap_or_default());
    for (name, value) in &own {
        // What stands in the environment wins: it is there on purpose.
        if !env.iter().any(|(known, _)| known == name) {
            env.push((name.clone(), value.clone()));
        }
    }
    let mut command = command.clone();
    if rules.substitutes {
        for (name, value) in &own {
            command = command.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        }
    }
    let shell = env.iter().find(|(name, _)| name == "SHELL").map(|(_, shell)| shell.clone());
    let program = rules.shell.map(str::to_owned).or(shell).unwrap_or_else(|| "/bin/sh".to_owned());
    let limit = handler.timeout.map_or(rules.limit, rules.seconds);
    Ok(Start {
        program,
        args: vec!["-c".to_owned(), command],
        cwd: setting.cwd.to_owned(),
        env,
        input: setting.input.to_string().into_bytes(),
        limit: Duration::try_from_secs_f64(limit).ok(),
    })
}

/// What the agent makes of a run, by its own reading of an answer.
pub(super) fn heard(
    read: fn(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading,
    spec: Option<&EventSpec>,
    candidate: &Candidate<'_>,
    mut run: HookRun,
) -> Joined {
    let class = spec.map_or(EventClass::Notice, |spec| spec.class);
    let ran = Ran {
        stdout: run.stdout.as_deref().unwrap_or_default(),
        stderr: run.stderr.as_deref().unwrap_or_default(),
        exit_code: run.exit_code.or_else(|| run.signal.map(|signal| 128 + signal)),
        timed_out: run.timed_out,
        background: candidate.handler.background,
    };
    let reading = match (run.outcome, ran.exit_code) {
        (Some(Outcome::CannotRun), _) => Reading { outcome: Some(Outcome::CannotRun), ..Reading::default() },
        _ if run.timed_out => failed(Outcome::Timeout, "timeout-has-no-say", "a time-out has no say"),
        (_, None) => {
            failed(Outcome::NonBlockingError, "failure-has-no-say", "a program that does not start does not block")
        }
        _ if ran.background => {
            failed(Outcome::Async, "async-has-no-say", "runs in the background: it can't decide anything")
        }
        _ => read(spec.map_or("", |spec| spec.name), class, &ran),
    };
    run.outcome = reading.outcome;
    run.says = reading.says;
    run.lost = reading.lost;
    run.notes.extend(reading.notes.iter().cloned());
    Joined { run, reading, label: candidate.label.to_owned(), place: (0, 0), attributed: Evidence::Run }
}

/// An answer that counts for nothing.
pub(super) fn failed(outcome: Outcome, rule: &'static str, note: &str) -> Reading {
    Reading { outcome: Some(outcome), rule: Some(rule), notes: vec![note.to_owned()], ..Reading::default() }
}

/// An answer that refuses, in the word of the moment.
pub(super) fn refuses(class: EventClass, reading: &mut Reading, reason: Option<String>, rule: &'static str) {
    reading.says = Some(match class {
        EventClass::BeforeTool | EventClass::Permission => Says::Deny,
        _ => Says::Block,
    });
    reading.reason = reason;
    reading.rule = Some(rule);
}

/// How several answers become a decision.
#[derive(Debug)]
pub(super) struct Combining {
    /// Whether answers count in the order of the settings; else in that of finishing.
    pub as_configured: bool,
    /// Whether every refusal's words are given at such a moment; else the first one's.
    pub all_words: fn(EventClass) -> bool,
    /// What stands between them.
    pub between: &'static str,
    /// Whether the words of handlers that do not refuse are given with a refusal as well.
    pub bystanders: bool,
    /// How the model reads a refused call.
    pub refusal: fn(reason: &str) -> String,
    /// Rule that says how several refusals combine.
    pub rule: &'static str,
    /// Fields that a rewritten input of a tool must have, as texts.
    pub required: &'static [(&'static str, &'static [&'static str])],
    /// What is taken for granted about all of it.
    pub assumed: &'static [&'static str],
}

/// What comes of several answers, given in the order of finishing.
pub(super) fn decide(rules: &Combining, at: &Circumstances<'_>, answers: &[Joined]) -> Decision {
    let mut ordered: Vec<&Joined> = answers.iter().collect();
    if rules.as_configured {
        ordered.sort_by_key(|answer| answer.place);
    }
    let told = ordered.iter().filter_map(|answer| counted(at, answer)).max_by_key(|verdict| rank(*verdict));
    let mut decision = Decision {
        verdict: told.unwrap_or(if answers.is_empty() { Verdict::None } else { Verdict::Quiet }),
        reason: None,
        decided_by: None,
        rule: None,
        action: None,
        effect: String::new(),
        permission: None,
        overruled: Vec::new(),
        updated_input: None,
        updated_output: None,
        additional_context: ordered.iter().flat_map(|answer| answer.reading.context.clone()).collect(),
        system_messages: ordered.iter().filter_map(|answer| answer.reading.system_message.clone()).collect(),
        initial_prompt: None,
        updated_permissions: Vec::new(),
        evidence: Evidence::Derived,
        assumed: if answers.is_empty() {
            Vec::new()
        } else {
            rules.assumed.iter().map(|it| (*it).to_owned()).collect()
        },
        steps: ordered.iter().map(|answer| RuleStep { text: said(at, answer), rule: answer.reading.rule }).collect(),
        model_sees: Vec::new(),
        user_sees: Vec::new(),
        unknown_because: None,
    };
    if let Some(verdict) = told {
        choose(rules, at, verdict, &ordered, &mut decision);
    }
    if matches!(at.class, EventClass::Prompt) && matches!(decision.verdict, Verdict::Block | Verdict::Halt) {
        decision.additional_context.clear();
    }
    // Measured where it was looked at: the rewrite of the last one to finish.
    if !matches!(decision.verdict, Verdict::Deny | Verdict::Halt) {
        decision.updated_input = answers.iter().rev().find_map(|answer| answer.reading.updated_input.clone());
    }
    follow(at, &mut decision);
    if let Some(missing) = lacks(rules, at, &decision) {
        decision.action = Some(Action::InputRejected);
        decision.effect = format!("the rewritten input lacks the text `{missing}`: the agent refuses the call");
    }
    decision
}

/// A field that a rewritten input must have and has not.
fn lacks(rules: &Combining, at: &Circumstances<'_>, decision: &Decision) -> Option<&'static str> {
    let input = decision.updated_input.as_ref().filter(|_| at.class == EventClass::BeforeTool)?;
    let (_, fields) = rules.required.iter().find(|(tool, _)| Some(*tool) == at.subject)?;
    fields.iter().copied().find(|field| !input.get(field).is_some_and(Value::is_string))
}

/// What the agent does by a decision's verdict, and in which words.
pub(super) fn follow(at: &Circumstances<'_>, decision: &mut Decision) {
    decision.action = Some(match (at.class, decision.verdict) {
        (EventClass::Start, Verdict::Halt) => Action::AgentStops,
        _ => action(at, decision),
    });
    decision.effect = effect(at, decision);
}

fn choose(rules: &Combining, at: &Circumstances<'_>, verdict: Verdict, ordered: &[&Joined], decision: &mut Decision) {
    let agreeing: Vec<&Joined> =
        ordered.iter().copied().filter(|answer| counted(at, answer) == Some(verdict)).collect();
    let Some(winner) = agreeing.first() else { return };
    decision.decided_by = Some(winner.run.handler.clone()).filter(|id| !id.is_empty());
    decision.rule = winner.reading.rule;
    let words = |answer: &&Joined| match verdict {
        Verdict::Halt => answer.reading.stop_reason.clone().or_else(|| answer.reading.reason.clone()),
        _ => answer.reading.reason.clone(),
    };
    let every: Vec<String> = match ((rules.all_words)(at.class), rules.bystanders) {
        (true, true) => ordered.iter().filter_map(words).collect(),
        (true, false) => agreeing.iter().filter_map(words).collect(),
        (false, _) => agreeing.iter().find_map(words).into_iter().collect(),
    };
    if verdict != Verdict::Allow {
        decision.reason = Some(every.join(rules.between)).filter(|words| !words.is_empty());
    }
    if agreeing.len() > 1 {
        decision.steps.push(RuleStep { text: "several say so".to_owned(), rule: Some(rules.rule) });
    }
    for answer in ordered {
        if let (Some(says), true) = (answer.reading.says, counted(at, answer).is_some_and(|said| said != verdict)) {
            decision.overruled.push(Overruled { handler: answer.run.handler.clone(), says });
        }
    }
    if let Some(reason) = &decision.reason {
        let words = if verdict == Verdict::Deny { (rules.refusal)(reason) } else { reason.clone() };
        let text = Text { from: winner.label.clone(), words };
        let for_model = matches!(
            at.class,
            EventClass::BeforeTool
                | EventClass::Permission
                | EventClass::AfterTool
                | EventClass::Stop
                | EventClass::SubagentStop
        );
        if for_model && verdict != Verdict::Halt {
            decision.model_sees.push(text)
        } else {
            decision.user_sees.push(text)
        }
    }
}

/// What an answer says that counts at this moment.
fn counted(at: &Circumstances<'_>, answer: &Joined) -> Option<Verdict> {
    use EventClass as C;
    Some(match (at.class, answer.reading.says?) {
        (C::BeforeTool | C::Permission, Says::Allow) => Verdict::Allow,
        (C::BeforeTool, Says::Ask) => Verdict::Ask,
        (C::BeforeTool, Says::Defer) => Verdict::Defer,
        (C::BeforeTool | C::Permission, Says::Deny | Says::Block) => Verdict::Deny,
        (C::Notice | C::AfterBatch | C::Worktree, _) | (_, Says::Context) => return None,
        (C::Start, Says::Halt) | (_, Says::Halt) => Verdict::Halt,
        (C::Start, _) => return None,
        (_, Says::Deny | Says::Block) => Verdict::Block,
        (_, Says::Allow | Says::Ask | Says::Defer) => return None,
    })
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::None | Verdict::Quiet | Verdict::Unknown => 0,
        Verdict::Allow => 1,
        Verdict::Ask => 2,
        Verdict::Defer => 3,
        Verdict::Block => 4,
        Verdict::Deny => 5,
        Verdict::Halt => 6,
    }
}

/// One answer in a line.
fn said(at: &Circumstances<'_>, answer: &Joined) -> String {
    let who = if answer.label.is_empty() { "a hook" } else { &answer.label };
    let what = match (answer.reading.outcome, answer.reading.says) {
        (Some(Outcome::Timeout), _) => "was stopped by its time limit: it has no say",
        (Some(Outcome::Async), _) => "runs in the background: it has no say",
        (Some(Outcome::CannotRun), _) => "could not be run",
        (Some(Outcome::NonBlockingError), _) => "failed, and the agent goes on",
        (_, Some(Says::Allow)) => "allows",
        (_, Some(Says::Ask)) => "wants the user to be asked",
        (_, Some(Says::Defer)) => "puts the call off",
        (_, Some(Says::Deny)) => "refuses",
        (_, Some(Says::Block)) => "blocks",
        (_, Some(Says::Halt)) => "stops the agent",
        (_, Some(Says::Context)) => "adds context",
        (_, None) => return format!("{who} said nothing that counts at {}", at.event),
    };
    match &answer.reading.reason {
        Some(reason) => format!("{who} {what}: {}", reason.lines().next().unwrap_or_default()),
        None => format!("{who} {what}"),
    }
}

// What is the same for every agent whose own session files are not read.

/// The hook input that a hook wrote down; nothing else tells it.
pub(super) fn input(session: &Session, ix: EventIx, lines: &dyn Lines) -> io::Result<Option<Value>> {
    let logged = session.marks_of(ix).find(|mark| mark.kind == MarkKind::InputLogged);
    match logged {
        Some(mark) => Ok(hook_log::extract_input(&lines.read(mark.at)?)),
        // Another agent's session, looked at by these rules.
        None => super::claude_code::hook_input(session, ix, lines),
    }
}

/// Nothing keeps a handler back.
pub(super) fn admits(_: &Handler, _: Option<&EventSpec>, _: Option<&str>) -> Admission {
    Admission::Runs
}

/// There are no conditions.
pub(super) fn condition(_: &str, _: &str, _: &Value, _: Option<&str>) -> Condition {
    Condition { holds: true, evidence: Evidence::Derived, why: "this agent has no conditions".to_owned() }
}

/// No session of these agents is read that tells answers.
pub(super) fn verdict(_: &Traces<'_>) -> Option<Verdict> {
    None
}

/// As [`verdict`].
pub(super) fn join(_: &Firing<'_>) -> Vec<Joined> {
    Vec::new()
}

/// As [`verdict`].
pub(super) fn no_conversation(_: &[u8]) -> Option<Said> {
    None
}

/// What stdout is.
pub(super) enum Stdout {
    /// Nothing but white space.
    Empty,
    /// Text, or JSON that is no object.
    Text,
    /// Begins as an object or list and is none.
    Broken,
    /// An object.
    Object(serde_json::Map<String, Value>),
}

/// Sorts stdout into nothing, text and an object.
pub(super) fn stdout(text: &str) -> Stdout {
    let text = text.trim();
    if text.is_empty() {
        return Stdout::Empty;
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Stdout::Object(object),
        Ok(_) => Stdout::Text,
        Err(_) if text.starts_with(['{', '[']) => Stdout::Broken,
        Err(_) => Stdout::Text,
    }
}

/// A field that is a text.
pub(super) fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).map(str::to_owned)
}

/// As [`text`], unless it is blank.
pub(super) fn words(value: &Value, field: &str) -> Option<String> {
    text(value, field).filter(|words| !words.trim().is_empty())
}

/// What one agent brings to the table of rules that are code.
pub(super) struct Own {
    pub decide: fn(&Circumstances<'_>, &[Joined]) -> Decision,
    pub start: fn(&Handler, &Setting<'_>) -> Result<Start, String>,
    pub heard: fn(&str, Option<&str>, &Candidate<'_>, HookRun) -> Joined,
    pub rule: fn(&str) -> Option<&'static Rule>,
}

/// The table of an agent whose own session files are not read.
pub(super) const fn behaviour(own: Own) -> Behaviour {
    Behaviour {
        input,
        admits,
        condition,
        verdict,
        join,
        decide: own.decide,
        follow,
        start: own.start,
        heard: own.heard,
        rule: own.rule,
        said: no_conversation,
    }
}
