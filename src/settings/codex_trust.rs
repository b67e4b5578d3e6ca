//! Which hooks Codex trusts: hashes of handlers, folders of projects, switches in its `config.toml`.
//!
//! Owns the trust rules of this agent, from its public source and from what 0.171.0 listed. Reads files, starts
//! nothing. Must not know what a hook does.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::discover::Repository;
use super::file::{self, Content};
use super::json::Fault;
use super::node::{Node, Object};
use super::read::Read;
use super::toml;
use crate::dialect::codex::DIALECT;
use crate::dialect::{Dialect, MatcherUse};
use crate::model::{Handler, MatcherGroup};

/// What `config.toml` says of hooks and folders.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    /// As shown.
    shown: String,
    /// Why it can't be read, if it is there.
    fault: Option<String>,
    states: HashMap<String, State>,
    /// `trust_level` by folder.
    projects: HashMap<String, String>,
    /// `project_root_markers`.
    markers: Option<Vec<String>>,
}

/// `[hooks.state."KEY"]`
#[derive(Debug, Clone, Default)]
struct State {
    trusted_hash: Option<String>,
    enabled: Option<bool>,
}

/// Whose hooks a file holds, for the question whether they are trusted.
#[derive(Debug, Clone)]
pub(super) enum Layer {
    /// Of the machine's owner: always trusted.
    Managed,
    /// Of the person or of a project.
    Own {
        /// What is trusted.
        config: std::sync::Arc<Config>,
        /// Why its folder is not trusted, if it is not.
        untrusted: Option<String>,
    },
}

/// Whether `--trust-from` can be followed; else why not, with a line where there is one.
pub fn unusable_config(path: &Path) -> Option<String> {
    match file::read(path) {
        Content::Missing => Some("there is no such file".to_owned()),
        Content::Unreadable(why) => Some(why),
        Content::Text { text, .. } => toml::read(&text).err().map(|fault| words(&fault)),
    }
}

fn words(fault: &Fault) -> String {
    fault.position.map_or_else(|| fault.why.clone(), |at| format!("{} (line {})", fault.why, at.line))
}

impl Config {
    /// Reads a `config.toml`; one that is not there trusts nothing.
    pub fn read(path: &Path) -> Config {
        let shown = path.display().to_string();
        let failed = |why: String| Config { shown: shown.clone(), fault: Some(why), ..Config::default() };
        match file::read(path) {
            Content::Missing => Config { shown, ..Config::default() },
            Content::Unreadable(why) => failed(why),
            Content::Text { text, .. } => match toml::read(&text) {
                Err(fault) => failed(words(&fault)),
                Ok(None) => Config { shown, ..Config::default() },
                Ok(Some(root)) => root.object().map_or_else(Config::default, |root| Config::of(root, shown.clone())),
            },
        }
    }

    fn of(root: &Object, shown: String) -> Config {
        let table = |object: &'_ Object, name: &str| object.get(name).and_then(Node::object).cloned();
        let states = table(root, "hooks").and_then(|hooks| table(&hooks, "state")).unwrap_or_default();
        let projects = table(root, "projects").unwrap_or_default();
        let level = |node: &Node| node.object()?.text("trust_level").map(str::to_owned);
        let markers = root.get("project_root_markers").and_then(Node::list);
        Config {
            shown,
            fault: None,
            states: states
                .members
                .iter()
                .filter_map(|it| Some((it.name.trim().to_owned(), state(&it.value)?)))
                .collect(),
            projects: projects.members.iter().filter_map(|it| Some((it.name.clone(), level(&it.value)?))).collect(),
            markers: markers.map(|list| list.iter().filter_map(|it| it.text().map(str::to_owned)).collect()),
        }
    }

    /// The folder up to which `.codex` folders count: the nearest one above with a marker, else the start itself.
    pub fn project_root(&self, start: &Path) -> PathBuf {
        let usual = [".git".to_owned()];
        let markers = self.markers.as_deref().unwrap_or(&usual);
        let marked = |folder: &&Path| markers.iter().any(|marker| folder.join(marker).exists());
        start.ancestors().find(marked).unwrap_or(start).to_path_buf()
    }

    /// Why a folder with a `.codex` folder is not trusted, if it is not: its own level counts, else that of the
    /// project's root, else that of the repository, which for a linked worktree is the main checkout.
    pub fn untrusted(&self, folder: &Path, start: &Path) -> Option<String> {
        if let Some(why) = &self.fault {
            return Some(format!("it can't read {}: {why}", self.shown));
        }
        let repository = Repository::around(start).and_then(|it| match it.root.join(".git").is_dir() {
            true => Some(it.root),
            false => it.main,
        });
        let root = self.project_root(start);
        let places: Vec<&Path> = [folder, &root].into_iter().chain(repository.as_deref()).collect();
        let found = places.iter().flat_map(|place| spellings(place)).find_map(|key| self.projects.get_key_value(&key));
        let shown = &self.shown;
        match found {
            Some((_, level)) if level == "trusted" => None,
            Some((key, level)) => Some(format!(
                "the folder {key} has trust_level = \"{level}\" in {shown}; set it to \"trusted\" there to load its hooks"
            )),
            None => {
                let key = spellings(places.last().unwrap_or(&folder)).into_iter().next().unwrap_or_default();
                Some(format!(
                    "the folder {key} is not trusted; add [projects.\"{key}\"] trust_level = \"trusted\" to {shown} to load its hooks"
                ))
            }
        }
    }

    /// Why Codex will not run a handler, if it will not.
    fn refusal(&self, path: &Path, group: &MatcherGroup, handler: &Handler, past: bool) -> Option<String> {
        let shown = &self.shown;
        if let Some(why) = &self.fault {
            return Some(format!("Codex will not run it: it can't read {shown}: {why}"));
        }
        let place = place(group, handler)?;
        let keys: Vec<String> = spellings(path).into_iter().map(|path| format!("{path}:{place}")).collect();
        let state = keys.iter().find_map(|key| Some((key, self.states.get(key)?)));
        let hashes = hashes(&DIALECT, group, handler);
        let now = hashes.first()?;
        let key = state.map_or_else(|| keys.first().map_or("", String::as_str), |(key, _)| key.as_str());
        let state = state.map(|(_, state)| state);
        if state.and_then(|state| state.enabled) == Some(false) {
            return Some(format!(
                "Codex will not run it: enabled = false under [hooks.state.\"{key}\"] in {shown}; switch it on with /hooks in Codex"
            ));
        }
        let trusted = state.and_then(|state| state.trusted_hash.as_deref());
        match trusted {
            // What was trusted at the time is not known: that it was trusted at all is.
            Some(_) if past => return None,
            Some(hash) if hashes.iter().any(|now| now == hash) => return None,
            _ => {}
        }
        if let Some(other) = self.elsewhere(&keys, &hashes) {
            return Some(format!(
                "Codex will not run it: it is trusted as {other}, and stands at {key} now; trust it again with /hooks in Codex ({shown})"
            ));
        }
        Some(match trusted {
            Some(_) => format!(
                "Codex will not run it: it was changed after it was trusted; review it with /hooks in Codex ({shown} has another trusted_hash for {key} than {now})"
            ),
            None => format!(
                "Codex will not run it: it is not trusted yet; review it with /hooks in Codex ({shown} has no trusted_hash for {key}; its hash is {now})"
            ),
        })
    }

    /// A key of the same file under which just this handler is trusted.
    fn elsewhere(&self, keys: &[String], hashes: &[String]) -> Option<&str> {
        // `PATH:EVENT:` of `PATH:EVENT:GROUP:HANDLER`.
        let lead = |key: &str| key.rsplitn(3, ':').nth(2).map(str::to_owned);
        let mut others: Vec<&String> = self
            .states
            .iter()
            .filter_map(|(key, state)| {
                let trusted = state.trusted_hash.as_ref().is_some_and(|hash| hashes.contains(hash));
                let same = keys.iter().any(|mine| lead(mine) == lead(key) && mine != key);
                (trusted && same).then_some(key)
            })
            .collect();
        others.sort();
        others.first().map(|key| key.as_str())
    }
}

/// An entry with a value of a wrong type counts for nothing.
fn state(node: &Node) -> Option<State> {
    let object = node.object()?;
    let enabled = object.get("enabled").map(|it| it.bool().ok_or(())).transpose().ok()?;
    let hash = object.get("trusted_hash").map(|it| it.text().map(str::to_owned).ok_or(())).transpose().ok()?;
    Some(State { trusted_hash: hash, enabled })
}

/// How a path may be written in a key: resolved, and as it is.
fn spellings(path: &Path) -> Vec<String> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let resolved = std::fs::canonicalize(path).unwrap_or_else(|_| absolute.clone());
    let mut all: Vec<String> = Vec::new();
    for path in [absolute, resolved] {
        let text = path.display().to_string();
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// `pre_tool_use:0:1` of `project:PreToolUse/0/1`.
fn place(group: &MatcherGroup, handler: &Handler) -> Option<String> {
    let mut parts = handler.id.rsplit('/');
    let (at, of) = (parts.next()?, parts.next()?);
    Some(format!("{}:{of}:{at}", snake(&group.event)))
}

fn snake(event: &str) -> String {
    let mut text = String::with_capacity(event.len() + 4);
    for (at, c) in event.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// Longest time limits in seconds that an event allows, with the usual one.
const SHORT_EVENTS: &[(&str, u64, u64)] = &[("SessionEnd", 1, 3), ("Interrupt", 1, 3)];

/// Events whose handlers may have an `additionalContextLimit`, and the usual one, which is not written.
const WITH_CONTEXT: &[&str] = &["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "SubagentStart"];
const CONTEXT_LIMIT: u64 = 2500;

/// The hashes by which Codex may know a handler, the likeliest first. Whether an empty `input` of an MCP tool is part
/// of it was not seen, so both count.
pub(super) fn hashes(dialect: &Dialect, group: &MatcherGroup, handler: &Handler) -> Vec<String> {
    let raw = &handler.raw;
    let named = raw.get("timeout").and_then(Value::as_u64);
    let short = SHORT_EVENTS.iter().find(|(event, ..)| *event == group.event);
    let timeout = match short {
        Some((_, usual, most)) => named.unwrap_or(*usual).clamp(1, *most),
        None => named.unwrap_or(600).max(1),
    };
    let kind = raw.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut fields: BTreeMap<&str, Value> = BTreeMap::from([("type", json!(kind)), ("timeout", json!(timeout))]);
    let mut copy = |from: &str, to: &'static str| {
        if let Some(value) = raw.get(from).filter(|value| !value.is_null()) {
            fields.insert(to, value.clone());
        }
    };
    copy("statusMessage", "statusMessage");
    let mcp = kind == "mcp_tool";
    if mcp {
        copy("server", "server");
        copy("tool", "tool");
        copy("input", "input");
    } else {
        copy("command", "command");
        if cfg!(windows) {
            copy("commandWindows", "command");
        }
        fields.insert("async", json!(handler.background));
        let limit = raw.get("additionalContextLimit").and_then(Value::as_u64).filter(|limit| *limit != CONTEXT_LIMIT);
        if let Some(limit) = limit.filter(|_| WITH_CONTEXT.contains(&group.event.as_str())) {
            fields.insert("additionalContextLimit", json!(limit));
        }
    }
    let ignored = dialect.event(&group.event).is_some_and(|spec| spec.matcher == MatcherUse::Ignored);
    let matcher = group.matcher.text().filter(|_| !ignored);
    let digest = |fields: &BTreeMap<&str, Value>| {
        let mut identity = json!({ "event_name": snake(&group.event), "hooks": [fields] });
        if let Some(matcher) = matcher {
            identity["matcher"] = json!(matcher);
        }
        let bytes = sorted(&identity).to_string();
        Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    };
    let mut all = vec![digest(&fields)];
    if mcp {
        match fields.get("input").map(|input| *input == json!({})) {
            None => drop(fields.insert("input", json!({}))),
            Some(true) => drop(fields.remove("input")),
            Some(false) => return all,
        }
        all.push(digest(&fields));
    }
    all
}

/// The same value with the keys of its objects in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let members: BTreeMap<&String, Value> = object.iter().map(|(name, it)| (name, sorted(it))).collect();
            Value::Object(members.into_iter().map(|(name, it)| (name.clone(), it)).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Says of each handler of a file why Codex will not run it, if it will not. `past`: the text is an earlier one.
pub(super) fn apply(read: &mut Read, path: &Path, layer: &Layer, past: bool) {
    let Layer::Own { config, untrusted } = layer else { return };
    if let Some(why) = untrusted {
        // A folder that is not trusted has no say in anything.
        read.values = super::read::Values::default();
        if !read.groups.is_empty() {
            read.file.warnings.push(format!("no hooks of this folder run: {why}"));
        }
    }
    for group in &mut read.groups {
        let refusals: Vec<Option<String>> = group
            .handlers
            .iter()
            .map(|handler| match untrusted {
                Some(why) => Some(format!("Codex will not run it: {why}")),
                None => config.refusal(path, group, handler, past),
            })
            .collect();
        for (handler, refusal) in group.handlers.iter_mut().zip(refusals) {
            handler.held_back = refusal;
        }
    }
}

/// Warns of hooks in both files of one folder, and once of a folder that is not trusted.
pub(super) fn warn(reads: &mut [Read]) {
    // Those that have a warning already are of a folder that is not trusted: nothing of it runs.
    let runs = |read: &Read| !read.groups.is_empty() && read.file.warnings.is_empty();
    let with_hooks: Vec<PathBuf> =
        reads.iter().filter(|read| runs(read)).map(|read| PathBuf::from(&read.file.path)).collect();
    let mut said: Vec<String> = Vec::new();
    for read in reads.iter_mut() {
        let path = PathBuf::from(&read.file.path);
        let twin = path.with_file_name("hooks.json");
        if runs(read) && path.file_name().is_some_and(|name| name == "config.toml") && with_hooks.contains(&twin) {
            let twin = twin.display();
            let words =
                format!("hooks stand both here and in {twin}: both run, and Codex asks for one form in one place");
            read.file.warnings.push(words);
        }
        read.file.warnings.retain(|warning| !said.contains(warning));
        said.extend(read.file.warnings.iter().cloned());
    }
}
