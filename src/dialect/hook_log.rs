//! Logs that people's own hooks write: each hook input in them is one event.
//!
//! Owns what in such a log is a hook input, of which agent, and when it came. Must not know what agents do with
//! the answers.

mod inputs;
mod time;

use std::collections::HashMap;

use serde_json::Value;

use super::{Dialect, Output, Reader, Shared, by_id, claude_code, codex, devin};
use crate::model::{
    Agent, AgentIx, Call, CallIx, CallRange, Context, Diagnostic, Ending, Event, EventIx, Evidence, Level, LineRef,
    MarkIx, MarkKind, Name, Names, Origin, Place, RunMark, SourceIx, Time,
};
use crate::source::values::{Finder, Found, Kind};

use inputs::inputs_in;
pub use inputs::{extract_input, inputs};

/// Reads a log of hook inputs. It takes lines, finds the values in them itself, and gives each event the place of
/// its input, not of its line.
#[derive(Debug)]
pub struct HookLog {
    finder: Finder,
    found: Findings,
    source: SourceIx,
    begun: bool,
}

impl Default for HookLog {
    fn default() -> HookLog {
        HookLog::new()
    }
}

impl HookLog {
    /// At the start of a log.
    pub fn new() -> HookLog {
        HookLog { finder: Finder::new(), found: Findings::default(), source: SourceIx(0), begun: false }
    }

    /// Lines so far that belong to no JSON object.
    pub fn stray_lines(&self) -> u32 {
        self.finder.stray_lines()
    }

    /// Objects so far that hold no hook input.
    pub fn other_objects(&self) -> u32 {
        self.found.others
    }
}

impl Reader for HookLog {
    fn line(&mut self, at: LineRef, bytes: &[u8], shared: &mut Shared, out: &mut Output) {
        self.source = at.source();
        let before_first = !std::mem::replace(&mut self.begun, true);
        let HookLog { finder, found, .. } = self;
        let mut each = |value: Found| found.value(at, &value, shared, out);
        // What lies between two lines: a line end; before the first one a byte order mark; or the rest of a line
        // that was too long to be handed on.
        let mut gap = at.offset().saturating_sub(finder.offset());
        let filler = if before_first { b' ' } else { b'\r' };
        while gap > 1 || (gap == 1 && filler == b' ') {
            let piece = gap.min(4096) - u64::from(gap <= 4096 && filler == b'\r');
            finder.push(&[filler; 4096][..usize::try_from(piece).unwrap_or(0)], &mut each);
            gap -= piece;
        }
        if gap == 1 {
            finder.push(b"\n", &mut each);
        }
        finder.push(bytes, &mut each);
    }

    fn end(&mut self, shared: &mut Shared, out: &mut Output) {
        let HookLog { finder, found, source, .. } = self;
        let at = LineRef::new(*source, 0, 0, 0);
        finder.end(&mut |value: Found| found.value(at, &value, shared, out));
        found.tell_broken(out);
    }
}

#[derive(Debug, Default)]
struct Findings {
    made: InputEvents,
    others: u32,
    /// An object that broke off and that named an event: line and end.
    broken: Option<(u32, u64)>,
}

impl Findings {
    fn value(&mut self, log: LineRef, value: &Found, shared: &mut Shared, out: &mut Output) {
        let end = value.offset + value.bytes.len() as u64;
        if value.kind == Kind::Broken {
            if memchr::memmem::find(value.bytes, b"\"hook_event_name\"").is_some() {
                let within = self.broken.is_some_and(|(_, outer)| value.offset < outer);
                if !within {
                    self.tell_broken(out);
                    self.broken = Some((value.line, end));
                }
            }
            return;
        }
        let inputs = inputs_in(value.bytes);
        if inputs.is_empty() {
            self.others += u32::from(value.kind == Kind::Object);
            return;
        }
        match self.broken {
            // The input that the broken value held was whole.
            Some((_, broken_end)) if value.offset < broken_end => self.broken = None,
            _ => self.tell_broken(out),
        }
        let before = time::from_text(&String::from_utf8_lossy(value.leading));
        for input in inputs {
            let start = value.offset + input.range.start as u64;
            let length = u32::try_from(input.range.len()).unwrap_or(u32::MAX);
            let lines_before = memchr::memchr_iter(b'\n', &value.bytes[..input.range.start]).count();
            let line = value.line.saturating_add(u32::try_from(lines_before).unwrap_or(u32::MAX));
            let at = LineRef::new(log.source(), start, length, line);
            let time = if input.time.is_unknown() { before } else { input.time };
            let event = self.made.event(at, &input.value, time, shared, out);
            out.marks.push(RunMark { event, ..logged(at) });
        }
    }

    fn tell_broken(&mut self, out: &mut Output) {
        let Some((line, _)) = self.broken.take() else { return };
        out.diagnostics.push(Diagnostic {
            level: Level::Warning,
            message: "a hook input breaks off here and is left out".to_owned(),
            place: Place { path: String::new(), line: Some(line), column: None },
            help: Some("the hook that wrote this log was cut off, or two hooks wrote at the same time".to_owned()),
        });
    }
}

/// A mark that says that a hook wrote down what it got.
fn logged(at: LineRef) -> RunMark {
    RunMark {
        event: EventIx::NONE,
        next: MarkIx::NONE,
        at,
        kind: MarkKind::InputLogged,
        index: 0,
        command: Name::NONE,
        exit_code: None,
        duration_ms: None,
        says: None,
        lost: false,
    }
}

/// Makes events of hook inputs: one after another, of any sessions.
#[derive(Debug, Default)]
pub struct InputEvents {
    /// The agent product, where it is known otherwise than from the inputs.
    pub dialect: Option<String>,
    /// The client's version, which inputs do not tell.
    pub version: Option<String>,
    events: u32,
    told_id: bool,
    calls: HashMap<(Name, String), CallIx>,
    call_list: Vec<Call>,
    agents: HashMap<(Name, Name), AgentIx>,
}

impl InputEvents {
    /// Adds the event of an input that stands at a place; its index among those of this maker. A time that is not
    /// known is looked for in the input.
    pub fn event(&mut self, at: LineRef, value: &Value, time: Time, shared: &mut Shared, out: &mut Output) -> EventIx {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let name_text = text("hook_event_name").unwrap_or_default();
        let dialect = self.dialect.clone().unwrap_or_else(|| dialect_of(value).to_owned());
        let dialect = dialect.as_str();
        let time = if time.is_unknown() { time::from_keys(|key| value.get(key).cloned()) } else { time };
        let mut context = read_context(value, dialect, &mut shared.names);
        if let Some(version) = &self.version {
            context.version = shared.names.intern(version);
        }
        if !self.told_id
            && let Some(id) = text("session_id")
        {
            self.told_id = true;
            out.id = Some(id.to_owned());
        }
        let name = shared.names.intern(name_text);
        let subject = subject_of(dialect, name_text, value).map_or(Name::NONE, |text| shared.names.intern(text));
        let mut event = Event::new(name, time, at, shared.context(context));
        event.subject = subject;
        event.origin = Origin::Recorded;
        event.evidence = Evidence::Recorded;
        event.stop_hook_active = value.get("stop_hook_active").and_then(Value::as_bool);
        event.agent = self.agent(context.session, text("agent_id"), text("agent_type"), shared);
        if let (Some(id), Some(_)) = (text("tool_use_id"), text("tool_name")) {
            event.calls = CallRange::one(self.call(context.session, id, name_text, subject, at, value, out));
        }
        out.events.push(event);
        self.events += 1;
        EventIx(self.events - 1)
    }

    fn agent(&mut self, session: Name, id: Option<&str>, kind: Option<&str>, shared: &mut Shared) -> AgentIx {
        let Some(id) = id.filter(|id| !id.is_empty()) else { return AgentIx(0) };
        let id = shared.names.intern(id);
        if let Some(&known) = self.agents.get(&(session, id)) {
            return known;
        }
        let kind = kind.map_or(Name::NONE, |kind| shared.names.intern(kind));
        let known = shared.agents.iter().position(|agent| agent.id == id);
        let ix = match known.and_then(|ix| u16::try_from(ix).ok()) {
            Some(ix) => AgentIx(ix),
            None => shared.agent(Agent { id, kind, parent: AgentIx(0), call: None, background: None }),
        };
        self.agents.insert((session, id), ix);
        ix
    }

    /// The subagent that only its type tells.
    pub fn agent_of_kind(&mut self, kind: &str, shared: &mut Shared) -> AgentIx {
        let kind = shared.names.intern(kind);
        let known = shared.agents.iter().position(|agent| agent.id == Name::NONE && agent.kind == kind);
        match known.and_then(|ix| u16::try_from(ix).ok()) {
            Some(ix) => AgentIx(ix),
            None => shared.agent(Agent { id: Name::NONE, kind, parent: AgentIx(0), call: None, background: None }),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        session: Name,
        id: &str,
        event: &str,
        tool: Name,
        at: LineRef,
        input: &Value,
        out: &mut Output,
    ) -> CallIx {
        let next = CallIx(u32::try_from(self.call_list.len()).unwrap_or(u32::MAX));
        let ix = *self.calls.entry((session, id.to_owned())).or_insert(next);
        if ix == next {
            self.call_list.push(Call {
                tool,
                used: at,
                answered: LineRef::NONE,
                used_block: 0,
                answered_block: 0,
                ending: Ending::Pending,
            });
        }
        if let Some(call) = self.call_list.get_mut(ix.at()) {
            let ending = match event {
                "PostToolUse" => Some(Ending::Succeeded),
                "PostToolUseFailure" if input.get("is_interrupt") == Some(&Value::Bool(true)) => {
                    Some(Ending::Interrupted)
                }
                "PostToolUseFailure" => Some(Ending::Failed),
                _ => None,
            };
            if let Some(ending) = ending {
                (call.answered, call.ending) = (at, ending);
            }
            out.calls.push((ix, *call));
        }
        ix
    }
}

/// Which agent product wrote an input. A transcript's folder tells surely; else an
/// event that one agent alone has, a `turn_id`, which is Codex's, and the lack of transcript, folder and permission
/// mode, which is Devin's.
pub fn dialect_of(input: &Value) -> &'static str {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let bare = ["transcript_path", "cwd", "permission_mode"].iter().all(|field| input.get(field).is_none());
    let by_folder = text("transcript_path").and_then(super::by_folder);
    match by_folder.or_else(|| super::by_event(text("hook_event_name")?)) {
        Some(dialect) => dialect.id,
        None if input.get("turn_id").is_some() => codex::DIALECT.id,
        None if bare => devin::DIALECT.id,
        None => claude_code::DIALECT.id,
    }
}

/// What a matcher for this event is tested on. Agents whose events are not known here name tools as Claude Code
/// does; other subjects are not guessed.
fn subject_of<'a>(dialect: &str, event: &str, input: &'a Value) -> Option<&'a str> {
    if dialect == claude_code::DIALECT.id {
        return claude_code::matching::subject_for(event, input);
    }
    let known: Option<&'static Dialect> = by_id(dialect);
    let field = match known.and_then(|dialect| dialect.event(event)) {
        Some(spec) => spec.subject?,
        None if known.is_some() => "tool_name",
        None => match claude_code::DIALECT.event(event) {
            Some(spec) if matches!(spec.subject, Some("tool_name" | "source")) => spec.subject?,
            _ => "tool_name",
        },
    };
    input.get(field).and_then(Value::as_str)
}

fn read_context(input: &Value, dialect: &str, names: &mut Names) -> Context {
    let mut name = |value: Option<&Value>| match value.and_then(Value::as_str) {
        Some(text) => names.intern(text),
        None => Name::NONE,
    };
    let effort = input.get("effort");
    Context {
        session: name(input.get("session_id")),
        cwd: name(input.get("cwd")),
        mode: name(input.get("permission_mode")),
        effort: name(effort.and_then(|effort| effort.get("level")).or(effort)),
        prompt: name(input.get("prompt_id")),
        model: name(input.get("model")),
        dialect: if dialect == claude_code::DIALECT.id { Name::NONE } else { names.intern(dialect) },
        ..Context::EMPTY
    }
}

#[cfg(test)]
mod tests;
