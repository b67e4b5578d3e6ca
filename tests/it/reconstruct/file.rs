//! Small transcripts, line by line.

use hookscope::dialect::claude_code::Transcript;
use hookscope::dialect::{Output, Reader, Shared};
use hookscope::model::{Evidence, LineRef, MarkKind, Says, SourceIx};
use serde_json::{Value, json};

/// A file in the making: each line gets a uuid, a time and what the client writes everywhere.
pub struct File {
    pub version: &'static str,
    pub entrypoint: &'static str,
    pub lines: Vec<Value>,
}

impl File {
    pub fn new() -> File {
        File { version: "2.1.332", entrypoint: "cli", lines: Vec::new() }
    }

    pub fn of(version: &'static str) -> File {
        File { version, ..File::new() }
    }

    pub fn printing(version: &'static str) -> File {
        File { version, entrypoint: "sdk-cli", ..File::new() }
    }

    pub fn raw(mut self, line: Value) -> File {
        self.lines.push(line);
        self
    }

    pub fn line(self, mut line: Value) -> File {
        let number = self.lines.len();
        let fields = json!({
            "uuid": format!("u{number}"),
            "timestamp": format!("2026-11-30T10:{:02}:{:02}.000Z", number / 60, number % 60),
            "sessionId": "s-1", "version": self.version, "entrypoint": self.entrypoint, "cwd": "/srv",
            "isSidechain": false,
        });
        for (key, value) in fields.as_object().unwrap() {
            if line.get(key).is_none() {
                line[key] = value.clone();
            }
        }
        self.raw(line)
    }

    pub fn prompt(self, text: &str) -> File {
        let id = format!("p-{}", self.lines.len());
        self.line(json!({"type": "user", "promptId": id, "promptSource": "typed", "permissionMode": "default",
            "message": {"role": "user", "content": text}}))
    }

    pub fn user(self, text: &str) -> File {
        self.line(json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    pub fn meta(self, text: &str) -> File {
        self.line(json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": text}}))
    }

    pub fn says(self, message: &str, text: &str) -> File {
        self.line(json!({"type": "assistant", "message": {"id": message, "role": "assistant", "model": "m",
            "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]}}))
    }

    pub fn uses(self, message: &str, id: &str, tool: &str, input: Value) -> File {
        self.line(json!({"type": "assistant", "message": {"id": message, "role": "assistant", "model": "m",
            "stop_reason": "tool_use", "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}}))
    }

    pub fn bash(self, message: &str, id: &str, command: &str) -> File {
        self.uses(message, id, "Bash", json!({"command": command}))
    }

    pub fn result(self, id: &str, text: &str) -> File {
        self.answer(id, text, json!({}))
    }

    pub fn error(self, id: &str, text: &str) -> File {
        self.answer(id, text, json!({"is_error": true}))
    }

    pub fn answer(self, id: &str, text: &str, more: Value) -> File {
        let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        let mut line = json!({"type": "user"});
        for (key, value) in more.as_object().unwrap() {
            let target = if key == "is_error" { &mut block } else { &mut line };
            target[key] = value.clone();
        }
        line["message"] = json!({"role": "user", "content": [block]});
        self.line(line)
    }

    pub fn attachment(self, attachment: Value) -> File {
        self.line(json!({"type": "attachment", "attachment": attachment}))
    }

    pub fn trace(self, kind: &str, event: &str, name: &str, id: &str) -> File {
        self.attachment(json!({"type": kind, "hookEvent": event, "hookName": name, "toolUseID": id, "stdout": "",
            "exitCode": 0, "command": "guard.sh", "durationMs": 7}))
    }

    pub fn system(self, subtype: &str, more: Value) -> File {
        let mut line = more;
        line["type"] = "system".into();
        line["subtype"] = subtype.into();
        self.line(line)
    }

    pub fn read(&self) -> Read {
        let mut shared = Shared::new();
        let mut reader = Transcript::main(None);
        let mut out = Output::default();
        for (ix, line) in self.lines.iter().enumerate() {
            let text = match line {
                Value::String(text) => text.clone(),
                line => line.to_string(),
            };
            let at = LineRef::new(SourceIx(0), 0, text.len() as u32, ix as u32 + 1);
            reader.line(at, text.as_bytes(), &mut shared, &mut out);
        }
        reader.end(&mut shared, &mut out);
        Read { out, shared }
    }

    /// The events after the first SessionStart, as `Name` or `Name:subject`.
    pub fn gives(&self, expected: &str) {
        let read = self.read();
        let told = read.told();
        let told = told.strip_prefix("SessionStart:startup ").unwrap_or(&told);
        assert_eq!(told, expected);
    }
}

pub struct Read {
    pub out: Output,
    pub shared: Shared,
}

impl Read {
    pub fn told(&self) -> String {
        let names = &self.shared.names;
        let one = |event: &hookscope::model::Event| {
            let subject = names.get(event.subject).map_or(String::new(), |subject| format!(":{subject}"));
            format!("{}{subject}", names.text(event.name))
        };
        self.out.events.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    pub fn marks(&self, event: &str) -> Vec<(MarkKind, Option<Says>)> {
        let of = |ix: usize| self.shared.names.text(self.out.events[ix].name) == event;
        self.out.marks.iter().filter(|mark| of(mark.event.at())).map(|mark| (mark.kind, mark.says)).collect()
    }

    pub fn evidence(&self, event: &str) -> Evidence {
        let found = self.out.events.iter().find(|one| self.shared.names.text(one.name) == event);
        found.unwrap().evidence
    }
}
