//! Recorded stop loops: runs of stops that hooks sent back.

use std::collections::HashSet;

use serde_json::Value;

use crate::dialect::EventClass;
use crate::engine::{Inputs, StepOptions, Tracer};
use crate::model::{AgentIx, Ending, Event, EventIx, MarkKind, Name, Session, Time, Verdict};
use crate::source::Lines;

/// A run of consecutive stops of one agent that hooks sent back, without a prompt in between.
#[derive(Debug, Clone, PartialEq)]
pub struct StopLoop {
    /// `Stop` or `SubagentStop`.
    pub event: String,
    /// Whose stops.
    pub agent: AgentIx,
    /// The stops that were sent back, in order.
    pub blocks: Vec<EventIx>,
    /// Milliseconds from the first to the last of them, where both times are known.
    pub span_ms: Option<i64>,
    /// Output tokens of the answers that the blocks brought about, as far as the session tells.
    pub tokens: Option<u64>,
    /// Distinct reasons in order of appearance, with how often each was given. A block without words is the
    /// empty reason.
    pub reasons: Vec<(String, usize)>,
    /// Ids of the handlers that blocked; empty where nothing tells which.
    pub handlers: Vec<String>,
    /// Their short names, or commands where the settings at hand don't have them.
    pub labels: Vec<String>,
    /// Where the first of them is defined: file and line.
    pub place: Option<(String, u32)>,
    /// Blocks at which `stop_hook_active` was true, so that the hook could have known.
    pub flag_true: usize,
    /// Blocks of which the flag is not known.
    pub flag_unknown: usize,
    /// Tool calls between the first block and the end.
    pub tools_between: usize,
    /// The highest count of blocks without a tool call in between: what the client holds against its cap.
    pub counter: usize,
    /// The client's cap; `None`: none.
    pub cap: Option<u16>,
    /// The blocks one by one.
    pub rounds: Vec<Round>,
    /// How it ended.
    pub ended: Ended,
    /// The event at which it ended, where there is one.
    pub ended_at: Option<EventIx>,
}

/// One block of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// The stop.
    pub event: EventIx,
    /// When.
    pub time: Time,
    /// `stop_hook_active`, where it can be told.
    pub flag: Option<bool>,
    /// Which of the run's reasons.
    pub reason: usize,
    /// Tool calls since the block before.
    pub tools: usize,
    /// The client's counter at this block: blocks since the last tool call.
    pub counter: usize,
}

/// How a run of blocks ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The client's cap overruled the hook.
    Cap,
    /// The hook let go.
    LetGo,
    /// A hook stopped the agent (`continue: false`).
    Halted,
    /// The user interrupted it, or went on with a new prompt.
    Interrupted,
    /// An API error ended the turn.
    ApiError,
    /// The session ended.
    SessionEnd,
    /// The record ends there.
    Open,
}

impl Ended {
    /// In one word or two, for people and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Cap => "cap",
            Ended::LetGo => "let go",
            Ended::Halted => "halted",
            Ended::Interrupted => "interrupted",
            Ended::ApiError => "api error",
            Ended::SessionEnd => "session end",
            Ended::Open => "open",
        }
    }

    /// As the end of a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Ended::Cap => "ended by the client's cap",
            Ended::LetGo => "ended when the hook let go",
            Ended::Halted => "ended by a hook's `continue: false`",
            Ended::Interrupted => "ended by the user",
            Ended::ApiError => "ended by an API error",
            Ended::SessionEnd => "ended with the session",
            Ended::Open => "the record ends there",
        }
    }
}

impl StopLoop {
    /// Whether it is more than one block: a hook that blocks once and lets go does its work.
    pub fn is_loop(&self) -> bool {
        self.blocks.len() > 1 || self.ended == Ended::Cap
    }

    /// The verdict of the contract.
    pub fn verdict(&self) -> &'static str {
        if self.is_loop() { "recorded-loop" } else { "terminates" }
    }

    /// Whether the flag was true and the hook blocked all the same. `None`: nothing tells.
    pub fn respects_flag(&self) -> Option<bool> {
        match (self.flag_true, self.flag_unknown) {
            (0, 0) => Some(true),
            (0, _) => None,
            _ => Some(false),
        }
    }

    /// What to do about it, in a sentence.
    pub fn help(&self) -> String {
        if !self.is_loop() {
            return "nothing: it blocked once and let go".to_owned();
        }
        if self.respects_flag() == Some(false) {
            return "let the hook exit 0 where its input says \"stop_hook_active\": true".to_owned();
        }
        "let the hook let go when its reason does not change".to_owned()
    }
}

/// Runs of blocks in a session, without bodies: the stops that were sent back, by agent, in order of the session.
pub fn runs(tracer: &Tracer, session: &Session) -> Vec<Vec<EventIx>> {
    let names = Names::of(session);
    let mut done: Vec<Vec<EventIx>> = Vec::new();
    let mut open: Vec<(AgentIx, Name, Vec<EventIx>)> = Vec::new();
    for (ix, event) in session.events.iter().enumerate() {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        let breaks = event.name == names.prompt || event.name == names.session_end || event.name == names.stop_failure;
        if breaks {
            done.extend(open.extract_if(.., |(agent, ..)| *agent == event.agent).map(|(.., run)| run));
            continue;
        }
        if event.name != names.stop && event.name != names.subagent_stop {
            continue;
        }
        let blocked = tracer.row(session, ix).verdict == Verdict::Block;
        let at = open.iter().position(|(agent, name, _)| *agent == event.agent && *name == event.name);
        match (at, blocked) {
            (Some(at), true) => open[at].2.push(ix),
            (None, true) => open.push((event.agent, event.name, vec![ix])),
            (Some(at), false) => done.push(open.remove(at).2),
            (None, false) => {}
        }
        // The cap ended the turn: what comes next is another one.
        if blocked
            && is_capped(session, ix)
            && let Some(at) = open.iter().position(|(agent, name, _)| *agent == event.agent && *name == event.name)
        {
            done.push(open.remove(at).2);
        }
    }
    done.extend(open.into_iter().map(|(.., run)| run));
    done.sort_by_key(|run| run.first().copied());
    done
}

/// Names that structure a session, looked up once. [`Name::NONE`] where the session has none such.
struct Names {
    prompt: Name,
    stop: Name,
    subagent_stop: Name,
    stop_failure: Name,
    session_end: Name,
    tool: Name,
}

impl Names {
    fn of(session: &Session) -> Names {
        // A name that never occurs must not equal `Name::NONE`, which unnamed things have.
        let find = |text: &str| session.names.find(text).unwrap_or(Name(u32::MAX));
        Names {
            prompt: find("UserPromptSubmit"),
            stop: find("Stop"),
            subagent_stop: find("SubagentStop"),
            stop_failure: find("StopFailure"),
            session_end: find("SessionEnd"),
            tool: find("PreToolUse"),
        }
    }
}

/// The client told that it overruled the hooks at this stop.
fn is_capped(session: &Session, ix: EventIx) -> bool {
    session.marks_of(ix).any(|mark| mark.kind == MarkKind::Informational && mark.says.is_none())
}

/// Every run of blocks in full, with reasons and costs read from the sources.
pub fn stop_loops(tracer: &Tracer, session: &Session, lines: &dyn Lines) -> Vec<StopLoop> {
    runs(tracer, session).into_iter().filter_map(|run| describe(tracer, session, lines, run)).collect()
}

fn describe(tracer: &Tracer, session: &Session, lines: &dyn Lines, blocks: Vec<EventIx>) -> Option<StopLoop> {
    let (&first, &last) = (blocks.first()?, blocks.last()?);
    let event = session.events.get(first.at())?;
    let names = Names::of(session);
    let mut found = StopLoop {
        event: session.text(event.name).unwrap_or_default().to_owned(),
        agent: event.agent,
        span_ms: span(event, session.events.get(last.at())?),
        tokens: None,
        reasons: Vec::new(),
        handlers: Vec::new(),
        labels: Vec::new(),
        place: None,
        flag_true: 0,
        flag_unknown: 0,
        tools_between: 0,
        counter: 0,
        cap: tracer.stop_cap(),
        rounds: Vec::new(),
        ended: Ended::Open,
        ended_at: None,
        blocks,
    };
    for &ix in &found.blocks.clone() {
        match session.events.get(ix.at()).and_then(|event| event.stop_hook_active) {
            Some(true) => found.flag_true += 1,
            Some(false) => {}
            None => found.flag_unknown += 1,
        }
        let options = StepOptions { inputs: Inputs::Omitted, mode: None };
        let Some(step) = tracer.step(session, ix, lines, options) else { continue };
        let reason = step.decision.reason.clone().unwrap_or_default();
        let place = found.reasons.iter().position(|(known, _)| *known == reason).unwrap_or_else(|| {
            found.reasons.push((reason, 0));
            found.reasons.len() - 1
        });
        found.reasons[place].1 += 1;
        if let Some(event) = session.events.get(ix.at()) {
            let (time, flag) = (event.time, event.stop_hook_active);
            found.rounds.push(Round { event: ix, time, flag, reason: place, tools: 0, counter: 0 });
        }
        for run in step.runs.iter().filter(|run| blocks_stop(run.says)) {
            let handlers = || step.groups.iter().flat_map(|group| group.handlers.iter().map(move |it| (group, it)));
            let known = handlers().find(|(_, handler)| handler.id == run.handler && !run.handler.is_empty());
            let label = known.map(|(_, handler)| handler.label.clone()).or_else(|| run.command.clone());
            if known.is_some() && !found.handlers.contains(&run.handler) {
                found.handlers.push(run.handler.clone());
            }
            if let Some((group, handler)) = known {
                found.place.get_or_insert((group.path.clone(), handler.line));
            }
            if let Some(label) = label.filter(|label| !found.labels.contains(label)) {
                found.labels.push(label);
            }
        }
    }
    (found.ended, found.ended_at) = ending(tracer, session, &names, last, event);
    count_tools(session, &names, event, first, found.ended_at.unwrap_or(last), &mut found);
    if found.ended == Ended::Open || found.ended == Ended::Interrupted {
        // In older sessions, and for subagents, nothing tells of the cap but the number.
        let overrun = found.cap.is_some_and(|cap| found.counter > usize::from(cap));
        if overrun && found.event == "SubagentStop" {
            found.ended = Ended::Cap;
        }
    }
    found.tokens = tokens(session, lines, event, first, last);
    Some(found)
}

fn blocks_stop(says: Option<crate::model::Says>) -> bool {
    use crate::model::Says;
    matches!(says, Some(Says::Block | Says::Deny | Says::Context))
}

fn span(first: &Event, last: &Event) -> Option<i64> {
    Some(last.time.millis()?.saturating_sub(first.time.millis()?))
}

/// How it went on after the last block.
fn ending(tracer: &Tracer, session: &Session, names: &Names, last: EventIx, of: &Event) -> (Ended, Option<EventIx>) {
    if is_capped(session, last) {
        return (Ended::Cap, Some(last));
    }
    for (ix, event) in session.events.iter().enumerate().skip(last.at() + 1) {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        if event.name == names.session_end && of.agent.0 == 0 {
            return (Ended::SessionEnd, Some(ix));
        }
        if event.agent != of.agent {
            continue;
        }
        if event.name == of.name {
            let halted = tracer.row(session, ix).verdict == Verdict::Halt;
            return (if halted { Ended::Halted } else { Ended::LetGo }, Some(ix));
        }
        if event.name == names.stop_failure {
            return (Ended::ApiError, Some(ix));
        }
        let interrupted = session.calls_of(event).iter().any(|call| call.ending == Ending::Interrupted);
        if interrupted || event.name == names.prompt {
            return (Ended::Interrupted, Some(ix));
        }
    }
    (Ended::Open, None)
}

/// Tools between the blocks, and the client's counter, which every tool call sets back.
fn count_tools(session: &Session, names: &Names, of: &Event, first: EventIx, end: EventIx, found: &mut StopLoop) {
    let blocks: HashSet<EventIx> = found.blocks.iter().copied().collect();
    let (mut counter, mut tools) = (0, 0);
    for (ix, event) in session.events.iter().enumerate().take(end.at() + 1).skip(first.at()) {
        let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
        if event.agent != of.agent {
            continue;
        }
        if event.name == names.tool {
            found.tools_between += 1;
            (counter, tools) = (0, tools + 1);
        } else if blocks.contains(&ix) {
            counter += 1;
            found.counter = found.counter.max(counter);
            if let Some(round) = found.rounds.iter_mut().find(|round| round.event == ix) {
                (round.tools, round.counter) = (std::mem::take(&mut tools), counter);
            }
        }
    }
}

/// Output tokens of the answers after the first block, up to the last one.
fn tokens(session: &Session, lines: &dyn Lines, of: &Event, first: EventIx, last: EventIx) -> Option<u64> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut sum = None;
    for event in session.events.get(first.at() + 1..=last.at())?.iter().filter(|event| event.agent == of.agent) {
        let Ok(bytes) = lines.read(event.at) else { continue };
        let Ok(line) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let Some(output) = line["message"]["usage"]["output_tokens"].as_u64() else { continue };
        let id = line["message"]["id"].as_str().unwrap_or_default().to_owned();
        // One message is several lines, each with the same figures.
        if id.is_empty() || seen.insert(id) {
            *sum.get_or_insert(0) += output;
        }
    }
    sum
}

/// Stops of the main agent and of subagents.
pub fn stops(session: &Session) -> Vec<EventIx> {
    let names = Names::of(session);
    let is_stop = |event: &Event| event.name == names.stop || event.name == names.subagent_stop;
    let events = session.events.iter().enumerate().filter(|(_, event)| is_stop(event));
    events.map(|(ix, _)| EventIx(u32::try_from(ix).unwrap_or(u32::MAX))).collect()
}

/// How often stops of each kind happened without ever being sent back: events that are known clean.
pub fn clean(tracer: &Tracer, session: &Session) -> Vec<(&'static str, usize)> {
    let kinds = tracer.dialect().events.iter();
    let kinds = kinds.filter(|spec| matches!(spec.class, EventClass::Stop | EventClass::SubagentStop));
    let looped: HashSet<EventIx> = runs(tracer, session).into_iter().flatten().collect();
    kinds
        .filter_map(|spec| {
            let name = session.names.find(spec.name)?;
            let events = session.events.iter().enumerate().filter(|(_, event)| event.name == name);
            let all: Vec<EventIx> = events.map(|(ix, _)| EventIx(u32::try_from(ix).unwrap_or(u32::MAX))).collect();
            let blocked = all.iter().any(|ix| looped.contains(ix));
            (!all.is_empty() && !blocked).then_some((spec.name, all.len()))
        })
        .collect()
}
