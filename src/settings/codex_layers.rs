//! Where Codex's hooks stand: layers of the machine, the person and the project, `hooks.json` and `config.toml` each.
//!
//! Owns which layers count and in which order. What is trusted is another page's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Request;
use super::agents::HookFile;
use super::codex_trust::{Config, Layer};
use super::discover::{Discovery, Repository};
use super::file::Content;
use super::read::Form;
use super::version::Version;

const FILES: &[&str] = &["hooks.json", "config.toml"];

/// Files of the whole machine that come before all others, and the one that comes after them.
const BEFORE: &[(&str, &str)] =
    &[("managed", "requirements.toml"), ("system", "hooks.json"), ("system", "config.toml")];
const AFTER: (&str, &str) = ("managed", "managed_config.toml");

/// The hook files that a session of Codex may load, in its order.
pub(super) fn discover(request: &Request, rules: &'static HookFile) -> Discovery {
    let mut discovery = Discovery { version: Version::read(request.version.as_deref()), ..Discovery::default() };
    let form = Form::Other(rules);
    let home = request.codex_home.clone().or_else(|| Some(request.home.as_ref()?.join(".codex")));
    let own = request.trust_from.clone().or_else(|| Some(home.as_ref()?.join("config.toml")));
    let config = Arc::new(own.map(|path| Config::read(&path)).unwrap_or_default());

    let machine = |discovery: &mut Discovery, (scope, name): (&str, &str)| {
        // Most machines have none of them: only what is there is worth a word.
        let path = request.codex_system.as_ref().map(|folder| folder.join(name)).filter(|path| path.is_file());
        if let Some(found) = path.and_then(|path| discovery.look(scope, &path, form).map(|found| &mut found.layer)) {
            *found = Some(Layer::Managed);
        }
    };
    BEFORE.iter().for_each(|place| machine(&mut discovery, *place));
    if let Some(home) = &home {
        look(&mut discovery, "user", home, form, &Layer::Own { config: config.clone(), untrusted: None });
    }
    for (folder, hooks) in request.start().map(|start| folders(start, &config)).unwrap_or_default() {
        if home.as_ref().is_some_and(|home| same(home, &folder.join(".codex"))) {
            continue;
        }
        let untrusted = request.start().and_then(|start| config.untrusted(&folder, start));
        look(&mut discovery, "project", &hooks, form, &Layer::Own { config: config.clone(), untrusted });
    }
    machine(&mut discovery, AFTER);
    discovery.number_scopes();
    discovery
}

/// Looks at both files of a layer. A `config.toml` that is not there is nothing that anybody missed.
fn look(discovery: &mut Discovery, scope: &str, folder: &Path, form: Form, layer: &Layer) {
    for name in FILES {
        if let Some(found) = discovery.look(scope, &folder.join(name), form) {
            found.layer = Some(layer.clone());
        }
    }
}

/// The folders of a project from its root down to the start, each with the `.codex` folder that its hooks are read
/// from: of a linked worktree, that of the main checkout.
fn folders(start: &Path, config: &Config) -> Vec<(PathBuf, PathBuf)> {
    let root = config.project_root(start);
    let repository = Repository::around(start);
    let mut all: Vec<&Path> = start.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    all.reverse();
    // What is not there is told of the start and the root alone.
    all.retain(|folder| folder.join(".codex").is_dir() || *folder == start || *folder == root);
    all.into_iter()
        .map(|folder| {
            let main = repository.as_ref().and_then(|it| {
                let inside = folder.strip_prefix(&it.root).ok()?;
                Some(it.main.as_ref()?.join(inside)).filter(|_| folder.join(".codex").is_dir())
            });
            (folder.to_path_buf(), main.unwrap_or_else(|| folder.to_path_buf()).join(".codex"))
        })
        .collect()
}

fn same(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    one == other || resolved(one) == resolved(other)
}

/// Evaluates given files against a `config.toml` instead of taking them as trusted. Its own folder is the person's;
/// another `.codex` folder is a project's.
pub(super) fn given(config: &Path, rules: &'static HookFile, discovery: &mut Discovery) {
    let own = config.parent().map(Path::to_path_buf).unwrap_or_default();
    let config = Arc::new(Config::read(config));
    for found in &mut discovery.found {
        if found.content == Content::Missing || found.form != Form::Other(rules) {
            continue;
        }
        let folder = found.path.parent().unwrap_or(Path::new(""));
        let project = folder.parent().filter(|_| {
            let theirs = matches!(found.scope.as_str(), "project" | "local");
            theirs && folder.ends_with(".codex") && !same(folder, &own)
        });
        found.layer = Some(match found.scope.as_str() {
            "managed" | "system" => Layer::Managed,
            _ => Layer::Own {
                config: config.clone(),
                untrusted: project.and_then(|project| {
                    let project = std::path::absolute(project).unwrap_or_else(|_| project.to_path_buf());
                    config.untrusted(&project, &project)
                }),
            },
        });
    }
}
