//! How Codex CLI starts handlers and reads their answers, measured on 0.171.0.
//!
//! It is strict: one unknown key, one field that an event does not take, and the whole answer counts for nothing.

use serde_json::{Map, Value};

use super::DIALECT;
use crate::dialect::answers::{self, Combining, Own, Starting, Stdout, failed, refuses, stdout, text, words};
use crate::dialect::{Behaviour, Candidate, EventClass, Joined, Ran, Reading, Rule};
use crate::model::{HookRun, Outcome, Says};

/// Its rules that are code.
pub static BEHAVIOUR: Behaviour = answers::behaviour(Own {
    decide: |at, all| answers::decide(&COMBINING, at, all),
    start: |handler, setting| answers::start(&STARTING, handler, setting),
    heard: |event, _, candidate, run| heard(event, candidate, run),
    rule: |name| RULES.iter().chain(DIALECT.matching.rules).find(|rule| rule.name == name),
});

const STARTING: Starting = Starting {
    shell: None,
    project: &[],
    session: &[],
    plugin: &["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"],
    substitutes: false,
    limit: 600.0,
    seconds: |named| named.max(1.0),
};

const COMBINING: Combining = Combining {
    as_configured: true,
    all_words: |class| matches!(class, EventClass::AfterTool | EventClass::Stop | EventClass::SubagentStop),
    between: "\n\n",
    bystanders: false,
    refusal: |reason| format!("Command blocked by PreToolUse hook: {reason}"),
    rule: "first-configured-refusal-speaks",
    required: &[("Bash", &["command"]), ("apply_patch", &["command"])],
    assumed: &["hooks-are-trusted"],
};

/// A background handler has no say, but its context reaches the model later in the turn.
fn heard(event: &str, candidate: &Candidate<'_>, run: HookRun) -> Joined {
    let spec = DIALECT.event(event);
    let mut joined = answers::heard(read, spec, candidate, run);
    if let (Some(Outcome::Async), Some(spec)) = (joined.reading.outcome, spec) {
        let ran = Ran {
            stdout: joined.run.stdout.as_deref().unwrap_or_default(),
            stderr: joined.run.stderr.as_deref().unwrap_or_default(),
            exit_code: joined.run.exit_code,
            ..Ran::default()
        };
        let context = read(event, spec.class, &ran).context;
        if !context.is_empty() {
            joined.run.says = Some(Says::Context);
            joined.reading.says = Some(Says::Context);
            joined.reading.rule = Some("async-context-comes-later");
            joined.reading.context = context;
        }
    }
    joined
}

/// Keys of an answer.
const KEYS: &[&str] =
    &["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];

/// Keys of `hookSpecificOutput`, by event; events that are not here take none at all.
const NESTED: &[(&str, &[&str])] = &[
    (
        "PreToolUse",
        &["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
    ),
    ("PermissionRequest", &["hookEventName", "decision"]),
    ("PostToolUse", &["hookEventName", "additionalContext", "updatedMCPToolOutput"]),
    ("UserPromptSubmit", &["hookEventName", "additionalContext"]),
    ("SessionStart", &["hookEventName", "additionalContext"]),
    ("SubagentStart", &["hookEventName", "additionalContext"]),
];

/// Events where nothing can be prevented.
const DEAF: &[&str] =
    &["SessionEnd", "PostCompact", "SubagentStart", "Interrupt", "PreModelRequest", "PostModelRequest"];

fn read(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    match ran.exit_code {
        Some(0) => {}
        Some(2) => return exit_2(event, class, ran),
        Some(code) => {
            let note = format!("exit {code} does not block, and stdout is not read: only exit 0 and 2 count");
            return Reading { lost: lost(ran), ..failed(Outcome::NonBlockingError, "failure-has-no-say", &note) };
        }
        None => return Reading::default(),
    }
    let mut reading = Reading { outcome: Some(Outcome::Success), ..Reading::default() };
    let object = match stdout(ran.stdout) {
        Stdout::Empty => return reading,
        Stdout::Object(object) => object,
        Stdout::Broken if class == EventClass::Prompt || class == EventClass::Start => {
            return misread(ran, "stdout begins like JSON and is none");
        }
        Stdout::Text | Stdout::Broken => {
            match class {
                EventClass::Stop | EventClass::SubagentStop => {
                    return misread(ran, "plain text is no answer here: it has to be JSON");
                }
                EventClass::Prompt | EventClass::Start => {
                    reading.context.push(ran.stdout.trim().to_owned());
                    reading.says = Some(Says::Context);
                    reading.rule = Some("plain-text-is-context");
                }
                _ if lost(ran) => {
                    reading.lost = true;
                    reading.notes.push("text before or around the JSON makes all of it plain text: it is lost".into());
                }
                _ => reading.notes.push("plain text is not passed on here".to_owned()),
            }
            return reading;
        }
    };
    match answer(event, class, object, &mut reading) {
        Ok(()) => reading,
        Err(why) => misread(ran, &why),
    }
}

/// An answer that the agent refuses: the hook is marked failed, and the agent goes on.
fn misread(ran: &Ran<'_>, why: &str) -> Reading {
    let note = format!("the whole answer is dropped: {why}");
    Reading { lost: lost(ran), ..failed(Outcome::NonBlockingError, "invalid-answer-is-dropped", &note) }
}

fn exit_2(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    let words = ran.stderr.trim();
    if matches!(class, EventClass::Start | EventClass::BeforeCompaction) || DEAF.contains(&event) {
        return failed(Outcome::NonBlockingError, "exit-2-has-no-effect-here", &format!("exit 2 can't stop {event}"));
    }
    if words.is_empty() {
        let note = "exit 2 without a word on stderr is a failure here: nothing is blocked";
        return Reading { lost: true, ..failed(Outcome::NonBlockingError, "exit-2-needs-stderr", note) };
    }
    let mut reading = Reading { outcome: Some(Outcome::Blocking), ..Reading::default() };
    refuses(class, &mut reading, Some(words.to_owned()), "exit-2-blocks");
    reading
}

fn answer(event: &str, class: EventClass, object: Map<String, Value>, reading: &mut Reading) -> Result<(), String> {
    if let Some(odd) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("`{odd}` is no key of an answer"));
    }
    let object = Value::Object(object.into_iter().filter(|(_, value)| !value.is_null()).collect());
    let nested = object.get("hookSpecificOutput");
    let keys = NESTED.iter().find(|(name, _)| *name == event).map(|(_, keys)| *keys);
    if let Some(nested) = nested {
        let Some(keys) = keys else { return Err(format!("{event} takes no hookSpecificOutput")) };
        let Some(fields) = nested.as_object() else { return Err("hookSpecificOutput is no object".to_owned()) };
        if let Some(odd) = fields.keys().find(|key| !keys.contains(&key.as_str())) {
            return Err(format!("`{odd}` is no key of hookSpecificOutput at {event}"));
        }
        if !fields.contains_key("hookEventName") {
            return Err("hookSpecificOutput needs hookEventName".to_owned());
        }
    }
    let nested = nested.unwrap_or(&Value::Null);
    reading.system_message = text(&object, "systemMessage");
    let halts = object.get("continue") == Some(&Value::Bool(false));
    let reason = words(&object, "reason");
    let blocks = match text(&object, "decision").as_deref() {
        None => false,
        Some("block") => true,
        Some(other) => return Err(format!("the decision `{other}` is not honoured")),
    };
    if matches!(class, EventClass::Start) && object.get("decision").is_some() {
        return Err(format!("{event} takes no decision"));
    }
    if blocks && reason.is_none() {
        return Err("a block needs a reason".to_owned());
    }
    if matches!(class, EventClass::BeforeTool | EventClass::AfterTool) && object.get("suppressOutput").is_some() {
        return Err("suppressOutput is not taken here".to_owned());
    }
    if let Some(context) = words(nested, "additionalContext") {
        reading.context.push(context);
        reading.says = Some(Says::Context);
        reading.rule = Some("additional-context-is-delivered");
    }
    match class {
        EventClass::BeforeTool => before_tool(&object, nested, reading, halts, blocks, reason)?,
        EventClass::Permission => permission(nested, reading)?,
        EventClass::AfterTool if halts || blocks => {
            // Either way the output is replaced and the turn goes on.
            let words = reason.or_else(|| words(&object, "stopReason"));
            refuses(class, reading, words, "answer-replaces-the-output");
        }
        EventClass::AfterTool if reason.is_some() => return Err("a reason needs a decision".to_owned()),
        EventClass::BeforeCompaction if halts => {
            refuses(class, reading, words(&object, "stopReason"), "continue-false-stops");
        }
        _ if halts => {
            reading.says = Some(Says::Halt);
            reading.stop_reason = words(&object, "stopReason");
            reading.rule = Some("continue-false-stops");
        }
        EventClass::Prompt | EventClass::Stop | EventClass::SubagentStop if blocks => {
            refuses(class, reading, reason, "decision-block");
        }
        _ => {}
    }
    Ok(())
}

fn before_tool(
    object: &Value,
    nested: &Value,
    reading: &mut Reading,
    halts: bool,
    blocks: bool,
    reason: Option<String>,
) -> Result<(), String> {
    if halts {
        return Err("continue: false is not taken before a tool".to_owned());
    }
    if object.get("stopReason").is_some() {
        return Err("stopReason is not taken before a tool".to_owned());
    }
    if reason.is_some() && !blocks {
        return Err("a reason needs a decision".to_owned());
    }
    let rewrite = nested.get("updatedInput").filter(|input| !input.is_null());
    match text(nested, "permissionDecision").as_deref() {
        Some("deny") => {
            let Some(words) = words(nested, "permissionDecisionReason") else {
                return Err("a denial needs a reason".to_owned());
            };
            if rewrite.is_some() {
                return Err("updatedInput needs the decision allow".to_owned());
            }
            refuses(EventClass::BeforeTool, reading, Some(words), "json-permission-decision");
        }
        Some("allow") => {
            let Some(rewrite) = rewrite else { return Err("an allow without updatedInput is not honoured".to_owned()) };
            reading.says = Some(Says::Allow);
            reading.updated_input = Some(rewrite.clone());
            reading.rule = Some("allow-rewrites");
        }
        Some(other) => return Err(format!("the decision `{other}` is not honoured")),
        None if rewrite.is_some() => return Err("updatedInput needs the decision allow".to_owned()),
        None => {}
    }
    if blocks {
        refuses(EventClass::BeforeTool, reading, reason, "decision-block");
    }
    Ok(())
}

fn permission(nested: &Value, reading: &mut Reading) -> Result<(), String> {
    let Some(decision) = nested.get("decision") else { return Ok(()) };
    for field in ["updatedInput", "updatedPermissions", "interrupt"] {
        if decision.get(field).is_some_and(|value| !value.is_null() && *value != Value::Bool(false)) {
            return Err(format!("`{field}` is not honoured"));
        }
    }
    match text(decision, "behavior").as_deref() {
        Some("allow") => {
            reading.says = Some(Says::Allow);
            reading.rule = Some("permission-behaviour");
        }
        Some("deny") => refuses(EventClass::Permission, reading, words(decision, "message"), "permission-behaviour"),
        _ => return Err("decision.behavior must be allow or deny".to_owned()),
    }
    Ok(())
}

/// Whether a refusal stands in the output that nobody reads.
fn lost(ran: &Ran<'_>) -> bool {
    let tight: String = ran.stdout.chars().filter(|c| !c.is_whitespace()).collect();
    ["\"permissionDecision\":\"deny\"", "\"decision\":\"block\"", "\"decision\":\"deny\"", "\"behavior\":\"deny\""]
        .iter()
        .any(|words| tight.contains(words))
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "hooks-are-trusted",
        text: "A hook runs only where its hash and its folder are trusted. Files named by --settings are taken as trusted, unless --trust-from names the config.toml to look it up in.",
        versions: "0.171.0",
        source: "assumed",
    },
    Rule {
        name: "exit-2-blocks",
        text: "Exit code 2 with words on stderr blocks; stdout is not read then.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "exit-2-needs-stderr",
        text: "Exit code 2 without a word on stderr is a failure: the action goes on.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "exit-2-has-no-effect-here",
        text: "Exit code 2 has no effect at the start and end of a session, at compactions and at model requests.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "failure-has-no-say",
        text: "Any other exit code, a signal and a missing command are failures: stdout is not read, the action goes on, and a headless run says nothing about it.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long is killed, and the action goes on.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "async-has-no-say",
        text: "A background handler can't block.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "async-context-comes-later",
        text: "The context of a background handler reaches the model later in the turn.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "invalid-answer-is-dropped",
        text: "An answer with an unknown key, or with a field that the event does not take, counts for nothing: the action goes on.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "json-permission-decision",
        text: "permissionDecision deny with a reason refuses the call.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "allow-rewrites",
        text: "permissionDecision allow counts only with updatedInput, which replaces the input.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "decision-block",
        text: "decision block with a reason refuses a call, erases a prompt or prevents a stop.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "answer-replaces-the-output",
        text: "After a tool, a block and continue false both replace what the model reads of its output; the turn goes on.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "continue-false-stops",
        text: "continue false ends the run at the start of a session, ends the turn at a prompt, lets a stop happen whatever others say, and aborts a compaction with its turn.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "permission-behaviour",
        text: "A permission is given or refused by decision.behavior; a refusal beats a yes.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "plain-text-is-context",
        text: "Plain text is context at a prompt and at the start of a session.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "additional-context-is-delivered",
        text: "additionalContext reaches the model, in the order of the settings, beside a refusal too.",
        versions: "0.171.0",
        source: "measured on 0.171.0",
    },
    Rule {
        name: "first-configured-refusal-speaks",
        text: "Any refusal refuses; the first one in the order of the settings gives the words. At a stop and after a tool all of them are given, in that order.",
        versions: "0.171.0",
        source: "measured on 0.171.0; source (several after a tool)",
    },
];
