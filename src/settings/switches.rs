//! Switches that turn hooks off, by the merged settings.

use super::claude_code::STRENGTH;
use super::discover::untrusted;
use super::read::Read;
use super::{Request, StartSwitch};
use crate::model::{FileStatus, Position, Switch};

/// How strong the single-valued settings of a scope are: 0 wins.
pub(super) fn strength(scope: &str) -> usize {
    let scope = base(scope);
    let place = |scope: &str| STRENGTH.iter().position(|known| *known == scope);
    place(scope).or_else(|| place("")).unwrap_or(0)
}

/// `project` of `project#2`.
fn base(scope: &str) -> &str {
    scope.split('#').next().unwrap_or(scope)
}

/// What is thrown, over all files of one hook set.
pub(super) fn thrown(request: &Request, files: &[Read]) -> Vec<Switch> {
    let mut switches = Vec::new();
    let others = |keep: &dyn Fn(&str) -> bool| {
        let mut scopes: Vec<String> = Vec::new();
        for read in files {
            if !keep(base(&read.file.scope)) && !scopes.contains(&read.file.scope) {
                scopes.push(read.file.scope.clone());
            }
        }
        scopes
    };
    for switch in &request.started_with {
        let (name, scopes, why) = match switch {
            StartSwitch::Bare => ("--bare", Vec::new(), "the session was started with --bare, which skips hooks"),
            StartSwitch::SafeMode => {
                let scopes = others(&|scope| scope == "managed");
                ("--safe-mode", with_sdk(scopes), "the session was started with --safe-mode: only managed hooks run")
            }
        };
        switches.push(Switch { name: name.to_owned(), file: None, position: None, scopes, why: why.to_owned() });
    }
    if untrusted(request) {
        let scopes = others(&|scope| scope == "managed");
        let why = "the folder is not trusted: an interactive session holds its hooks back".to_owned();
        if !scopes.is_empty() {
            switches.push(Switch { name: "trust".to_owned(), file: None, position: None, scopes, why });
        }
    }
    if let Some((file, position)) = merged(files, |read| read.values.disable_all) {
        let by_policy = base(&files[file].file.scope) == "managed";
        let (scopes, why) = if by_policy {
            (Vec::new(), "managed settings switch all hooks off")
        } else {
            (with_sdk(others(&|scope| scope == "managed")), "all hooks are off but managed ones")
        };
        switches.push(of_file("disableAllHooks", file, position, scopes, why));
    }
    // Only managed settings may say this.
    let managed = |read: &Read| read.values.managed_only.filter(|_| base(&read.file.scope) == "managed");
    if let Some((file, position)) = merged(files, managed) {
        let forced = |scope: &str| {
            let policies = files.iter().filter(|read| base(&read.file.scope) == "managed" && counts(read));
            let mut plugins = policies.flat_map(|read| &read.values.plugins);
            plugins.any(|(id, on)| {
                let name = id.split('@').next().unwrap_or(id);
                *on && super::read::scope_name("plugin-", name) == scope
            })
        };
        let scopes = others(&|scope| matches!(scope, "managed" | "sdk") || forced(scope));
        if !scopes.is_empty() {
            let why = "managed settings allow managed hooks only";
            switches.push(of_file("allowManagedHooksOnly", file, position, scopes, why));
        }
    }
    // Later layers win.
    let mut features = files.iter().enumerate().filter_map(|(file, read)| Some((file, read.values.feature?)));
    if let Some((file, (false, position))) = features.next_back() {
        switches.push(of_file("features.hooks", file, position, Vec::new(), "Codex runs no hooks at all"));
    }
    switches
}

fn of_file(name: &str, file: usize, position: Position, scopes: Vec<String>, why: &str) -> Switch {
    Switch { name: name.to_owned(), file: Some(file), position: Some(position), scopes, why: why.to_owned() }
}

/// Callbacks of an SDK program are off as well.
fn with_sdk(mut scopes: Vec<String>) -> Vec<String> {
    scopes.push("sdk".to_owned());
    scopes
}

/// Whether a file's single values count: it is loaded, and a settings file at all.
fn counts(read: &Read) -> bool {
    let scope = base(&read.file.scope);
    let hooks_only = scope == "plugin" || ["plugin-", "skill-", "agent-"].iter().any(|lead| scope.starts_with(lead));
    read.file.status == FileStatus::Loaded && !hooks_only
}

/// The file whose value wins, if that value is true. Of equally strong files the later one wins.
fn merged(files: &[Read], value: impl Fn(&Read) -> Option<(bool, Position)>) -> Option<(usize, Position)> {
    let values = files.iter().enumerate().filter(|(_, read)| counts(read));
    let values = values.filter_map(|(file, read)| Some((file, strength(&read.file.scope), value(read)?)));
    let winner = values.min_by_key(|(file, strength, _)| (*strength, std::cmp::Reverse(*file)))?;
    let (file, _, (on, position)) = winner;
    on.then_some((file, position))
}
