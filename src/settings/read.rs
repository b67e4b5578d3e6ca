//! One file's text into a settings file, its groups and its switches.

use super::agents::{self, HookFile};
use super::file::Content;
use super::front_matter;
use super::json::{self, Fault};
use super::node::{Node, Object};
use super::shape::{self, Shape};
use super::toml;
use super::version::Version;
use crate::model::{EraOrigin, MatcherGroup, Position, SettingsFile, Time};

/// A settings file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The file.
    pub file: SettingsFile,
    /// Its groups that count, with `file` 0.
    pub groups: Vec<MatcherGroup>,
    /// Single values that matter for hooks.
    pub(super) values: Values,
}

/// Single values of a settings file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Values {
    /// `disableAllHooks`
    pub disable_all: Option<(bool, Position)>,
    /// `allowManagedHooksOnly`
    pub managed_only: Option<(bool, Position)>,
    /// `features.hooks` of Codex: whether there are hooks at all.
    pub feature: Option<(bool, Position)>,
    /// `enabledPlugins`: `NAME@MARKETPLACE` and whether it is on.
    pub plugins: Vec<(String, bool)>,
}

/// In which form hooks stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A settings file, or a plugin's `hooks.json`.
    Settings,
    /// `hooks` inline in a plugin's manifest, the n-th where it is a list.
    Manifest(Option<usize>),
    /// Front matter of a skill.
    Skill,
    /// Front matter of a subagent.
    Subagent,
    /// A hook file of another agent.
    Other(&'static HookFile),
}

impl Form {
    /// The form that a file of that name has.
    pub(super) fn of(path: &str) -> Form {
        let skill = path.rsplit(['/', '\\']).next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        match (skill, path.ends_with(".md")) {
            (true, _) => Form::Skill,
            (_, true) => Form::Subagent,
            _ => Form::Settings,
        }
    }
}

/// Reads the text of a settings file (or of a skill's or subagent's Markdown file, by the name in `path`) as the
/// newest client does. Never fails: a broken text is a file with status rejected, with line and column.
pub fn read_text(text: &str, scope: &str, path: &str) -> Read {
    let content = Content::Text { text: text.to_owned(), changed: Time::UNKNOWN };
    read(&content, &Source { scope, path, form: Form::of(path), version: Version::NEWEST })
}

/// What is known of a text before it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub scope: &'a str,
    /// As shown.
    pub path: &'a str,
    pub form: Form,
    pub version: Version,
}

/// Reads a file's content.
pub(super) fn read(content: &Content, source: &Source<'_>) -> Read {
    let unreadable = |why: &str| Err(Fault { why: why.to_owned(), position: None });
    let (root, changed) = match content {
        Content::Missing => (unreadable("there is no such file"), Time::UNKNOWN),
        Content::Unreadable(why) => (unreadable(why), Time::UNKNOWN),
        Content::Text { text, changed } => (root(text, source), *changed),
    };
    let (shape, values) = match root {
        Err(fault) => (Shape::refused(fault), Values::default()),
        Ok(None) => (Shape::empty(), Values::default()),
        Ok(Some(node)) => {
            let shape = match source.form {
                Form::Other(rules) => agents::judge(&node, rules, source.scope, source.path),
                _ => shape::judge(&node, source.scope, source.version),
            };
            let values = match (&shape.status, node.object(), source.form) {
                (crate::model::FileStatus::Loaded, Some(object), Form::Settings) => values(object),
                (crate::model::FileStatus::Loaded, Some(object), Form::Other(rules)) if rules.is_toml(source.path) => {
                    Values { feature: feature(object), ..Values::default() }
                }
                _ => Values::default(),
            };
            (shape, values)
        }
    };
    let mut groups = shape.groups;
    for group in &mut groups {
        limit(group, source);
    }
    let file = SettingsFile {
        scope: source.scope.to_owned(),
        path: source.path.to_owned(),
        status: shape.status,
        drops: shape.drops,
        changed,
        origin: EraOrigin::Now,
        warnings: Vec::new(),
        permissions: shape.permissions.filter(|_| source.form == Form::Settings),
    };
    Read { file, groups, values }
}

fn root(text: &str, source: &Source<'_>) -> Result<Option<Node>, Fault> {
    match source.form {
        Form::Settings => json::read(text),
        Form::Other(rules) if rules.is_toml(source.path) => toml::read(text),
        Form::Other(rules) if rules.comments => json::read_with_comments(text),
        Form::Other(_) => json::read(text),
        Form::Skill | Form::Subagent => {
            // Only `hooks` is the agent's affair here: other keys are the author's.
            Ok(front_matter::read(text)?.map(only_hooks))
        }
        Form::Manifest(index) => Ok(json::read(text)?.map(only_hooks).map(|mut node| {
            if let (Some(index), super::node::Kind::Object(object)) = (index, &mut node.kind) {
                for member in &mut object.members {
                    if let Some(item) = member.value.list().and_then(|list| list.get(index)) {
                        member.value = item.clone();
                    }
                }
            }
            // A manifest may hold a whole hook file's object instead of its `hooks`.
            let inner = node.object().and_then(|object| object.get("hooks"));
            let wrapped = inner.filter(|inner| {
                inner.object().is_some_and(|inner| inner.get("hooks").is_some_and(|hooks| hooks.object().is_some()))
            });
            wrapped.cloned().unwrap_or(node)
        })),
    }
}

fn only_hooks(mut node: Node) -> Node {
    if let super::node::Kind::Object(object) = &mut node.kind {
        object.members.retain(|member| member.name == "hooks");
    }
    node
}

/// `codex_hooks` is the older name.
fn feature(object: &Object) -> Option<(bool, Position)> {
    let features = object.get("features").and_then(Node::object)?;
    let switch = |name: &str| features.member(name).and_then(|member| Some((member.value.bool()?, member.at)));
    switch("hooks").or_else(|| switch("codex_hooks"))
}

fn values(object: &Object) -> Values {
    let switch = |name: &str| object.member(name).and_then(|member| Some((member.value.bool()?, member.at)));
    let plugins = object.get("enabledPlugins").and_then(Node::object).map(|plugins| {
        // A list of versions is a yes as well.
        let on = |node: &Node| node.bool().or_else(|| node.list().map(|_| true));
        plugins.members.iter().filter_map(|member| Some((member.name.clone(), on(&member.value)?))).collect()
    });
    Values {
        disable_all: switch("disableAllHooks"),
        managed_only: switch("allowManagedHooksOnly"),
        feature: None,
        plugins: plugins.unwrap_or_default(),
    }
}

/// Front matter counts only while its skill or subagent does; a subagent's `Stop` is its SubagentStop.
fn limit(group: &mut MatcherGroup, source: &Source<'_>) {
    match source.form {
        Form::Skill => {
            let name = source.scope.strip_prefix("skill-").unwrap_or(source.scope);
            group.limited_to = Some(format!("only from the use of the skill {name} to the end of the session"));
        }
        Form::Subagent => {
            let name = source.scope.strip_prefix("agent-").unwrap_or(source.scope);
            let mut why = format!("only while the subagent {name} runs");
            if group.event == "Stop" {
                group.event = "SubagentStop".to_owned();
                why.push_str("; its Stop is a SubagentStop");
            }
            group.limited_to = Some(why);
        }
        Form::Settings | Form::Manifest(_) | Form::Other(_) => {}
    }
}

/// The `name` of a Markdown file's front matter, and whether it has hooks at all.
pub(super) fn heading(text: &str) -> (Option<String>, bool) {
    match front_matter::read(text) {
        // Broken front matter that speaks of hooks is worth showing as refused.
        Err(_) => (None, text.lines().take(200).any(|line| line.starts_with("hooks:"))),
        Ok(None) => (None, false),
        Ok(Some(node)) => {
            let object = node.object();
            let name = object.and_then(|object| object.text("name")).map(str::to_owned);
            (name, object.is_some_and(|object| object.get("hooks").is_some()))
        }
    }
}

/// A name as a scope: `[a-z][a-z0-9-]*`, with a lead such as `plugin-`.
pub(super) fn scope_name(lead: &str, name: &str) -> String {
    let mut scope = String::from(lead);
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => scope.push(c),
            _ if scope.ends_with('-') => {}
            _ => scope.push('-'),
        }
    }
    scope.trim_end_matches('-').to_owned()
}
