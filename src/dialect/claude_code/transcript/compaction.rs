//! Compactions: four events around one line.
//!
//! Owns their order and what the lines after a boundary tell. Must not know prompts.

use super::line::{Content, Line};
use super::{Role, Transcript, Version};
use crate::dialect::Shared;
use crate::model::{Agent, AgentIx, Event, Evidence, LineRef, Name, Time};

/// A boundary of which the lines after it still tell something.
#[derive(Debug)]
pub(super) struct Compaction {
    at: LineRef,
    time: Time,
    before: Time,
    trigger: String,
    command: Option<(LineRef, Time)>,
    summary: bool,
}

/// A SubagentStop without a type at a compaction: measured with 2.1.332, reported for 2.1.241 and 2.1.259.
const COMPACTION_AGENT: Version = Version::of(2, 1, 241);
/// First reports of such a SubagentStop.
const COMPACTION_AGENT_ASSUMED: Version = Version::of(2, 1, 50);

impl Transcript {
    pub(super) fn compaction(&mut self, at: LineRef, line: &Line, time: Time) {
        let metadata = line.compact_metadata.0.as_ref();
        let trigger = metadata.and_then(|metadata| metadata.trigger.get()).unwrap_or("auto");
        let took = metadata.and_then(|metadata| metadata.duration_ms.millis()).unwrap_or(0);
        let before = time.millis().map_or(time, |time| Time(time - i64::from(took)));
        let command = self.run.compact_command.take().filter(|_| trigger == "manual");
        self.run.compaction =
            Some(Compaction { at, time, before, trigger: trigger.to_owned(), command, summary: false });
    }

    /// The lines after a boundary tell the prompt id and, in newer clients, the command.
    pub(super) fn compaction_goes_on(&mut self, at: LineRef, line: &Line, shared: &mut Shared) {
        let Some(compaction) = &mut self.run.compaction else { return };
        if line.uuid.get().is_none() || line.kind.is("attachment") && !compaction.summary {
            return;
        }
        if line.is_compact_summary.0 {
            compaction.summary = true;
            if compaction.trigger != "manual" || compaction.command.is_some() {
                self.emit_compaction(shared);
            }
            return;
        }
        let text = match line.message.0.as_ref().map(|message| &message.content) {
            Some(Content::Text(text)) => text.as_ref(),
            _ => "",
        };
        if line.is_meta.0 {
            return;
        }
        if text.starts_with("<command-name>/compact</command-name>") && compaction.command.is_none() {
            compaction.command = Some((at, line.time()));
        }
        self.emit_compaction(shared);
    }

    /// PreCompact, the SubagentStop of the agent that summarised, SessionStart, PostCompact: in that order
    /// (`sessions/compact-manual`).
    pub(super) fn emit_compaction(&mut self, shared: &mut Shared) {
        let Some(compaction) = self.run.compaction.take() else { return };
        self.run.compacted = true;
        let words = self.words();
        let subject = shared.names.intern(&compaction.trigger);
        let inside = if self.role == Role::Main { Evidence::Derived } else { Evidence::Assumed };
        let (at, before) = compaction.command.unwrap_or((compaction.at, compaction.before));
        let main = |event: Event| Event { agent: AgentIx(0), ..event };

        let event = main(self.event(words.pre_compact, subject, at, before, shared));
        self.push(Event { evidence: self.sure_from(Version::of(1, 0, 48)).and(inside), ..event });
        if self.version >= COMPACTION_AGENT_ASSUMED {
            let agent = match self.run.compaction_agent {
                Some(agent) => agent,
                None => {
                    let agent = shared.agent(Agent {
                        id: Name::NONE,
                        kind: words.empty,
                        parent: AgentIx(0),
                        call: None,
                        background: None,
                    });
                    self.run.compaction_agent = Some(agent);
                    agent
                }
            };
            let event = self.event(words.subagent_stop, words.empty, compaction.at, compaction.time, shared);
            let evidence = self.sure_from(COMPACTION_AGENT).and(inside);
            self.push(Event { agent, evidence, stop_hook_active: Some(false), ..event });
        }
        if self.has("SessionStart") {
            let source = shared.names.intern("compact");
            let event = main(self.event(words.session_start, source, compaction.at, compaction.time, shared));
            self.push(Event { evidence: inside, ..event });
        }
        if self.has("PostCompact") {
            let event = main(self.event(words.post_compact, subject, compaction.at, compaction.time, shared));
            self.push(Event { evidence: inside, ..event });
        }
    }
}
