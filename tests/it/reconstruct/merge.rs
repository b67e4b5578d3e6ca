//! Reads a session's files and puts their events into one order, as simply as can be.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookscope::dialect::claude_code::{Transcript, hook_input, meta};
use hookscope::dialect::{Output, Reader, Shared};
use hookscope::model::{
    Agent, AgentIx, CallIx, Context, Event, EventIx, LineRef, Name, RunMark, Session, SourceInfo, SourceIx, Time,
};
use hookscope::source::Lines;
use serde_json::Value;

/// All bytes in memory.
pub struct Memory(pub Vec<Vec<u8>>);

impl Lines for Memory {
    fn read(&self, at: LineRef) -> io::Result<Vec<u8>> {
        let bytes = &self.0[usize::from(at.source().0)];
        let from = usize::try_from(at.offset()).unwrap();
        Ok(bytes[from..from + at.len as usize].to_vec())
    }
}

/// The lines of a file, without their ends.
pub fn lines(source: SourceIx, bytes: &[u8]) -> Vec<(LineRef, &[u8])> {
    let mut found = Vec::new();
    let (mut from, mut number) = (0, 1);
    while from < bytes.len() {
        let end = bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| from + at);
        let at = LineRef::new(source, from as u64, (end - from) as u32, number);
        found.push((at, &bytes[from..end]));
        (from, number) = (end + 1, number + 1);
    }
    found
}

/// Feeds a reader everything.
pub fn read(reader: &mut Transcript, source: SourceIx, bytes: &[u8], shared: &mut Shared) -> Output {
    let mut out = Output::default();
    for (at, line) in lines(source, bytes) {
        reader.line(at, line, shared, &mut out);
    }
    reader.end(shared, &mut out);
    out
}

/// A session with its bytes.
pub struct Loaded {
    pub session: Session,
    pub memory: Memory,
}

impl Loaded {
    pub fn input(&self, ix: usize) -> Option<Value> {
        hook_input(&self.session, EventIx(ix as u32), &self.memory).unwrap()
    }

    pub fn name(&self, event: &Event) -> &str {
        self.session.names.text(event.name)
    }
}

struct Part {
    out: Output,
    next: usize,
    reached: Time,
    /// Index of the parent's part, its call, and whether it runs beside it.
    parent: Option<(usize, CallIx, bool)>,
    reader: Transcript,
}

/// The main file `<id>.jsonl` and what lies in `<id>/subagents`.
pub fn load(main: &Path) -> Loaded {
    let stem = main.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut shared = Shared::new();
    let mut paths = vec![main.to_path_buf()];
    let mut memory = Memory(vec![fs::read(main).unwrap()]);
    let id = (stem.len() == 36).then_some(stem.as_str());
    let mut reader = Transcript::main(id);
    let out = read(&mut reader, SourceIx(0), &memory.0[0], &mut shared);
    let mut parts = vec![Part { out, next: 0, reached: Time::UNKNOWN, parent: None, reader }];
    let mut files: Vec<(u32, PathBuf)> = fs::read_dir(main.with_extension("").join("subagents"))
        .map(|dir| dir.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "jsonl")))
        .into_iter()
        .flatten()
        .map(|path| (about(&path).depth.unwrap_or(1), path))
        .collect();
    files.sort();
    for (_, path) in files {
        let about = about(&path);
        let source = SourceIx(parts.len() as u16);
        let bytes = fs::read(&path).unwrap();
        let agent_id = path.file_stem().unwrap().to_str().unwrap().strip_prefix("agent-").unwrap().to_owned();
        let parent = parts.iter().enumerate().find_map(|(ix, part)| {
            let by_call = about.tool_use_id.as_deref().and_then(|id| part.reader.agent_call(id));
            by_call.or_else(|| part.reader.call_of_agent(&agent_id)).map(|call| (ix, call))
        });
        let inherited = parent.and_then(|(part, call)| {
            let event = parts[part].out.events.iter().find(|event| event.calls.first == call)?;
            Some(shared.contexts[event.context.at()])
        });
        let agent = Agent {
            id: shared.names.intern(&agent_id),
            kind: about.agent_type.as_deref().map_or(Name::NONE, |kind| shared.names.intern(kind)),
            parent: AgentIx(0),
            call: parent.map(|(part, call)| (SourceIx(part as u16), call)),
            background: about.background,
        };
        let agent = shared.agent(agent);
        let mut reader = Transcript::subagent(agent, inherited.unwrap_or(Context::EMPTY));
        let out = read(&mut reader, source, &bytes, &mut shared);
        let parent = parent.map(|(part, call)| (part, call, about.background.unwrap_or(false)));
        parts.push(Part { out, next: 0, reached: Time::UNKNOWN, parent, reader });
        memory.0.push(bytes);
        paths.push(path);
    }
    Loaded { session: merge(parts, shared, &paths), memory }
}

fn about(path: &Path) -> hookscope::dialect::claude_code::SubagentMeta {
    fs::read(path.with_extension("meta.json")).ok().and_then(|bytes| meta(&bytes)).unwrap_or_default()
}

fn merge(mut parts: Vec<Part>, shared: Shared, paths: &[PathBuf]) -> Session {
    let mut session = Session::new("claude-code");
    let mut new_ix: Vec<HashMap<u32, EventIx>> = parts.iter().map(|_| HashMap::new()).collect();
    while let Some(part) = next(&parts, &shared) {
        let Part { out, next, reached, .. } = &mut parts[part];
        let event = out.events[*next];
        new_ix[part].insert(*next as u32, EventIx(session.events.len() as u32));
        *next += 1;
        *reached = (*reached).max(event.time);
        session.events.push(event);
    }
    for (part, Part { out, .. }) in parts.into_iter().enumerate() {
        let mut calls = Vec::new();
        for (ix, call) in out.calls {
            calls.resize(calls.len().max(ix.at() + 1), call);
            calls[ix.at()] = call;
        }
        session.calls.push(calls);
        for mark in out.marks {
            session.add_mark(RunMark { event: new_ix[part][&mark.event.0], ..mark });
        }
        session.diagnostics.extend(out.diagnostics);
        let path = paths[part].display().to_string();
        session.sources.push(SourceInfo { path, format: "claude-code-transcript", bytes: 0 });
        if let Some(id) = out.id {
            session.id = id;
        }
    }
    session.names = shared.names;
    session.contexts = shared.contexts;
    session.agents = shared.agents;
    session
}

/// The part whose next event is earliest and waits for nothing: a subagent starts after its call, one beside its
/// parent after the call's result; a call waits for a subagent that runs within it.
fn next(parts: &[Part], shared: &Shared) -> Option<usize> {
    let is = |event: &Event, names: &[&str]| names.contains(&shared.names.text(event.name));
    let emitted = |part: usize, call: CallIx, names: &[&str]| {
        parts[part].out.events[..parts[part].next].iter().any(|e| e.calls.first == call && is(e, names))
    };
    let waits = |ix: usize| {
        let part = &parts[ix];
        let event = &part.out.events[part.next];
        let for_parent = part.parent.is_some_and(|(parent, call, background)| {
            let names: &[&str] = if background { &["PostToolUse", "PostToolUseFailure"] } else { &["PreToolUse"] };
            !emitted(parent, call, names)
        });
        let for_child = is(event, &["PostToolUse", "PostToolUseFailure"])
            && parts.iter().any(|child| {
                child.parent == Some((ix, event.calls.first, false)) && child.next < child.out.events.len()
            });
        for_parent || for_child
    };
    let open = (0..parts.len()).filter(|&ix| parts[ix].next < parts[ix].out.events.len());
    let time = |ix: usize| parts[ix].reached.max(parts[ix].out.events[parts[ix].next].time);
    let free: Vec<usize> = open.clone().filter(|&ix| !waits(ix)).collect();
    free.into_iter().min_by_key(|&ix| (time(ix), std::cmp::Reverse(ix))).or_else(|| open.into_iter().next())
}
