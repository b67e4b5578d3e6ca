//! How Qwen Code starts handlers and reads their answers, measured on 0.24.4.

use serde_json::Value;

use super::DIALECT;
use crate::dialect::answers::{self, Combining, Own, Starting, Stdout, failed, refuses, stdout, text, words};
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
    project: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    session: &["QWEN_CODE_SESSION_ID"],
    plugin: &[],
    substitutes: true,
    limit: 60.0,
    // Measured: 1 and 1500 cut a handler of 2.5 s short after 1 s and 1.5 s.
    seconds: |named| if named >= 1_000.0 { named / 1_000.0 } else { named },
};

const COMBINING: Combining = Combining {
    as_configured: true,
    all_words: |_| true,
    between: "\n",
    bystanders: false,
    refusal: str::to_owned,
    rule: "every-reason-is-given",
    required: &[],
    assumed: &[],
};

/// Events that give the model plain text and `additionalContext`.
const HEARD: &[&str] = &["SessionStart", "UserPromptSubmit"];

fn read(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    let code = ran.exit_code.unwrap_or_default();
    // Measured: after a tool neither block nor exit 2 changed anything.
    let prevents = !matches!(class, EventClass::AfterTool | EventClass::Notice | EventClass::Start);
    let mut reading = Reading { outcome: Some(Outcome::Success), ..Reading::default() };
    if code == 2 {
        let said = ran.stderr.trim();
        if said.is_empty() {
            let note = "exit 2 without a word on stderr blocks nothing here";
            return Reading { lost: true, ..failed(Outcome::NonBlockingError, "exit-2-needs-stderr", note) };
        }
        if !prevents {
            return failed(Outcome::NonBlockingError, "no-effect-here", &format!("exit 2 has no effect at {event}"));
        }
        reading.outcome = Some(Outcome::Blocking);
        refuses(class, &mut reading, Some(said.to_owned()), "exit-2-blocks");
        return reading;
    }
    let object = match stdout(ran.stdout) {
        Stdout::Object(object) => Value::Object(object),
        Stdout::Empty | Stdout::Text | Stdout::Broken if code != 0 => {
            let note = format!("exit {code} does not block: only exit 2 and JSON do");
            return failed(Outcome::NonBlockingError, "only-exit-2-blocks", &note);
        }
        Stdout::Empty => return reading,
        Stdout::Text | Stdout::Broken => {
            if HEARD.contains(&event) {
                reading.context.push(ran.stdout.trim().to_owned());
                reading.says = Some(Says::Context);
                reading.rule = Some("plain-text-is-context");
            } else {
                reading.notes.push("plain text is not passed on here".to_owned());
            }
            return reading;
        }
    };
    if code != 0 {
        reading.notes.push(format!("exit {code} changes nothing here: valid JSON counts"));
    }
    let nested = object.get("hookSpecificOutput").unwrap_or(&Value::Null);
    reading.system_message = text(&object, "systemMessage");
    let reason = words(nested, "permissionDecisionReason").or_else(|| words(&object, "reason"));
    let halts = object.get("continue") == Some(&Value::Bool(false));
    let permission = nested.get("decision").and_then(|decision| text(decision, "behavior"));
    let decision = text(nested, "permissionDecision").or_else(|| text(&object, "decision")).or(permission);
    match decision.as_deref() {
        Some("deny" | "block") if prevents => {
            let message = nested.get("decision").and_then(|decision| words(decision, "message"));
            refuses(class, &mut reading, reason.or(message), "json-decision");
        }
        Some("deny" | "block") => {
            reading.lost = true;
            reading.notes.push(format!("a block has no effect at {event}"));
        }
        Some("ask") if class == EventClass::BeforeTool => {
            reading.says = Some(Says::Ask);
            reading.reason = reason;
            reading.rule = Some("json-decision");
        }
        Some("allow" | "approve") if matches!(class, EventClass::BeforeTool | EventClass::Permission) => {
            reading.says = Some(Says::Allow);
            reading.rule = Some("json-decision");
        }
        _ => {}
    }
    if halts && class == EventClass::BeforeTool {
        let words = words(&object, "stopReason");
        refuses(class, &mut reading, words, "continue-false-refuses-the-call");
    } else if halts {
        reading.says = Some(Says::Halt);
        reading.stop_reason = words(&object, "stopReason");
        reading.rule = Some("continue-false-stops");
    }
    if nested.get("updatedInput").is_some() {
        reading.notes.push("a rewritten input had no effect in headless runs".to_owned());
    }
    if let Some(context) = words(nested, "additionalContext") {
        if HEARD.contains(&event) || class == EventClass::AfterTool || matches!(class, EventClass::Stop) {
            reading.context.push(context);
            reading.says = reading.says.or(Some(Says::Context));
        } else {
            reading.notes.push(format!("additionalContext had no effect at {event}"));
        }
    }
    reading
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "exit-2-blocks",
        text: "Exit code 2 with words on stderr blocks; stdout is not read then.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "exit-2-needs-stderr",
        text: "Exit code 2 without a word on stderr blocks nothing.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "only-exit-2-blocks",
        text: "Any other exit code does not block; valid JSON counts all the same.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "no-effect-here",
        text: "After a tool, at a start and at notices nothing can be blocked.",
        versions: "0.24.4",
        source: "measured on 0.24.4 (PostToolUse); source",
    },
    Rule {
        name: "json-decision",
        text: "permissionDecision and a top-level decision refuse, allow or have the user asked; whoever can't be asked is refused.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "continue-false-refuses-the-call",
        text: "continue false before a tool refuses that call alone; the turn goes on.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule { name: "continue-false-stops", text: "continue false ends the turn.", versions: "0.24.4", source: "source" },
    Rule {
        name: "plain-text-is-context",
        text: "Plain text is context at a prompt and at the start of a session.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "failure-has-no-say",
        text: "A program that does not start does not block.",
        versions: "0.24.4",
        source: "source",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long is killed and has no say.",
        versions: "0.24.4",
        source: "measured on 0.24.4",
    },
    Rule {
        name: "async-has-no-say",
        text: "The output of a background handler is not delivered.",
        versions: "0.24.4",
        source: "source",
    },
    Rule {
        name: "every-reason-is-given",
        text: "Any block blocks, and all their reasons are given.",
        versions: "0.24.4",
        source: "source",
    },
];
