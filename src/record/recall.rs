//! The decision that a recording holds, taken over from what its runs alone would lead to.

use serde::Deserialize;
use serde_json::Value;

use crate::dialect::Rule;
use crate::model::{Action, Decision, Overruled, PermissionResult, Says, Verdict};

/// What a recorded decision says; `None` where nothing was decided because nothing tells or no handler ran,
/// `Some(None)` where handlers ran and decided nothing.
pub(super) fn word_of(decision: &Value) -> Option<Option<Says>> {
    Some(match read::<Verdict>(decision, "verdict")? {
        Verdict::None | Verdict::Unknown => return None,
        Verdict::Quiet => None,
        Verdict::Allow => Some(Says::Allow),
        Verdict::Ask => Some(Says::Ask),
        Verdict::Defer => Some(Says::Defer),
        Verdict::Deny => Some(Says::Deny),
        Verdict::Block => Some(Says::Block),
        Verdict::Halt => Some(Says::Halt),
    })
}

/// Takes over what the recording says of a decision. Fields that it lacks, or that have another shape, stay as
/// they follow from the runs, and so does a verdict that depends on the settings at hand.
pub fn recall(decision: &mut Decision, recorded: &Value, rule: fn(&str) -> Option<&'static Rule>) {
    let open = |verdict: Verdict| matches!(verdict, Verdict::None | Verdict::Unknown);
    let Some(verdict) = read::<Verdict>(recorded, "verdict") else { return };
    if verdict != decision.verdict && !(open(verdict) && open(decision.verdict)) {
        return;
    }
    if !open(verdict) {
        take(&mut decision.evidence, recorded, "evidence");
    }
    take(&mut decision.reason, recorded, "reason");
    if let Some(handler) = read::<String>(recorded, "decided_by") {
        decision.decided_by = Some(handler);
    }
    if let Some(name) = recorded.get("rule") {
        decision.rule = name.as_str().and_then(rule).map(|rule| rule.name);
    }
    take::<Option<Action>>(&mut decision.action, recorded, "action");
    take(&mut decision.effect, recorded, "effect");
    if let Some(permission) = recorded.get("permission") {
        decision.permission = permission_of(permission);
    }
    if let Some(overruled) = recorded.get("overruled").and_then(Value::as_array) {
        decision.overruled = overruled.iter().filter_map(overruled_of).collect();
    }
    take(&mut decision.updated_input, recorded, "updated_input");
    take(&mut decision.updated_output, recorded, "updated_output");
    take(&mut decision.additional_context, recorded, "additional_context");
    take(&mut decision.system_messages, recorded, "system_messages");
    take(&mut decision.initial_prompt, recorded, "initial_prompt");
    take(&mut decision.updated_permissions, recorded, "updated_permissions");
    take(&mut decision.assumed, recorded, "assumed");
}

fn read<T: for<'a> Deserialize<'a>>(from: &Value, key: &str) -> Option<T> {
    T::deserialize(from.get(key)?).ok()
}

fn take<T: for<'a> Deserialize<'a>>(field: &mut T, from: &Value, key: &str) {
    if let Some(value) = read(from, key) {
        *field = value;
    }
}

fn permission_of(told: &Value) -> Option<PermissionResult> {
    let result = told.get("result")?.as_str()?;
    Some(PermissionResult {
        result: ["allow", "ask", "deny"].into_iter().find(|known| *known == result)?,
        rule: read(told, "rule")?,
        path: read(told, "path")?,
        line: read(told, "line")?,
        mode: read(told, "mode")?,
    })
}

fn overruled_of(told: &Value) -> Option<Overruled> {
    Some(Overruled { handler: read(told, "handler")?, says: read(told, "says")? })
}
