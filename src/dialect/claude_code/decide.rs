//! From the answers of all handlers of one event to a decision.
//!
//! Order matters only as the order of *finishing*: measured, a slow handler wins where the last one to finish
//! counts, whatever the order in the settings file.

mod words;

pub(in crate::dialect) use words::effect;

use super::outcomes::{counts, stronger};
use crate::dialect::rules::at_least;
use crate::dialect::{Circumstances, EventClass, Joined};
use crate::model::{Action, Decision, Evidence, Overruled, RuleStep, Says, Verdict};

/// What comes of several answers, given in the order of finishing where that is known.
pub fn decide(at: &Circumstances<'_>, answers: &[Joined]) -> Decision {
    let mut decision = Decision {
        verdict: if answers.is_empty() { Verdict::None } else { Verdict::Quiet },
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
        evidence: Evidence::Derived,
        assumed: Vec::new(),
        steps: Vec::new(),
        model_sees: Vec::new(),
        user_sees: Vec::new(),
        unknown_because: None,
    };
    for answer in answers {
        decision.steps.push(RuleStep { text: words::answer(at, answer), rule: answer.reading.rule });
        if answer.reading.lost {
            decision.steps.push(RuleStep { text: words::lost(answer), rule: None });
        }
    }
    let told = together(at, answers, &mut decision);
    if let Some(verdict) = told {
        decision.verdict = verdict;
        choose(at, verdict, answers, &mut decision);
    }
    gather(at, answers, &mut decision);
    follow(at, &mut decision);
    if decision.action == Some(Action::TurnEndsByCap) {
        let text = format!("after {} blocks in a row the client's cap overrules the hook", at.blocks_before);
        step(&mut decision, &text, "stop-cap");
    }
    words::deliver(at, answers, &mut decision);
    if at.class == EventClass::BeforeTool && !at.has_rules && matches!(decision.action, Some(Action::Proceeds)) {
        decision.assumed.push("no-permission-rules".to_owned());
    }
    decision
}

/// What the agent does by the verdict, and in which words.
pub fn follow(at: &Circumstances<'_>, decision: &mut Decision) {
    decision.action = Some(action(at, decision));
    decision.effect = words::effect(at, decision);
}

/// Everything one handler says that counts here.
fn says_of(at: &Circumstances<'_>, answer: &Joined) -> impl Iterator<Item = Verdict> {
    let counted = |says: Option<Says>| says.and_then(|says| counts(at.class, at.event, says));
    [counted(answer.reading.says), counted(answer.reading.also)].into_iter().flatten()
}

/// The verdict of all of them.
fn together(at: &Circumstances<'_>, answers: &[Joined], decision: &mut Decision) -> Option<Verdict> {
    if at.class == EventClass::Permission {
        let first = answers.iter().find_map(|answer| says_of(at, answer).next());
        let others = answers.iter().filter(|answer| says_of(at, answer).next().is_some()).count();
        if others > 1 {
            step(decision, "the first decision to come in counts", "permission-request-first-decision-wins");
        }
        return first;
    }
    let all = answers.iter().flat_map(|answer| says_of(at, answer));
    let told = all.fold(None, |told, verdict| stronger(told, Some(verdict)));
    let refused = answers.iter().flat_map(|answer| says_of(at, answer)).any(|verdict| verdict == Verdict::Deny);
    if told == Some(Verdict::Halt) && refused && at.class == EventClass::BeforeTool {
        if !at_least(at.version, (2, 1, 198)) {
            step(decision, "`continue: false` beside a refusal is ignored", "halt-beside-refusal-ignored");
            return Some(Verdict::Deny);
        }
        step(decision, "refused, and `continue: false` ends the turn as well", "halt-joins-refusal");
        // Measured at both ends; nobody looked where between them it changed.
        if !at_least(at.version, (2, 1, 332)) {
            decision.assumed.push("halt-joins-refusal".to_owned());
        }
    }
    told
}

fn step(decision: &mut Decision, text: &str, rule: &'static str) {
    decision.steps.push(RuleStep { text: text.to_owned(), rule: Some(rule) });
}

/// Who decided, with what words, and who was overruled.
fn choose(at: &Circumstances<'_>, verdict: Verdict, answers: &[Joined], decision: &mut Decision) {
    let agreeing: Vec<&Joined> =
        answers.iter().filter(|answer| says_of(at, answer).any(|said| said == verdict)).collect();
    let several = agreeing.len() > 1;
    let last = matches!((at.class, verdict), (EventClass::BeforeTool, Verdict::Deny) | (_, Verdict::Halt));
    let winner = if last { agreeing.last() } else { agreeing.first() };
    let Some(winner) = winner.copied() else { return };
    decision.decided_by = Some(winner.run.handler.clone()).filter(|id| !id.is_empty());
    decision.rule = if verdict == Verdict::Halt && at.class != EventClass::AfterBatch {
        Some("continue-false-stops")
    } else if is_stop(at.class) && winner.reading.says == Some(Says::Context) {
        Some("stop-context-continues")
    } else {
        winner.reading.rule
    };
    decision.reason = match (at.class, verdict) {
        (_, Verdict::Allow) => None,
        (EventClass::AfterBatch, Verdict::Halt) => {
            winner.reading.stop_reason.clone().or_else(|| winner.reading.reason.clone())
        }
        (_, Verdict::Halt) => winner.reading.stop_reason.clone(),
        (EventClass::AfterTool | EventClass::Stop | EventClass::SubagentStop, Verdict::Block) => {
            let words: Vec<&str> = agreeing.iter().filter_map(|answer| answer.reading.reason.as_deref()).collect();
            Some(words.join("\n")).filter(|words| !words.is_empty())
        }
        _ => winner.reading.reason.clone(),
    };
    if several && at.class == EventClass::BeforeTool {
        match verdict {
            Verdict::Deny => {
                step(decision, "several refuse: the last one to finish gives the words", "last-refusal-speaks")
            }
            Verdict::Ask => {
                step(decision, "several ask: the first one to finish gives the words", "first-question-speaks")
            }
            _ => {}
        }
    }
    if several && at.class == EventClass::Prompt && verdict == Verdict::Block {
        step(decision, "the first refusal to come in ends it", "first-prompt-refusal-wins");
    }
    for answer in answers {
        let Some(says) = answer.reading.says else { continue };
        let said = says_of(at, answer).next();
        let lost = said.is_some_and(|said| said != verdict) && !says_of(at, answer).any(|said| said == verdict);
        if lost && !std::ptr::eq(answer, winner) {
            decision.overruled.push(Overruled { handler: answer.run.handler.clone(), says });
            if matches!(says, Says::Deny | Says::Block) {
                decision.steps.push(RuleStep { text: words::overruled(answer, verdict), rule: None });
            }
        }
    }
    if !decision.overruled.is_empty() && at.class != EventClass::Permission {
        let (text, rule) = match at.class {
            EventClass::BeforeTool => ("deny beats defer beats ask beats allow", "deny-defer-ask-allow"),
            _ => ("`continue: false` beats a block", "halt-beats-block"),
        };
        step(decision, text, rule);
    }
}

/// Everything that the answers carry besides the verdict.
fn gather(at: &Circumstances<'_>, answers: &[Joined], decision: &mut Decision) {
    let erased = at.class == EventClass::Prompt && matches!(decision.verdict, Verdict::Block | Verdict::Halt);
    for answer in answers {
        let reading = &answer.reading;
        if !erased {
            decision.additional_context.extend(reading.context.iter().cloned());
        }
        decision.system_messages.extend(reading.system_message.clone());
        decision.updated_permissions.extend(reading.updated_permissions.iter().cloned());
        decision.initial_prompt = reading.initial_prompt.clone().or(decision.initial_prompt.take());
        decision.updated_output = reading.updated_output.clone().or(decision.updated_output.take());
    }
    let refused = matches!(decision.verdict, Verdict::Deny | Verdict::Defer);
    let rewriting: Vec<&Joined> = answers.iter().filter(|answer| answer.reading.updated_input.is_some()).collect();
    if at.class == EventClass::Permission {
        let winner = decision.decided_by.as_deref();
        let own = rewriting.iter().find(|answer| Some(answer.run.handler.as_str()) == winner);
        decision.updated_input = own.and_then(|answer| answer.reading.updated_input.clone());
    } else if let (Some(last), false) = (rewriting.last(), refused) {
        decision.updated_input.clone_from(&last.reading.updated_input);
        if rewriting.len() > 1 {
            step(decision, "several rewrite the input: the last one to finish wins, whole", "last-rewrite-wins");
        } else {
            step(decision, "the rewritten input replaces the old one, whole", "updated-input-replaces");
        }
    }
}

pub(super) fn is_stop(class: EventClass) -> bool {
    matches!(class, EventClass::Stop | EventClass::SubagentStop)
}

/// Whether the client's cap overrules a block here.
pub(super) fn capped(at: &Circumstances<'_>) -> bool {
    at.cap.is_some_and(|cap| at.blocks_before >= cap)
}

/// What the agent then does, as far as the hooks decide.
pub(in crate::dialect) fn action(at: &Circumstances<'_>, decision: &Decision) -> Action {
    use EventClass as C;
    match (at.class, decision.verdict) {
        (C::BeforeTool, Verdict::Deny) => Action::Blocked,
        (C::BeforeTool, Verdict::Ask) => Action::AsksUser,
        (C::BeforeTool, Verdict::Defer) => Action::Deferred,
        (C::BeforeTool | C::AfterTool | C::AfterBatch | C::Prompt, Verdict::Halt) => Action::AgentStops,
        (C::BeforeTool, _) if lacks_required(at, decision) => Action::InputRejected,
        (C::BeforeTool, Verdict::Allow) => Action::AutoAllowed,
        (C::BeforeTool, _) => Action::Proceeds,
        (C::Permission, Verdict::Allow) => Action::AutoAllowed,
        (C::Permission, Verdict::Deny) => Action::Denied,
        (C::Permission, _) => Action::PromptShown,
        (C::AfterTool | C::AfterBatch, Verdict::Block) => Action::FeedbackToModel,
        (C::Prompt, Verdict::Block) => Action::PromptErased,
        (C::Prompt, _) => Action::PromptAccepted,
        (C::Stop | C::SubagentStop, Verdict::Block) if capped(at) => Action::TurnEndsByCap,
        (C::Stop, Verdict::Block) => Action::TurnContinues,
        (C::Stop, _) => Action::TurnEnds,
        (C::SubagentStop, Verdict::Block) => Action::SubagentContinues,
        (C::SubagentStop, _) => Action::SubagentEnds,
        (C::BeforeCompaction, Verdict::Block) => Action::CompactionBlocked,
        (C::BeforeCompaction, _) => Action::CompactionRuns,
        (C::Worktree, Verdict::Block) => Action::WorktreeCreationFails,
        (C::Gate, Verdict::Block) if at.event == "TaskCompleted" => Action::FeedbackToModel,
        (C::Gate, Verdict::Block | Verdict::Deny) => Action::Blocked,
        (C::Gate, Verdict::Ask) => Action::AsksUser,
        (C::Gate, Verdict::Halt) => Action::AgentStops,
        (C::Gate, _) if at.event == "TaskCompleted" => Action::TaskCompletes,
        _ => Action::NoEffect,
    }
}

/// Texts without which the client refuses a call of its own tools. A rewritten input has to bring them all, as
/// it replaces the old one.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Bash", &["command"]),
    ("PowerShell", &["command"]),
    ("Read", &["file_path"]),
    ("Write", &["file_path", "content"]),
    ("Edit", &["file_path", "old_string", "new_string"]),
    ("NotebookEdit", &["notebook_path", "new_source"]),
    ("Glob", &["pattern"]),
    ("Grep", &["pattern"]),
    ("WebFetch", &["url", "prompt"]),
    ("WebSearch", &["query"]),
    ("Agent", &["description", "prompt"]),
];

fn lacks_required(at: &Circumstances<'_>, decision: &Decision) -> bool {
    let Some(input) = &decision.updated_input else { return false };
    let required = REQUIRED.iter().find(|(tool, _)| Some(*tool) == at.subject).map(|(_, fields)| *fields);
    required.unwrap_or_default().iter().any(|field| !input.get(field).is_some_and(serde_json::Value::is_string))
}
