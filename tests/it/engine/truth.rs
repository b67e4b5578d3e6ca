//! The engine against what real clients did.

use hookscope::dialect::claude_code::output::{self, Ran};
use hookscope::dialect::claude_code::{DIALECT, decide};
use hookscope::dialect::{Admission, Circumstances, Joined, Reading};
use hookscope::model::{Action, Decision, Evidence, Handler, HandlerKind, HookRun, Outcome, Position, Verdict};
use serde_json::Value;

/// A handler's scripted output as the rows give it: a text, a JSON value that is printed, or a long text as
/// `{"repeat": [letter, count], "tail": rest}`.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => match other.get("repeat") {
            Some(repeat) => {
                let count = repeat[1].as_u64().unwrap() as usize;
                repeat[0].as_str().unwrap().repeat(count) + other["tail"].as_str().unwrap()
            }
            None => spell_out(other).to_string(),
        },
    }
}

fn spell_out(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.contains_key("repeat") => Value::String(text(value)),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), spell_out(value))).collect(),
        other => other.clone(),
    }
}

fn joined(event: &str, version: &str, ix: usize, hook: &Value) -> Joined {
    let (stdout, stderr) = (text(&hook["stdout"]), text(&hook["stderr"]));
    let missing = hook.get("_command").is_some();
    let number = |name: &str| hook.get(name).and_then(Value::as_f64);
    let timed_out = number("_timeout").is_some_and(|limit| number("sleep").unwrap_or(0.0) > limit);
    let killed = hook.get("signal").and_then(Value::as_i64);
    let exit_code = match (missing, killed) {
        (true, _) => Some(127),
        (_, Some(signal)) => Some(128 + signal as i32),
        _ => Some(hook["exit"].as_i64().unwrap_or(0) as i32),
    };
    let background = hook["_async"] == Value::Bool(true);
    let ran = Ran { stdout: &stdout, stderr: &stderr, exit_code, timed_out, background };
    let reading: Reading = output::read(event, &ran, Some(version));
    let run = HookRun {
        handler: format!("project:{event}/{ix}/0"),
        kind: "command",
        command: Some(format!("\"$LAB_BIN/play\" h{ix}")),
        evidence: Evidence::Run,
        exit_code,
        signal: None,
        duration_ms: None,
        stdout: Some(stdout),
        stderr: Some(stderr),
        timed_out,
        outcome: reading.outcome,
        says: reading.says,
        notes: reading.notes.clone(),
        lost: false,
        sources: Vec::new(),
    };
    Joined { run, reading, label: format!("h{ix}"), place: (0, ix), attributed: Evidence::Run }
}

fn subject(event: &str) -> Option<&'static str> {
    match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => Some("Bash"),
        "SessionStart" => Some("startup"),
        _ => None,
    }
}

fn decide_row(row: &Value, hooks: &[(usize, &Value)]) -> (Decision, Vec<Joined>) {
    let event = row["event"].as_str().unwrap();
    let version = row["version"].as_str().unwrap();
    let answers: Vec<Joined> = hooks.iter().map(|(ix, hook)| joined(event, version, *ix, hook)).collect();
    let at = Circumstances {
        event,
        class: DIALECT.event(event).unwrap().class,
        subject: subject(event),
        version: Some(version),
        mode: Some("default"),
        blocks_before: 0,
        cap: Some(8),
        has_rules: false,
    };
    (decide::decide(&at, &answers), answers)
}

/// The order of finishing: the slowed ones last. `None` where chance decided it.
fn finishing(hooks: &[Value]) -> (Vec<(usize, &Value)>, bool) {
    let mut order: Vec<(usize, &Value)> = hooks.iter().enumerate().collect();
    let sleep = |hook: &Value| (hook["sleep"].as_f64().unwrap_or(0.0) * 1000.0) as u64;
    order.sort_by_key(|(_, hook)| sleep(hook));
    let certain = order.windows(2).all(|pair| sleep(pair[0].1) != sleep(pair[1].1));
    (order, certain)
}

fn check(row: &Value) -> Result<(), String> {
    let hooks = row["hooks"].as_array().unwrap();
    let (order, certain) = finishing(hooks);
    let (decision, answers) = decide_row(row, &order);
    let want = row["verdict"].as_str().unwrap();
    // The rows of two competing PermissionRequest answers of equal speed may have gone either way.
    let other_way = || decide_row(row, &order.iter().rev().copied().collect::<Vec<_>>()).0.verdict.word() == want;
    let got = decision.verdict;
    let right = match want {
        // Nothing was refused: whether a hook allowed or kept quiet can't be seen under an allow rule.
        "let-go" => matches!(got, Verdict::Quiet | Verdict::Allow),
        // The older client leaves the same line for both.
        "block-or-halt" => matches!(got, Verdict::Block | Verdict::Halt),
        "deny-or-ask" => matches!(got, Verdict::Deny | Verdict::Ask),
        want => got.word() == want || (!certain && other_way()),
    };
    if !right {
        return Err(format!("{}: want {want}, got {} by {:?}", row["id"], got.word(), decision.rule));
    }
    if row["action"] == "input-rejected" && decision.action != Some(Action::InputRejected) {
        return Err(format!("{}: {:?}", row["id"], decision.action));
    }
    let texts: Vec<&str> = row["texts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = texts.join("\n");
    // Texts over 10,000 characters reach the model as a preview of a file.
    let short = |text: &&str| text.len() < 90;
    let heard = (matches!(got, Verdict::Deny | Verdict::Ask) && !all.is_empty())
        || (got == Verdict::Block && !all.is_empty() && row["event"] != "PreCompact");
    if let Some(reason) = decision.reason.as_deref().filter(|_| heard && (certain || hooks.len() == 1)) {
        for line in reason.lines().filter(short) {
            if !all.contains(line) {
                return Err(format!("{}: the reason {line:?} is not in {all:?}", row["id"]));
            }
        }
    }
    if row["event"] != "PreCompact" && got != Verdict::Halt {
        for context in decision.additional_context.iter().map(String::as_str).filter(short) {
            if !all.contains(context) {
                return Err(format!("{}: the context {context:?} is not in {all:?}", row["id"]));
            }
        }
        let told = all.contains("additional context:") || all.contains("hook success:");
        if told && decision.additional_context.is_empty() {
            return Err(format!("{}: no context, but the model saw {all:?}", row["id"]));
        }
    }
    if row["failed"] == true && !answers.iter().any(|it| it.run.outcome == Some(Outcome::NonBlockingError)) {
        return Err(format!("{}: a handler failed, but {:?}", row["id"], answers[0].run.outcome));
    }
    if row["timed_out"] == true && !answers.iter().any(|it| it.run.outcome == Some(Outcome::Timeout)) {
        return Err(format!("{}: a handler timed out, but {:?}", row["id"], answers[0].run.outcome));
    }
    if let Some(rule) = decision.rule
        && hookscope::dialect::claude_code::rules::by_name(rule).is_none()
    {
        return Err(format!("{}: no rule is called {rule}", row["id"]));
    }
    Ok(())
}

#[test]
fn decisions_are_those_of_the_measured_clients() {
    let rows = include_str!("../../data/truth/claude-code-decisions.jsonl");
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 700, "{}", rows.len());
    let faults: Vec<String> = rows.iter().filter_map(|row| check(row).err()).collect();
    assert!(faults.is_empty(), "{} of {} rows differ:\n{}", faults.len(), rows.len(), faults.join("\n"));
}

#[test]
fn conditions_hold_where_they_did_in_the_measured_client() {
    let table: Value = serde_json::from_str(include_str!("../../data/truth/claude-code-if.json")).unwrap();
    let spec = DIALECT.event("PreToolUse");
    let behaviour = DIALECT.behaviour;
    let mut faults = Vec::new();
    for (condition, fired) in table["fired"].as_object().unwrap() {
        for (ix, call) in table["calls"].as_array().unwrap().iter().enumerate() {
            let tool = call[0].as_str().unwrap();
            let command = HandlerKind::Command { command: "x".to_owned(), args: None, shell: None };
            let handler = Handler {
                id: String::new(),
                kind: command,
                position: Position::default(),
                timeout: None,
                condition: Some(condition.clone()),
                held_back: None,
                background: false,
                raw: Value::Null,
            };
            let got = match (behaviour.admits)(&handler, spec, Some(tool)) {
                Admission::Runs => true,
                Admission::Never(_) => false,
                Admission::Depends => (behaviour.condition)(condition, tool, &call[1], Some("/home/dev/project")).holds,
            };
            let want = fired.as_array().unwrap().iter().any(|fired| fired == ix);
            if got != want {
                faults.push(format!("if: {condition} for {call}: want {want}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
