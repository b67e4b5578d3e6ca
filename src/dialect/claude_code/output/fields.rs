//! The JSON of a hook output: its shape, its fields, what they do at which event.

use serde_json::{Map, Value};

use crate::dialect::{EventClass, Reading};
use crate::model::{Outcome, Says};

/// A hook output that has the right shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookOutput {
    /// `continue`.
    pub continues: Option<bool>,
    /// `stopReason`.
    pub stop_reason: Option<String>,
    /// `systemMessage`.
    pub system_message: Option<String>,
    /// `decision`: `approve` or `block`.
    pub decision: Option<String>,
    /// `reason`.
    pub reason: Option<String>,
    /// `async: true`.
    pub background: bool,
    /// `hookSpecificOutput`.
    pub specific: Option<Map<String, Value>>,
    /// Fields that are not read where they stand, and why.
    pub misplaced: Vec<String>,
}

/// `hookEventName`s that have output fields of their own. Others are a shape error (measured for PreCompact).
const NAMED: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "SubagentStart",
    "Setup",
    "PreModelSwitch",
    "PostModelSwitch",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "PreSkillShellCommand",
    "Elicitation",
    "ElicitationResult",
    "CwdChanged",
    "FileChanged",
    "WorktreeCreate",
    "MessageDisplay",
];

impl HookOutput {
    /// Reads the object, or tells in words for a person what is wrong with its shape.
    pub fn read(event: &str, object: &Map<String, Value>) -> Result<HookOutput, String> {
        let mut output = HookOutput {
            continues: boolean(object, "continue")?,
            stop_reason: text(object, "stopReason")?,
            system_message: text(object, "systemMessage")?,
            decision: choice(object, "decision", &["approve", "block"])?,
            reason: text(object, "reason")?,
            background: boolean(object, "async")?.unwrap_or(false),
            specific: None,
            misplaced: misplaced(object),
        };
        boolean(object, "suppressOutput")?;
        match object.get("hookSpecificOutput") {
            None => {}
            Some(Value::Object(specific)) => {
                check_specific(event, specific)?;
                output.specific = Some(specific.clone());
            }
            Some(other) => return Err(format!("`hookSpecificOutput` is {}, not an object", kind(other))),
        }
        Ok(output)
    }

    fn specific_text(&self, name: &str) -> Option<String> {
        self.specific.as_ref()?.get(name)?.as_str().map(str::to_owned)
    }

    fn specific_value(&self, name: &str) -> Option<Value> {
        self.specific.as_ref()?.get(name).cloned()
    }

    /// What it says at an event, written into a reading.
    pub(super) fn apply(&self, event: &str, class: EventClass, reading: &mut Reading) {
        reading.outcome = Some(Outcome::Success);
        reading.notes.extend(self.misplaced.iter().cloned());
        reading.system_message.clone_from(&self.system_message);
        let context = self.specific_text("additionalContext").filter(|text| !text.is_empty());
        if let Some(context) = context.filter(|_| takes_context(event)) {
            reading.context.push(context);
            reading.says = Some(Says::Context);
            reading.rule = Some("context-reaches-the-model");
        }
        match class {
            EventClass::BeforeTool => self.apply_before_tool(event, reading),
            EventClass::Permission => self.apply_permission(reading),
            EventClass::Gate => self.apply_gate(event, reading),
            _ => self.apply_block(class, reading),
        }
        if class == EventClass::AfterTool {
            reading.updated_output =
                self.specific_value("updatedToolOutput").or_else(|| self.specific_value("updatedMCPToolOutput"));
        }
        if event == "SessionStart" {
            reading.initial_prompt = self.specific_text("initialUserMessage");
        }
        self.apply_continue(event, class, reading);
    }

    fn apply_before_tool(&self, event: &str, reading: &mut Reading) {
        let asked = self.specific_text("permissionDecision");
        let says = match asked.as_deref() {
            Some("allow") => Some(Says::Allow),
            Some("ask") => Some(Says::Ask),
            Some("deny") => Some(Says::Deny),
            Some("defer") => Some(Says::Defer),
            _ => None,
        };
        let legacy = match self.decision.as_deref() {
            Some("approve") => Some(Says::Allow),
            Some("block") => Some(Says::Deny),
            _ => None,
        };
        // Measured: with both fields the refusal wins.
        let legacy_wins = legacy == Some(Says::Deny) && says != Some(Says::Deny) || says.is_none();
        let specific_reason = self.specific_text("permissionDecisionReason").filter(|text| !text.is_empty());
        let legacy_reason = self.reason.clone().filter(|text| !text.is_empty());
        let (says, reason, rule) = if legacy_wins {
            (legacy, legacy_reason.or(specific_reason), "json-decision")
        } else {
            (says, specific_reason.or(legacy_reason), "json-permission-decision")
        };
        if legacy.is_some() {
            reading.notes.push("`decision` is the old field here: `permissionDecision` is the new one".to_owned());
        }
        if let Some(says) = says {
            reading.says = Some(says);
            reading.rule = Some(rule);
            reading.reason = match says {
                Says::Deny => Some(reason.unwrap_or_else(|| "Blocked by hook".to_owned())),
                _ => reason,
            };
        }
        reading.updated_input = self.specific_value("updatedInput").filter(|_| event == "PreToolUse");
        if reading.updated_input.is_some() && says == Some(Says::Defer) {
            reading.updated_input = None;
            reading.notes.push("`updatedInput` is ignored beside `defer`".to_owned());
        }
    }

    fn apply_permission(&self, reading: &mut Reading) {
        let Some(Value::Object(decision)) = self.specific.as_ref().and_then(|specific| specific.get("decision")) else {
            if self.decision.is_some() {
                reading
                    .notes
                    .push("top-level `decision` decides nothing here: `hookSpecificOutput.decision` does".into());
            }
            return;
        };
        let message = decision.get("message").and_then(Value::as_str).filter(|text| !text.is_empty());
        match decision.get("behavior").and_then(Value::as_str) {
            Some("allow") => {
                reading.says = Some(Says::Allow);
                reading.updated_input = decision.get("updatedInput").filter(|value| value.is_object()).cloned();
                if let Some(Value::Array(updates)) = decision.get("updatedPermissions") {
                    reading.updated_permissions.clone_from(updates);
                }
            }
            Some("deny") => {
                reading.says = Some(Says::Deny);
                reading.reason = message.map(str::to_owned);
                if decision.get("interrupt") == Some(&Value::Bool(true)) {
                    reading.notes.push("`interrupt: true` ends the turn as well".to_owned());
                }
            }
            _ => return,
        }
        reading.rule = Some("permission-request-behavior");
    }

    fn apply_gate(&self, event: &str, reading: &mut Reading) {
        match event {
            "PreModelSwitch" => {
                let says = match self.specific_text("permissionDecision").as_deref() {
                    Some("deny") => Some(Says::Deny),
                    Some("ask") => Some(Says::Ask),
                    Some("allow") => Some(Says::Allow),
                    _ => None,
                };
                if let Some(says) = says {
                    reading.says = Some(says);
                    reading.reason = self.specific_text("permissionDecisionReason");
                    reading.rule = Some("json-permission-decision");
                    return;
                }
            }
            "Elicitation" | "ElicitationResult" if self.specific_text("action").as_deref() == Some("decline") => {
                reading.says = Some(Says::Deny);
                reading.rule = Some("elicitation-action");
            }
            _ => {}
        }
        self.apply_block(EventClass::Gate, reading);
    }

    fn apply_block(&self, class: EventClass, reading: &mut Reading) {
        if self.decision.as_deref() != Some("block") {
            return;
        }
        if matches!(class, EventClass::Start | EventClass::Notice | EventClass::Worktree) {
            reading.outcome = Some(Outcome::NonBlockingError);
            reading.notes.push("`decision: block` can't block here: it is only a note".to_owned());
            reading.rule = Some("block-has-no-effect-here");
            return;
        }
        reading.says = Some(Says::Block);
        reading.rule = Some("json-decision");
        reading.reason = self.reason.clone().filter(|text| !text.is_empty());
        if reading.reason.is_none() {
            reading.notes.push("blocks without a `reason`: nobody is told why".to_owned());
        }
    }

    fn apply_continue(&self, event: &str, class: EventClass, reading: &mut Reading) {
        if self.continues != Some(false) {
            return;
        }
        if !halts(event, class) {
            reading.notes.push("`continue: false` has no effect here".to_owned());
            return;
        }
        let words = self.stop_reason.clone().filter(|text| !text.is_empty());
        reading.stop_reason = Some(words.unwrap_or_else(|| "Execution stopped by hook".to_owned()));
        reading.also = reading.says.filter(|says| *says != Says::Context);
        reading.says = Some(Says::Halt);
        if reading.also.is_none() {
            reading.rule = Some("continue-false-stops");
        }
    }
}

/// Where `continue: false` stops the agent (measured; the rest by the vendor's list).
pub(super) fn halts(event: &str, class: EventClass) -> bool {
    match class {
        EventClass::AfterTool => event != "PostToolUseFailure",
        EventClass::BeforeTool
        | EventClass::AfterBatch
        | EventClass::Prompt
        | EventClass::Stop
        | EventClass::SubagentStop => true,
        EventClass::Gate => matches!(event, "TaskCompleted" | "TeammateIdle"),
        EventClass::Permission
        | EventClass::BeforeCompaction
        | EventClass::Start
        | EventClass::Worktree
        | EventClass::Notice => false,
    }
}

fn takes_context(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PostToolBatch"
            | "Notification"
            | "SubagentStart"
            | "Setup"
            | "PostModelSwitch"
            | "Stop"
            | "SubagentStop"
            | "UserPromptSubmit"
            | "UserPromptExpansion"
            | "SessionStart"
    )
}

fn check_specific(event: &str, specific: &Map<String, Value>) -> Result<(), String> {
    let name = match specific.get("hookEventName") {
        None => return Err("`hookSpecificOutput` has no `hookEventName`".to_owned()),
        Some(Value::String(name)) => name.as_str(),
        Some(other) => return Err(format!("`hookEventName` is {}, not a string", kind(other))),
    };
    if !NAMED.contains(&name) {
        return Err(format!("`hookEventName` names {name}, which has no output of its own"));
    }
    if name != event {
        return Err(format!("`hookEventName` says {name}, but this is {event}"));
    }
    text(specific, "additionalContext")?;
    text(specific, "permissionDecisionReason")?;
    let decisions: &[&str] =
        if event == "PreModelSwitch" { &["allow", "deny", "ask"] } else { &["allow", "deny", "ask", "defer"] };
    choice(specific, "permissionDecision", decisions)?;
    match specific.get("updatedInput") {
        None | Some(Value::Object(_)) => {}
        Some(_) if event != "PreToolUse" => {}
        Some(other) => return Err(format!("`updatedInput` is {}, not an object", kind(other))),
    }
    if event == "PermissionRequest" {
        match specific.get("decision") {
            None => {}
            Some(Value::Object(decision)) => {
                choice(decision, "behavior", &["allow", "deny"])?
                    .ok_or_else(|| "`decision` has no `behavior`".to_owned())?;
            }
            Some(other) => return Err(format!("`hookSpecificOutput.decision` is {}, not an object", kind(other))),
        }
    }
    if event == "SessionStart" {
        text(specific, "initialUserMessage")?;
    }
    Ok(())
}

/// Top-level fields that belong elsewhere.
fn misplaced(object: &Map<String, Value>) -> Vec<String> {
    const INSIDE: &[&str] = &[
        "permissionDecision",
        "permissionDecisionReason",
        "additionalContext",
        "updatedInput",
        "updatedToolOutput",
        "updatedMCPToolOutput",
        "hookEventName",
        "behavior",
        "initialUserMessage",
    ];
    let inside = INSIDE.iter().filter(|name| object.contains_key(**name));
    inside.map(|name| format!("`{name}` at the top level is ignored: it belongs inside `hookSpecificOutput`")).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn text(object: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match object.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{name}` is {}, not a string", kind(other))),
    }
}

fn boolean(object: &Map<String, Value>, name: &str) -> Result<Option<bool>, String> {
    match object.get(name) {
        None => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(other) => Err(format!("`{name}` is {}, not true or false", kind(other))),
    }
}

fn choice(object: &Map<String, Value>, name: &str, allowed: &[&str]) -> Result<Option<String>, String> {
    match object.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if allowed.contains(&text.as_str()) => Ok(Some(text.clone())),
        Some(Value::String(text)) => Err(format!("`{name}` is {text:?}, not one of {}", allowed.join(", "))),
        Some(other) => Err(format!("`{name}` is {}, not one of {}", kind(other), allowed.join(", "))),
    }
}
