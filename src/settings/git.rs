//! Versions of a file in git history: objects are read, no process is started, no hook of the repository runs.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{Oid, Repository};

use super::file::{self, Content, LARGEST};
use crate::model::Time;

/// Commits that are looked at; beyond them the past is unknown.
const MOST_COMMITS: usize = 10_000;

/// Versions that are read.
const MOST_VERSIONS: usize = 200;

/// Commits beyond the start of the time range that are asked who made the version that held there.
const MOST_BEFORE: usize = 2_000;

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Committed {
    /// When it was committed.
    pub time: Time,
    /// The abbreviated id of the commit.
    pub id: String,
    /// The file; [`Content::Missing`] where the commit has none.
    pub content: Content,
}

/// Versions of a file between two times, the one that held at `from` first, then in order of time. Empty where the
/// file is in no repository, is not tracked, or can't be told.
pub(super) fn history(path: &Path, from: Time, to: Time) -> Vec<Committed> {
    walk(path, from, to).unwrap_or_default()
}

struct Seen {
    time: Time,
    commit: Oid,
    blob: Option<Oid>,
}

fn walk(path: &Path, from: Time, to: Time) -> Result<Vec<Committed>, git2::Error> {
    let Some((folder, name)) = resolve(path) else { return Ok(Vec::new()) };
    trust_other_owners();
    let repository = Repository::discover(&folder)?;
    let workdir = repository.workdir().and_then(|workdir| workdir.canonicalize().ok());
    let Some(inside) = workdir.as_deref().and_then(|workdir| folder.strip_prefix(workdir).ok()) else {
        return Ok(Vec::new());
    };
    let inside = inside.join(name);

    let mut walk = repository.revwalk()?;
    walk.push_head()?;
    walk.simplify_first_parent()?;
    let mut seen: Vec<Seen> = Vec::new();
    let mut before = 0;
    for commit in walk.take(MOST_COMMITS) {
        let commit = repository.find_commit(commit?)?;
        let blob = commit.tree()?.get_path(&inside).ok().map(|entry| entry.id());
        let time = Time(commit.time().seconds().saturating_mul(1000));
        let same = seen.last().is_some_and(|last| last.blob == blob);
        // The version that held at the start is known, and who made it; of a file that was not there nobody did.
        if before > 0 && (!same || blob.is_none()) {
            break;
        }
        before += usize::from(time <= from);
        if time <= to {
            match seen.last_mut() {
                // The oldest commit with a version is the one that made it, unless it is older than the range.
                Some(last) if same => (last.time, last.commit) = (time, commit.id()),
                _ => seen.push(Seen { time, commit: commit.id(), blob }),
            }
        }
        if before > MOST_BEFORE || seen.len() > MOST_VERSIONS {
            break;
        }
    }
    if seen.iter().all(|version| version.blob.is_none()) {
        return Ok(Vec::new());
    }
    seen.reverse();
    seen.iter().map(|version| committed(&repository, version)).collect()
}

fn committed(repository: &Repository, version: &Seen) -> Result<Committed, git2::Error> {
    let content = match version.blob {
        None => Content::Missing,
        Some(blob) => match repository.odb()?.read_header(blob)? {
            (size, _) if size as u64 > LARGEST => Content::Unreadable("it is too large".to_owned()),
            _ => match file::decode(repository.find_blob(blob)?.content().to_vec()) {
                Ok(text) => Content::Text { text, changed: version.time },
                Err(why) => Content::Unreadable(why),
            },
        },
    };
    let id = version.commit.to_string().chars().take(7).collect();
    Ok(Committed { time: version.time, id, content })
}

/// The nearest real folder above a file, and the way from there. The file and its folder need not exist any more.
fn resolve(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let real = path.canonicalize().ok();
    let path = real.as_deref().unwrap_or(path);
    path.ancestors().skip(1).find_map(|folder| {
        let rest = path.strip_prefix(folder).ok()?;
        Some((folder.canonicalize().ok()?, rest.to_path_buf()))
    })
}

/// A session's repository often belongs to another account (containers, mounted homes). The check guards against
/// running a stranger's configured programs; nothing is run here.
#[allow(unsafe_code)]
fn trust_other_owners() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: sets one global flag of libgit2, once, before any repository is opened here; no other code of this
        // crate sets it.
        let set = unsafe { git2::opts::set_verify_owner_validation(false) };
        // Where it can't be set, such repositories are just not read.
        drop(set);
    });
}
