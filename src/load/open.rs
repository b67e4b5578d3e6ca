//! Opens one session: its files, the hooks that hold for it, and everything joined.
//!
//! Owns the order in which a session's sources are read. Must not know screens.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::demo::{Demo, FileKind};
use super::group::SessionFiles;
use super::join;
use super::pipeline::{Strand, Who, weave};
use crate::dialect::claude_code::debug_log::DebugLog;
use crate::dialect::claude_code::stream::StreamReader;
use crate::dialect::claude_code::{self, Transcript};
use crate::dialect::hook_log::HookLog;
use crate::dialect::{Format, PREFIX, Reader, Role, Shared, SubagentKey, recognise};
use crate::model::{
    Agent, AgentIx, Context, Delta, Diagnostic, Level, Name, Names, Place, Plan, Progress, Session, SourceInfo, Time,
};
use crate::record::RecordingReader;
use crate::settings::{self, Request};
use crate::source::{Lines, Source, SourceError, Store};

/// Where a session comes from.
#[derive(Debug, Clone)]
pub enum From {
    /// Files.
    Files(SessionFiles),
    /// Standard input.
    Stdin,
    /// A bundled session.
    Demo(&'static Demo),
}

/// What arrives while a session is opened.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "only one is on its way at a time")]
pub enum Arrival {
    /// More of the session.
    Delta(Box<Delta>),
    /// The hooks that hold for it.
    Plan(Plan),
}

/// A session that was read to its end.
#[derive(Debug)]
pub struct Loaded {
    /// The session.
    pub session: Session,
    /// Its hooks.
    pub plan: Plan,
}

/// Why a session can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file of it can't be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// It is something else.
    #[error("{path}: this is {}, not a session that can be opened", format.words())]
    NotASession {
        /// The file.
        path: String,
        /// What it is.
        format: Format,
    },
}

impl OpenError {
    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        match self {
            OpenError::Source(error) => error.help.as_deref(),
            OpenError::NotASession { .. } => Some(
                "name a transcript, a stream, a hook log or a folder with some; `hookscope sessions` lists those on this machine",
            ),
        }
    }
}

/// Reads a session to its end.
///
/// # Errors
/// Nothing of it can be read. What can't be read in part is in the session's diagnostics.
pub fn load(from: &From, request: &Request, store: &Store) -> Result<Loaded, OpenError> {
    let mut session = Session::new(claude_code::DIALECT.id);
    let mut plan = Plan::default();
    open(from, request, store, &mut |arrival| {
        match arrival {
            Arrival::Delta(delta) => session.apply(*delta),
            Arrival::Plan(found) => plan = found,
        }
        ControlFlow::Continue(())
    })?;
    Ok(Loaded { session, plan })
}

/// Reads a session and hands on what arrives. Stops quietly when `emit` breaks.
///
/// # Errors
/// As [`load`].
pub fn open(
    from: &From,
    request: &Request,
    store: &Store,
    emit: &mut dyn FnMut(Arrival) -> ControlFlow<()>,
) -> Result<(), OpenError> {
    let Parts { main, beside } = match from {
        From::Files(files) => of_files(files)?,
        From::Stdin => Parts::alone(vec![Part::one(Source::stdin()?)?]),
        From::Demo(demo) => Parts::alone(of_demo(demo)?),
    };
    let mut planner = Planner { from, request, names: Names::default(), state: Planning::Due };
    let mut hand_on = |mut delta: Delta| {
        let plan = planner.plan(&delta);
        delta.dialect = plan.as_ref().and_then(|plan| plan.dialect);
        emit(Arrival::Delta(Box::new(delta)))?;
        plan.map_or(ControlFlow::Continue(()), |plan| emit(Arrival::Plan(plan)))
    };
    if beside.is_empty() {
        let _ = read(main, store, &mut hand_on)?;
        return Ok(());
    }
    // Other sources may put events anywhere: nothing but the progress can be handed on before they are joined.
    let mut session = Session::new(claude_code::DIALECT.id);
    let read = read(main, store, &mut |delta| {
        let progress = Progress { done: false, ..delta.progress };
        session.apply(delta);
        hand_on(Delta { progress, ..Delta::default() })
    })?;
    if read.is_continue() {
        let takes = |id: &str| matches!(from, From::Files(files) if files.takes(id)) || !matches!(from, From::Files(_));
        let whole = join_all(session, beside, store, &takes)?;
        let _ = hand_on(whole.into_delta());
    }
    Ok(())
}

/// Joins what stands beside the main sources. Runs of a resumed session have a stream each: those go one after
/// another before they are joined.
fn join_all(
    session: Session,
    beside: Vec<Part>,
    store: &Store,
    takes: &dyn Fn(&str) -> bool,
) -> Result<Session, OpenError> {
    let read_main = |at| store.read(at).ok();
    let mut whole = join::Part::new(session, &read_main);
    let mut streams: Option<(join::Part, Vec<Source>)> = None;
    let mut others = Vec::new();
    for part in beside {
        let (format, source) = (part.format, part.source.clone());
        let read = read_beside(part)?;
        match (&mut streams, format) {
            (Some((stream, sources)), Format::Stream) => {
                let before =
                    std::mem::replace(stream, join::Part::new(Session::new(claude_code::DIALECT.id), &|_| None));
                *stream = join::append(before, read);
                sources.push(source);
            }
            (None, Format::Stream) => streams = Some((read, vec![source])),
            _ => others.push((read, vec![source])),
        }
    }
    for (part, sources) in streams.into_iter().chain(others) {
        whole = join::join(whole, part, takes);
        for source in sources {
            store.add(source)?;
        }
    }
    whole.session.progress.done = true;
    Ok(whole.session)
}

/// Reads one source alone, numbered from 0: joining renumbers it.
fn read_beside(part: Part) -> Result<join::Part, OpenError> {
    let store = Store::new();
    let mut session = Session::new(claude_code::DIALECT.id);
    let _ = read(vec![part], &store, &mut |delta| {
        session.apply(delta);
        ControlFlow::Continue(())
    })?;
    Ok(join::Part::new(session, &|at| store.read(at).ok()))
}

/// The sources of a session: those whose events are its events, and those that tell more about them.
struct Parts {
    main: Vec<Part>,
    beside: Vec<Part>,
}

impl Parts {
    fn alone(main: Vec<Part>) -> Parts {
        Parts { main, beside: Vec::new() }
    }
}

/// A source of a session, opened, and what reads it.
struct Part {
    source: Source,
    format: Format,
    subagent: Option<(SubagentKey, Option<claude_code::SubagentMeta>)>,
    /// What is wrong with the file beside it.
    fault: Option<Diagnostic>,
}

impl Part {
    fn one(source: Source) -> Result<Part, OpenError> {
        let format = recognise(&source.prefix(PREFIX)?);
        match format.role() {
            Role::Session => Ok(Part { source, format, subagent: None, fault: None }),
            _ => Err(OpenError::NotASession { path: source.path().to_owned(), format }),
        }
    }
}

fn of_files(files: &SessionFiles) -> Result<Parts, OpenError> {
    let open = |path: &PathBuf| Part::one(Source::open(path)?);
    let mut main = files.main.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (path, about) in &files.subagents {
        let read = about.as_deref().map(|about| (about, description(about)));
        let bytes = read.as_ref().and_then(|(_, read)| read.as_deref().ok());
        let mut part = subagent(Source::open(path)?, bytes, path)?;
        part.fault = read.as_ref().and_then(|(about, read)| {
            let why = match read {
                Err(error) => error.to_string(),
                Ok(_) => part.subagent.as_ref().is_none_or(|(_, meta)| meta.is_none()).then(|| NO_META.to_owned())?,
            };
            Some(unread(about, &why))
        });
        main.push(part);
    }
    let mut beside = Vec::new();
    for paths in [&files.recordings, &files.streams, &files.hook_logs, &files.debug_logs] {
        for path in paths {
            // Without a transcript the first of the others is the main one.
            if main.is_empty() { main.push(open(path)?) } else { beside.push(open(path)?) }
        }
    }
    Ok(Parts { main, beside })
}

/// A subagent's description is some hundred bytes; a longer file is something else.
const LONGEST_META: u64 = 1 << 20;
/// Said of a description that is no JSON object.
const NO_META: &str = "it is no JSON object";

/// The description beside a subagent's transcript, in bytes.
fn description(path: &Path) -> io::Result<Vec<u8>> {
    // Not a pipe: to open one waits for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let length = std::fs::File::open(path)?.take(LONGEST_META + 1).read_to_end(&mut bytes)?;
    if length as u64 > LONGEST_META {
        return Err(io::Error::other("it is longer than 1 MB"));
    }
    Ok(bytes)
}

fn unread(path: &Path, why: &str) -> Diagnostic {
    Diagnostic {
        level: Level::Warning,
        message: format!("the description of this subagent could not be read: {why}"),
        place: Place { path: path.to_string_lossy().into_owned(), line: None, column: None },
        help: Some("its kind and its call are told by its transcript alone".to_owned()),
    }
}

fn of_demo(demo: &Demo) -> Result<Vec<Part>, OpenError> {
    let mut parts = Vec::new();
    let source = |file: &'static super::demo::DemoFile| {
        Source::from_reader(&demo.place(file), io::Cursor::new(file.text.as_bytes()))
    };
    for file in demo.files_of(FileKind::Transcript) {
        parts.push(Part::one(source(file)?)?);
    }
    for file in demo.files_of(FileKind::Subagent) {
        let about = file.path.replace(".jsonl", ".meta.json");
        let about = demo.files_of(FileKind::SubagentMeta).find(|meta| meta.path == about);
        parts.push(subagent(source(file)?, about.map(|meta| meta.text.as_bytes()), Path::new(file.path))?);
    }
    Ok(parts)
}

fn subagent(source: Source, about: Option<&[u8]>, path: &Path) -> Result<Part, OpenError> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "agentId")]
        agent_id: Option<String>,
    }
    let prefix = source.prefix(PREFIX)?;
    let told = prefix
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Line>(line).ok())
        .find_map(|line| line.agent_id);
    // A file of one line that is longer than the prefix: its name is the next best thing.
    let agent_id = told.unwrap_or_else(|| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.strip_prefix("agent-").unwrap_or(&stem).to_owned()
    });
    let meta = about.and_then(claude_code::meta);
    let key = SubagentKey { tool_use_id: meta.as_ref().and_then(|meta| meta.tool_use_id.clone()), agent_id };
    Ok(Part { source, format: Format::SubagentTranscript, subagent: Some((key, meta)), fault: None })
}

/// Reads sources of one kind side by side.
fn read(
    parts: Vec<Part>,
    store: &Store,
    emit: &mut dyn FnMut(Delta) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, OpenError> {
    let mut shared = Shared::new();
    let mut strands = Vec::new();
    let mut faults = Vec::new();
    for part in parts {
        faults.extend(part.fault);
        let path = part.source.path().to_owned();
        let ix = store.add(part.source.clone())?;
        let info = SourceInfo { path, format: part.format.name(), bytes: part.source.info().bytes };
        let cursor = part.source.cursor(ix);
        let (who, agent) = match part.subagent {
            Some((key, meta)) => {
                let kind = meta.as_ref().and_then(|meta| meta.agent_type.as_deref());
                let kind = kind.map_or(Name::NONE, |kind| shared.names.intern(kind));
                let id = shared.names.intern(&key.agent_id);
                let background = meta.as_ref().and_then(|meta| meta.background);
                let agent = shared.agent(Agent { id, kind, parent: AgentIx(0), call: None, background });
                (Who::Subagent { key, awaken: |agent, context| Box::new(Transcript::subagent(agent, context)) }, agent)
            }
            None => (Who::Main(reader(part.format, part.source.path())), AgentIx(0)),
        };
        strands.push(Strand::new(cursor, ix, info, who, agent));
    }
    // Events count the diagnostics before: these come after all others.
    Ok(weave(strands, &mut shared, &mut |mut delta| {
        if delta.progress.done {
            delta.diagnostics.append(&mut faults);
        }
        emit(delta)
    }))
}

fn reader(format: Format, path: &str) -> Box<dyn Reader> {
    match format {
        Format::HookInputLog => Box::new(HookLog::new()),
        Format::Stream => Box::new(StreamReader::new()),
        Format::DebugLog => Box::new(DebugLog::new()),
        Format::Recording => Box::new(RecordingReader::new()),
        _ => Box::new(Transcript::main(own_id(path))),
    }
}

/// The session's id where the client named the file by it. It only helps to tell what a fork copied.
fn own_id(path: &str) -> Option<&str> {
    let stem = Path::new(path).file_stem()?.to_str()?;
    let is_uuid = stem.len() == 36
        && stem.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_uuid.then_some(stem)
}

/// Finds the hooks of a session once its first lines tell where it ran.
struct Planner<'a> {
    from: &'a From,
    request: &'a Request,
    names: Names,
    state: Planning,
}

#[derive(PartialEq, Eq)]
enum Planning {
    Due,
    Done,
}

impl Planner<'_> {
    fn plan(&mut self, delta: &Delta) -> Option<Plan> {
        if self.state == Planning::Done {
            return None;
        }
        for name in &delta.names {
            self.names.intern(name);
        }
        if delta.events.is_empty() && !delta.progress.done {
            return None;
        }
        self.state = Planning::Done;
        if let From::Demo(demo) = self.from
            && self.request.given.is_empty()
            && self.request.project.is_none()
        {
            return Some(demo.plan());
        }
        let context = delta.contexts.iter().find(|context| context.cwd.is_some());
        let text = |name: Name| self.names.get(name).map(str::to_owned);
        let mut request = self.request.clone();
        if let Some(context) = context {
            request.cwd = request.cwd.or_else(|| text(context.cwd).map(PathBuf::from));
            request.entrypoint = text(context.entrypoint);
            request.version = request.version.or_else(|| text(context.version));
        }
        let by_path = || request.given.iter().find_map(|given| settings::dialect_of_path(&given.path));
        // A log of several agents goes by its first event.
        let by_input = || {
            let told =
                |context: &&Context| context.dialect.is_some() || context.session.is_some() || context.cwd.is_some();
            let first = delta.contexts.iter().find(told)?;
            crate::dialect::by_id(self.names.get(first.dialect)?).map(|dialect| dialect.id)
        };
        request.dialect = request.dialect.or_else(by_path).or_else(by_input);
        let first = delta.events.iter().map(|event| event.time).find(|time| !time.is_unknown());
        Some(settings::plan(&request, first.map(|first| (first, self.last(first))), &[]))
    }

    /// The session's end, as far as the files tell before they are read.
    fn last(&self, first: Time) -> Time {
        let From::Files(files) = self.from else { return first };
        let written = files.all().filter_map(|path| std::fs::metadata(path).ok()?.modified().ok());
        let millis = written.filter_map(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let last = millis.map(|age| Time(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))).max();
        last.unwrap_or(first).max(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_that_cannot_be_read_is_told_of_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let beside = folder.path().join("s/subagents");
        std::fs::create_dir_all(&beside).unwrap();
        let line = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","uuid":"u","message":{"role":"user","content":"go"}}"#;
        std::fs::write(folder.path().join("s.jsonl"), line).unwrap();
        let mut files = SessionFiles { main: vec![folder.path().join("s.jsonl")], ..SessionFiles::default() };
        let long = vec![b' '; 1 + (1 << 20)];
        let tries: [(&str, &[u8], usize); 3] =
            [("a", b"{\"agentType\":\"x\"}", 0), ("b", b"[nothing", 1), ("c", &long, 1)];
        for (name, text, _) in tries {
            let (log, about) =
                (beside.join(format!("agent-{name}.jsonl")), beside.join(format!("agent-{name}.meta.json")));
            std::fs::write(&log, line.replace("false", &format!("true,\"agentId\":\"{name}\""))).unwrap();
            std::fs::write(&about, text).unwrap();
            files.subagents.push((log, Some(about)));
        }
        let loaded = load(&From::Files(files), &Request::default(), &Store::new()).unwrap();
        for (name, _, count) in tries {
            let told = |told: &&Diagnostic| told.place.path.ends_with(&format!("agent-{name}.meta.json"));
            assert_eq!(loaded.session.diagnostics.iter().filter(told).count(), count, "{name}");
        }
    }
}
