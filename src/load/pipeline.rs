//! Reads the files of one session side by side and hands on what happened in firing order, in batches.
//!
//! Owns the weaving of several readers into one order and the size of batches. Must not know what a line means
//! (readers do) nor which files belong together.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::time::Duration;

use crate::dialect::{Output, Reader, Shared, Started, SubagentKey};
use crate::model::{
    Agent, AgentIx, CallIx, Context, Delta, Diagnostic, Event, EventIx, Level, Place, Progress, RunMark, SourceInfo,
    SourceIx, Time,
};
use crate::source::{Cursor, LineEnd, Next};

/// The first batch is small, so that there is something to look at at once. Bytes.
const FIRST_BATCH: u64 = 256 << 10;
/// Later batches. Bytes.
const BATCH: u64 = 8 << 20;
/// How long to wait for a stream before what is there is handed on.
const PATIENCE: Duration = Duration::from_millis(50);

/// Makes the reader of a subagent's file, given what held when the subagent was started.
pub type Awaken = fn(AgentIx, Context) -> Box<dyn Reader>;

/// Who reads a file.
pub enum Who {
    /// This reader, from the start.
    Main(Box<dyn Reader>),
    /// A reader that can be made only when the call that started the subagent was read.
    Subagent {
        /// Which call that is.
        key: SubagentKey,
        /// Makes the reader.
        awaken: Awaken,
    },
}

/// One file of a session, about to be read.
pub struct Strand {
    cursor: Cursor,
    reader: Who,
    source: SourceIx,
    info: SourceInfo,
    agent: AgentIx,
    out: Output,
    ready: VecDeque<Event>,
    /// Running maximum of the times of its events: a clock that jumps back does not reorder a file.
    clock: Time,
    /// Where its events went.
    placed: Vec<EventIx>,
    /// Marks of events that are not placed yet.
    held: HashMap<u32, Vec<RunMark>>,
    /// Where its diagnostics went.
    told: Vec<u32>,
    state: State,
    /// What holds its events back; none where no call is known to have started it.
    gate: Option<Gate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A subagent that was not started yet.
    Dormant,
    Reading,
    Waiting,
    Ended,
}

impl Strand {
    /// A file, its reader, and the agent whose file it is.
    pub fn new(cursor: Cursor, source: SourceIx, info: SourceInfo, reader: Who, agent: AgentIx) -> Strand {
        let state = if matches!(reader, Who::Main(_)) { State::Reading } else { State::Dormant };
        Strand {
            cursor,
            reader,
            source,
            info,
            agent,
            out: Output::default(),
            ready: VecDeque::new(),
            clock: Time::UNKNOWN,
            placed: Vec::new(),
            held: HashMap::new(),
            told: Vec::new(),
            state,
            gate: None,
        }
    }

    /// Reads until there is an event to place, the stream pauses, the file ends, or `budget` bytes are read.
    fn fill(&mut self, shared: &mut Shared, budget: u64) {
        let Who::Main(reader) = &mut self.reader else { return };
        if self.state == State::Ended {
            return;
        }
        self.state = State::Reading;
        let until = self.cursor.read_bytes().saturating_add(budget);
        while self.ready.is_empty() && self.cursor.read_bytes() < until {
            match self.cursor.next() {
                Next::Line(line) => {
                    reader.line(line.at, line.bytes, shared, &mut self.out);
                    if let LineEnd::Cut { length } = line.end {
                        let told = cut_line(&self.info.path, line.at.line, line.bytes.len(), length);
                        self.out.diagnostics.push(told);
                    }
                }
                Next::Pending => {
                    self.state = State::Waiting;
                    return;
                }
                Next::Failed(error) => self.out.diagnostics.push(error.diagnostic(None)),
                Next::End => {
                    reader.end(shared, &mut self.out);
                    self.state = State::Ended;
                }
            }
            self.ready.extend(self.out.events.drain(..));
            if self.state == State::Ended {
                return;
            }
        }
    }

    /// Subagents that were started in what was read of it.
    fn starts(&self) -> usize {
        match &self.reader {
            Who::Main(reader) => reader.starts(),
            Who::Subagent { .. } => 0,
        }
    }

    fn is_dormant(&self) -> bool {
        self.state == State::Dormant
    }

    /// It has been started, and something of it may be left to be placed.
    fn is_live(&self) -> bool {
        !self.is_dormant() && !self.is_through()
    }

    /// Nothing of it is left to be placed.
    fn is_through(&self) -> bool {
        self.state == State::Ended && self.ready.is_empty()
    }
}

fn cut_line(path: &str, line: u32, read: usize, length: u64) -> Diagnostic {
    Diagnostic {
        level: Level::Warning,
        message: format!("a line of {length} bytes, of which only the first {read} are read"),
        place: Place { path: path.to_owned(), line: Some(line), column: None },
        help: None,
    }
}

/// What has been sent and what is waiting to be.
struct Batch {
    delta: Delta,
    names: usize,
    contexts: usize,
    agents: Vec<Agent>,
    events: u32,
    diagnostics: u32,
    sent_bytes: u64,
    limit: u64,
}

/// Reads all strands to their ends and hands on batches. The first strand is the main file; a subagent's events
/// lie where the call that started it says.
///
/// Stops early when `emit` breaks.
pub fn weave(
    mut strands: Vec<Strand>,
    shared: &mut Shared,
    emit: &mut dyn FnMut(Delta) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut batch = Batch {
        delta: Delta { sources: strands.iter().map(|strand| strand.info.clone()).collect(), ..Delta::default() },
        names: 1,
        contexts: 0,
        agents: Vec::new(),
        events: 0,
        diagnostics: 0,
        sent_bytes: 0,
        limit: FIRST_BATCH,
    };
    let mut gates = Gates::default();
    // Of hundreds of subagents a few run at a time: those that sleep or are through cost nothing. Ascending.
    let mut live: Vec<usize> = (0..strands.len()).filter(|&at| !strands[at].is_dormant()).collect();
    let (mut read, mut starts, mut known_starts) = (0_u64, 0, usize::MAX);
    loop {
        // Looking for a call is cheap, but not for each of a million events.
        if starts != known_starts || live.is_empty() {
            known_starts = starts;
            awaken(&mut strands, &mut gates, shared);
            live = (0..strands.len()).filter(|&at| strands[at].is_live()).collect();
        }
        let room = batch.limit.saturating_sub(read.saturating_sub(batch.sent_bytes)).max(1);
        for &at in &live {
            let strand = &mut strands[at];
            if strand.ready.is_empty() {
                let (bytes, started) = (strand.cursor.read_bytes(), strand.starts());
                strand.fill(shared, room);
                read = (read + strand.cursor.read_bytes()).saturating_sub(bytes);
                starts = (starts + strand.starts()).saturating_sub(started);
            }
            take_findings(strand, &mut batch);
        }
        if starts != known_starts {
            // A call and its answer may have come at once: what lies between them is to be known before either goes.
            continue;
        }
        live.retain(|&at| !strands[at].is_through());
        let undecided = live.iter().any(|&at| strands[at].ready.is_empty() && strands[at].state == State::Reading);
        if !undecided {
            while let Some(at) = choose(&strands, &live, &gates, shared) {
                if let Some(event) = place(&mut strands[at], &mut batch) {
                    pass(strands[at].source, &event, &mut strands, &mut gates, shared);
                }
                if strands[at].is_through() {
                    live.retain(|&other| other != at);
                } else if strands[at].ready.is_empty() {
                    break;
                }
            }
        }
        let ended = live.is_empty() && gates.asleep == 0;
        let waiting = live.iter().copied().find(|&at| strands[at].state == State::Waiting);
        if ended || waiting.is_some() || read.saturating_sub(batch.sent_bytes) >= batch.limit {
            send(&mut batch, read, &strands, shared, ended, emit)?;
        }
        if ended {
            return ControlFlow::Continue(());
        }
        if let Some(at) = waiting {
            strands[at].cursor.wait(PATIENCE);
        }
    }
}

/// Starts the readers of subagents whose call was read; at the very end those of whom no call is known.
fn awaken(strands: &mut [Strand], gates: &mut Gates, shared: &mut Shared) {
    let orphaned = !strands.iter().any(Strand::is_live);
    // Few files start subagents; asking each of hundreds for each sleeper is what takes long.
    let parents: Vec<usize> = (0..strands.len()).filter(|&at| strands[at].starts() > 0).collect();
    for at in 0..strands.len() {
        let Who::Subagent { key, awaken } = &strands[at].reader else { continue };
        let started = parents.iter().map(|&parent| &strands[parent]).find_map(|strand| match &strand.reader {
            Who::Main(reader) => reader.started(key).map(|started| (strand.source, strand.agent, started)),
            Who::Subagent { .. } => None,
        });
        let agent = strands[at].agent;
        let reader = match started {
            Some((source, parent, Started { call, context, background })) => {
                if let Some(known) = shared.agents.get_mut(agent.at()) {
                    known.call = Some((source, call));
                    known.parent = parent;
                    known.background = known.background.or(background);
                    let mut gate = Gate { background: known.background, open: false };
                    // The call, and even its answer, may have been placed before this was known.
                    gate.open = gates.passed.get(&(source, call)).is_some_and(|&passed| gate.opens_at(passed));
                    strands[at].gate = Some(gate);
                    gates.children.entry((source, call)).or_default().push(at);
                }
                awaken(agent, context)
            }
            None if orphaned => awaken(agent, Context::EMPTY),
            None => continue,
        };
        strands[at].reader = Who::Main(reader);
        strands[at].state = State::Reading;
    }
    gates.asleep = strands.iter().filter(|strand| strand.is_dormant()).count();
}

/// The strand whose event comes next; `None` where nothing is ready. On equal times a subagent goes before the
/// agent that started it.
fn choose(strands: &[Strand], live: &[usize], gates: &Gates, shared: &Shared) -> Option<usize> {
    if let [at] = *live {
        return (!strands[at].ready.is_empty()).then_some(at);
    }
    let next = |at: &usize| {
        let strand = &strands[*at];
        (strand.ready.front().map(|event| strand.clock.max(event.time)), std::cmp::Reverse(*at))
    };
    let ready = || live.iter().copied().filter(|&at| !strands[at].ready.is_empty());
    // Gates are wishes: should one never open, time alone decides.
    ready().filter(|&at| !waits(at, strands, gates, shared)).min_by_key(next).or_else(|| ready().min_by_key(next))
}

/// Where a call is.
type CallPlace = (SourceIx, CallIx);

/// Between a subagent's file and the file of the agent that started it: whatever the clocks say, a foreground
/// subagent runs between the call and its answer, a background one starts after the answer.
#[derive(Debug)]
struct Gate {
    background: Option<bool>,
    /// The subagent's events may come.
    open: bool,
}

impl Gate {
    /// Whether what was placed of its call lets the subagent's events come.
    fn opens_at(&self, passed: Passed) -> bool {
        self.background != Some(true) || passed == Passed::Answer
    }
}

/// How much of a call was placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passed {
    Call,
    Answer,
}

/// The gates, by the calls at which they stand.
#[derive(Debug, Default)]
struct Gates {
    /// The strands of the subagents that a call started.
    children: HashMap<CallPlace, Vec<usize>>,
    /// Calls that were placed, for gates that are yet to be known.
    passed: HashMap<CallPlace, Passed>,
    /// Subagents of whom it is not known which call started them.
    asleep: usize,
}

/// Whether the next event of a strand has to wait for another file.
fn waits(at: usize, strands: &[Strand], gates: &Gates, shared: &Shared) -> bool {
    let strand = &strands[at];
    let Some(event) = strand.ready.front() else { return true };
    if strand.gate.as_ref().is_some_and(|gate| !gate.open) {
        return true;
    }
    let runs = |&child: &usize| {
        let child = &strands[child];
        child.gate.as_ref().is_some_and(|gate| gate.background == Some(false)) && !child.is_through()
    };
    event.calls.count == 1
        && passed(event, shared) == Passed::Answer
        && gates.children.get(&(strand.source, event.calls.first)).is_some_and(|children| children.iter().any(runs))
}

fn passed(event: &Event, shared: &Shared) -> Passed {
    if shared.names.text(event.name).starts_with("PostToolUse") { Passed::Answer } else { Passed::Call }
}

/// Opens the gates that a placed event stands at, and remembers it for gates that are yet to be known.
fn pass(source: SourceIx, event: &Event, strands: &mut [Strand], gates: &mut Gates, shared: &Shared) {
    if event.calls.count != 1 {
        return;
    }
    let call = (source, event.calls.first);
    let passed = passed(event, shared);
    for &child in gates.children.get(&call).into_iter().flatten() {
        if let Some(gate) = &mut strands[child].gate {
            gate.open |= gate.opens_at(passed);
        }
    }
    if gates.asleep > 0 {
        gates.passed.entry(call).and_modify(|known| *known = passed.max(*known)).or_insert(passed);
    }
}

/// Moves marks, calls and diagnostics from a reader's output into the batch.
fn take_findings(strand: &mut Strand, batch: &mut Batch) {
    for mut diagnostic in strand.out.diagnostics.drain(..) {
        if diagnostic.place.path.is_empty() {
            diagnostic.place.path.clone_from(&strand.info.path);
        }
        strand.told.push(batch.diagnostics);
        batch.diagnostics += 1;
        batch.delta.diagnostics.push(diagnostic);
    }
    batch.delta.calls.extend(strand.out.calls.drain(..).map(|(ix, call)| (strand.source, ix, call)));
    for mark in strand.out.marks.drain(..) {
        match strand.placed.get(mark.event.at()) {
            Some(&event) => batch.delta.marks.push(RunMark { event, ..mark }),
            None => strand.held.entry(mark.event.0).or_default().push(mark),
        }
    }
    if let Some(id) = strand.out.id.take() {
        batch.delta.id.get_or_insert(id);
    }
    batch.delta.rewinds.append(&mut strand.out.rewinds);
    if let Some(parent) = strand.out.forked_from.take() {
        batch.delta.forked_from.get_or_insert(parent);
    }
    if let Some(title) = strand.out.title.take() {
        batch.delta.title = Some(title);
    }
}

/// Gives the next event of a strand its place in the session.
fn place(strand: &mut Strand, batch: &mut Batch) -> Option<Event> {
    let mut event = strand.ready.pop_front()?;
    strand.clock = strand.clock.max(event.time);
    let own = u32::try_from(strand.placed.len()).unwrap_or(u32::MAX);
    let ix = EventIx(batch.events);
    batch.events += 1;
    strand.placed.push(ix);
    if event.diagnostic != u32::MAX {
        event.diagnostic = strand.told.get(event.diagnostic as usize).copied().unwrap_or(u32::MAX);
    }
    batch.delta.events.push(event);
    for mark in strand.held.remove(&own).unwrap_or_default() {
        batch.delta.marks.push(RunMark { event: ix, ..mark });
    }
    Some(event)
}

fn send(
    batch: &mut Batch,
    read: u64,
    strands: &[Strand],
    shared: &Shared,
    ended: bool,
    emit: &mut dyn FnMut(Delta) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut delta = std::mem::take(&mut batch.delta);
    delta.names = shared.names.since(batch.names);
    batch.names = shared.names.len();
    delta.contexts = shared.contexts.get(batch.contexts..).unwrap_or_default().to_vec();
    batch.contexts = shared.contexts.len();
    let changed = shared.agents.iter().enumerate().filter(|(ix, agent)| batch.agents.get(*ix) != Some(agent));
    delta.agents = changed.map(|(ix, agent)| (ix, *agent)).collect();
    batch.agents.clone_from(&shared.agents);
    batch.sent_bytes = read;
    batch.limit = BATCH;
    delta.progress = Progress {
        read,
        total: strands.iter().map(|strand| strand.cursor.total_bytes().unwrap_or(0)).sum(),
        done: ended,
    };
    emit(delta)
}
