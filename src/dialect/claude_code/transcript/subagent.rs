//! Subagents: their `.meta.json`, and sidechains inside the main file of old clients.
//!
//! Owns which lines belong to which agent. Must not know tools or hooks.

use serde::Deserialize;
use serde_json::Value;

use super::line::{Content, Line};
use super::text::head;
use super::turn::{Chain, Place};
use super::{Role, Transcript, hash};
use crate::dialect::Shared;
use crate::model::{Agent, AgentIx, Event, LineRef, Name, SourceIx, Time};

/// What a subagent's `.meta.json` tells, as far as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubagentMeta {
    /// `agent_type` (`general-purpose`, a custom agent's name).
    pub agent_type: Option<String>,
    /// The call that started it.
    pub tool_use_id: Option<String>,
    /// Whether it ran beside its parent.
    pub background: Option<bool>,
    /// The few words of the call.
    pub description: Option<String>,
    /// 1 where the main agent started it.
    pub depth: Option<u32>,
}

/// Reads an `agent-<id>.meta.json`. `None` where it is no JSON object.
pub fn meta(bytes: &[u8]) -> Option<SubagentMeta> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct File {
        #[serde(default)]
        agent_type: Value,
        #[serde(default)]
        tool_use_id: Value,
        #[serde(default)]
        request_shape: Value,
        #[serde(default)]
        description: Value,
        #[serde(default)]
        spawn_depth: Value,
    }
    let file: File = serde_json::from_slice(bytes).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(SubagentMeta {
        agent_type: text(&file.agent_type),
        tool_use_id: text(&file.tool_use_id),
        background: match file.request_shape.as_str() {
            Some("background") => Some(true),
            Some("foreground") => Some(false),
            _ => None,
        },
        description: text(&file.description),
        depth: file.spawn_depth.as_u64().and_then(|depth| u32::try_from(depth).ok()),
    })
}

impl Transcript {
    /// The chain that a line belongs to, newly made for the first line of an inline sidechain. 0 is the file's own.
    pub(super) fn chain_of(&mut self, at: LineRef, line: &Line, time: Time, shared: &mut Shared) -> usize {
        if self.role == Role::Subagent || !line.is_sidechain.0 {
            return 0;
        }
        let id = line.agent_id.get().map_or(Name::NONE, |id| shared.names.intern(id));
        let parent = line.parent_uuid.get().map(hash);
        let known = if id.is_some() {
            self.side_agents.get(&id).copied()
        } else {
            // Without an agent id a chain starts where there is no parent; a parent that was never seen continues
            // the last chain rather than starting one that nothing shows.
            parent.and_then(|parent| self.side_lines.get(&parent).copied().or(self.last_side))
        };
        let chain = known.unwrap_or_else(|| self.start_side_chain(at, line, id, time, shared));
        if let Some(uuid) = line.uuid.get() {
            self.side_lines.insert(hash(uuid), chain);
        }
        self.last_side = Some(chain);
        usize::from(chain)
    }

    fn start_side_chain(&mut self, at: LineRef, line: &Line, id: Name, time: Time, shared: &mut Shared) -> u16 {
        let prompt = first_text(line);
        let parent = self.calls.parent_of(hash(&prompt));
        let kind = parent.map_or(Name::NONE, |(_, kind)| kind);
        let source: SourceIx = at.source();
        let agent = shared.agent(Agent {
            id,
            kind,
            parent: AgentIx(0),
            call: parent.map(|(call, _)| (source, call)),
            background: None,
        });
        let ix = u16::try_from(self.chains.len()).unwrap_or(u16::MAX);
        if ix == u16::MAX {
            return 0;
        }
        let mut chain = Chain::new(agent, Place::Inline);
        chain.call = parent.map(|(call, _)| call);
        self.chains.push(chain);
        if id.is_some() {
            self.side_agents.insert(id, ix);
        }
        if let Some((call, _)) = parent {
            self.pre_fired(call);
        }
        let name = self.words().subagent_start;
        let event = Event { agent, ..self.event(name, kind, at, time, shared) };
        let slot = self.push(event);
        self.chains[usize::from(ix)].started = Some(slot);
        ix
    }

    /// The first line of a subagent's own file shows that it was started.
    pub(super) fn start_own_file(&mut self, at: LineRef, time: Time, shared: &mut Shared) {
        if self.role != Role::Subagent || self.chains[0].started.is_some() {
            return;
        }
        let agent = self.chains[0].agent;
        let kind = shared.agents.get(agent.at()).map_or(Name::NONE, |agent| agent.kind);
        let name = self.words().subagent_start;
        let event = self.event(name, kind, at, time, shared);
        let slot = self.push(event);
        self.chains[0].started = Some(slot);
    }

    /// The type of a chain's agent.
    pub(super) fn agent_kind(&self, chain: usize, shared: &Shared) -> Name {
        shared.agents.get(self.chains[chain].agent.at()).map_or(Name::NONE, |agent| agent.kind)
    }
}

/// The text of a line, for comparing prompts.
fn first_text(line: &Line) -> String {
    match line.message.0.as_ref().map(|message| &message.content) {
        Some(Content::Text(text)) => text.clone().into_owned(),
        Some(Content::Blocks(blocks)) => blocks
            .iter()
            .filter_map(|block| block.0.as_ref())
            .find(|block| block.kind.is("text"))
            .map_or_else(String::new, |block| head(block.text, usize::MAX).into_owned()),
        _ => String::new(),
    }
}
