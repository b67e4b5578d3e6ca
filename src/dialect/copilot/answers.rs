//! How Copilot CLI starts handlers and reads their answers, from its documents up to 1.0.102; nothing was measured.

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
    project: &[],
    session: &[],
    plugin: &[],
    substitutes: false,
    limit: 30.0,
    seconds: |named| named,
};

const COMBINING: Combining = Combining {
    as_configured: true,
    all_words: |_| false,
    between: "\n",
    bystanders: false,
    refusal: str::to_owned,
    rule: "any-refusal-refuses",
    required: &[],
    assumed: &[],
};

fn read(event: &str, class: EventClass, ran: &Ran<'_>) -> Reading {
    let code = ran.exit_code.unwrap_or_default();
    let mut reading = Reading { outcome: Some(Outcome::Success), ..Reading::default() };
    let object = match document(ran.stdout) {
        Some(object) => object,
        None => {
            if !ran.stdout.trim().is_empty() {
                reading.notes.push("stdout is not one JSON document: it counts as no output".to_owned());
            }
            Value::Null
        }
    };
    let nested = object.get("hookSpecificOutput").unwrap_or(&Value::Null);
    let field = |name: &str| words(&object, name).or_else(|| words(nested, name));
    let stderr = Some(ran.stderr.trim().to_owned()).filter(|words| !words.is_empty());
    if code != 0 {
        let refused = class == EventClass::BeforeTool || class == EventClass::Permission && code == 2;
        if refused {
            reading.outcome = Some(Outcome::Blocking);
            let reason = field("permissionDecisionReason").or_else(|| field("message")).or(stderr);
            refuses(class, &mut reading, reason, "failure-refuses-the-call");
            return reading;
        }
        if code == 2 && event.eq_ignore_ascii_case("postToolUseFailure") {
            reading.context.extend(Some(ran.stdout.trim().to_owned()).filter(|words| !words.is_empty()));
            return reading;
        }
        return failed(Outcome::NonBlockingError, "failure-has-no-say", &format!("exit {code} is a warning here"));
    }
    let reason = field("permissionDecisionReason").or_else(|| field("reason")).or_else(|| field("message"));
    let behaviour = nested.get("decision").and_then(|decision| text(decision, "behavior"));
    let decision = match class {
        EventClass::BeforeTool => text(&object, "permissionDecision").or_else(|| text(nested, "permissionDecision")),
        EventClass::Permission => text(&object, "behavior").or(behaviour),
        _ => text(&object, "decision"),
    };
    match (class, decision.as_deref()) {
        (EventClass::BeforeTool | EventClass::Permission, Some("deny")) => {
            refuses(class, &mut reading, reason, "json-decision");
        }
        (EventClass::BeforeTool | EventClass::Permission, Some("allow")) => {
            reading.says = Some(Says::Allow);
            reading.rule = Some("json-decision");
        }
        (EventClass::BeforeTool, Some("ask")) => {
            reading.says = Some(Says::Ask);
            reading.reason = reason;
            reading.rule = Some("json-decision");
        }
        (EventClass::Stop | EventClass::SubagentStop, Some("block")) => {
            refuses(class, &mut reading, reason, "json-decision");
        }
        _ => {}
    }
    if class == EventClass::BeforeTool {
        reading.updated_input = object.get("modifiedArgs").filter(|input| input.is_object()).cloned();
    }
    if class == EventClass::AfterTool {
        reading.updated_output = object.get("modifiedResult").filter(|output| !output.is_null()).cloned();
    }
    reading.context.extend(field("additionalContext"));
    reading
}

/// The one document that is left without lines of progress.
fn document(text: &str) -> Option<Value> {
    let is_progress = |line: &&str| {
        serde_json::from_str::<Value>(line).is_ok_and(|value| value.get("type").is_some_and(|kind| kind == "progress"))
    };
    let rest: Vec<&str> = text.lines().filter(|line| !is_progress(line)).collect();
    match stdout(&rest.join("\n")) {
        Stdout::Object(object) => Some(Value::Object(object)),
        Stdout::Empty | Stdout::Text | Stdout::Broken => None,
    }
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "failure-refuses-the-call",
        text: "Before a tool any exit code but 0 refuses the call, whatever stdout says; at a permission request exit 2 does.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "failure-has-no-say",
        text: "Elsewhere a failure is a warning.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long lets the action go on, at every event.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "json-decision",
        text: "permissionDecision refuses, allows or asks before a tool, behavior decides a permission, decision block prevents a stop.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
    Rule {
        name: "async-has-no-say",
        text: "Copilot CLI has no background handlers.",
        versions: "1.0.102",
        source: "assumed: the field is passed over",
    },
    Rule {
        name: "any-refusal-refuses",
        text: "Any refusal before a tool refuses; at a permission request the later answer is documented to win.",
        versions: "1.0.102",
        source: "vendor's documentation",
    },
];
