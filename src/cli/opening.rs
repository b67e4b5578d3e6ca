//! From the words of the command line to opened sessions.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::style::Paint;
use super::view::Fit;
use super::{Common, Failure, View, charset, colours};
use crate::dialect::{self, Dialect, Format, PREFIX, Role, claude_code, recognise};
use crate::engine::{self, Mode, Tracer};
use crate::exec::judge::ChildJudge;
use crate::load::group::{NoSession, group};
use crate::load::open::{self, From, OpenError};
use crate::model::{Diagnostic, Level, Name, Plan, Session, Time};
use crate::settings::{self, Given, Request};
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
            fit: if io::stdout().is_terminal() { Fit::Terminal } else { Fit::Whole },
            of_several: false,
        }
    }
}

/// The dialects of the contract that are not known yet.
const NOT_YET: &[&str] = &["vscode", "cursor", "factory-droid", "kimi"];

/// Refuses options that can't be followed.
pub fn check(common: &Common) -> Result<(), Failure> {
    let name = common.dialect.as_deref().unwrap_or("auto");
    if name != "auto" && dialect::by_id(name).is_none() {
        let known = dialect::ALL.iter().map(|dialect| dialect.id).collect::<Vec<_>>().join(", ");
        let known = format!("known: auto, {known}");
        return Err(match NOT_YET.contains(&name) {
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
        usable_settings(&path)?;
    }
    if let Some(config) = &common.trust_from
        && let Some(why) = settings::unusable_config(config)
    {
        return Err(Failure::new(
            format!("--trust-from {}: {why}", config.display()),
            "name the config.toml of Codex in which hooks are trusted",
        ));
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

/// Refuses a `--settings` that no agent could take for settings.
fn usable_settings(path: &Path) -> Result<(), Failure> {
    const HELP: &str = "name a settings file, as [SCOPE=]FILE";
    let refuse = |why: String| Failure::new(format!("--settings {}{why}", path.display()), HELP);
    if let Err(error) = std::fs::metadata(path) {
        return Err(refuse(format!(": {}", in_words(&error))));
    }
    if let Some(why) = settings::unreadable(path) {
        return Err(refuse(format!(": {why}")));
    }
    // What is broken is for the agent to refuse: the person wants to know that it does. And a handler's command may
    // well quote a hook input.
    match session_format(path).filter(|_| !settings::may_be_settings(path)) {
        Some(format) => Err(refuse(format!(": it is {}, not settings", format.words()))),
        None => Ok(()),
    }
}

/// What kind of session a file holds, if it does.
fn session_format(path: &Path) -> Option<Format> {
    if !path.is_file() {
        return None;
    }
    let format = recognise(&peek(path, PREFIX).ok()?);
    (format.role() == Role::Session).then_some(format)
}

/// Where settings are looked for.
pub fn request(common: &Common) -> Request {
    Request {
        project: common.project.clone(),
        trust_from: common.trust_from.clone(),
        given: common.settings.iter().map(|given| Given::parse(given)).collect(),
        version: common.agent_version.clone(),
        dialect: common.dialect.as_deref().and_then(dialect::by_id).map(|dialect| dialect.id),
        ..Request::from_environment()
    }
}

/// Before the name of a bundled session, where a path could stand.
const DEMO: &str = "demo:";

fn demo_at(path: &Path) -> Result<From, Failure> {
    let name = path.to_string_lossy();
    let demo = super::demo::find(name.strip_prefix(DEMO).unwrap_or(&name));
    demo.map(From::Demo).map_err(|error| Failure::new(error.to_string(), "hookscope demo lists them"))
}

/// The hooks of the current folder, or of `--project`, without a session.
pub fn folder(common: &Common) -> Opened {
    let mut request = request(common);
    request.cwd = std::env::current_dir().ok();
    let by_path = || request.given.iter().find_map(|given| settings::dialect_of_path(&given.path));
    request.dialect = request.dialect.or_else(by_path);
    let plan = settings::plan(&request, None::<(Time, Time)>, &[]);
    Opened {
        session: Session::new(claude_code::DIALECT.id),
        tracer: tracer(plan, Mode::Match, common),
        lines: Arc::new(Store::new()),
    }
}

/// Ids that sessions were found to have, for somebody who asked for another.
pub fn no_such_id(wanted: &str, mut ids: Vec<String>) -> Failure {
    const NAMED: usize = 8;
    ids.retain(|id| !id.is_empty());
    ids.sort_unstable();
    ids.dedup();
    let more = ids.len().saturating_sub(NAMED);
    ids.truncate(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let help = match ids.is_empty() {
        true => "nothing here bears an id".to_owned(),
        false => format!("there are: {}{more}", ids.join(", ")),
    };
    Failure::new(format!("--session-id {wanted}: no session has this id"), help)
}

/// Which sessions are meant by these paths.
pub fn find(paths: &[PathBuf], common: &Common) -> Result<Vec<From>, Failure> {
    if paths.iter().any(|path| path.as_os_str() == "-") {
        if paths.len() > 1 {
            return Err(Failure::new("- stands for standard input and can't be mixed with files", "name either"));
        }
        return Ok(vec![From::Stdin]);
    }
    let is_demo = |path: &&PathBuf| path.to_string_lossy().starts_with(DEMO);
    if paths.iter().any(|path| is_demo(&path)) {
        let (demos, files): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(is_demo);
        let mut found = demos.into_iter().map(|path| demo_at(path)).collect::<Result<Vec<_>, _>>()?;
        if !files.is_empty() {
            let files: Vec<PathBuf> = files.into_iter().cloned().collect();
            found.extend(find(&files, common)?);
        }
        return Ok(found);
    }
    let mut grouped = group(paths, &peek).map_err(|error: NoSession| Failure::new(error.to_string(), error.help()))?;
    for left in &grouped.unreadable {
        let line = format!("{}: {} (left out)", left.path.display(), left.why);
        let _ = writeln!(io::stderr(), "hookscope: {}", crate::text::safe(&line));
    }
    if let Some(id) = &common.session_id {
        let ids: Vec<String> = grouped.sessions.iter().map(|files| files.id.clone()).collect();
        // A log may hold several sessions: its events are told apart later.
        grouped.sessions.retain(|files| {
            files.id == *id || !files.hook_logs.is_empty() || !files.streams.is_empty() || files.id.is_empty()
        });
        if grouped.sessions.is_empty() {
            return Err(no_such_id(id, ids));
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
    tell_losses(&loaded.session);
    let mode = mode.unwrap_or_else(|| Mode::of(&loaded.session));
    let tracer = tracer(loaded.plan, mode, common);
    Ok(Opened { session: loaded.session, tracer, lines: store })
}

/// Says of which sources a part could not be read: whoever reads the output must know that it is not the whole.
fn tell_losses(session: &Session) {
    let whole_source = |it: &&Diagnostic| it.level != Level::Note && it.place.line.is_none();
    for lost in session.diagnostics.iter().filter(whole_source) {
        let help = lost.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        let part = if lost.level == Level::Error { "only a part of it is here: " } else { "" };
        let line = format!("{}: {part}{}{help}", lost.place.path, lost.message);
        let _ = writeln!(io::stderr(), "hookscope: {}", crate::text::safe(&line));
    }
}

/// Traces under a plan, with risky patterns tested in a process of their own.
pub fn tracer(plan: Plan, mode: Mode, common: &Common) -> Tracer {
    let stop_cap = std::env::var("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").ok().and_then(|cap| cap.trim().parse().ok());
    let options = engine::Options { version: common.agent_version.clone(), mode, stop_cap };
    let tracer = Tracer::new(dialect_of(&plan, common), plan, options);
    match ChildJudge::of_this_program() {
        Ok(judge) => tracer.judged_by(Arc::new(judge)),
        // Then such patterns stay undecided, and say so.
        Err(_) => tracer,
    }
}

/// The dialect in use: the one that was asked for, else that of the settings or the session.
fn dialect_of(plan: &Plan, common: &Common) -> &'static Dialect {
    let asked = common.dialect.as_deref().and_then(dialect::by_id);
    asked.or_else(|| plan.dialect.and_then(dialect::by_id)).unwrap_or(&claude_code::DIALECT)
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
