//! Hook files of the agents beside Claude Code: where they stand, what they must look like, what a fault costs.
//!
//! All of them map event names to matcher groups with handlers; the rest is this page's table. Owns no rule about
//! what a hook does.

use std::path::Path;

use super::discover::Discovery;
use super::json::Fault;
use super::node::{Kind, Member, Node, Object};
use super::read::Form;
use super::shape::Shape;
use super::{Request, Version};
use crate::dialect::{self, Dialect};
use crate::model::{Drop, FileStatus, Handler, HandlerKind, MatcherGroup, Matching, Position};

/// What a fault costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The entry that it is in.
    Entry,
    /// The whole file.
    File,
}

/// What an agent's hook files are like.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HookFile {
    /// Whose.
    pub dialect: &'static str,
    /// Files below the home folder, with their scopes; then those below the folder of the session.
    pub places: &'static [(Under, &'static str, &'static str)],
    /// Names of files that hold the events themselves, without `hooks` around them.
    pub bare: &'static [&'static str],
    /// Keys that a file of that name may have at its root.
    pub root_keys: Option<(&'static str, &'static [&'static str])>,
    /// What an unknown event costs.
    pub unknown_event: Loss,
    /// Types of handlers that are run.
    pub types: &'static [&'static str],
    /// Types that are known and passed over.
    pub skipped_types: &'static [&'static str],
    /// What any other type costs.
    pub unknown_type: Loss,
    /// What a wrong shape costs.
    pub fault: Loss,
    /// Whether comments are let pass.
    pub comments: bool,
    /// Whether handlers stand in the event's list themselves, with their matcher, without groups around them.
    pub flat: bool,
    /// Fields that may hold the command, the first that is there.
    pub command: &'static [&'static str],
    /// Fields that may hold the time limit, the first that is there.
    pub timeout: &'static [&'static str],
    /// A field that switches a handler off when it is false.
    pub switch: Option<&'static str>,
    /// Fields of a handler that must be of their type, and what a wrong one is then.
    pub typed: &'static [(&'static str, Typed)],
    /// Whether a group may lack its list of handlers.
    pub bare_groups: bool,
    /// Whether hooks may stand in the `hooks` tables of TOML files too, with trust in `config.toml`.
    pub toml: bool,
}

/// What a field must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// A text.
    Text,
    /// True or false.
    Bool,
    /// A whole number, not below 0.
    Whole,
}

impl Typed {
    fn fits(self, node: &Node) -> bool {
        node.is_null()
            || match self {
                Typed::Text => node.text().is_some(),
                Typed::Bool => node.bool().is_some(),
                Typed::Whole => matches!(&node.kind, Kind::Number(number) if number.is_u64()),
            }
    }

    fn words(self) -> &'static str {
        match self {
            Typed::Text => "a text",
            Typed::Bool => "true or false",
            Typed::Whole => "a whole number, 0 or more",
        }
    }
}

impl HookFile {
    /// Whether a file of that name is read as TOML.
    pub fn is_toml(&self, path: &str) -> bool {
        self.toml && path.ends_with(".toml")
    }
}

/// Where a place's path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Under {
    /// The home folder.
    Home,
    /// The folder in which the session started.
    Start,
}

/// The table. Sources: the vendors' pages and captures (Cortex Code, Devin), measurements on Codex 0.171.0,
/// Gemini CLI 0.61.0 and Qwen Code 0.24.4.
static HOOK_FILES: &[HookFile] = &[
    HookFile {
        dialect: "cortex-code",
        places: &[
            (Under::Home, "user", ".snowflake/cortex/hooks.json"),
            (Under::Start, "project", ".cortex/settings.json"),
            (Under::Start, "local", ".cortex/settings.local.json"),
        ],
        bare: &[],
        root_keys: None,
        unknown_event: Loss::Entry,
        types: &["command", "prompt"],
        skipped_types: &[],
        unknown_type: Loss::Entry,
        fault: Loss::Entry,
        comments: false,
        flat: false,
        command: COMMAND,
        timeout: TIMEOUT,
        switch: Some("enabled"),
        typed: &[],
        bare_groups: false,
        toml: false,
    },
    HookFile {
        dialect: "devin",
        places: &[
            (Under::Home, "user", ".config/devin/config.json"),
            (Under::Start, "project", ".devin/config.json"),
            (Under::Start, "project", ".devin/hooks.v1.json"),
            (Under::Start, "local", ".devin/config.local.json"),
        ],
        bare: &["hooks.v1.json"],
        root_keys: None,
        unknown_event: Loss::File,
        types: &["command", "prompt"],
        skipped_types: &[],
        unknown_type: Loss::File,
        fault: Loss::File,
        comments: true,
        flat: false,
        command: COMMAND,
        timeout: TIMEOUT,
        switch: None,
        typed: &[],
        bare_groups: false,
        toml: false,
    },
    HookFile {
        dialect: "codex",
        places: &[(Under::Home, "user", ".codex/hooks.json"), (Under::Start, "project", ".codex/hooks.json")],
        bare: &[],
        root_keys: Some(("hooks.json", &["description", "hooks"])),
        unknown_event: Loss::Entry,
        types: &["command", "mcp_tool"],
        skipped_types: &["prompt", "agent"],
        unknown_type: Loss::File,
        fault: Loss::File,
        comments: false,
        flat: false,
        command: COMMAND,
        timeout: TIMEOUT,
        switch: None,
        typed: CODEX_FIELDS,
        bare_groups: true,
        toml: true,
    },
    HookFile {
        dialect: "gemini-cli",
        places: &[(Under::Home, "user", ".gemini/settings.json"), (Under::Start, "project", ".gemini/settings.json")],
        bare: &[],
        root_keys: None,
        unknown_event: Loss::Entry,
        types: &["command"],
        skipped_types: &[],
        unknown_type: Loss::Entry,
        fault: Loss::Entry,
        comments: true,
        flat: false,
        command: COMMAND,
        timeout: TIMEOUT,
        switch: None,
        typed: &[],
        bare_groups: false,
        toml: false,
    },
    HookFile {
        dialect: "qwen-code",
        places: &[(Under::Home, "user", ".qwen/settings.json"), (Under::Start, "project", ".qwen/settings.json")],
        bare: &[],
        root_keys: None,
        unknown_event: Loss::Entry,
        types: &["command", "http", "prompt", "function"],
        skipped_types: &[],
        unknown_type: Loss::Entry,
        fault: Loss::Entry,
        comments: true,
        flat: false,
        command: COMMAND,
        timeout: TIMEOUT,
        switch: None,
        typed: &[],
        bare_groups: false,
        toml: false,
    },
    HookFile {
        dialect: "copilot-cli",
        places: &[
            (Under::Home, "user", ".copilot/settings.json"),
            (Under::Start, "project", ".github/copilot/settings.json"),
        ],
        bare: &[],
        root_keys: None,
        unknown_event: Loss::Entry,
        types: &["command", "http", "prompt"],
        skipped_types: &[],
        unknown_type: Loss::Entry,
        fault: Loss::Entry,
        comments: false,
        flat: true,
        command: &["bash", "command"],
        timeout: &["timeoutSec", "timeout"],
        switch: None,
        typed: &[],
        bare_groups: false,
        toml: false,
    },
];

const COMMAND: &[&str] = &["command"];
const TIMEOUT: &[&str] = &["timeout"];

const CODEX_FIELDS: &[(&str, Typed)] = &[
    ("timeout", Typed::Whole),
    ("async", Typed::Bool),
    ("statusMessage", Typed::Text),
    ("commandWindows", Typed::Text),
    ("additionalContextLimit", Typed::Whole),
];

/// Keys of a TOML file's `hooks` table that are no events.
const NO_EVENTS: &[&str] = &["state", "managed_dir", "windows_managed_dir"];

/// What the hook files of a dialect are like; `None` for Claude Code, which has a page of its own.
pub(super) fn hook_file(dialect: &str) -> Option<&'static HookFile> {
    HOOK_FILES.iter().find(|file| file.dialect == dialect)
}

/// Whether an agent runs handlers of that type.
pub fn runs_type(dialect: &str, kind: &str) -> bool {
    hook_file(dialect).is_none_or(|file| file.types.contains(&kind))
}

/// Whether one event that an agent does not know costs it the whole file.
pub fn drops_file_of_unknown_event(dialect: &str) -> bool {
    hook_file(dialect).is_some_and(|file| file.unknown_event == Loss::File)
}

/// Where an agent's own hooks stand in a project, if in a file.
pub fn own_file(dialect: &str) -> Option<&'static str> {
    let Some(file) = hook_file(dialect) else { return (dialect == "claude-code").then_some(".claude/settings.json") };
    file.places.iter().find(|(under, _, _)| *under == Under::Start).map(|(_, _, place)| *place)
}

/// The dialect that a path of settings speaks of: by an agent's folder, or by one of its own file names.
pub fn dialect_of_path(path: &Path) -> Option<&'static str> {
    let shown = path.to_string_lossy();
    let own = || {
        let bare = |file: &&HookFile| path.file_name().is_some_and(|name| file.bare.iter().any(|bare| name == *bare));
        HOOK_FILES.iter().find(bare).or_else(|| {
            let of_home = |file: &&HookFile| file.places.iter().any(|(_, _, place)| path.ends_with(place));
            HOOK_FILES.iter().find(of_home)
        })
    };
    let by_form = || HOOK_FILES.iter().find(|file| file.is_toml(&shown));
    dialect::by_folder(&shown).map(|dialect| dialect.id).or_else(|| own().or_else(by_form).map(|file| file.dialect))
}

/// The hook files that a session of this agent may load.
pub(super) fn discover(request: &Request, rules: &'static HookFile) -> Discovery {
    let mut discovery = Discovery { version: Version::read(request.version.as_deref()), ..Discovery::default() };
    for (under, scope, path) in rules.places {
        let folder = match under {
            Under::Home => request.home.clone(),
            Under::Start => request.start().cloned(),
        };
        if let Some(folder) = folder {
            let _ = discovery.look(scope, &folder.join(path), Form::Other(rules));
        }
    }
    discovery.number_scopes();
    discovery
}

/// Judges a hook file.
pub(super) fn judge(root: &Node, rules: &'static HookFile, scope: &str, path: &str) -> Shape {
    let Some(dialect) = dialect::by_id(rules.dialect) else { return Shape::empty() };
    let toml = rules.is_toml(path);
    let mut judge = Judge { rules, dialect, scope, toml, groups: Vec::new(), drops: Vec::new() };
    match judge.root(root, path) {
        Err(fault) => Shape::refused(fault),
        Ok(()) => Shape { status: FileStatus::Loaded, groups: judge.groups, drops: judge.drops, permissions: None },
    }
}

struct Judge<'a> {
    rules: &'static HookFile,
    dialect: &'static Dialect,
    scope: &'a str,
    toml: bool,
    groups: Vec<MatcherGroup>,
    drops: Vec<Drop>,
}

impl Judge<'_> {
    fn root(&mut self, root: &Node, path: &str) -> Result<(), Fault> {
        let Some(object) = root.object() else {
            return Err(fatal(root.at, format!("the file holds {}, hooks are an object", root.word())));
        };
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if self.rules.bare.contains(&name) {
            return self.events(object);
        }
        if let Some((_, keys)) = self.rules.root_keys.filter(|(file, _)| *file == name)
            && let Some(odd) = object.members.iter().find(|member| !keys.contains(&member.name.as_str()))
        {
            let why = format!("`{}` may not stand at the root: {} refuses the whole file", odd.name, self.dialect.name);
            return Err(fatal(odd.at, why));
        }
        let Some(hooks) = object.get("hooks") else {
            if let Some(event) = object.members.iter().find(|member| self.dialect.event(&member.name).is_some()) {
                let why = format!("`{}` stands outside `hooks`: it is not read there", event.name);
                self.drops.push(Drop { id: format!("{}:{}", self.scope, event.name), why, position: event.at });
            }
            return Ok(());
        };
        match hooks.object() {
            Some(events) => self.events(events),
            None => {
                let why = format!("`hooks` is {}, it must map event names to lists of groups", hooks.word());
                self.fault("hooks", why, hooks.at, self.rules.fault)
            }
        }
    }

    fn events(&mut self, events: &Object) -> Result<(), Fault> {
        let others = if self.toml { NO_EVENTS } else { &[] };
        for member in events.members.iter().filter(|member| !others.contains(&member.name.as_str())) {
            if self.dialect.event(&member.name).is_some() {
                self.event(member)?;
                continue;
            }
            let mut known = self.dialect.events.iter().map(|event| event.name);
            let near = known.find(|name| strsim::damerau_levenshtein(name, &member.name) <= 2);
            let hint = near.map_or_else(String::new, |near| format!(" (`{near}` is)"));
            let cost = match self.rules.unknown_event {
                Loss::File => format!(": {} refuses the whole file for it", self.dialect.name),
                Loss::Entry => ": it never fires".to_owned(),
            };
            let why = format!("`{}` is no event of {}{hint}{cost}", member.name, self.dialect.name);
            self.fault(&member.name, why, member.at, self.rules.unknown_event)?;
        }
        Ok(())
    }

    fn event(&mut self, member: &Member) -> Result<(), Fault> {
        let name = &member.name;
        let Some(groups) = member.value.list() else {
            let why = format!("`{name}` holds {}, it must be a list of groups", member.value.word());
            return self.fault(name, why, member.value.at, self.rules.fault);
        };
        for (index, group) in groups.iter().enumerate() {
            self.group(name, &format!("{name}/{index}"), group)?;
        }
        Ok(())
    }

    fn group(&mut self, event: &str, place: &str, node: &Node) -> Result<(), Fault> {
        let Some(object) = node.object() else {
            return self.fault(
                place,
                format!("the group is {}, it must be an object", node.word()),
                node.at,
                self.rules.fault,
            );
        };
        let matcher = object.get("matcher").filter(|matcher| !matcher.is_null());
        if let Some(matcher) = matcher
            && matcher.text().is_none()
        {
            let why = format!("the matcher is {}, it must be a text", matcher.word());
            return self.fault(place, why, matcher.at, self.rules.fault);
        }
        if self.rules.flat {
            let place = format!("{place}/0");
            let handlers = match self.handler(event, format!("{}:{place}", self.scope), node) {
                Ok(handler) => vec![handler],
                Err((why, at, loss)) => return self.fault(&place, why, at, loss),
            };
            self.keep(event, place.trim_end_matches("/0"), node, matcher, handlers);
            return Ok(());
        }
        if self.rules.bare_groups && object.get("hooks").is_none() {
            return Ok(());
        }
        let Some(list) = object.get("hooks").and_then(Node::list) else {
            return self.fault(place, "the group has no `hooks` list".to_owned(), node.at, self.rules.fault);
        };
        let mut handlers = Vec::new();
        for (index, handler) in list.iter().enumerate() {
            let place = format!("{place}/{index}");
            match self.handler(event, format!("{}:{place}", self.scope), handler) {
                Ok(handler) => handlers.push(handler),
                Err((why, at, loss)) => self.fault(&place, why, at, loss)?,
            }
        }
        self.keep(event, place, node, matcher, handlers);
        Ok(())
    }

    fn keep(&mut self, event: &str, place: &str, node: &Node, matcher: Option<&Node>, handlers: Vec<Handler>) {
        self.groups.push(MatcherGroup {
            id: format!("{}:{place}", self.scope),
            event: event.to_owned(),
            file: 0,
            position: node.at,
            matcher_position: matcher.map(|matcher| matcher.at),
            matcher: matcher.and_then(Node::text).map_or(Matching::Absent, |text| Matching::Text(text.to_owned())),
            handlers,
            limited_to: None,
        });
    }

    fn handler(&self, event: &str, id: String, node: &Node) -> Result<Handler, (String, Position, Loss)> {
        let Some(object) = node.object() else {
            return Err((format!("the handler is {}, it must be an object", node.word()), node.at, self.rules.fault));
        };
        let Some(word) = object.text("type") else {
            return Err(("the handler has no `type`".to_owned(), node.at, self.rules.unknown_type));
        };
        if self.rules.skipped_types.contains(&word) {
            let why = format!("handlers of type `{word}` are passed over by {}", self.dialect.name);
            return Err((why, node.at, Loss::Entry));
        }
        if !self.rules.types.contains(&word) {
            let why = format!("`{word}` is no handler type of {}: {}", self.dialect.name, self.rules.types.join(", "));
            return Err((why, node.at, self.rules.unknown_type));
        }
        if let Some(switch) = self.rules.switch
            && object.bool(switch) == Some(false)
        {
            return Err((format!("`{switch}` is false: the handler is off"), node.at, Loss::Entry));
        }
        if let Some((name, typed, node)) = self
            .rules
            .typed
            .iter()
            .filter_map(|(name, typed)| Some((name, typed, object.get(name)?)))
            .find(|(_, typed, node)| !typed.fits(node))
        {
            return Err((format!("`{name}` must be {}", typed.words()), node.at, self.rules.fault));
        }
        let text = |name: &str| {
            object
                .text(name)
                .map(str::to_owned)
                .ok_or_else(|| (format!("a `{word}` handler needs `{name}`"), node.at, self.rules.fault))
        };
        let kind = match word {
            "command" => {
                let command = self.rules.command.iter().find_map(|name| object.text(name)).map(str::to_owned);
                let command = command.map_or_else(|| text("command"), Ok)?;
                if self.rules.toml && command.trim().is_empty() {
                    return Err(("the command is empty: the handler is passed over".to_owned(), node.at, Loss::Entry));
                }
                HandlerKind::Command { command, args: None, shell: None }
            }
            "http" => HandlerKind::Http { url: text("url")? },
            "mcp_tool" if self.rules.toml && passes_over_tool(event, object) => {
                let why =
                    "the tool is passed over: it needs a server and a tool by name, and is not called at SessionEnd";
                return Err((why.to_owned(), node.at, Loss::Entry));
            }
            "mcp_tool" => HandlerKind::McpTool { server: text("server")?, tool: text("tool")? },
            "prompt" => HandlerKind::Prompt { prompt: text("prompt")? },
            _ => HandlerKind::Callback,
        };
        Ok(Handler {
            id,
            kind,
            position: node.at,
            timeout: self.rules.timeout.iter().find_map(|name| object.get(name)).and_then(Node::number),
            condition: None,
            background: object.bool("async").unwrap_or_default(),
            held_back: None,
            raw: node.value(),
        })
    }

    fn fault(&mut self, place: &str, why: String, at: Position, loss: Loss) -> Result<(), Fault> {
        if loss == Loss::File {
            return Err(fatal(at, why));
        }
        self.drops.push(Drop { id: format!("{}:{place}", self.scope), why, position: at });
        Ok(())
    }
}

/// Whether Codex leaves a tool of an MCP server out; one without its names is a fault of the shape.
fn passes_over_tool(event: &str, handler: &Object) -> bool {
    let blank = |name: &str| handler.text(name).is_some_and(|text| text.trim().is_empty());
    event == "SessionEnd" || blank("server") || blank("tool")
}

fn fatal(at: Position, why: String) -> Fault {
    Fault { why, position: Some(at) }
}
