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
    let mut gates = Vec::new();
    let mut passed = Vec::new();
    let mut known_starts = usize::MAX;
    loop {
        // Looking for a call is cheap, but not for each of a million events.
        let starts = started_in(&strands);
        if starts != known_starts || strands.iter().all(|strand| strand.is_dormant() || strand.is_through()) {
            known_starts = starts;
            awaken(&mut strands, &mut gates, &passed, shared);
        }
        let room = batch.limit.saturating_sub(read_bytes(&strands) - batch.sent_bytes).max(1);
        for strand in &mut strands {
            if strand.ready.is_empty() {
                strand.fill(shared, room);
            }
            take_findings(strand, &mut batch);
        }
        if started_in(&strands) != known_starts {
            // A call and its answer may have come at once: what lies between them is to be known before either goes.
            continue;
        }
        let undecided = strands.iter().any(|strand| strand.ready.is_empty() && strand.state == State::Reading);
        if !undecided {
            while let Some(at) = choose(&strands, &gates, shared) {
                if let Some(event) = place(&mut strands[at], &mut batch) {
                    pass(strands[at].source, &event, &mut gates, &mut passed, shared);
                }
                if strands[at].ready.is_empty() && strands[at].state != State::Ended {
                    break;
                }
            }
        }
        let ended = strands.iter().all(Strand::is_through);
        let waiting = strands.iter().find(|strand| strand.state == State::Waiting);
        if ended || waiting.is_some() || read_bytes(&strands) - batch.sent_bytes >= batch.limit {
            send(&mut batch, &strands, shared, ended, emit)?;
        }
        if ended {
            return ControlFlow::Continue(());
        }
        if let Some(strand) = waiting {
            strand.cursor.wait(PATIENCE);
        }
    }
}

/// Subagents that were started in what was read so far.
fn started_in(strands: &[Strand]) -> usize {
    strands.iter().map(Strand::starts).sum()
}

/// Starts the readers of subagents whose call was read; at the very end those of whom no call is known.
fn awaken(strands: &mut [Strand], gates: &mut Vec<Gate>, passed: &[Passed], shared: &mut Shared) {
    let orphaned = strands.iter().all(|strand| strand.is_dormant() || strand.is_through());
    for at in 0..strands.len() {
        let Who::Subagent { key, awaken } = &strands[at].reader else { continue };
        let started = strands.iter().find_map(|strand| match &strand.reader {
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
                    let mut gate = Gate { child: at, call: (source, call), background: known.background, open: false };
                    // The call, and even its answer, may have been placed before this was known.
                    gate.open = passed.iter().any(|passed| passed.call == gate.call && gate.opens_at(passed.answer));
                    gates.push(gate);
                }
                awaken(agent, context)
            }
            None if orphaned => awaken(agent, Context::EMPTY),
            None => continue,
        };
        strands[at].reader = Who::Main(reader);
        strands[at].state = State::Reading;
    }
}

fn read_bytes(strands: &[Strand]) -> u64 {
    strands.iter().map(|strand| strand.cursor.read_bytes()).sum()
}

/// The strand whose event comes next; `None` where nothing is ready. On equal times a subagent goes before the
/// agent that started it.
fn choose(strands: &[Strand], gates: &[Gate], shared: &Shared) -> Option<usize> {
    if let [strand] = strands {
        return (!strand.ready.is_empty()).then_some(0);
    }
    let next = |at: &usize| {
        let strand = &strands[*at];
        (strand.ready.front().map(|event| strand.clock.max(event.time)), std::cmp::Reverse(*at))
    };
    let ready = || (0..strands.len()).filter(|&at| !strands[at].ready.is_empty());
    // Gates are wishes: should one never open, time alone decides.
    ready().filter(|&at| !waits(at, strands, gates, shared)).min_by_key(next).or_else(|| ready().min_by_key(next))
}

/// The call between a subagent's file and the file of the agent that started it: whatever the clocks say, a
/// foreground subagent runs between the call and its answer, a background one starts after the answer.
#[derive(Debug)]
struct Gate {
    /// The subagent's strand.
    child: usize,
    /// Where the call is.
    call: (SourceIx, CallIx),
    background: Option<bool>,
    /// The subagent's events may come.
    open: bool,
}

impl Gate {
    /// Whether an event of its call lets the subagent's events come.
    fn opens_at(&self, answer: bool) -> bool {
        self.background != Some(true) || answer
    }

    fn is_at(&self, source: SourceIx, event: &Event) -> bool {
        event.calls.count == 1 && self.call == (source, event.calls.first)
    }
}

/// Whether the next event of a strand has to wait for another file.
fn waits(at: usize, strands: &[Strand], gates: &[Gate], shared: &Shared) -> bool {
    let Some(event) = strands[at].ready.front() else { return true };
    let source = strands[at].source;
    gates.iter().any(|gate| {
        let not_started = gate.child == at && !gate.open;
        let unanswered = gate.background == Some(false)
            && gate.is_at(source, event)
            && !strands[gate.child].is_through()
            && is_answer(event, shared);
        not_started || unanswered
    })
}

fn is_answer(event: &Event, shared: &Shared) -> bool {
    shared.names.text(event.name).starts_with("PostToolUse")
}

/// An event of a call that starts agents, placed.
struct Passed {
    call: (SourceIx, CallIx),
    answer: bool,
}

/// Opens the gates that a placed event stands at, and remembers it for gates that are yet to be known.
fn pass(source: SourceIx, event: &Event, gates: &mut [Gate], passed: &mut Vec<Passed>, shared: &Shared) {
    let answer = is_answer(event, shared);
    for gate in gates.iter_mut().filter(|gate| !gate.open && gate.is_at(source, event)) {
        gate.open = gate.opens_at(answer);
    }
    if event.calls.count == 1 && shared.names.text(event.subject) == "Agent" {
        passed.push(Passed { call: (source, event.calls.first), answer });
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
    batch.sent_bytes = read_bytes(strands);
    batch.limit = BATCH;
    delta.progress = Progress {
        read: batch.sent_bytes,
        total: strands.iter().map(|strand| strand.cursor.total_bytes().unwrap_or(0)).sum(),
        done: ended,
    };
    emit(delta)
}
