//! A decision in words: what follows, what the model reads, what the user sees.

use crate::dialect::{Circumstances, EventClass, Joined};
use crate::model::{Action, Decision, Evidence, Outcome, Says, Text, Verdict};

/// One handler's answer in a line.
pub(super) fn answer(at: &Circumstances<'_>, joined: &Joined) -> String {
    let who = name(joined);
    let how = match joined.reading.outcome.or(joined.run.outcome) {
        Some(Outcome::Timeout) => return format!("{who} was stopped by its time limit: it has no say"),
        Some(Outcome::Async) => return format!("{who} runs in the background: it has no say"),
        Some(Outcome::Skipped) => return format!("{who} was not run"),
        Some(Outcome::CannotRun) => return format!("{who} could not be run"),
        Some(Outcome::NonBlockingError) => format!("{who} failed{}, and the agent goes on", exit(joined)),
        Some(Outcome::Blocking) => format!("{who} blocks{}", exit(joined)),
        Some(Outcome::Success) | None => match joined.reading.says {
            Some(Says::Allow) => format!("{who} allows"),
            Some(Says::Ask) => format!("{who} wants the user to be asked"),
            Some(Says::Defer) => format!("{who} puts the call off"),
            Some(Says::Deny) => format!("{who} refuses"),
            Some(Says::Block) => format!("{who} blocks"),
            Some(Says::Halt) => format!("{who} stops the agent"),
            Some(Says::Context) => format!("{who} adds context"),
            None if joined.reading.outcome.is_none() => format!("{who} was started; nothing tells what it said"),
            None => format!("{who} said nothing that counts at {}", at.event),
        },
    };
    match &joined.reading.reason {
        Some(reason) if joined.reading.says.is_some() => format!("{how}: {}", first_line(reason)),
        _ => how,
    }
}

/// A refusal that the agent never read.
pub(super) fn lost(joined: &Joined) -> String {
    let notes = &joined.run.notes;
    let why = notes.iter().rfind(|note| note.contains("lost") || note.contains("JSON")).or(notes.last());
    let why = why.map_or("the agent does not read it there", String::as_str);
    format!("LOST: the refusal of {}: {why}", name(joined))
}

/// A refusal that another answer beats.
pub(super) fn overruled(joined: &Joined, by: Verdict) -> String {
    format!("LOST: the refusal of {}: overruled, the verdict is {}", name(joined), by.word())
}

fn exit(joined: &Joined) -> String {
    joined.run.exit_code.map_or_else(String::new, |code| format!(" (exit {code})"))
}

/// A handler's name, as sure as it is known.
fn name(joined: &Joined) -> String {
    match (joined.label.as_str(), joined.attributed) {
        ("", _) => "a hook".to_owned(),
        (label, Evidence::Recorded | Evidence::Run) => label.to_owned(),
        (label, _) => format!("probably {label}"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// What follows, in one sentence.
pub(in crate::dialect) fn effect(at: &Circumstances<'_>, decision: &Decision) -> String {
    let Some(action) = decision.action else { return "nothing tells what came of it".to_owned() };
    let refused = decision.steps.iter().any(|step| step.rule == Some("halt-joins-refusal"));
    match action {
        Action::Proceeds => "the call goes on under the usual rules",
        Action::AutoAllowed if at.class == EventClass::Permission => "the permission is given without asking",
        Action::AutoAllowed => "the call is made without asking",
        Action::AsksUser if at.class == EventClass::Gate => "the user is asked",
        Action::AsksUser => "the user is asked; where nobody can answer, the call is refused",
        Action::Blocked if at.class == EventClass::Gate => "it does not happen",
        Action::Blocked => "the call is not made; the model reads the reason",
        Action::Deferred => "the call is put off and the session ends there",
        Action::InputRejected => "the rewritten input lacks required fields: the client refuses the call",
        Action::AgentStops if refused => "the call is not made, and the turn ends",
        Action::AgentStops if at.class == EventClass::BeforeTool => "the call is made, then the turn ends",
        Action::AgentStops if at.class == EventClass::Prompt => {
            "the prompt is kept, but the turn ends before the model reads it"
        }
        Action::AgentStops => "the turn ends",
        Action::PromptShown => "the permission prompt is shown",
        Action::Denied => "the permission is refused",
        Action::NoEffect if decision.additional_context.is_empty() => "nothing changes",
        Action::NoEffect => "nothing is decided; the model reads the added context",
        Action::FeedbackToModel => "the model reads the feedback",
        Action::PromptAccepted if decision.additional_context.is_empty() => "the prompt goes to the model",
        Action::PromptAccepted => "the prompt goes to the model, with the added context",
        Action::PromptErased => "the prompt never reaches the model; the user reads the reason",
        Action::TurnEnds => "the turn ends",
        Action::TurnContinues => "the agent goes on working",
        Action::TurnEndsByCap => "the client's cap overrules the hook: the turn ends",
        Action::SubagentEnds => "the subagent ends",
        Action::SubagentContinues => "the subagent goes on working",
        Action::CompactionRuns => "the compaction is made",
        Action::CompactionBlocked => "the compaction is skipped",
        Action::TaskCompletes => "the task is completed",
        Action::WorktreeCreationFails => "the worktree is not created",
    }
    .to_owned()
}

/// Who gets which words.
pub(super) fn deliver(at: &Circumstances<'_>, answers: &[Joined], decision: &mut Decision) {
    let subject = at.subject.map_or_else(|| at.event.to_owned(), |subject| format!("{}:{subject}", at.event));
    let mut model = Vec::new();
    let mut user = Vec::new();
    for joined in answers {
        let from = name(joined);
        let reading = &joined.reading;
        let won = decision.decided_by.as_deref() == Some(joined.run.handler.as_str());
        let say = |words: String| Text { from: from.clone(), words };
        if let Some(reason) = &reading.reason {
            match (at.class, decision.verdict) {
                (EventClass::BeforeTool, Verdict::Deny) if won => {
                    model.push(say(reading.delivered.clone().unwrap_or_else(|| reason.clone())))
                }
                (EventClass::BeforeTool, Verdict::Ask) if won => user.push(say(reason.clone())),
                (EventClass::Permission, Verdict::Deny) if won => model.push(say(reason.clone())),
                (EventClass::Prompt, Verdict::Block) if won => user.push(say(reason.clone())),
                (EventClass::AfterTool, Verdict::Block) => {
                    model.push(say(reason.clone()));
                }
                (EventClass::Stop | EventClass::SubagentStop, Verdict::Block) => {
                    model.push(say(reading.delivered.clone().unwrap_or_else(|| reason.clone())));
                }
                (EventClass::BeforeCompaction, Verdict::Block) => {
                    user.push(say(format!("Compaction blocked by PreCompact hook: {}", bracketed(joined, reason))));
                }
                (EventClass::Gate, Verdict::Block | Verdict::Deny) => model.push(say(reason.clone())),
                _ => {}
            }
        }
        if decision.verdict == Verdict::Halt && won {
            user.extend(reading.stop_reason.clone().or_else(|| reading.reason.clone()).map(&say));
        }
        if !decision.additional_context.is_empty() {
            model.extend(reading.context.iter().cloned().map(&say));
        }
        user.extend(reading.system_message.iter().map(|text| say(format!("{subject} says: {text}"))));
    }
    decision.model_sees = model;
    decision.user_sees = user;
}

/// On exit 2 the client names the command before the words.
fn bracketed(joined: &Joined, reason: &str) -> String {
    match (&joined.run.command, joined.reading.rule) {
        (Some(command), Some("exit-2-blocks")) => format!("[{command}]: {reason}"),
        _ => reason.to_owned(),
    }
}
