//! The hook input that each handler of an event would get on its standard input, as far as a transcript tells.
//!
//! Owns the shape of this agent's inputs, in the client's order of keys (recorded from 2.1.332 and 2.1.197). A field
//! that nothing tells is absent: how long a tool ran, what permissions the client suggests, which background tasks
//! were alive. Must not know how events were found.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::{Call, Ending, Event, EventIx, LineRef, MarkKind, Name, Session};
use crate::source::Lines;

/// How far back the PreToolUse of a call, or the folder before a change, is looked for.
const LOOK_BACK: usize = 20_000;

/// The input of an event that follows from a transcript. `None` where the event's line is no transcript line (a line
/// that could not be read) or is gone.
///
/// # Errors
///
/// Where a source cannot be read any more.
pub fn hook_input(session: &Session, event: EventIx, lines: &dyn Lines) -> io::Result<Option<Value>> {
    let Some(&at) = session.events.get(event.at()) else { return Ok(None) };
    let name = session.names.text(at.name);
    if name == Event::UNREADABLE || !at.at.is_some() {
        return Ok(None);
    }
    let Some(line) = object(lines, at.at)? else { return Ok(None) };
    // A log holds the input itself.
    if line.get("hook_event_name").is_some_and(Value::is_string) {
        return Ok(Some(Value::clone(&line)));
    }
    // So does a recording, under a key of its own.
    if line["input"]["hook_event_name"].is_string() {
        return Ok(Some(line["input"].clone()));
    }
    let ask = Ask { session, lines, ix: event, event: at, line: &line };
    let mut input = ask.shared_fields(name);
    ask.own_fields(name, &mut input)?;
    Ok(Some(Value::Object(input)))
}

/// Events whose input names the permission mode.
pub(super) const WITH_MODE: &[&str] = &[
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
];

/// One question: the input of this event.
struct Ask<'a> {
    session: &'a Session,
    lines: &'a dyn Lines,
    ix: EventIx,
    event: Event,
    line: &'a Value,
}

impl Ask<'_> {
    fn shared_fields(&self, name: &str) -> Map<String, Value> {
        let context = self.session.context_of(&self.event);
        let mut input = Map::new();
        let mut put = |key: &str, value: Name| {
            if let Some(text) = self.session.text(value) {
                input.insert(key.to_owned(), Value::from(text));
            }
        };
        put("session_id", context.session);
        let main = self.session.sources.first().map(|source| source.path.as_str()).filter(|path| *path != "-");
        if let Some(path) = main {
            input.insert("transcript_path".to_owned(), Value::from(path));
        }
        let mut put = |key: &str, value: Name| {
            if let Some(text) = self.session.text(value) {
                input.insert(key.to_owned(), Value::from(text));
            }
        };
        put("cwd", context.cwd);
        put("prompt_id", context.prompt);
        if WITH_MODE.contains(&name)
            && let Some(mode) = self.session.text(context.mode)
        {
            let mode = if mode == "manual" { "default" } else { mode };
            input.insert("permission_mode".to_owned(), Value::from(mode));
        }
        let agent = self.session.agent_of(&self.event);
        if self.event.agent.0 != 0 {
            for (key, value) in [("agent_id", agent.id), ("agent_type", agent.kind)] {
                if let Some(text) = self.session.text(value) {
                    input.insert(key.to_owned(), Value::from(text));
                }
            }
        }
        input.insert("hook_event_name".to_owned(), Value::from(name));
        input
    }

    fn own_fields(&self, name: &str, input: &mut Map<String, Value>) -> io::Result<()> {
        let subject = self.session.text(self.event.subject).map(Value::from);
        match name {
            "SessionStart" => {
                put(input, "source", subject);
                if self.session.text(self.event.subject) == Some("compact") {
                    let model = self.session.context_of(&self.event).model;
                    put(input, "model", self.session.text(model).map(Value::from));
                }
            }
            "SessionEnd" => put(input, "reason", subject),
            "Setup" => put(input, "trigger", subject),
            "InstructionsLoaded" => self.instructions(input)?,
            "UserPromptSubmit" => put(input, "prompt", prompt(self.line).map(Value::from)),
            "UserPromptExpansion" => self.expansion(input),
            "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" => self.tool(name, input)?,
            "PostToolBatch" => self.batch(input)?,
            "Stop" | "SubagentStop" => self.stop(name, input),
            "StopFailure" => {
                put(input, "error", subject);
                put(input, "last_assistant_message", message_text(self.line).map(Value::from));
            }
            "PreCompact" => {
                put(input, "trigger", subject);
                put(input, "custom_instructions", self.compact_instructions());
            }
            "PostCompact" => put(input, "trigger", subject),
            "CwdChanged" => {
                put(input, "old_cwd", self.folder_before().map(Value::from));
                let now = self.session.context_of(&self.event).cwd;
                put(input, "new_cwd", self.session.text(now).map(Value::from));
            }
            "TaskCreated" | "TaskCompleted" => self.task(input)?,
            "MessageDisplay" => put(input, "delta", message_text(self.line).map(Value::from)),
            _ => {}
        }
        Ok(())
    }

    /// Several files may be listed by one line: this event is for the one at its position among them.
    fn instructions(&self, input: &mut Map<String, Value>) -> io::Result<()> {
        let same = |event: &&Event| event.at == self.event.at && event.name == self.event.name;
        let before = self.before().take_while(|event| same(event)).count();
        let attachment = &self.line["attachment"];
        let file = match attachment["files"].as_array() {
            Some(files) => files.get(before).cloned().unwrap_or_default(),
            None => attachment["content"].clone(),
        };
        let path = file.get("path").or_else(|| attachment.get("path")).cloned();
        put(input, "file_path", path);
        put(input, "memory_type", file.get("type").cloned());
        put(input, "load_reason", self.session.text(self.event.subject).map(Value::from));
        if self.session.text(self.event.subject) == Some("nested_traversal") {
            put(input, "trigger_file_path", self.trigger_file()?);
        }
        Ok(())
    }

    /// The one file that the batch before was about.
    fn trigger_file(&self) -> io::Result<Option<Value>> {
        let batch = self.before().find(|event| self.session.names.text(event.name) == "PostToolBatch");
        let Some(&batch) = batch else { return Ok(None) };
        let [call] = self.session.calls_of(&batch) else { return Ok(None) };
        let used = self.used(call)?;
        Ok(used.and_then(|used| used["input"].get("file_path").cloned()))
    }

    fn expansion(&self, input: &mut Map<String, Value>) {
        let typed = prompt(self.line);
        put(input, "command_name", self.session.text(self.event.subject).map(Value::from));
        let args = typed.as_deref().map(|typed| typed.split_once(' ').map_or("", |(_, args)| args).to_owned());
        put(input, "command_args", args.map(Value::from));
        put(input, "prompt", typed.map(Value::from));
    }

    fn tool(&self, name: &str, input: &mut Map<String, Value>) -> io::Result<()> {
        let [call] = self.session.calls_of(&self.event) else { return Ok(()) };
        let Some(used) = self.used(call)? else { return Ok(()) };
        put(input, "tool_name", self.session.text(call.tool).map(Value::from));
        let changed = match name {
            "PreToolUse" => Changed::No,
            _ => self.changed_input(call)?,
        };
        match changed {
            Changed::No => put(input, "tool_input", used.get("input").cloned()),
            Changed::To(value) => put(input, "tool_input", Some(value)),
            Changed::Unknown if name == "PermissionRequest" => put(input, "tool_input", used.get("input").cloned()),
            Changed::Unknown => {}
        }
        let answered = match (name, call.answered.is_some()) {
            ("PostToolUse" | "PostToolUseFailure", true) => object(self.lines, call.answered)?,
            _ => None,
        };
        if name == "PostToolUse"
            && let Some(answered) = &answered
            && !self.output_rewritten()?
        {
            put(input, "tool_response", answered.get("toolUseResult").cloned());
        }
        if name != "PermissionRequest" {
            put(input, "tool_use_id", used.get("id").cloned());
        }
        if name == "PostToolUseFailure"
            && let Some(answered) = &answered
        {
            let result = block(answered, call.answered_block);
            put(input, "error", result.and_then(|result| block_text(&result["content"])).map(Value::from));
            put(input, "is_interrupt", Some(Value::from(call.ending == Ending::Interrupted)));
        }
        Ok(())
    }

    /// Whether a hook changed a call's input, and into what. The last to finish wins, and marks stand in that order. A
    /// PermissionRequest hook's allow may change it too, and leaves no trace of how.
    fn changed_input(&self, call: &Call) -> io::Result<Changed> {
        let mut changed = Changed::No;
        for event in self.events_of(call) {
            for mark in self.session.marks_of(event) {
                match mark.kind {
                    MarkKind::PermissionDecision => return Ok(Changed::Unknown),
                    MarkKind::Success => {
                        if let Some(answer) = self.answer(mark.at)?
                            && let Some(value) = answer.pointer("/hookSpecificOutput/updatedInput")
                            && value.is_object()
                        {
                            changed = Changed::To(value.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(changed)
    }

    /// The PreToolUse and PermissionRequest of a call, in order.
    fn events_of(&self, call: &Call) -> Vec<EventIx> {
        let mut found = Vec::new();
        let end = self.ix.at().min(self.session.events.len());
        // By number: a message with many calls has many events between a call's first and last.
        let (before, asked) = (self.session.names.find("PreToolUse"), self.session.names.find("PermissionRequest"));
        for ix in (end.saturating_sub(LOOK_BACK)..end).rev() {
            let event = &self.session.events[ix];
            let name = Some(event.name);
            if (name != before && name != asked) || event.at.source() != self.event.at.source() {
                continue;
            }
            if self
                .session
                .calls_of(event)
                .first()
                .is_some_and(|other| other.used == call.used && other.used_block == call.used_block)
            {
                found.push(EventIx(u32::try_from(ix).unwrap_or(u32::MAX)));
                if name == before {
                    break;
                }
            }
        }
        found.reverse();
        found
    }

    /// A hook gave the tool another output: what the tool itself had said is not written down.
    fn output_rewritten(&self) -> io::Result<bool> {
        for mark in self.session.marks_of(self.ix).filter(|mark| mark.kind == MarkKind::Success) {
            let answer = self.answer(mark.at)?.unwrap_or_default();
            let answer = &answer["hookSpecificOutput"];
            if answer.get("updatedToolOutput").is_some() || answer.get("updatedMCPToolOutput").is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The JSON that a handler printed, by its `hook_success` line.
    fn answer(&self, at: LineRef) -> io::Result<Option<Value>> {
        let Some(line) = object(self.lines, at)? else { return Ok(None) };
        let text = line.pointer("/attachment/stdout").and_then(Value::as_str).unwrap_or_default();
        Ok(serde_json::from_str(text.trim()).ok())
    }

    fn batch(&self, input: &mut Map<String, Value>) -> io::Result<()> {
        let mut calls = Vec::new();
        for call in self.session.calls_of(&self.event) {
            let Some(used) = self.used(call)? else { return Ok(()) };
            let mut one = Map::new();
            put(&mut one, "tool_name", used.get("name").cloned());
            put(&mut one, "tool_input", used.get("input").cloned());
            put(&mut one, "tool_use_id", used.get("id").cloned());
            if call.answered.is_some()
                && let Some(answered) = object(self.lines, call.answered)?
            {
                let result = block(&answered, call.answered_block);
                put(&mut one, "tool_response", result.and_then(|result| result.get("content").cloned()));
            }
            calls.push(Value::Object(one));
        }
        put(input, "tool_calls", Some(Value::Array(calls)));
        Ok(())
    }

    fn stop(&self, name: &str, input: &mut Map<String, Value>) {
        put(input, "stop_hook_active", self.event.stop_hook_active.map(Value::from));
        let empty = self.session.text(self.event.subject) == Some("");
        if name == "SubagentStop" && !empty {
            let own = self.session.sources.get(self.event.at.source().at());
            let own_file = self.event.at.source().0 != 0;
            put(input, "agent_transcript_path", own.filter(|_| own_file).map(|own| Value::from(own.path.as_str())));
        }
        if !empty {
            put(input, "last_assistant_message", message_text(self.line).map(Value::from));
        }
    }

    /// What follows `/compact`; null where the client itself started it.
    fn compact_instructions(&self) -> Option<Value> {
        if self.session.text(self.event.subject) == Some("auto") {
            return Some(Value::Null);
        }
        let args = match self.line.pointer("/commandRun/args").and_then(Value::as_str) {
            Some(args) => args.to_owned(),
            None => {
                let text = self.line.pointer("/message/content")?.as_str()?;
                between(text, "<command-args>", "</command-args>")?.to_owned()
            }
        };
        Some(Value::from(args.trim()))
    }

    fn folder_before(&self) -> Option<&str> {
        let now = self.session.context_of(&self.event).cwd;
        let other = self.before().map(|event| self.session.context_of(event).cwd).find(|cwd| *cwd != now)?;
        self.session.text(other)
    }

    fn task(&self, input: &mut Map<String, Value>) -> io::Result<()> {
        let [call] = self.session.calls_of(&self.event) else { return Ok(()) };
        let used = self.used(call)?.unwrap_or_default();
        let told = &used["input"];
        let result = self.line.get("toolUseResult").cloned().unwrap_or_default();
        let id = told.get("taskId").or_else(|| result.pointer("/task/id")).or_else(|| result.get("taskId"));
        put(input, "task_id", id.cloned());
        put(input, "task_subject", told.get("subject").or_else(|| result.pointer("/task/subject")).cloned());
        put(input, "task_description", told.get("description").cloned());
        Ok(())
    }

    /// The `tool_use` block of a call.
    fn used(&self, call: &Call) -> io::Result<Option<Value>> {
        let Some(line) = object(self.lines, call.used)? else { return Ok(None) };
        Ok(block(&line, call.used_block).cloned())
    }

    /// The events before this one, latest first.
    fn before(&self) -> impl Iterator<Item = &Event> {
        let end = self.ix.at().min(self.session.events.len());
        self.session.events[end.saturating_sub(LOOK_BACK)..end].iter().rev()
    }
}

/// What hooks made of a call's input.
enum Changed {
    No,
    To(Value),
    Unknown,
}

fn put(input: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        input.insert(key.to_owned(), value);
    }
}

/// The object on a line; `None` where it is none.
fn object(lines: &dyn Lines, at: LineRef) -> io::Result<Option<Arc<Value>>> {
    if !at.is_some() {
        return Ok(None);
    }
    Ok(lines.value(at)?.filter(|value| value.is_object()))
}

fn block(line: &Value, ix: u16) -> Option<&Value> {
    line.pointer("/message/content")?.get(usize::from(ix))
}

/// The text that a person typed: what was stored of it, a command as it was typed.
fn prompt(line: &Value) -> Option<String> {
    if let Some(queued) = line.pointer("/attachment/prompt") {
        return block_text(queued);
    }
    if line.get("subtype").is_some() {
        let text = line.get("content")?.as_str()?;
        return text.rsplit_once("Original prompt: ").map(|(_, prompt)| prompt.to_owned());
    }
    let text = message_text(line)?;
    if text.starts_with("<command-message>")
        && let Some(command) = between(&text, "<command-name>", "</command-name>")
    {
        let args = between(&text, "<command-args>", "</command-args>").unwrap_or_default();
        return Some(format!("{command} {args}").trim_end().to_owned());
    }
    Some(text)
}

fn message_text(line: &Value) -> Option<String> {
    block_text(line.pointer("/message/content")?)
}

/// Text, or the text blocks of a list, one a line.
fn block_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inner, _)| inner)
}
