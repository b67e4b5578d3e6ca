//! A session as it is loaded, and the increments in which it arrives.

use std::sync::Arc;

use super::{
    Agent, Branches, Call, CallIx, Context, Diagnostic, Event, EventIx, MarkIx, Name, Names, Rewind, RunMark, SourceIx,
    Time,
};

/// Something a session was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceInfo {
    /// The file as given, or `-`.
    pub path: String,
    /// What it turned out to be (`claude-code-transcript`, `stream-json`, `hook-input-log` …).
    pub format: &'static str,
    /// Bytes, decompressed, as far as known.
    pub bytes: u64,
}

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes read.
    pub read: u64,
    /// Bytes in all, where known.
    pub total: u64,
    /// Nothing more will come.
    pub done: bool,
}

/// One agent session: what happened, in firing order. Bodies stay in the sources.
#[derive(Debug, Clone)]
pub struct Session {
    /// Dialect id (`claude-code`).
    pub dialect: &'static str,
    /// Session id as written; empty where nothing tells.
    pub id: String,
    /// A title that the session carries, if any.
    pub title: Option<String>,
    /// Id of the session whose lines its transcript begins with; empty where only that they are copies is known.
    pub forked_from: Option<String>,
    /// Where the conversation went back.
    pub branches: Branches,
    /// The table of all [`Name`]s below.
    pub names: Names,
    /// Events in firing order.
    pub events: Vec<Event>,
    /// Marks of handler runs, linked from their events.
    pub marks: Vec<RunMark>,
    /// Tool calls by source.
    pub calls: Vec<Vec<Call>>,
    /// What held when.
    pub contexts: Vec<Context>,
    /// The main agent, then subagents in order of appearance.
    pub agents: Vec<Agent>,
    /// What it was read from.
    pub sources: Vec<SourceInfo>,
    /// What could not be read or looks wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// How far reading has come.
    pub progress: Progress,
}

impl Session {
    /// A session of which nothing was read yet.
    pub fn new(dialect: &'static str) -> Session {
        Session {
            dialect,
            id: String::new(),
            title: None,
            forked_from: None,
            branches: Branches::default(),
            names: Names::default(),
            events: Vec::new(),
            marks: Vec::new(),
            calls: Vec::new(),
            contexts: Vec::new(),
            agents: vec![Agent::MAIN],
            sources: Vec::new(),
            diagnostics: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// Adds what was read since the last delta.
    pub fn apply(&mut self, delta: Delta) {
        self.dialect = delta.dialect.unwrap_or(self.dialect);
        for text in &delta.names {
            self.names.intern(text);
        }
        if let Some(id) = delta.id {
            self.id = id;
        }
        if let Some(title) = delta.title {
            self.title = Some(title);
        }
        if let Some(parent) = delta.forked_from {
            self.forked_from = Some(parent);
        }
        self.branches.extend(delta.rewinds);
        self.sources.extend(delta.sources);
        self.contexts.extend(delta.contexts);
        for (ix, agent) in delta.agents {
            put(&mut self.agents, ix, agent, Agent::MAIN);
        }
        for (source, ix, call) in delta.calls {
            if self.calls.len() <= source.at() {
                self.calls.resize_with(source.at() + 1, Vec::new);
            }
            put(&mut self.calls[source.at()], ix.at(), call, call);
        }
        self.events.extend(delta.events);
        for mark in delta.marks {
            self.add_mark(mark);
        }
        self.diagnostics.extend(delta.diagnostics);
        self.progress = delta.progress;
    }

    /// The whole session as one increment.
    pub fn into_delta(self) -> Delta {
        let none = (MarkIx::NONE, MarkIx::NONE);
        let calls = self.calls.into_iter().enumerate().flat_map(|(source, calls)| {
            let source = SourceIx(u16::try_from(source).unwrap_or(u16::MAX));
            let numbered = calls.into_iter().enumerate();
            numbered.map(move |(ix, call)| (source, CallIx(u32::try_from(ix).unwrap_or(u32::MAX)), call))
        });
        Delta {
            dialect: Some(self.dialect),
            names: self.names.since(1),
            id: Some(self.id).filter(|id| !id.is_empty()),
            title: self.title,
            forked_from: self.forked_from,
            rewinds: self.branches.rewinds().to_vec(),
            sources: self.sources,
            contexts: self.contexts,
            agents: self.agents.into_iter().enumerate().collect(),
            calls: calls.collect(),
            events: self.events.into_iter().map(|event| Event { marks: none, ..event }).collect(),
            marks: self.marks,
            diagnostics: self.diagnostics,
            progress: self.progress,
        }
    }

    /// Links a mark to its event. A mark for an event that does not exist is dropped.
    pub fn add_mark(&mut self, mut mark: RunMark) {
        let ix = MarkIx(u32::try_from(self.marks.len()).unwrap_or(u32::MAX));
        let Some(event) = self.events.get_mut(mark.event.at()) else { return };
        mark.next = MarkIx::NONE;
        match event.marks {
            (first, last) if last.is_some() => {
                self.marks[last.at()].next = ix;
                event.marks = (first, ix);
            }
            _ => event.marks = (ix, ix),
        }
        self.marks.push(mark);
    }

    /// The marks of an event, in the order in which they were read.
    pub fn marks_of(&self, event: EventIx) -> impl Iterator<Item = &RunMark> + '_ {
        let mut next = self.events.get(event.at()).map_or(MarkIx::NONE, |event| event.marks.0);
        std::iter::from_fn(move || {
            let mark = self.marks.get(next.at())?;
            next = mark.next;
            Some(mark)
        })
    }

    /// The calls an event is about.
    pub fn calls_of(&self, event: &Event) -> &[Call] {
        let Some(calls) = self.calls.get(event.at.source().at()) else { return &[] };
        let first = event.calls.first.at();
        calls.get(first..first + usize::from(event.calls.count)).unwrap_or_default()
    }

    /// What held at an event.
    pub fn context_of(&self, event: &Event) -> Context {
        self.contexts.get(event.context.at()).copied().unwrap_or(Context::EMPTY)
    }

    /// The agent an event happened in.
    pub fn agent_of(&self, event: &Event) -> Agent {
        self.agents.get(event.agent.at()).copied().unwrap_or(Agent::MAIN)
    }

    /// The text of a name, or `None` where it is absent.
    pub fn text(&self, name: Name) -> Option<&str> {
        self.names.get(name)
    }

    /// First and last known time.
    pub fn span(&self) -> Option<(Time, Time)> {
        let mut times = self.events.iter().map(|event| event.time).filter(|time| !time.is_unknown());
        let first = times.next()?;
        Some(times.fold((first, first), |(low, high), time| (low.min(time), high.max(time))))
    }
}

fn put<T: Copy>(list: &mut Vec<T>, ix: usize, value: T, filler: T) {
    if list.len() <= ix {
        list.resize(ix + 1, filler);
    }
    list[ix] = value;
}

/// What was read since the last one. Indices and names are those of the session it is applied to.
#[derive(Debug, Clone, Default)]
pub struct Delta {
    /// Id of the agent, once it is known to be another than the session was taken for.
    pub dialect: Option<&'static str>,
    /// New names, in the order in which they were interned.
    pub names: Vec<Arc<str>>,
    /// The session's id, once known.
    pub id: Option<String>,
    /// The session's title, once known or when it changes.
    pub title: Option<String>,
    /// Id of the session that this one was forked from, once known; empty where only that it was is known.
    pub forked_from: Option<String>,
    /// New places where the conversation went back.
    pub rewinds: Vec<Rewind>,
    /// New sources.
    pub sources: Vec<SourceInfo>,
    /// New contexts.
    pub contexts: Vec<Context>,
    /// New or changed agents.
    pub agents: Vec<(usize, Agent)>,
    /// New or changed calls.
    pub calls: Vec<(SourceIx, CallIx, Call)>,
    /// New events, in firing order.
    pub events: Vec<Event>,
    /// New marks; their `next` is set by the session.
    pub marks: Vec<RunMark>,
    /// New diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// How far reading has come.
    pub progress: Progress,
}
