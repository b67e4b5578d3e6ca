//! The bundled sessions: small made-up ones, each about one thing that goes wrong (or right) with hooks.
//!
//! Owns what is embedded from `sessions/` and the row of each that matters. Must not know any screen. The lines
//! have the shape that Claude Code 2.1.332 writes; a test runs the handlers and holds the transcript against them.

use crate::model::{Era, EraOrigin, EventIx, HookSet, MatcherGroup, Plan, Session, SettingsFile, Time};
use crate::settings;

/// The working folder of every demo, as its lines have it. It exists nowhere.
pub const CWD: &str = "/home/you/demo";

/// A bundled session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demo {
    /// `stop-loop`: the word after `hookscope demo`.
    pub name: &'static str,
    /// The question of a newcomer that it answers; the three that have one lead the picker, in this order.
    pub question: Option<&'static str>,
    /// What is wrong, one sentence. Says that it is made up.
    pub sentence: &'static str,
    /// The row on which it opens.
    pub row: Row,
    /// The next two keys, and what they show here.
    pub keys: [(&'static str, &'static str); 2],
    /// Its files; the first is the transcript.
    pub files: &'static [DemoFile],
}

/// A row told by what it is, so that it is found whatever else a reader derives around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Event name.
    pub event: &'static str,
    /// What a matcher is tested on; none: whatever it is.
    pub subject: Option<&'static str>,
    /// Type of the subagent it happened in; none: in any agent.
    pub sub: Option<&'static str>,
    /// Which of these, from 1, in firing order.
    pub nth: usize,
}

/// What a file of a demo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// The session's own file.
    Transcript,
    /// The file of one of its subagents.
    Subagent,
    /// What the client noted about a subagent (`agent-ID.meta.json`).
    SubagentMeta,
    /// The project's `.claude/settings.json`: all hooks that there are.
    Settings,
    /// A handler that the settings name.
    Script,
}

/// A file of a demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoFile {
    /// What it is.
    pub kind: FileKind,
    /// Path below `sessions/NAME/`. Subagents stand to the transcript as in the client's own folder.
    pub path: &'static str,
    /// What is in it.
    pub text: &'static str,
}

impl Demo {
    /// The demo of that name.
    pub fn by_name(name: &str) -> Option<&'static Demo> {
        ALL.iter().find(|demo| demo.name == name)
    }

    /// Its files of one kind.
    pub fn files_of(&self, kind: FileKind) -> impl Iterator<Item = &'static DemoFile> {
        self.files.iter().filter(move |file| file.kind == kind)
    }

    /// What to call one of its files: settings and scripts stand where its own session would have had them, the
    /// client's files where this project keeps them. Nothing need exist there.
    pub fn place(&self, file: &DemoFile) -> String {
        match file.kind {
            FileKind::Settings => format!("{CWD}/.claude/settings.json"),
            FileKind::Script => format!("{CWD}/.claude/hooks/{}", file.path),
            FileKind::Transcript | FileKind::Subagent | FileKind::SubagentMeta => {
                format!("sessions/{}/{}", self.name, file.path)
            }
        }
    }

    /// Its own settings and no others.
    pub fn plan(&self) -> Plan {
        let mut set = HookSet::default();
        for file in self.files_of(FileKind::Settings) {
            let path = self.place(file);
            let read = settings::read_text(file.text, "project", &path);
            let at = set.files.len();
            set.files.push(SettingsFile { origin: EraOrigin::Given, ..read.file });
            set.groups.extend(read.groups.into_iter().map(|group| MatcherGroup { file: at, ..group }));
        }
        Plan {
            eras: vec![Era { from: Time::UNKNOWN, set, note: None }],
            looked_at: Vec::new(),
            given: true,
            blind: false,
            trust_known: false,
            dialect: None,
        }
    }

    /// The row that matters, once so much of the session is read.
    pub fn event_in(&self, session: &Session) -> Option<EventIx> {
        let at = |&(_, event): &(usize, &crate::model::Event)| {
            session.text(event.name) == Some(self.row.event)
                && self.row.subject.is_none_or(|subject| session.text(event.subject) == Some(subject))
                && self.row.sub.is_none_or(|sub| session.text(session.agent_of(event).kind) == Some(sub))
        };
        let (ix, _) = session.events.iter().enumerate().filter(at).nth(self.row.nth.checked_sub(1)?)?;
        u32::try_from(ix).ok().map(EventIx)
    }
}

/// A file as it is found in `sessions/`.
macro_rules! file {
    ($kind:ident, $demo:literal, $path:literal) => {
        DemoFile {
            kind: FileKind::$kind,
            path: $path,
            text: include_str!(concat!("../../sessions/", $demo, "/", $path)),
        }
    };
}

/// Every demo: first the three that answer a question.
pub const ALL: &[Demo] = &[
    Demo {
        name: "never-fires",
        question: Some("a hook did not fire"),
        sentence: "Made up: guard.sh never runs: its matcher says `bash`, the tool is `Bash`.",
        row: Row { event: "PreToolUse", subject: Some("Bash"), sub: None, nth: 2 },
        keys: [("m", "try the matcher on this session's tools"), ("H", "each hook, and why it never ran")],
        files: &[
            file!(Transcript, "never-fires", "session.jsonl"),
            file!(Settings, "never-fires", "settings.json"),
            file!(Script, "never-fires", "guard.sh"),
            file!(Script, "never-fires", "fmt.sh"),
        ],
    },
    Demo {
        name: "ignored",
        question: Some("a decision was ignored"),
        sentence: "Made up: guard.sh says no with exit 1, and the push is made all the same.",
        row: Row { event: "PreToolUse", subject: Some("Bash"), sub: None, nth: 3 },
        keys: [("Tab", "to the hooks: exit code and words"), ("H", "how often guard.sh failed")],
        files: &[
            file!(Transcript, "ignored", "session.jsonl"),
            file!(Settings, "ignored", "settings.json"),
            file!(Script, "ignored", "guard.sh"),
        ],
    },
    Demo {
        name: "stop-loop",
        question: Some("it will not stop"),
        sentence: "Made up: ci.sh sends the agent back nine times, until the client's cap.",
        row: Row { event: "Stop", subject: None, sub: None, nth: 9 },
        keys: [("L", "the loop: rounds, reason, flag, cap"), ("{", "the block before")],
        files: &[
            file!(Transcript, "stop-loop", "session.jsonl"),
            file!(Settings, "stop-loop", "settings.json"),
            file!(Script, "stop-loop", "ci.sh"),
            file!(Script, "stop-loop", "fmt.sh"),
        ],
    },
    Demo {
        name: "refused",
        question: None,
        sentence: "Made up: guard.sh refuses a force push with exit 2; the model gives way.",
        row: Row { event: "PreToolUse", subject: Some("Bash"), sub: None, nth: 2 },
        keys: [("}", "the next decision: fmt.sh after an edit"), ("Tab", "to the hooks and the decision")],
        files: &[
            file!(Transcript, "refused", "session.jsonl"),
            file!(Settings, "refused", "settings.json"),
            file!(Script, "refused", "guard.sh"),
            file!(Script, "refused", "fmt.sh"),
        ],
    },
    Demo {
        name: "subagents",
        question: None,
        sentence: "Made up: two subagents, one in the background; a call in one is refused.",
        row: Row { event: "PreToolUse", subject: Some("Bash"), sub: Some("reviewer"), nth: 2 },
        keys: [("}", "the next decision: its stop is sent back once"), ("&", "filter: sub:reviewer")],
        files: &[
            file!(Transcript, "subagents", "session.jsonl"),
            file!(Subagent, "subagents", "session/subagents/agent-a5d2c81f0e7734b19.jsonl"),
            file!(SubagentMeta, "subagents", "session/subagents/agent-a5d2c81f0e7734b19.meta.json"),
            file!(Subagent, "subagents", "session/subagents/agent-a01b6f9c2d48e57a3.jsonl"),
            file!(SubagentMeta, "subagents", "session/subagents/agent-a01b6f9c2d48e57a3.meta.json"),
            file!(Settings, "subagents", "settings.json"),
            file!(Script, "subagents", "guard.sh"),
            file!(Script, "subagents", "scope.sh"),
            file!(Script, "subagents", "verdict.sh"),
        ],
    },
    Demo {
        name: "compaction",
        question: None,
        sentence: "Made up: after a compaction rules.sh is silent: it matches `startup` only.",
        row: Row { event: "SessionStart", subject: Some("compact"), sub: None, nth: 1 },
        keys: [("m", "try startup|compact"), ("[", "PreCompact, with keep.sh")],
        files: &[
            file!(Transcript, "compaction", "session.jsonl"),
            file!(Settings, "compaction", "settings.json"),
            file!(Script, "compaction", "rules.sh"),
            file!(Script, "compaction", "keep.sh"),
        ],
    },
    Demo {
        name: "banner",
        question: None,
        sentence: "Made up: guard.sh prints a line before its JSON, so its refusal is lost.",
        row: Row { event: "PreToolUse", subject: Some("Bash"), sub: None, nth: 2 },
        keys: [("Tab", "to the hooks: what was on stdout"), ("]", "the next event with a hook")],
        files: &[
            file!(Transcript, "banner", "session.jsonl"),
            file!(Settings, "banner", "settings.json"),
            file!(Script, "banner", "guard.sh"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Agent, AgentIx, ContextIx, Event, LineRef};

    #[test]
    fn the_row_is_found_by_event_subject_agent_and_count() {
        let mut session = Session::new("claude-code");
        let kind = session.names.intern("reviewer");
        session.agents.push(Agent { kind, ..Agent::MAIN });
        for (name, subject, agent) in [
            ("PreToolUse", "Bash", 0),
            ("PreToolUse", "Read", 0),
            ("Stop", "", 0),
            ("PreToolUse", "Bash", 0),
            ("PreToolUse", "Bash", 1),
        ] {
            let name = session.names.intern(name);
            let mut event = Event::new(name, Time::UNKNOWN, LineRef::NONE, ContextIx(0));
            event.subject = session.names.intern(subject);
            event.agent = AgentIx(agent);
            session.events.push(event);
        }
        let check = |event, subject, sub, nth, expect: Option<u32>| {
            let demo = Demo { row: Row { event, subject, sub, nth }, ..ALL[0] };
            assert_eq!(demo.event_in(&session), expect.map(EventIx), "{:?}", demo.row);
        };
        check("PreToolUse", Some("Bash"), None, 2, Some(3));
        check("PreToolUse", None, None, 2, Some(1));
        check("PreToolUse", Some("Bash"), Some("reviewer"), 1, Some(4));
        check("Stop", None, None, 1, Some(2));
        check("Stop", None, None, 2, None);
    }

    #[test]
    fn handlers_stand_where_the_settings_name_them() {
        let demo = Demo::by_name("subagents").unwrap();
        let places: Vec<String> = demo.files.iter().map(|file| demo.place(file)).collect();
        assert_eq!(places[0], "sessions/subagents/session.jsonl");
        assert!(places.contains(&"/home/you/demo/.claude/settings.json".to_owned()));
        assert!(places.contains(&"/home/you/demo/.claude/hooks/verdict.sh".to_owned()));
    }

    #[test]
    fn names_are_found() {
        assert_eq!(Demo::by_name("stop-loop").map(|demo| demo.files[0].path), Some("session.jsonl"));
        assert_eq!(Demo::by_name("Stop-Loop"), None);
    }
}
