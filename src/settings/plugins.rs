//! Hooks that installed plugins bring.

use std::path::{Path, PathBuf};

use super::Request;
use super::discover::{Discovery, could_not};
use super::file::{self, Content};
use super::json;
use super::node::{Node, Object};
use super::read::{Form, Read, scope_name};
use super::switches::strength;
use crate::model::{FileStatus, LookedAt};

/// One installation of a plugin.
struct Installed {
    /// `NAME@MARKETPLACE`
    id: String,
    folder: PathBuf,
    /// The project it was installed for, if not for all.
    project: Option<PathBuf>,
}

/// Adds the hook files of installed plugins. A plugin counts only if the settings enable it.
pub(super) fn discover(request: &Request, settings: &[Read], discovery: &mut Discovery) {
    let Some(list) = request.config().map(|config| config.join("plugins/installed_plugins.json")) else { return };
    let content = file::read(&list);
    let found = content != Content::Missing;
    discovery.looked_at.push(LookedAt { scope: "plugin".to_owned(), path: list.display().to_string(), found });
    for plugin in installed(&content) {
        let name = plugin.id.split('@').next().unwrap_or(&plugin.id);
        let refusal = refusal(&plugin, request, settings);
        let scope = scope_name("plugin-", name);
        let manifest = plugin.folder.join(".claude-plugin/plugin.json");
        let before = discovery.found.len();
        discovery.look(&scope, &plugin.folder.join("hooks/hooks.json"), Form::Settings);
        let content = file::read(&manifest);
        for place in manifest_hooks(&content) {
            match place {
                Hooks::File(path) => {
                    let path = plugin.folder.join(path.trim_start_matches("./"));
                    // A manifest that names the usual file does not load it twice.
                    if !discovery.found[before..].iter().any(|found| found.path == path) {
                        discovery.look(&scope, &path, Form::Settings);
                    }
                }
                Hooks::Inline(index) => {
                    discovery.add(&scope, &manifest, Form::Manifest(index), content.clone());
                }
            }
        }
        for found in &mut discovery.found[before..] {
            found.not_loadable.clone_from(&refusal);
        }
    }
}

fn refusal(plugin: &Installed, request: &Request, settings: &[Read]) -> Option<String> {
    if let Some(project) = &plugin.project
        && !request.start().is_some_and(|start| start.starts_with(project))
    {
        return Some(could_not(&format!("the plugin is installed for {} only", project.display())));
    }
    let loaded = settings.iter().filter(|read| read.file.status == FileStatus::Loaded);
    let votes = loaded.filter_map(|read| {
        let vote = read.values.plugins.iter().find(|(id, _)| *id == plugin.id)?;
        Some((strength(&read.file.scope), vote.1))
    });
    match votes.min_by_key(|(strength, _)| *strength) {
        Some((_, true)) => None,
        Some((_, false)) => Some(could_not(&format!("the settings switch the plugin {} off", plugin.id))),
        None => Some(could_not(&format!("no settings file enables the plugin {}", plugin.id))),
    }
}

/// Reads `installed_plugins.json`: a list of installations a plugin, or (format 1) a single one.
fn installed(content: &Content) -> Vec<Installed> {
    let Content::Text { text, .. } = content else { return Vec::new() };
    let Ok(Some(root)) = json::read(text) else { return Vec::new() };
    let Some(plugins) = root.object().and_then(|root| root.get("plugins")).and_then(Node::object) else {
        return Vec::new();
    };
    let one = |id: &str, entry: &Object| {
        let folder = PathBuf::from(entry.text("installPath")?);
        let for_all = matches!(entry.text("scope"), None | Some("user" | "managed"));
        let project = entry.text("projectPath").map(PathBuf::from).filter(|_| !for_all);
        Some(Installed { id: id.to_owned(), folder, project })
    };
    let each = plugins.members.iter().flat_map(|member| {
        let entries = member.value.list().unwrap_or(std::slice::from_ref(&member.value));
        entries.iter().filter_map(|entry| one(&member.name, entry.object()?)).collect::<Vec<_>>()
    });
    each.filter(|plugin| plugin.folder.is_absolute()).collect()
}

/// Where a manifest says that hooks are.
enum Hooks {
    /// In a file, relative to the plugin.
    File(String),
    /// In the manifest itself.
    Inline(Option<usize>),
}

fn manifest_hooks(content: &Content) -> Vec<Hooks> {
    let Content::Text { text, .. } = content else { return Vec::new() };
    let Ok(Some(root)) = json::read(text) else { return Vec::new() };
    let Some(hooks) = root.object().and_then(|root| root.get("hooks")) else { return Vec::new() };
    let place = |node: &Node, index| match (node.text(), node.object()) {
        (Some(path), _) if stays_inside(path) => Some(Hooks::File(path.to_owned())),
        (_, Some(_)) => Some(Hooks::Inline(index)),
        _ => None,
    };
    match hooks.list() {
        Some(list) => list.iter().enumerate().filter_map(|(index, node)| place(node, Some(index))).collect(),
        None => place(hooks, None).into_iter().collect(),
    }
}

fn stays_inside(path: &str) -> bool {
    let path = Path::new(path);
    path.is_relative() && !path.components().any(|part| part == std::path::Component::ParentDir)
}
