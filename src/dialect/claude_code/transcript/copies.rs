//! Lines at the head of a file that another session wrote.
//!
//! Owns telling copies from own lines: copies fire nothing. Must not know what own lines mean.

use super::calls::Calls;
use super::line::Line;
use super::run::Run;
use super::turn::Chain;
use super::{Role, Transcript, Version, hash};
use crate::dialect::Shared;
use crate::model::Time;

/// Whether the head of the file may be another session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Suspicion {
    /// Nothing speaks for it so far.
    #[default]
    None,
    /// Its lines name another session.
    Foreign,
    /// The first prompt's id may turn out to be the next one's too.
    SamePrompt(u64),
    /// Decided.
    Settled,
}

/// How much is kept back while it is not known whether lines are copies.
const MOST_COPIES: usize = 100_000;

/// Since when a forked session says so (vendor's changelog); before, it was a resumed one.
pub(super) const FORK_SOURCE: Version = Version::of(2, 1, 214);

/// The session that a copied line is from.
#[derive(serde::Deserialize)]
struct ForkedFrom {
    #[serde(rename = "sessionId")]
    session_id: String,
}

impl Transcript {
    /// Whether a line was copied from the session that this one was forked from. Its own first prompt was queued after
    /// everything that the copies tell of; `forkedFrom` says it outright.
    pub(super) fn is_copy(&self, line: &Line, time: Time) -> bool {
        if line.uuid.get().is_none() || self.role == Role::Subagent {
            return false;
        }
        if line.forked_from.is_some() {
            return true;
        }
        if self.run.own_lines {
            return false;
        }
        let Some(own) = self.run.own_time else { return false };
        let before = !time.is_unknown() && time < own;
        // What hooks said before the first prompt may be its own start's; copies begin with a prompt.
        if line.kind.is("attachment") {
            let own_start = line.attachment.0.as_ref().is_some_and(|a| a.hook_name.is("SessionStart:fork"));
            return before && self.run.copies && !own_start;
        }
        before
    }

    /// Remembers whose line was copied, as far as that line tells.
    pub(super) fn note_fork(&mut self, line: &Line) {
        if self.fork_known {
            return;
        }
        self.fork_known = true;
        let parent = line.forked_from.and_then(|parent| serde_json::from_str::<ForkedFrom>(parent.get()).ok());
        self.forked_from = Some(parent.map(|parent| parent.session_id).unwrap_or_default());
    }

    /// The file may begin with lines of another session, and only a later line tells: everything is kept back until
    /// then. `--fork-session` gives all copied prompts the id of the first own one, and copies stand in one piece; older
    /// clients left the other session's id in them.
    pub(super) fn suspect_copies(&mut self, line: &Line, shared: &mut Shared) {
        let suspicion = self.run.suspicion;
        let foreign = match (self.run.own_session, line.session_id.get()) {
            (Some(own), Some(id)) => Some(hash(id) != own),
            _ => None,
        };
        if self.role == Role::Subagent || suspicion == Suspicion::Settled {
            return;
        }
        match (suspicion, foreign) {
            (Suspicion::None, Some(true)) if line.uuid.get().is_some() && !self.run.own_lines => {
                self.run.suspicion = Suspicion::Foreign;
                self.queue.close();
            }
            (Suspicion::Foreign, Some(false)) if line.uuid.get().is_some() => {
                self.forget_copies(shared);
                self.trust();
            }
            (Suspicion::SamePrompt(_), _) if line.uuid.get().is_none() => self.trust(),
            _ => {}
        }
        if self.queue.len() > MOST_COPIES {
            self.trust();
        }
    }

    /// A prompt with the id of the one before shows that the one before was copied.
    pub(super) fn suspect_prompt(&mut self, line: &Line, shared: &mut Shared) {
        let id = line.prompt_id.get().map(hash);
        match (self.run.suspicion, id) {
            (Suspicion::None, Some(id)) if self.run.own_time.is_none() => {
                self.run.suspicion = Suspicion::SamePrompt(id);
                self.queue.close();
            }
            (Suspicion::SamePrompt(before), Some(id)) if before == id => self.forget_copies(shared),
            (Suspicion::Foreign, _) => {}
            _ => self.trust(),
        }
    }

    /// What was read is this session's own.
    fn trust(&mut self) {
        self.run.suspicion = Suspicion::Settled;
        self.queue.open();
    }

    /// What was read was another session's.
    fn forget_copies(&mut self, shared: &mut Shared) {
        self.run.copies = true;
        self.last.clear();
        if let Some(slot) = self.run.start {
            self.queue.truncate_after(slot);
            self.queue.clear_marks(slot);
            let source = if self.version >= FORK_SOURCE { "fork" } else { "resume" };
            let subject = shared.names.intern(source);
            if let Some(event) = self.queue.event(slot) {
                event.subject = subject;
            }
            self.last.insert((self.words().session_start, subject), slot);
        }
        let Chain { agent, place, .. } = self.chains[0];
        self.chains = vec![Chain::new(agent, place)];
        self.calls = Calls::default();
        self.new_calls.clear();
        self.side_lines.clear();
        self.side_agents.clear();
        self.last_side = None;
        let old = std::mem::take(&mut self.run);
        self.run = Run {
            own_session: old.own_session,
            start: old.start,
            copies: true,
            own_lines: old.own_lines,
            names_sources: old.names_sources,
            suspicion: old.suspicion,
            at: old.at,
            ..Run::default()
        };
    }

    /// A line that was copied.
    pub(super) fn copied(&mut self) {
        if !self.run.copies {
            self.run.copies = true;
            self.run.source = None;
            if let Some(slot) = self.run.start {
                self.queue.clear_marks(slot);
            }
        }
    }

    pub(super) fn trust_at_end(&mut self) {
        if self.queue.is_closed() {
            self.trust();
        }
    }
}
