//! How Claude Code starts a command handler, and how it takes its end.
//!
//! The shell and the environment were measured on 2.1.332; time limits follow the vendor's hooks reference.

use std::time::Duration;

use super::output;
use crate::dialect::rules::at_least;
use crate::dialect::{Candidate, Joined, Reading, Setting};
use crate::model::{Evidence, Handler, HandlerKind, HookRun, Outcome, Says, Start};

/// Seconds that a command handler may take.
const LIMIT: f64 = 600.0;

/// Events where it is less, with their seconds.
const LOWER_LIMITS: &[(&str, f64)] = &[
    ("UserPromptSubmit", 30.0),
    ("PreModelSwitch", 30.0),
    ("PostModelSwitch", 30.0),
    ("MessageDisplay", 10.0),
    ("SessionEnd", 1.5),
];

/// What no limit of a settings file raises SessionEnd above.
const SESSION_END_MOST: f64 = 60.0;

/// Events whose handlers get a file to write `export` lines to.
const WITH_ENV_FILE: &[&str] = &["SessionStart", "Setup", "CwdChanged", "FileChanged"];

/// The process that a handler is.
pub fn start(handler: &Handler, setting: &Setting<'_>) -> Result<Start, String> {
    let HandlerKind::Command { command, args, shell } = &handler.kind else {
        return Err(format!("a handler of type {} needs the agent: it can't be run here", handler.kind.word()));
    };
    if shell.as_deref() == Some("powershell") {
        return Err("PowerShell handlers are not run here".to_owned());
    }
    let mut env: Vec<(String, String)> = setting.env.to_vec();
    // What stands in the environment wins: it is there on purpose.
    let mut own = |name: &str, value: &str| {
        if !env.iter().any(|(known, _)| known == name) {
            env.push((name.to_owned(), value.to_owned()));
        }
    };
    own("CLAUDE_PROJECT_DIR", setting.project);
    own("CLAUDECODE", "1");
    own("CLAUDE_CODE_SESSION_ID", setting.session);
    own("CLAUDE_CODE_ENTRYPOINT", setting.entrypoint.unwrap_or("cli"));
    if let Some(plugin) = setting.plugin {
        own("CLAUDE_PLUGIN_ROOT", plugin);
    }
    if WITH_ENV_FILE.contains(&setting.event) {
        // What is written there would reach later Bash calls, which there are none of.
        own("CLAUDE_ENV_FILE", "/dev/null");
    }
    let value = |name: &str| env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let filled = |text: &str| {
        ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"].iter().fold(text.to_owned(), |text, name| match value(name) {
            Some(value) => text.replace(&format!("${{{name}}}"), value),
            None => text,
        })
    };
    let (program, args) = match args {
        Some(args) => (filled(command), args.iter().map(|arg| filled(arg)).collect()),
        None => ("/bin/sh".to_owned(), vec!["-c".to_owned(), filled(command)]),
    };
    let input = setting.input.to_string().into_bytes();
    let limit = Duration::try_from_secs_f64(limit(handler, setting.event)).ok();
    Ok(Start { program, args, cwd: setting.cwd.to_owned(), env, input, limit })
}

fn limit(handler: &Handler, event: &str) -> f64 {
    let default = LOWER_LIMITS.iter().find(|(name, _)| *name == event).map_or(LIMIT, |(_, limit)| *limit);
    match handler.timeout {
        Some(limit) if event == "SessionEnd" => limit.clamp(default, SESSION_END_MOST),
        Some(limit) => limit,
        None => default,
    }
}

/// What the client makes of a run.
pub fn heard(event: &str, version: Option<&str>, candidate: &Candidate<'_>, mut run: HookRun) -> Joined {
    let handler = candidate.handler;
    let ran = output::Ran {
        stdout: run.stdout.as_deref().unwrap_or_default(),
        stderr: run.stderr.as_deref().unwrap_or_default(),
        // A shell tells the signal that ended its last command in this way, and the client sees the same of both.
        exit_code: run.exit_code.or_else(|| run.signal.map(|signal| 128 + signal)),
        timed_out: run.timed_out,
        background: handler.background,
    };
    let reading = match (run.outcome, ran.exit_code) {
        (Some(Outcome::CannotRun), _) => Reading { outcome: Some(Outcome::CannotRun), ..Reading::default() },
        (_, None) if !run.timed_out => Reading {
            outcome: Some(Outcome::NonBlockingError),
            rule: Some("only-exit-2-blocks"),
            notes: vec!["a program that does not start does not block".to_owned()],
            ..Reading::default()
        },
        _ => output::read(event, &ran, version),
    };
    let reading =
        if fails_closed(event, version, handler, &reading, &ran) { closed(event, &ran, reading) } else { reading };
    run.outcome = reading.outcome;
    run.says = reading.says;
    run.lost = reading.lost;
    run.notes.extend(reading.notes.iter().cloned());
    Joined { run, reading, label: candidate.label.to_owned(), place: (0, 0), attributed: Evidence::Run }
}

/// From here on a handler can say that its failure blocks.
const ON_FAILURE: (u32, u32, u32) = (2, 1, 295);

/// Events where that is ignored.
const OPEN_ALL_THE_SAME: &[&str] = &["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"];

/// Whether a run failed whose handler has `onFailure: block`.
fn fails_closed(
    event: &str,
    version: Option<&str>,
    handler: &Handler,
    reading: &Reading,
    ran: &output::Ran<'_>,
) -> bool {
    let asked = handler.raw["onFailure"] == "block" && !handler.background && at_least(version, ON_FAILURE);
    let failed = matches!(reading.outcome, Some(Outcome::NonBlockingError | Outcome::Timeout))
        || ran.exit_code.is_some_and(|code| code != 0 && code != 2);
    asked && failed && ran.exit_code != Some(2) && !OPEN_ALL_THE_SAME.contains(&event)
}

/// A failure that is treated like exit 2; at a permission request it refuses.
fn closed(event: &str, ran: &output::Ran<'_>, failed: Reading) -> Reading {
    let like = output::Ran { stdout: "", exit_code: Some(2), timed_out: false, ..*ran };
    let mut reading = output::read(event, &like, None);
    if event == "PermissionRequest" {
        reading.says = Some(Says::Deny);
        reading.outcome = Some(Outcome::Blocking);
        reading.reason = Some(ran.stderr.trim().to_owned()).filter(|words| !words.is_empty());
    }
    if reading.says.is_none() {
        return failed;
    }
    reading.rule = Some("on-failure-blocks");
    reading.notes = vec!["it failed, and its `onFailure: block` makes that a refusal".to_owned()];
    reading
}
