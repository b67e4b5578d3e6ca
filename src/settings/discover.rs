//! Where a session's settings stand, and which of them it could load.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::claude_code::{Base, ENTRY_POINTS, EntryPoint, LOCAL_AT_ROOT, MANAGED_DROP_INS, PLACES, Place};
use super::codex_trust::{self, Layer};
use super::file::{self, Content};
use super::plugins;
use super::read::{self, Form, Read, Source};
use super::version::Version;
use super::{Request, Trust};
use crate::model::{EraOrigin, FileStatus, LookedAt};

/// A file that exists, and what is known of it before it is read.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Numbered: `project`, `project#2`.
    pub scope: String,
    pub form: Form,
    pub path: PathBuf,
    /// The path as it is shown.
    pub shown: String,
    /// As it is now; missing only where it may have been there at the time.
    pub content: Content,
    pub origin: EraOrigin,
    /// Why this session could not have loaded it.
    pub not_loadable: Option<String>,
    /// Whose hooks they are, where the agent asks for trust and it is looked at.
    pub layer: Option<Layer>,
}

impl Found {
    /// Reads some content as this file's.
    pub fn read(&self, content: &Content, version: Version) -> Read {
        let mut read = read::read(content, &Source { scope: &self.scope, path: &self.shown, form: self.form, version });
        read.file.origin = self.origin.clone();
        if let Some(why) = &self.not_loadable {
            read.file.status = FileStatus::NotLoadable { why: why.clone() };
            read.groups.clear();
        }
        if let Some(layer) = &self.layer {
            codex_trust::apply(&mut read, &self.path, layer, *content != self.content);
        }
        read
    }
}

/// Everything that was found.
#[derive(Debug, Clone)]
pub(super) struct Discovery {
    pub found: Vec<Found>,
    pub looked_at: Vec<LookedAt>,
    /// What is taken for granted about which files count.
    pub assumed: Option<String>,
    pub version: Version,
}

impl Default for Discovery {
    fn default() -> Self {
        Discovery { found: Vec::new(), looked_at: Vec::new(), assumed: None, version: Version::NEWEST }
    }
}

impl Discovery {
    /// Looks at a path; what is there is added and handed out.
    pub fn look(&mut self, scope: &str, path: &Path, form: Form) -> Option<&mut Found> {
        let content = file::read(path);
        let found = content != Content::Missing;
        self.looked_at.push(LookedAt { scope: scope.to_owned(), path: path.display().to_string(), found });
        found.then(|| self.add(scope, path, form, content))
    }

    /// Adds a file that was looked at before.
    pub fn add(&mut self, scope: &str, path: &Path, form: Form, content: Content) -> &mut Found {
        let at = self.found.len();
        self.found.push(Found {
            scope: scope.to_owned(),
            form,
            path: path.to_path_buf(),
            shown: path.display().to_string(),
            content,
            origin: EraOrigin::Now,
            not_loadable: None,
            layer: None,
        });
        &mut self.found[at]
    }

    /// A second file of one scope is `project#2`.
    pub fn number_scopes(&mut self) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for found in self.found.iter_mut() {
            let count = counts.entry(found.scope.clone()).or_default();
            *count += 1;
            if *count > 1 {
                found.scope = format!("{}#{count}", found.scope);
            }
        }
    }
}

/// Looks at every place where this session's settings may stand.
pub(super) fn discover(request: &Request) -> Discovery {
    let version = Version::read(request.version.as_deref());
    let mut discovery = Discovery { version, ..Discovery::default() };
    let loading = Loading::of(request, version);
    discovery.assumed = loading.assumed.clone();
    let repository = request.start().and_then(|start| Repository::around(start));
    for place in PLACES {
        for path in paths(place, request, repository.as_ref(), version) {
            if discovery.found.iter().any(|found| found.path == path) {
                // A session started in the home folder: the user's settings are not read twice.
                continue;
            }
            let refusal = loading.refusal(place.source);
            match discovery.look(place.scope, &path, Form::Settings) {
                Some(found) => found.not_loadable = refusal,
                // It may have been there at the time, as git history can tell.
                None if place.base != Base::Managed && refusal.is_none() => {
                    discovery.add(place.scope, &path, Form::Settings, Content::Missing);
                }
                None => {}
            }
        }
        for (path, why) in elsewhere(place, request, repository.as_ref(), version) {
            if !discovery.found.iter().any(|found| found.path == path)
                && path.is_file()
                && let Some(found) = discovery.look(place.scope, &path, Form::Settings)
            {
                found.not_loadable = Some(loading.refusal(place.source).unwrap_or(why));
            }
        }
    }
    let there = discovery.found.iter().filter(|found| found.content != Content::Missing);
    let values: Vec<_> = there.map(|found| found.read(&found.content, version)).collect();
    plugins::discover(request, &values, &mut discovery);
    markdown(request, &loading, &mut discovery);
    discovery.number_scopes();
    discovery
}

/// Which sources this session read.
struct Loading {
    entry: &'static EntryPoint,
    sources: Vec<String>,
    /// Whether the sources were named.
    named: bool,
    assumed: Option<String>,
}

impl Loading {
    fn of(request: &Request, version: Version) -> Loading {
        let known = ENTRY_POINTS.iter().find(|entry| Some(entry.id) == request.entrypoint.as_deref());
        let entry = known.unwrap_or(&ENTRY_POINTS[0]);
        let default = entry.sources.iter().find(|(from, _)| version >= *from).map_or(&[][..], |(_, sources)| sources);
        match &request.setting_sources {
            Some(sources) => Loading { entry, sources: sources.clone(), named: true, assumed: None },
            None => Loading {
                entry,
                sources: default.iter().map(|&source| source.to_owned()).collect(),
                named: false,
                assumed: entry.assumed.map(|words| format!("assumed: {words}")),
            },
        }
    }

    /// Why a source was not read, if it was not.
    fn refusal(&self, source: Option<&str>) -> Option<String> {
        let source = source?;
        if self.sources.iter().any(|known| known == source) {
            return None;
        }
        let because = if self.named {
            format!("its setting sources were {}", list(&self.sources))
        } else if self.sources.is_empty() {
            let assumed = self.assumed.as_deref().unwrap_or_default();
            format!("it came from {}, which by default reads no settings files ({assumed})", self.entry.name)
        } else {
            format!("it came from {}, which does not read {source} settings", self.entry.name)
        };
        Some(could_not(&because))
    }
}

/// `this session could not have loaded this file, because …`
pub(super) fn could_not(because: &str) -> String {
    format!("this session could not have loaded this file, because {because}")
}

fn list(words: &[String]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// Whether hooks of settings files wait for the folder to be trusted, and it is not.
pub(super) fn untrusted(request: &Request) -> bool {
    let entry = ENTRY_POINTS.iter().find(|entry| Some(entry.id) == request.entrypoint.as_deref());
    request.trust == Trust::Untrusted && entry.is_none_or(|entry| entry.needs_trust)
}

/// Where a place is for this session.
fn paths(place: &Place, request: &Request, repository: Option<&Repository>, version: Version) -> Vec<PathBuf> {
    let start = request.start();
    match place.base {
        Base::Config => request.config().iter().map(|folder| folder.join(place.path)).collect(),
        Base::Start => start.iter().map(|folder| folder.join(place.path)).collect(),
        Base::Root => {
            let root = repository.map(|repository| &repository.root).filter(|_| version >= LOCAL_AT_ROOT);
            let at_root = root.map(|root| root.join(place.path)).filter(|path| path.is_file());
            at_root.or_else(|| start.map(|folder| folder.join(place.path))).into_iter().collect()
        }
        Base::Managed => request
            .managed
            .iter()
            .flat_map(|folder| {
                let drop_ins = files_in(&folder.join(MANAGED_DROP_INS)).into_iter();
                let drop_ins = drop_ins.filter(|path| path.extension().is_some_and(|suffix| suffix == "json"));
                std::iter::once(folder.join(place.path)).chain(drop_ins)
            })
            .collect(),
    }
}

/// Where such a file often stands although this session did not read it there.
fn elsewhere(
    place: &Place,
    request: &Request,
    repository: Option<&Repository>,
    version: Version,
) -> Vec<(PathBuf, String)> {
    let (Some(start), Some(repository)) = (request.start(), repository) else { return Vec::new() };
    if !matches!(place.base, Base::Start | Base::Root) {
        return Vec::new();
    }
    let mut places = Vec::new();
    let shown = start.display();
    for parent in start.ancestors().skip(1).take_while(|parent| parent.starts_with(&repository.root)) {
        let why = match place.base {
            Base::Root if version < LOCAL_AT_ROOT => {
                format!("it started in {shown}, and before 2.1.211 local settings were read there only")
            }
            Base::Root => format!("it started in {shown}, and local settings are read at the repository's root"),
            _ => format!("it started in {shown}, and project settings are read there only, not in folders above"),
        };
        places.push((parent.join(place.path), could_not(&why)));
    }
    if place.base == Base::Root {
        let why = "local settings of the repository's root stand in for those of the folder it started in (assumed)";
        places.push((start.join(place.path), could_not(why)));
    }
    if let Some(main) = &repository.main {
        let root = repository.root.display();
        let why =
            format!("it ran in the worktree {root}, and settings of the main checkout are not read there (assumed)");
        places.push((main.join(place.path), could_not(&why)));
    }
    places
}

/// The repository that a folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The folder with `.git`.
    pub root: PathBuf,
    /// The main checkout, where `root` is a linked worktree.
    pub main: Option<PathBuf>,
}

impl Repository {
    /// Looks upwards for `.git`; starts nothing.
    pub fn around(folder: &Path) -> Option<Repository> {
        let root = folder.ancestors().find(|folder| folder.join(".git").exists())?;
        let link = match file::read(&root.join(".git")) {
            Content::Text { text, .. } => text.trim().strip_prefix("gitdir:").map(|path| root.join(path.trim())),
            _ => None,
        };
        // `MAIN/.git/worktrees/NAME`
        let main = link.as_deref().filter(|path| path.parent().is_some_and(|path| path.ends_with(".git/worktrees")));
        let main = main.and_then(|path| path.ancestors().nth(3)).map(Path::to_path_buf);
        Some(Repository { root: root.to_path_buf(), main })
    }
}

/// Skills and subagents with hooks in their front matter.
fn markdown(request: &Request, loading: &Loading, discovery: &mut Discovery) {
    let bases = [("user", request.config()), ("project", request.start().map(|start| start.join(".claude")))];
    for (source, base) in bases.iter().filter_map(|(source, base)| Some((source, base.as_ref()?))) {
        for (kind, form) in [("skills", Form::Skill), ("agents", Form::Subagent)] {
            let folder = base.join(kind);
            let lead = if form == Form::Skill { "skill-" } else { "agent-" };
            let path = folder.display().to_string();
            if discovery.looked_at.iter().any(|looked| looked.path == path) {
                continue;
            }
            discovery.looked_at.push(LookedAt { scope: format!("{source} {kind}"), path, found: folder.is_dir() });
            for path in markdown_files(&folder, form) {
                let content = file::read(&path);
                let Content::Text { text, .. } = &content else { continue };
                let (name, has_hooks) = read::heading(text);
                if !has_hooks {
                    continue;
                }
                let named =
                    if form == Form::Skill { path.parent().and_then(Path::file_name) } else { path.file_stem() };
                let name = name.or_else(|| Some(named?.to_string_lossy().into_owned())).unwrap_or_default();
                let found = discovery.add(&read::scope_name(lead, &name), &path, form, content);
                found.not_loadable = loading.refusal(Some(source));
            }
        }
    }
}

/// The files that may hold skills or subagents, by name.
fn markdown_files(folder: &Path, form: Form) -> Vec<PathBuf> {
    let inside = files_in(folder);
    match form {
        Form::Skill => inside.into_iter().map(|path| path.join("SKILL.md")).filter(|path| path.is_file()).collect(),
        // Subagents may be sorted into folders.
        _ => {
            let (folders, files): (Vec<_>, Vec<_>) = inside.into_iter().partition(|path| path.is_dir());
            let below = folders.iter().flat_map(|folder| files_in(folder));
            files
                .into_iter()
                .chain(below)
                .filter(|path| path.extension().is_some_and(|suffix| suffix == "md"))
                .collect()
        }
    }
}

/// Entries of a folder by name; none where it is not there.
pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).take(4096).collect();
    paths.sort();
    paths
}
