//! One session out of two, once it is known which event is which.

use std::collections::HashMap;

use super::align::Place;
use super::{Identity, Part};
use crate::model::{
    Agent, AgentIx, Call, Context, ContextIx, Event, EventIx, Evidence, LineRef, MarkIx, Name, Names, Origin, Rewind,
    RunMark, Session, SourceIx,
};

/// Puts the secondary's events and marks into the primary. Its sources come after the primary's.
pub(super) fn merge(primary: Part, secondary: Part, places: &[Place]) -> Part {
    let Part { mut session, mut ids } = primary;
    let shift = session.sources.len().max(session.calls.len());
    let mut from = Moving { names: HashMap::new(), agents: HashMap::new(), contexts: HashMap::new(), shift };
    let other = &secondary.session;
    take_sources(&mut session, other, shift, &mut from);

    let mut old_events = std::mem::take(&mut session.events);
    let old_marks = std::mem::take(&mut session.marks);
    let mut new: Vec<Vec<usize>> = vec![Vec::new(); old_events.len() + 1];
    for (at, place) in places.iter().enumerate() {
        match place {
            Place::New(after) => new[(*after).min(old_events.len())].push(at),
            Place::Same(same) => {
                if let (Some(event), Some(id)) = (old_events.get_mut(*same), ids.get_mut(*same)) {
                    let twin = from.event(&other.events[at], other, &mut session);
                    upgrade(event, &twin);
                    let named = |agent: AgentIx| session.agents.get(agent.at()).is_some_and(|agent| agent.id.is_some());
                    if !named(event.agent) && named(twin.agent) {
                        event.agent = twin.agent;
                    }
                    complete(id, &secondary.ids[at]);
                }
            }
            Place::Again(_) | Place::Elsewhere => {}
        }
    }
    let before_diagnostics = u32::try_from(session.diagnostics.len()).unwrap_or(u32::MAX);
    session.diagnostics.extend(other.diagnostics.iter().cloned());

    // Every old event gets its new index, and every event of the secondary too.
    let mut moved = vec![EventIx::NONE; old_events.len()];
    let mut put = vec![EventIx::NONE; places.len()];
    let mut old_ids = std::mem::take(&mut ids).into_iter();
    for (at, events) in new.iter().enumerate() {
        for &event in events {
            put[event] = next_index(&session.events);
            let mut twin = from.event(&other.events[event], other, &mut session);
            if twin.diagnostic != u32::MAX {
                twin.diagnostic = twin.diagnostic.saturating_add(before_diagnostics);
            }
            session.events.push(twin);
            ids.push(secondary.ids[event].clone());
        }
        if let Some(mut event) = old_events.get(at).copied() {
            moved[at] = next_index(&session.events);
            event.marks = (MarkIx::NONE, MarkIx::NONE);
            session.events.push(event);
            ids.extend(old_ids.next());
        }
    }
    for (at, place) in places.iter().enumerate() {
        match place {
            Place::Same(same) => put[at] = moved.get(*same).copied().unwrap_or(EventIx::NONE),
            Place::Again(earlier) => put[at] = put[*earlier],
            Place::New(_) | Place::Elsewhere => {}
        }
    }
    let old = old_marks.into_iter().map(|mark| {
        let event = moved.get(mark.event.at()).copied().unwrap_or(EventIx::NONE);
        RunMark { event, ..mark }
    });
    old.for_each(|mark| session.add_mark(mark));
    for mark in &other.marks {
        let event = put.get(mark.event.at()).copied().unwrap_or(EventIx::NONE);
        let command = from.name(mark.command, &other.names, &mut session.names);
        session.add_mark(RunMark { event, at: from.place(mark.at), command, ..*mark });
    }
    session.progress.read += other.progress.read;
    session.progress.total += other.progress.total;
    session.progress.done &= other.progress.done;
    Part { session, ids }
}

fn next_index(events: &[Event]) -> EventIx {
    EventIx(u32::try_from(events.len()).unwrap_or(u32::MAX))
}

/// What another source lists did happen; what this one did not know is filled in.
fn upgrade(event: &mut Event, twin: &Event) {
    if twin.origin == Origin::Recorded {
        event.origin = Origin::Recorded;
        event.evidence = Evidence::Recorded;
    } else {
        event.evidence = event.evidence.min(twin.evidence);
    }
    if !event.subject.is_some() {
        event.subject = twin.subject;
    }
    if event.time.is_unknown() {
        event.time = twin.time;
    }
    if twin.origin == Origin::Recorded && twin.stop_hook_active.is_some() {
        event.stop_hook_active = twin.stop_hook_active;
    }
    event.stop_hook_active = event.stop_hook_active.or(twin.stop_hook_active);
}

fn complete(id: &mut Identity, twin: &Identity) {
    id.key = id.key.take().or_else(|| twin.key.clone());
    id.agent = id.agent.take().or_else(|| twin.agent.clone());
}

fn take_sources(session: &mut Session, other: &Session, shift: usize, from: &mut Moving) {
    let unnamed = || crate::model::SourceInfo { path: String::new(), format: "", bytes: 0 };
    session.sources.resize_with(shift, unnamed);
    session.sources.extend(other.sources.iter().cloned());
    session.calls.resize_with(shift, Vec::new);
    for calls in &other.calls {
        let moved = calls.iter().map(|call| Call {
            tool: from.name(call.tool, &other.names, &mut session.names),
            used: from.place(call.used),
            answered: from.place(call.answered),
            ..*call
        });
        let moved = moved.collect();
        session.calls.push(moved);
    }
    let moved = other.branches.rewinds().iter().map(|rewind| Rewind { at: from.place(rewind.at), ..*rewind });
    session.branches.extend(moved);
    session.forked_from = session.forked_from.take().or_else(|| other.forked_from.clone());
    if session.id.is_empty() {
        session.id.clone_from(&other.id);
    }
    if session.title.is_none() {
        session.title.clone_from(&other.title);
    }
}

/// What moves from one session into another gets that one's indices.
struct Moving {
    names: HashMap<Name, Name>,
    agents: HashMap<AgentIx, AgentIx>,
    contexts: HashMap<ContextIx, ContextIx>,
    shift: usize,
}

impl Moving {
    fn name(&mut self, name: Name, from: &Names, to: &mut Names) -> Name {
        if !name.is_some() {
            return name;
        }
        *self.names.entry(name).or_insert_with(|| to.intern(from.text(name)))
    }

    fn source(&self, source: SourceIx) -> SourceIx {
        SourceIx(u16::try_from(source.at() + self.shift).unwrap_or(u16::MAX))
    }

    fn place(&self, at: LineRef) -> LineRef {
        if at.is_some() { at.in_source(self.source(at.source())) } else { at }
    }

    fn event(&mut self, event: &Event, other: &Session, session: &mut Session) -> Event {
        Event {
            name: self.name(event.name, &other.names, &mut session.names),
            subject: self.name(event.subject, &other.names, &mut session.names),
            at: self.place(event.at),
            context: self.context(event.context, other, session),
            agent: self.agent(event.agent, other, session),
            marks: (MarkIx::NONE, MarkIx::NONE),
            ..*event
        }
    }

    fn context(&mut self, ix: ContextIx, other: &Session, session: &mut Session) -> ContextIx {
        if let Some(&known) = self.contexts.get(&ix) {
            return known;
        }
        let context = other.contexts.get(ix.at()).copied().unwrap_or(Context::EMPTY);
        let mut name = |name: Name| self.name(name, &other.names, &mut session.names);
        let moved = Context {
            session: name(context.session),
            dialect: name(context.dialect),
            version: name(context.version),
            cwd: name(context.cwd),
            mode: name(context.mode),
            effort: name(context.effort),
            prompt: name(context.prompt),
            entrypoint: name(context.entrypoint),
            model: name(context.model),
            branch: name(context.branch),
        };
        session.contexts.push(moved);
        let new = ContextIx(u32::try_from(session.contexts.len() - 1).unwrap_or(u32::MAX));
        self.contexts.insert(ix, new);
        new
    }

    fn agent(&mut self, ix: AgentIx, other: &Session, session: &mut Session) -> AgentIx {
        if ix == AgentIx(0) || !ix.is_some() {
            return AgentIx(0);
        }
        if let Some(&known) = self.agents.get(&ix) {
            return known;
        }
        let agent = other.agents.get(ix.at()).copied().unwrap_or(Agent::MAIN);
        let id = self.name(agent.id, &other.names, &mut session.names);
        let known = session.agents.iter().position(|known| id.is_some() && known.id == id);
        let new = match known {
            Some(known) => known,
            None => {
                let kind = self.name(agent.kind, &other.names, &mut session.names);
                let call = agent.call.map(|(source, call)| (self.source(source), call));
                // A parent comes before its children.
                let parent = if agent.parent < ix { self.agent(agent.parent, other, session) } else { AgentIx(0) };
                session.agents.push(Agent { id, kind, parent, call, background: agent.background });
                session.agents.len() - 1
            }
        };
        let new = AgentIx(u16::try_from(new).unwrap_or(0));
        self.agents.insert(ix, new);
        new
    }
}
