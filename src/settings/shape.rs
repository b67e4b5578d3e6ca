//! What the client makes of a hook file: what counts, what is dropped, what makes it refuse the whole file.
//!
//! The rules are those of the loader of client 2.1.332. Under a *guard event* any fault is fatal: the broken hook
//! may be what guards the permissions next to it.

use super::claude_code::{
    COMMON_FIELDS, EVENTS, GUARD_EVENTS, GUARD_FAULT_TOLERATED, HANDLER_TYPES, HandlerType, NOT_SEARCHED, SEARCH_DEPTH,
    UNKNOWN_EVENT_TOLERATED, Wants,
};
use super::json::Fault;
use super::node::{Kind, Member, Node, Object};
use super::version::Version;
use crate::model::{Drop, FileStatus, Handler, HandlerKind, MatcherGroup, Matching, Permissions, Position};

/// What a file holds, by the agent's own reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Loaded or refused.
    pub status: FileStatus,
    /// Groups that count; none of a refused file.
    pub groups: Vec<MatcherGroup>,
    /// What is left out.
    pub drops: Vec<Drop>,
    /// `permissions`, where the key is there.
    pub permissions: Option<Permissions>,
}

impl Shape {
    /// A file that the agent refuses.
    pub fn refused(fault: Fault) -> Shape {
        let status = FileStatus::Rejected { why: fault.why, position: fault.position };
        Shape { status, groups: Vec::new(), drops: Vec::new(), permissions: None }
    }

    /// A file that says nothing.
    pub fn empty() -> Shape {
        Shape { status: FileStatus::Loaded, groups: Vec::new(), drops: Vec::new(), permissions: None }
    }
}

/// Judges a settings file, a plugin's hook file or front matter.
pub fn judge(root: &Node, scope: &str, version: Version) -> Shape {
    let mut judge = Judge {
        scope,
        unknown_event_tolerated: version >= UNKNOWN_EVENT_TOLERATED,
        guard_fault_tolerated: GUARD_FAULT_TOLERATED.contains(&version),
        groups: Vec::new(),
        drops: Vec::new(),
    };
    match judge.root(root) {
        Err(fault) => Shape::refused(fault),
        Ok(()) => {
            let permissions = root.object().and_then(|root| root.get("permissions")).map(permissions);
            Shape { status: FileStatus::Loaded, groups: judge.groups, drops: judge.drops, permissions }
        }
    }
}

struct Judge<'a> {
    scope: &'a str,
    unknown_event_tolerated: bool,
    guard_fault_tolerated: bool,
    groups: Vec<MatcherGroup>,
    drops: Vec<Drop>,
}

impl Judge<'_> {
    fn root(&mut self, root: &Node) -> Result<(), Fault> {
        let Some(object) = root.object() else {
            return Err(fatal(root.at, format!("the file holds {}, settings are an object", root.word())));
        };
        for member in &object.members {
            if member.name != "hooks" && !NOT_SEARCHED.contains(&member.name.as_str()) {
                self.search_root(member)?;
            }
        }
        let Some(hooks) = object.get("hooks") else { return Ok(()) };
        match &hooks.kind {
            Kind::Object(events) => self.events(hooks, events),
            Kind::List(list) if list.iter().any(|item| item.object().is_some()) => {
                Err(fatal(hooks.at, "`hooks` is a list, it must map event names to lists of groups"))
            }
            _ => {
                if let Some((event, at)) = hidden(hooks, SEARCH_DEPTH) {
                    return Err(fatal(at, format!("`{event}` stands inside a list, not directly under `hooks`")));
                }
                let why = format!("`hooks` is {}, it must map event names to lists of groups: ignored", hooks.word());
                self.drop("hooks", why, hooks.at);
                Ok(())
            }
        }
    }

    /// A guard event outside `hooks` guards nothing, which the client takes for an accident.
    fn search_root(&self, member: &Member) -> Result<(), Fault> {
        let found = if is_guard(&member.name) && holds_something(&member.value) {
            Some((member.name.as_str(), member.at))
        } else {
            hidden(&member.value, SEARCH_DEPTH)
        };
        match found {
            Some((event, at)) if !self.guard_fault_tolerated => {
                Err(fatal(at, format!("`{event}` stands outside `hooks`, where it would guard nothing")))
            }
            _ => Ok(()),
        }
    }

    fn events(&mut self, hooks: &Node, events: &Object) -> Result<(), Fault> {
        if is_group(events) && !events.members.iter().any(|member| is_event(&member.name)) {
            return Err(fatal(
                hooks.at,
                "`hooks` is itself a matcher group, it must map event names to lists of groups",
            ));
        }
        for (name, at) in &events.shadowed {
            let why = format!("`{name}` stands more than once: only the last one counts");
            self.drop(name, why, *at);
        }
        for member in &events.members {
            if is_event(&member.name) { self.event(member)? } else { self.unknown_event(member)? }
        }
        Ok(())
    }

    fn unknown_event(&mut self, member: &Member) -> Result<(), Fault> {
        let name = &member.name;
        if let Some((event, at)) = hidden(&member.value, SEARCH_DEPTH) {
            return Err(fatal(at, format!("`{event}` stands under the unknown event `{name}`")));
        }
        if member.value.object().is_some_and(is_group) {
            return Err(fatal(member.at, format!("`{name}` is no hook event and holds a single group, not a list")));
        }
        let near = EVENTS.iter().find(|event| event.eq_ignore_ascii_case(name));
        let hint = near.map_or_else(String::new, |near| format!(" (`{near}` is)"));
        if !self.unknown_event_tolerated {
            let why = format!("`{name}` is no hook event{hint}; clients before 2.1.101 refuse the whole file for it");
            return Err(fatal(member.at, why));
        }
        self.drop(name, format!("`{name}` is no hook event{hint}"), member.at);
        Ok(())
    }

    fn event(&mut self, member: &Member) -> Result<(), Fault> {
        let name = &member.name;
        let Some(groups) = member.value.list() else {
            let why = format!("`{name}` holds {}, it must be a list of groups", member.value.word());
            return if member.value.is_null() {
                self.drop(name, why, member.value.at);
                Ok(())
            } else {
                self.fault(name, name.clone(), why, member.value.at)
            };
        };
        for (index, group) in groups.iter().enumerate() {
            self.group(name, &format!("{name}/{index}"), group)?;
        }
        Ok(())
    }

    fn group(&mut self, event: &str, place: &str, node: &Node) -> Result<(), Fault> {
        let Some(object) = node.object() else {
            let why = format!("the group is {}, it must be an object", node.word());
            return self.fault(event, place.to_owned(), why, node.at);
        };
        if let Some((hidden, at)) = hidden(node, 1) {
            return self.misplaced(event, place, hidden, at);
        }
        let matcher = object.get("matcher");
        if let Some(matcher) = matcher
            && matcher.text().is_none()
        {
            let why = format!("the matcher is {}, it must be a text", matcher.word());
            return self.fault(event, place.to_owned(), why, matcher.at);
        }
        let hooks = object.get("hooks");
        let Some(list) = hooks.and_then(Node::list) else {
            let why = match hooks {
                None if object.get("type").is_some() => {
                    "the handler stands where a group belongs: it must sit in a `hooks` list of the group".to_owned()
                }
                None => "the group has no `hooks` list".to_owned(),
                Some(hooks) => format!("the group's `hooks` is {}, it must be a list of handlers", hooks.word()),
            };
            return self.fault(event, place.to_owned(), why, hooks.map_or(node.at, |hooks| hooks.at));
        };
        let mut handlers = Vec::new();
        for (index, handler) in list.iter().enumerate() {
            let place = format!("{place}/{index}");
            match handler_of(format!("{}:{place}", self.scope), handler) {
                Ok(handler) => handlers.push(handler),
                Err(Amiss::Misplaced(hidden, at)) => self.misplaced(event, &place, &hidden, at)?,
                Err(Amiss::Fault(why, at)) => self.fault(event, place, why, at)?,
            }
        }
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
        Ok(())
    }

    fn misplaced(&mut self, event: &str, place: &str, hidden: &str, at: Position) -> Result<(), Fault> {
        let why = format!("`{hidden}` stands inside `{event}`, it must stand directly under `hooks`");
        if self.guard_fault_tolerated { self.fault(event, place.to_owned(), why, at) } else { Err(fatal(at, why)) }
    }

    /// Fatal under a guard event, else the loss of one entry.
    fn fault(&mut self, event: &str, place: String, why: String, at: Position) -> Result<(), Fault> {
        if is_guard(event) && !self.guard_fault_tolerated {
            return Err(fatal(at, format!("{why} (at {place})")));
        }
        self.drop(&place, why, at);
        Ok(())
    }

    fn drop(&mut self, place: &str, why: impl Into<String>, position: Position) {
        self.drops.push(Drop { id: format!("{}:{place}", self.scope), why: why.into(), position });
    }
}

enum Amiss {
    Misplaced(String, Position),
    Fault(String, Position),
}

fn handler_of(id: String, node: &Node) -> Result<Handler, Amiss> {
    let fault = |at, why: String| Err(Amiss::Fault(why, at));
    let Some(object) = node.object() else {
        return fault(node.at, format!("the handler is {}, it must be an object", node.word()));
    };
    if let Some((hidden, at)) = hidden(node, 1) {
        return Err(Amiss::Misplaced(hidden.to_owned(), at));
    }
    let words = || HANDLER_TYPES.iter().map(|kind| kind.word).collect::<Vec<_>>().join(", ");
    let kind = match object.get("type") {
        None => return fault(node.at, "the handler has no `type`".to_owned()),
        Some(word) => {
            let known = word.text().and_then(|word| HANDLER_TYPES.iter().find(|kind| kind.word == word));
            let Some(kind) = known else {
                let shown = word.text().map_or_else(|| word.word().to_owned(), |word| format!("`{word}`"));
                return fault(word.at, format!("the handler's type is {shown}, it must be one of {}", words()));
            };
            kind
        }
    };
    if let Some((at, why)) = first_fault(object, node.at, kind) {
        return fault(at, why);
    }
    let text = |name: &str| object.text(name).unwrap_or_default().to_owned();
    let texts = |node: &Node| Some(node.list()?.iter().filter_map(Node::text).map(str::to_owned).collect());
    let what = match kind.word {
        "command" => HandlerKind::Command {
            command: text("command"),
            args: object.get("args").and_then(texts),
            shell: object.text("shell").map(str::to_owned),
        },
        "http" => HandlerKind::Http { url: text("url") },
        "mcp_tool" => HandlerKind::McpTool { server: text("server"), tool: text("tool") },
        "prompt" => HandlerKind::Prompt { prompt: text("prompt") },
        _ => HandlerKind::Agent { prompt: text("prompt") },
    };
    let is_command = matches!(what, HandlerKind::Command { .. });
    let set = |name| object.bool(name).unwrap_or_default();
    Ok(Handler {
        id,
        kind: what,
        position: node.at,
        timeout: object.get("timeout").and_then(Node::number),
        condition: object.text("if").map(str::to_owned),
        background: is_command && (set("async") || set("asyncRewake")),
        held_back: None,
        raw: node.value(),
    })
}

fn first_fault(object: &Object, at: Position, kind: &HandlerType) -> Option<(Position, String)> {
    if let Some((missing, _)) = kind.required.iter().find(|(name, _)| object.get(name).is_none()) {
        return Some((at, format!("a `{}` handler needs `{missing}`", kind.word)));
    }
    let fields = kind.required.iter().chain(kind.optional).chain(COMMON_FIELDS);
    fields.filter_map(|(name, wants)| Some((name, wants, object.get(name)?))).find_map(|(name, wants, node)| {
        (!satisfies(node, *wants)).then(|| (node.at, format!("`{name}` must be {}", in_words(*wants))))
    })
}

fn satisfies(node: &Node, wants: Wants) -> bool {
    match wants {
        Wants::Text => node.text().is_some(),
        Wants::Url => node.text().is_some_and(is_url),
        Wants::Bool => node.bool().is_some(),
        Wants::Positive => node.number().is_some_and(|number| number > 0.0),
        Wants::Texts => node.list().is_some_and(|list| list.iter().all(|item| item.text().is_some())),
        Wants::Object => node.object().is_some(),
        Wants::TextObject => {
            node.object().is_some_and(|object| object.members.iter().all(|member| member.value.text().is_some()))
        }
        Wants::OneOf(words) => node.text().is_some_and(|text| words.contains(&text)),
    }
}

fn in_words(wants: Wants) -> String {
    match wants {
        Wants::Text => "a text".to_owned(),
        Wants::Url => "a URL".to_owned(),
        Wants::Bool => "true or false".to_owned(),
        Wants::Positive => "a number above 0".to_owned(),
        Wants::Texts => "a list of texts".to_owned(),
        Wants::Object => "an object".to_owned(),
        Wants::TextObject => "an object with texts".to_owned(),
        Wants::OneOf(words) => format!("one of {}", words.join(", ")),
    }
}

/// As far as `new URL(text)` would take it: a scheme, and a host where the scheme has one.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let with_host = ["http", "https", "ws", "wss", "ftp"].contains(&scheme.to_ascii_lowercase().as_str());
    let host = rest.trim_start_matches(['/', '\\']).split(['/', '?', '#']).next().unwrap_or_default();
    named && (!with_host || !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || "<>^|%".contains(c)))
}

fn fatal(at: Position, why: impl Into<String>) -> Fault {
    Fault { why: why.into(), position: Some(at) }
}

fn is_event(name: &str) -> bool {
    EVENTS.contains(&name)
}

fn is_guard(name: &str) -> bool {
    GUARD_EVENTS.contains(&name)
}

/// Whether an object looks like a matcher group.
fn is_group(object: &Object) -> bool {
    object.get("hooks").and_then(Node::list).is_some()
}

fn holds_something(node: &Node) -> bool {
    node.list().is_some_and(|list| !list.is_empty()) || node.object().is_some_and(|object| !object.members.is_empty())
}

/// A guard event with groups that hides inside a value, at most that many levels deep.
fn hidden(node: &Node, levels: usize) -> Option<(&str, Position)> {
    match &node.kind {
        Kind::List(list) => list.iter().find_map(|item| hidden(item, levels)),
        Kind::Object(object) if levels > 0 => object.members.iter().find_map(|member| {
            if is_guard(&member.name) && holds_something(&member.value) {
                return Some((member.name.as_str(), member.at));
            }
            hidden(&member.value, levels - 1)
        }),
        _ => None,
    }
}

fn permissions(node: &Node) -> Permissions {
    let Some(object) = node.object() else { return Permissions::default() };
    let rules = |name: &str| {
        let list = object.get(name).and_then(Node::list).unwrap_or_default();
        list.iter().filter_map(|rule| Some((rule.text()?.to_owned(), rule.at))).collect()
    };
    Permissions {
        allow: rules("allow"),
        ask: rules("ask"),
        deny: rules("deny"),
        default_mode: object.text("defaultMode").map(str::to_owned),
    }
}
