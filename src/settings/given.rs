//! Settings named on the command line: these and nothing else.

use std::path::{Path, PathBuf};

use super::Request;
use super::agents::HookFile;
use super::codex_layers;
use super::discover::{Discovery, Found};
use super::file;
use super::json;
use super::node::Node;
use super::read::{self, Form};
use super::version::Version;
use crate::model::{EraOrigin, LookedAt};

/// A file given by `--settings [SCOPE=]FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The scope, if one was written.
    pub scope: Option<String>,
    /// The file.
    pub path: PathBuf,
}

impl Given {
    /// Reads `[SCOPE=]FILE`. A scope is `[a-z][a-z0-9-]*`; what is none belongs to the file's name.
    pub fn parse(text: &str) -> Given {
        match text.split_once('=') {
            Some((scope, path)) if is_scope(scope) && !path.is_empty() => {
                Given { scope: Some(scope.to_owned()), path: PathBuf::from(path) }
            }
            _ => Given { scope: None, path: PathBuf::from(text) },
        }
    }
}

fn is_scope(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Why a file can't be read at all, if it can't.
pub fn unreadable(path: &Path) -> Option<String> {
    match file::read(path) {
        file::Content::Missing => Some("there is no such file".to_owned()),
        file::Content::Unreadable(why) => Some(why),
        file::Content::Text { .. } => None,
    }
}

/// Whether a file is one object that is not a line of a session.
pub fn may_be_settings(path: &Path) -> bool {
    const OF_A_LINE: &[&str] = &["hook_event_name", "type", "uuid", "sessionId", "hookscope"];
    let file::Content::Text { text, .. } = file::read(path) else { return false };
    let node = json::read_with_comments(&text).ok().flatten();
    node.as_ref().and_then(Node::object).is_some_and(|object| OF_A_LINE.iter().all(|key| object.get(key).is_none()))
}

/// The given files in their order.
pub(super) fn collect(request: &Request, other: Option<&'static HookFile>) -> Discovery {
    let mut discovery = Discovery { version: Version::read(request.version.as_deref()), ..Discovery::default() };
    for given in &request.given {
        let shown = given.path.display().to_string();
        let content = file::read(&given.path);
        let scope = given.scope.clone().unwrap_or_else(|| scope_of(&given.path, request.home.as_deref(), &content));
        let looked = LookedAt { scope: scope.clone(), path: shown.clone(), found: content != file::Content::Missing };
        discovery.looked_at.push(looked);
        discovery.found.push(Found {
            scope,
            form: other.map_or_else(|| Form::of(&shown), Form::Other),
            path: given.path.clone(),
            shown,
            content,
            origin: EraOrigin::Given,
            not_loadable: None,
            layer: None,
        });
    }
    if let (Some(config), Some(rules)) = (&request.trust_from, other.filter(|rules| rules.toml)) {
        codex_layers::given(config, rules, &mut discovery);
    }
    discovery.number_scopes();
    discovery
}

/// The scope that a path speaks of.
fn scope_of(path: &Path, home: Option<&Path>, content: &file::Content) -> String {
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let (file, folder) = (name(Some(path)), name(path.parent()));
    let heading = match content {
        file::Content::Text { text, .. } if file.ends_with(".md") => read::heading(text).0,
        _ => None,
    };
    match (file.as_str(), folder.as_str()) {
        ("SKILL.md", _) => read::scope_name("skill-", &heading.unwrap_or(folder)),
        (markdown, _) if markdown.ends_with(".md") => {
            read::scope_name("agent-", &heading.unwrap_or_else(|| markdown.trim_end_matches(".md").to_owned()))
        }
        (local, _) if local.starts_with("settings.local.") => "local".to_owned(),
        ("managed-settings.json", _) | (_, "managed-settings.d") => "managed".to_owned(),
        ("hooks.json", "hooks") => "plugin".to_owned(),
        (_, ".claude" | ".codex") if path.parent().and_then(Path::parent).is_some_and(|owner| is_home(owner, home)) => {
            "user".to_owned()
        }
        _ => "project".to_owned(),
    }
}

/// Whether a folder is somebody's home: the given one, `~`, or by where homes are.
fn is_home(folder: &Path, home: Option<&Path>) -> bool {
    let parent = folder.parent().map(|parent| parent.to_string_lossy().into_owned());
    Some(folder) == home
        || folder == Path::new("~")
        || folder == Path::new("/root")
        || matches!(parent.as_deref(), Some("/home" | "/Users"))
}
