//! How Gemini CLI starts handlers and reads their answers, measured on 0.61.0.
//!
//! JSON counts whatever the exit code is, and is looked for on stderr where stdout is empty.

use serde_json::Value;

use super::DIALECT;
use crate::dialect::answers::{self, Combining, Own, Starting, Stdout, refuses, stdout, text, words};
use crate::dialect::{Behaviour, EventClass, Ran, Reading, Rule};
use crate::model::{Outcome, Says};

/// Its rules that are code.
pub static BEHAVIOUR: Behaviour = answers::behaviour(Own {
    decide: |at, all| answers::decide(&COMBINING, at, all),
    start: |handler, setting| answers::start(&STARTING, handler, setting),
    heard: |event, _, candidate, run| answers::heard(read, DIALECT.event(event), candidate, run),
    rule: |name| RULES.iter().chain(DIALECT.matching.rules).find(|rule| rule.name == name),
});

const STARTING: Starting = Starting {
    shell: Some("bash"),
    project: &["GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"],
    session: &["GEMINI_SESSION_ID"],
    plugin: &[],
    substitutes: true,
    limit: 60.0,
    seconds: |milliseconds| milliseconds / 1_000.0,
};

const COMBINING: Combining = Combining {
    as_configured: true,
    all_words: |_| true,
    between: "\n",
    bystanders: true,
    refusal: |reason| format!("Tool execution blocked: {reason}"),
    rule: "every-reason-is-given",
    required: &[],
    assumed: &[],
};

/// Events whose `additionalContext` reaches the model.
const HEARD: &[&str] = &["SessionStart", "BeforeAgent", "AfterTool"];

fn read(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    let said = if ran.stdout.trim().is_empty() { ran.stderr } else { ran.stdout };
    let code = ran.exit_code.unwrap_or_default();
    let mut reading = Reading { outcome: Some(Outcome::Success), ..Reading::default() };
    let object = match stdout(said) {
        Stdout::Object(object) => Value::Object(object),
        Stdout::Empty => {
            if code == 2 {
                reading.lost = true;
                reading.notes.push("exit 2 without a word blocks nothing here".to_owned());
                reading.rule = Some("exit-2-needs-words");
            }
            return reading;
        }
        Stdout::Text | Stdout::Broken => {
            let said = said.trim().to_owned();
            match code {
                0 | 1 => {
                    reading.notes.push("plain text is shown to the user, not given to the model".to_owned());
                    reading.system_message = Some(if code == 0 { said } else { format!("Warning: {said}") });
                    reading.rule = Some("plain-text-is-a-message");
                    if code == 1 {
                        reading.outcome = Some(Outcome::NonBlockingError);
                    }
                }
                _ => {
                    reading.outcome = Some(Outcome::Blocking);
                    refuses(class, &mut reading, Some(said), "exit-code-blocks");
                }
            }
            return reading;
        }
    };
    if code != 0 {
        reading.notes.push(format!("exit {code} changes nothing here: JSON counts whatever the exit code"));
    }
    let nested = object.get("hookSpecificOutput").unwrap_or(&Value::Null);
    reading.system_message = text(&object, "systemMessage");
    reading.reason = words(&object, "reason");
    match text(&object, "decision").as_deref() {
        Some("deny" | "block") => {
            let reason = reading.reason.clone();
            refuses(class, &mut reading, reason, "json-decision");
        }
        Some("ask") if class == EventClass::BeforeTool => {
            reading.says = Some(Says::Ask);
            reading.rule = Some("json-decision");
        }
        _ => {}
    }
    if object.get("continue") == Some(&Value::Bool(false)) {
        reading.says = Some(Says::Halt);
        reading.stop_reason = words(&object, "stopReason");
        reading.rule = Some("continue-false-ends-the-run");
    }
    if class == EventClass::BeforeTool {
        reading.updated_input = nested.get("tool_input").filter(|input| input.is_object()).cloned();
        if nested.get("updatedInput").is_some() {
            reading.notes.push("`updatedInput` is not read: the field is `tool_input`".to_owned());
        }
        if nested.get("permissionDecision").is_some() {
            reading.lost = reading.says.is_none() && text(nested, "permissionDecision").as_deref() == Some("deny");
            reading.notes.push("`permissionDecision` is not read: write `decision` at the top level".to_owned());
        }
    }
    if let Some(context) = words(nested, "additionalContext") {
        if HEARD.contains(&event) {
            reading.context.push(context);
            reading.says = reading.says.or(Some(Says::Context));
        } else {
            reading.notes.push(format!("additionalContext is not delivered at {event}"));
        }
    }
    reading
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "json-decision",
        text: "decision deny or block refuses a call, a prompt or a stop and replaces a result; ask has the user asked. It counts whatever the exit code.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "exit-code-blocks",
        text: "Plain text with any exit code but 0 and 1 refuses, with the text as the reason.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "exit-2-needs-words",
        text: "Exit code 2 without output blocks nothing.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "plain-text-is-a-message",
        text: "Plain text with exit code 0 or 1 is a message for the user; the model does not get it.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "continue-false-ends-the-run",
        text: "continue false ends the run.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "failure-has-no-say",
        text: "A program that does not start does not block.",
        versions: "0.61.0",
        source: "source",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long is killed and has no say.",
        versions: "0.61.0",
        source: "measured on 0.61.0",
    },
    Rule {
        name: "async-has-no-say",
        text: "Gemini CLI has no background handlers.",
        versions: "0.61.0",
        source: "assumed: the field is passed over",
    },
    Rule {
        name: "every-reason-is-given",
        text: "Any refusal refuses, and all reasons are given, those of handlers that allow included.",
        versions: "0.61.0",
        source: "source",
    },
];
