//! How Devin CLI starts handlers and reads their answers, from its page and captures of 3000.2 to 3000.11.

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
    // No document names the shell.
    shell: Some("/bin/sh"),
    project: &["DEVIN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    session: &[],
    plugin: &["CLAUDE_PLUGIN_ROOT"],
    substitutes: false,
    // No document names the default.
    limit: 600.0,
    seconds: |named| named,
};

const COMBINING: Combining = Combining {
    as_configured: true,
    all_words: |_| false,
    between: "\n",
    bystanders: false,
    refusal: |reason| format!("Tool rejected: {reason}"),
    rule: "any-refusal-refuses",
    required: &[],
    assumed: &[],
};

/// Events whose `additionalContext` reaches the model.
const HEARD: &[&str] = &["SessionStart", "UserPromptSubmit", "PostToolUse"];

fn read(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    let code = ran.exit_code.unwrap_or_default();
    let prevents = !matches!(class, EventClass::AfterTool | EventClass::Notice | EventClass::Start);
    let mut reading = Reading { outcome: Some(Outcome::Success), ..Reading::default() };
    let object = match stdout(ran.stdout) {
        Stdout::Object(object) => Some(Value::Object(object)),
        Stdout::Empty => None,
        Stdout::Text | Stdout::Broken => {
            reading.notes.push("plain text on stdout is passed over".to_owned());
            None
        }
    };
    if code != 0 && code != 2 {
        let note = format!("exit {code} does not block: only exit 2 does (an older page said that any would)");
        return failed(Outcome::NonBlockingError, "only-exit-2-blocks", &note);
    }
    let empty = Value::Null;
    let object = object.as_ref().unwrap_or(&empty);
    let nested = object.get("hookSpecificOutput").unwrap_or(&empty);
    let reason = words(object, "reason").or_else(|| words(nested, "permissionDecisionReason"));
    if code == 2 {
        if !prevents {
            return failed(Outcome::NonBlockingError, "no-effect-here", &format!("{event} can't be blocked"));
        }
        reading.outcome = Some(Outcome::Blocking);
        let stderr = Some(ran.stderr.trim().to_owned()).filter(|words| !words.is_empty());
        refuses(class, &mut reading, reason.or(stderr), "exit-2-blocks");
        return reading;
    }
    match text(object, "decision").as_deref() {
        Some("block" | "deny") if prevents => refuses(class, &mut reading, reason, "decision-block"),
        Some("approve" | "allow") if matches!(class, EventClass::BeforeTool | EventClass::Permission) => {
            reading.says = Some(Says::Allow);
            reading.rule = Some("decision-approve");
        }
        Some("block" | "deny") => {
            reading.lost = true;
            reading.notes.push(format!("{event} can't be blocked"));
        }
        _ => match text(nested, "permissionDecision").as_deref() {
            Some("deny") if class == EventClass::BeforeTool => {
                refuses(class, &mut reading, reason, "nested-denial-is-honoured");
            }
            Some(other) => reading.notes.push(format!("permissionDecision `{other}` is not known to be honoured")),
            None => {}
        },
    }
    if class == EventClass::BeforeTool {
        reading.updated_input = nested.get("updatedInput").filter(|input| input.is_object()).cloned();
    }
    if let Some(context) = words(nested, "additionalContext") {
        if HEARD.contains(&event) {
            reading.context.push(context);
            reading.says = reading.says.or(Some(Says::Context));
        } else {
            reading.notes.push(format!("additionalContext is not injected at {event}"));
        }
    }
    reading
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "exit-2-blocks",
        text: "Exit code 2 blocks; the reason is that of the JSON, else stderr.",
        versions: "all known",
        source: "first-hand on 3000.10.31 (PreToolUse); hooks page (the others)",
    },
    Rule {
        name: "only-exit-2-blocks",
        text: "Any other exit code is logged and does not block.",
        versions: "all known",
        source: "newest hooks page; an older one let any code block a tool call",
    },
    Rule {
        name: "decision-block",
        text: "decision block (or deny) refuses a call or a permission, and makes a stop go on.",
        versions: "all known",
        source: "first-hand (PreToolUse, Stop); hooks page",
    },
    Rule {
        name: "decision-approve",
        text: "decision approve lets a call or a permission pass.",
        versions: "all known",
        source: "hooks page",
    },
    Rule {
        name: "nested-denial-is-honoured",
        text: "permissionDecision deny inside hookSpecificOutput refuses a call as well.",
        versions: "all known",
        source: "first-hand in September 2026, two separate runs",
    },
    Rule {
        name: "no-effect-here",
        text: "After a tool, at starts and at notices nothing can be blocked.",
        versions: "all known",
        source: "hooks page",
    },
    Rule {
        name: "failure-has-no-say",
        text: "A program that does not start is taken not to block.",
        versions: "all known",
        source: "assumed: nothing is documented",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long is taken to have no say.",
        versions: "all known",
        source: "assumed: nothing is documented",
    },
    Rule {
        name: "async-has-no-say",
        text: "Devin has no background handlers.",
        versions: "all known",
        source: "assumed: the field is passed over",
    },
    Rule {
        name: "any-refusal-refuses",
        text: "Any refusal refuses, and the others still run; that the first one's words are given is assumed.",
        versions: "all known",
        source: "first-hand on 3000.11.3",
    },
];
