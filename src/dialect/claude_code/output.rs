//! Reading one handler's answer: what stdout is taken for, what its JSON says, what its exit code does.
//!
//! Measured on clients 2.1.332 and 2.1.197; the vendor's page fills in what was not tried.

mod fields;

use serde_json::Value;

pub use fields::HookOutput;

use super::DIALECT;
use super::outcomes::class_of;
pub use crate::dialect::Ran;
use crate::dialect::rules::at_least;
use crate::dialect::{EventClass, Reading};
use crate::model::{Outcome, Says};

/// What stdout is taken for.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Nothing but white space.
    Empty,
    /// Plain text.
    Text,
    /// An object that has the shape of a hook output.
    Json(Box<HookOutput>),
    /// An object that has not, and what is wrong with it: all of it is dropped.
    Misshapen(String),
    /// Starts with `{`, ends with `}`, and is no JSON: an error from 2.1.332 on.
    LooksLikeJson,
}

/// What stdout is taken for at an event.
///
/// Trimmed text that does not start with `{` is plain; an object is held against the hook output's shape.
pub fn classify(event: &str, stdout: &str, version: Option<&str>) -> Form {
    let text = stdout.trim();
    if text.is_empty() {
        return Form::Empty;
    }
    if !text.starts_with('{') {
        return Form::Text;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => match HookOutput::read(event, &object) {
            Ok(output) => Form::Json(Box::new(output)),
            Err(fault) => Form::Misshapen(fault),
        },
        Ok(_) => Form::Text,
        // Before, two objects in a row were plain text (measured on 2.1.197).
        Err(_) if text.ends_with('}') && at_least(version, (2, 1, 198)) => Form::LooksLikeJson,
        Err(_) => Form::Text,
    }
}

/// What a handler's stdout and exit code say at an event; `None`: nothing.
pub fn says(event: &str, stdout: &str, exit_code: Option<i32>, version: Option<&str>) -> Option<Says> {
    read(event, &Ran { stdout, exit_code, ..Ran::default() }, version).says
}

/// What the client makes of a run.
pub fn read(event: &str, ran: &Ran<'_>, version: Option<&str>) -> Reading {
    let class = class_of(DIALECT.event(event));
    if ran.timed_out {
        return Reading {
            outcome: Some(Outcome::Timeout),
            rule: Some("timeout-has-no-say"),
            notes: vec!["a time-out has no say: whatever it had printed is lost".to_owned()],
            ..Reading::default()
        };
    }
    let form = classify(event, ran.stdout, version);
    if ran.background || matches!(&form, Form::Json(output) if output.background) {
        let mut notes = vec!["runs in the background: it can't decide anything".to_owned()];
        notes.extend(
            ran.exit_code.filter(|code| *code == 2).map(|_| "exit 2 of a background handler blocks nothing".to_owned()),
        );
        return Reading { outcome: Some(Outcome::Async), rule: Some("async-has-no-say"), notes, ..Reading::default() };
    }
    if class == EventClass::Worktree {
        return worktree(ran);
    }
    let mut reading = Reading::default();
    match &form {
        Form::Json(output) => output.apply(event, class, &mut reading),
        Form::Text | Form::Empty => {
            plain(event, class, ran, &mut reading);
        }
        Form::Misshapen(fault) => {
            reading.outcome = Some(Outcome::NonBlockingError);
            reading.rule = Some("misshapen-json-is-dropped");
            reading.notes.push(format!("the whole answer is dropped: {fault}"));
        }
        Form::LooksLikeJson => {
            reading.outcome = Some(Outcome::NonBlockingError);
            reading.rule = Some("broken-json-is-an-error");
            reading
                .notes
                .push("starts and ends like an object, but is not one JSON object: all of it is dropped".into());
        }
    }
    exit_code(event, class, &form, ran, version, &mut reading);
    notice_lost_refusal(event, &form, ran, &mut reading);
    reading
}

/// Plain text and silence.
fn plain(event: &str, class: EventClass, ran: &Ran<'_>, reading: &mut Reading) {
    reading.outcome = ran.exit_code.map(|_| Outcome::Success);
    let text = ran.stdout.trim();
    let heard = match event {
        "SessionStart" => class == EventClass::Start,
        "UserPromptSubmit" | "UserPromptExpansion" | "PreCompact" => true,
        _ => false,
    };
    if !text.is_empty() && heard && matches!(ran.exit_code, Some(0) | None) {
        reading.context.push(text.to_owned());
        reading.says = Some(Says::Context);
        reading.rule = Some("plain-text-is-context");
    }
}

/// What the exit code adds to what stdout said.
fn exit_code(event: &str, class: EventClass, form: &Form, ran: &Ran<'_>, version: Option<&str>, reading: &mut Reading) {
    let Some(code) = ran.exit_code else { return };
    let has_json = matches!(form, Form::Json(_));
    match code {
        0 => {}
        2 => exit_2(event, class, form, ran, version, reading),
        _ if has_json => {
            reading.notes.push(format!("exit {code} changes nothing here: valid JSON counts whatever the exit code"));
        }
        _ => {
            if reading.rule.is_none() {
                reading.rule = Some("only-exit-2-blocks");
            }
            reading.outcome = Some(Outcome::NonBlockingError);
            reading.notes.push(match code {
                126 => {
                    "exit 126: the command could not be executed; it does not block, so nothing was checked".to_owned()
                }
                127 => "exit 127: the command was not found; it does not block, so nothing was checked".to_owned(),
                _ => format!("exit {code} does not block: only exit 2 does"),
            });
        }
    }
    // The summary's request gets whatever stdout has, JSON included.
    if event == "PreCompact" && code == 0 && reading.context.is_empty() && !ran.stdout.trim().is_empty() {
        reading.context.push(ran.stdout.trim().to_owned());
        reading.says = reading.says.or(Some(Says::Context));
        reading.rule = reading.rule.or(Some("precompact-stdout-joins-the-request"));
    }
}

fn exit_2(event: &str, class: EventClass, form: &Form, ran: &Ran<'_>, version: Option<&str>, reading: &mut Reading) {
    let Some(says) = exit_2_says(event, class) else {
        reading.outcome = Some(Outcome::NonBlockingError);
        if class == EventClass::Permission {
            reading.notes.push("exit 2 is ignored here: only `behavior` decides".to_owned());
            reading.rule = reading.rule.or(Some("permission-request-ignores-exit-code"));
            if matches!(form, Form::Json(_)) {
                reading.outcome = Some(Outcome::Success);
            }
        } else {
            reading.notes.push(format!("exit 2 can't block {event}: it is only a note"));
            reading.rule = Some("exit-2-has-no-effect-here");
        }
        return;
    };
    let misshapen = matches!(form, Form::Misshapen(_) | Form::LooksLikeJson);
    if misshapen && !at_least(version, (2, 1, 214)) {
        reading.notes.push("before 2.1.214 a broken answer undoes exit 2".to_owned());
        return;
    }
    reading.outcome = Some(Outcome::Blocking);
    // A refusal in the JSON gives its own words.
    if matches!(reading.says, Some(Says::Deny | Says::Block)) || matches!(reading.also, Some(Says::Deny | Says::Block))
    {
        return;
    }
    if matches!(form, Form::Json(_)) && matches!(reading.says, Some(Says::Allow | Says::Ask | Says::Defer)) {
        reading.notes.push("exit 2 beats what its JSON says".to_owned());
    }
    let stderr = ran.stderr.trim();
    if stderr.is_empty() {
        reading.notes.push("exit 2 without stderr: nobody is told why".to_owned());
    }
    if !ran.stdout.trim().is_empty() && matches!(form, Form::Text) {
        reading.notes.push("on exit 2 only stderr is the reason: stdout is not passed on".to_owned());
    }
    reading.reason = Some(if stderr.is_empty() { "No stderr output".to_owned() } else { stderr.to_owned() });
    reading.rule = Some("exit-2-blocks");
    if reading.says == Some(Says::Halt) {
        reading.also = Some(says);
    } else {
        reading.says = Some(says);
    }
}

/// What exit 2 says at an event; `None` where it can't block.
fn exit_2_says(event: &str, class: EventClass) -> Option<Says> {
    match class {
        EventClass::BeforeTool => Some(Says::Deny),
        EventClass::Permission | EventClass::Start | EventClass::Notice | EventClass::Worktree => None,
        EventClass::Gate if event.starts_with("Elicitation") => Some(Says::Deny),
        EventClass::AfterTool
        | EventClass::AfterBatch
        | EventClass::Prompt
        | EventClass::Stop
        | EventClass::SubagentStop
        | EventClass::BeforeCompaction
        | EventClass::Gate => Some(Says::Block),
    }
}

/// A worktree hook's stdout is the path; any other end than 0 makes the creation fail.
fn worktree(ran: &Ran<'_>) -> Reading {
    match ran.exit_code {
        Some(0) => Reading { outcome: Some(Outcome::Success), ..Reading::default() },
        None => Reading::default(),
        Some(_) => Reading {
            outcome: Some(Outcome::Blocking),
            says: Some(Says::Block),
            reason: Some(ran.stderr.trim().to_owned()).filter(|text| !text.is_empty()),
            rule: Some("worktree-any-nonzero-fails"),
            ..Reading::default()
        },
    }
}

/// A refusal that nobody reads is the costliest mistake: it is named.
fn notice_lost_refusal(event: &str, form: &Form, ran: &Ran<'_>, reading: &mut Reading) {
    let noted = reading.notes.len();
    let looks_like_one = |text: &str| {
        text.contains("\"permissionDecision\"")
            || text.contains("\"decision\"")
            || text.contains("\"hookSpecificOutput\"")
    };
    if matches!(form, Form::Text | Form::LooksLikeJson) && looks_like_one(ran.stdout) {
        let text = ran.stdout.trim();
        reading.notes.push(
            if text.starts_with('{') && matches!(form, Form::LooksLikeJson) {
                "more than one JSON value on stdout: the refusal inside is lost"
            } else if text.starts_with('{') {
                "text after the JSON, or broken JSON, makes all of it plain text: what it says is lost"
            } else if text.starts_with('[') {
                "a list is plain text: the answer has to be one object"
            } else {
                "text before the JSON makes all of it plain text: what it says is lost"
            }
            .to_owned(),
        );
    }
    if matches!(form, Form::Empty) && looks_like_one(ran.stderr) && ran.exit_code != Some(2) {
        reading.notes.push("the JSON is on stderr, which is not read for answers: it has to be on stdout".to_owned());
    }
    let refused = |says: Option<Says>| matches!(says, Some(Says::Deny | Says::Block | Says::Halt));
    let silent = matches!(form, Form::Empty) && ran.exit_code != Some(2);
    if refused(reading.says) || refused(reading.also) || !(refuses(ran.stdout) || silent && refuses(ran.stderr)) {
        return;
    }
    reading.lost = true;
    if reading.notes.len() == noted && matches!(form, Form::Json(_)) {
        reading.notes.push(format!("its refusal is lost: {event} does not read it where it stands"));
    }
}

/// Whether a text holds the words of a refusal, wherever they stand.
fn refuses(text: &str) -> bool {
    // Most handlers say nothing of the kind: that is found out without a copy.
    if !["\"permissionDecision\"", "\"decision\"", "\"behavior\""].iter().any(|key| text.contains(key)) {
        return false;
    }
    let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    ["\"permissionDecision\":\"deny\"", "\"decision\":\"block\"", "\"decision\":\"deny\"", "\"behavior\":\"deny\""]
        .iter()
        .any(|words| tight.contains(words))
}
