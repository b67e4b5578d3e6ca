//! From the words of the command line to opened sessions.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::style::Paint;
use super::{Common, Failure, View, charset, colours};
use crate::dialect::{self, Dialect, claude_code};
use crate::engine::{self, Mode, Tracer};
use crate::exec::judge::ChildJudge;
use crate::load::group::{NoSession, group};
use crate::load::open::{self, From, OpenError};
use crate::model::{Name, Plan, Session};
use crate::settings::{Given, Request};
use crate::source::{Source, SourceError, Store, in_words};

/// A session that was read to its end, and what is needed to look into it.
pub struct Opened {
    /// The session.
    pub session: Session,
    /// Its events under its hooks.
    pub tracer: Tracer,
    /// Its sources.
    pub lines: Arc<Store>,
}

impl Opened {
    /// To look into it.
    pub fn view<'a>(&'a self, common: &'a Common) -> View<'a> {
        View {
            session: &self.session,
            tracer: &self.tracer,
            lines: self.lines.as_ref(),
            session_id: common.session_id.as_deref(),
            paint: if colours(common) { Paint::Colours } else { Paint::Plain },
            charset: charset(common),
        }
    }
}

/// The dialects of the contract that can't be read yet.
const NOT_YET: &[&str] = &[
    "cortex-code",
    "cortex-sdk",
    "devin",
    "codex",
    "gemini-cli",
    "gemini",
    "qwen-code",
    "qwen",
    "copilot-cli",
    "vscode",
    "cursor",
    "factory-droid",
    "kimi",
];

/// Refuses options that can't be followed. `matchers_only`: the command asks for a reading of matchers alone.
pub fn check(common: &Common, matchers_only: bool) -> Result<(), Failure> {
    let name = common.dialect.as_deref().unwrap_or("auto");
    let is_known = if matchers_only { dialect::with_matchers(name) } else { dialect::by_id(name) };
    if name != "auto" && is_known.is_none() {
        let known = if matchers_only { dialect::MATCHERS } else { dialect::ALL };
        let known = known.iter().map(|dialect| dialect.id).collect::<Vec<_>>().join(", ");
        let known = format!("known: auto, {known}");
        return Err(match NOT_YET.contains(&name) {
            true if dialect::with_matchers(name).is_some() => Failure::new(
                format!("--dialect {name}: only this agent's matchers are there yet, not its sessions and answers"),
                "hookscope match PATTERN reads them",
            ),
            true => Failure::new(format!("--dialect {name}: this agent's rules are not there yet"), known),
            false => Failure::new(format!("--dialect {name}: no such agent"), known),
        });
    }
    if let Some(version) = &common.agent_version
        && !crate::dialect::rules::is_version(version)
    {
        return Err(Failure::new(format!("--agent-version {version}: not a version"), "three numbers, as in 2.1.332"));
    }
    for given in &common.settings {
        let path = Given::parse(given).path;
        if let Err(error) = std::fs::metadata(&path) {
            return Err(Failure::new(
                format!("--settings {}: {}", path.display(), in_words(&error)),
                "name a settings file, as [SCOPE=]FILE",
            ));
        }
    }
    if let Some(project) = &common.project
        && !project.is_dir()
    {
        return Err(Failure::new(
            format!("--project {}: no such folder", project.display()),
            "name the folder in which the agent is started",
        ));
    }
    Ok(())
}

/// Where settings are looked for.
pub fn request(common: &Common) -> Request {
    Request {
        project: common.project.clone(),
        given: common.settings.iter().map(|given| Given::parse(given)).collect(),
        version: common.agent_version.clone(),
        ..Request::from_environment()
    }
}

/// Which sessions are meant by these paths.
pub fn find(paths: &[PathBuf], common: &Common) -> Result<Vec<From>, Failure> {
    if paths.iter().any(|path| path.as_os_str() == "-") {
        if paths.len() > 1 {
            return Err(Failure::new("- stands for standard input and can't be mixed with files", "name either"));
        }
        return Ok(vec![From::Stdin]);
    }
    let mut grouped = group(paths, &peek).map_err(|error: NoSession| Failure::new(error.to_string(), error.help()))?;
    for left in &grouped.unreadable {
        let line = format!("{}: {} (left out)", left.path.display(), left.why);
        let _ = writeln!(io::stderr(), "hookscope: {}", crate::text::safe(&line));
    }
    if let Some(id) = &common.session_id {
        let known = grouped.sessions.len();
        // A log may hold several sessions: its events are told apart later.
        grouped.sessions.retain(|files| files.id == *id || !files.hook_logs.is_empty() || !files.streams.is_empty());
        if grouped.sessions.is_empty() {
            return Err(Failure::new(
                format!("--session-id {id}: none of the {known} sessions has this id"),
                "hookscope sessions lists those on this machine",
            ));
        }
    }
    Ok(grouped.sessions.into_iter().map(From::Files).collect())
}

/// The start of a file. An error is the cause alone: who asks names the file.
fn peek(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    let cause = |error: SourceError| {
        let cause = error.cause.to_string();
        io::Error::new(io::Error::from(error).kind(), cause)
    };
    Source::open(path).and_then(|source| source.prefix(bytes)).map_err(cause)
}

/// Reads a session to its end.
pub fn load(from: &From, common: &Common, mode: Option<Mode>) -> Result<Opened, Failure> {
    let store = Arc::new(Store::new());
    let loaded = open::load(from, &request(common), &store).map_err(failure)?;
    let mode = mode.unwrap_or_else(|| Mode::of(&loaded.session));
    let tracer = tracer(loaded.plan, mode, common);
    Ok(Opened { session: loaded.session, tracer, lines: store })
}

/// Traces under a plan, with risky patterns tested in a process of their own.
pub fn tracer(plan: Plan, mode: Mode, common: &Common) -> Tracer {
    let stop_cap = std::env::var("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").ok().and_then(|cap| cap.trim().parse().ok());
    let options = engine::Options { version: common.agent_version.clone(), mode, stop_cap };
    let tracer = Tracer::new(dialect(), plan, options);
    match ChildJudge::of_this_program() {
        Ok(judge) => tracer.judged_by(Arc::new(judge)),
        // Then such patterns stay undecided, and say so.
        Err(_) => tracer,
    }
}

/// The dialect in use.
pub fn dialect() -> &'static Dialect {
    &claude_code::DIALECT
}

/// As a failure.
pub fn failure(error: OpenError) -> Failure {
    let help = error.help().map(str::to_owned);
    Failure { message: error.to_string(), help, broken_pipe: false }
}

/// The subjects of one event in sessions, with counts, most frequent first.
pub fn subjects(path: &Path, event: &str, common: &Common) -> Result<Vec<(String, u64)>, Failure> {
    let sessions = find(&[path.to_owned()], common)?;
    let mut counts: HashMap<String, u64> = HashMap::new();
    for from in &sessions {
        let store = Store::new();
        let session = open::load(from, &request(common), &store).map_err(failure)?.session;
        let name = session.names.find(event).unwrap_or(Name::NONE);
        for event in session.events.iter().filter(|event| event.name == name && event.subject.is_some()) {
            *counts.entry(session.names.text(event.subject).to_owned()).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_named_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bad.gz");
        std::fs::write(&path, b"\x1f\x8b\x08nothing packed").expect("a file");
        let error = group(std::slice::from_ref(&path), &peek).expect_err("it can't be read").to_string();
        assert_eq!(error.matches("bad.gz").count(), 1, "{error}");
        assert!(error.contains("gzip data is damaged"), "{error}");
    }
}
