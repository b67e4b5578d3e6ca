//! How Claude Code starts a command handler, and how it takes its end.
//!
//! The shell and the environment were measured on 2.1.332; time limits follow the vendor's hooks reference.

use std::time::Duration;

use super::output;
use crate::dialect::{Candidate, Joined, Setting};
use crate::model::{Evidence, Handler, HandlerKind, HookRun, Outcome, Start};

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
    let stopped = matches!(run.outcome, Some(Outcome::CannotRun));
    let ran = output::Ran {
        stdout: run.stdout.as_deref().unwrap_or_default(),
        stderr: run.stderr.as_deref().unwrap_or_default(),
        // A shell tells the signal that ended its last command in this way, and the client sees the same of both.
        exit_code: run.exit_code.or_else(|| run.signal.map(|signal| 128 + signal)),
        timed_out: run.timed_out,
        background: handler.background,
    };
    let mut reading = if stopped { Default::default() } else { output::read(event, &ran, version) };
    if stopped {
        reading.outcome = Some(Outcome::CannotRun);
    }
    run.outcome = reading.outcome;
    run.says = reading.says;
    run.lost = reading.lost;
    run.notes.extend(reading.notes.iter().cloned());
    Joined { run, reading, label: candidate.label.to_owned(), attributed: Evidence::Run }
}
