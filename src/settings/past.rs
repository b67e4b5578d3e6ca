//! Which hooks held when: files as they are now, as git history has them, and what changed in between.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::Request;
use super::codex_trust;
use super::discover::{Discovery, Found};
use super::file::Content;
use super::git::{self, Committed};
use super::read::Read;
use super::script::{self, Folders};
use super::switches;
use crate::model::{Era, EraOrigin, HookSet, Time};

/// Said of events that came before the settings got their present shape.
const AS_OF_NOW: &str = "settings as of now, changed after this event";

/// More hook sets than these are not told apart.
const MOST_ERAS: usize = 200;

/// Groups and handlers in all hook sets together. A file with a hundred thousand must not be held once for every
/// moment at which one of its scripts changed.
const MOST_HELD: usize = 500_000;

/// Changed scripts that a note names; the others are counted.
const MOST_NAMED: usize = 8;

/// A stretch of time in which a file's text held.
struct Stretch {
    /// [`Time::UNKNOWN`] for the first.
    from: Time,
    /// None: it was not there.
    read: Option<Read>,
    note: Option<String>,
}

/// The eras of a session, in order of time; never none.
pub(super) fn eras(
    request: &Request,
    discovery: &Discovery,
    span: Option<(Time, Time)>,
    changes: &[(Time, String)],
) -> Vec<Era> {
    // Given settings are what the person asks about: they hold at all times.
    let span = span.filter(|_| request.given.is_empty());
    let files: Vec<Vec<Stretch>> =
        discovery.found.iter().map(|found| stretches(request, discovery, found, span, changes)).collect();
    let scripts = span.map(|span| changed_scripts(request, discovery, &files, span)).unwrap_or_default();

    let starts = files.iter().flatten().map(|stretch| stretch.from);
    let within = |time: &Time| span.is_some_and(|(start, end)| start < *time && *time <= end);
    let cuts: BTreeSet<Time> = starts.chain(scripts.iter().map(|(_, time)| *time).filter(within)).collect();
    let mut cuts: Vec<Time> = cuts.into_iter().chain(files.is_empty().then_some(Time::UNKNOWN)).collect();
    let told_apart = told_apart(&files, &cuts);
    let rest = cuts.len() - told_apart;
    cuts.truncate(told_apart);
    let last = cuts.last().copied();
    cuts.into_iter()
        .map(|from| {
            let held: Vec<&Stretch> = files.iter().filter_map(|file| at(file, from)).collect();
            let mut notes: Vec<String> = held.iter().filter_map(|stretch| stretch.note.clone()).collect();
            notes.extend(changed_after(&scripts, from));
            notes.extend(discovery.assumed.clone());
            if rest > 0 && last == Some(from) {
                notes.push(format!("{rest} later changes of settings and scripts are not told apart from here on"));
            }
            notes.dedup();
            let set = assemble(request, held.into_iter().filter_map(|stretch| stretch.read.clone()).collect());
            Era { from, set, note: (!notes.is_empty()).then(|| notes.join("; ")) }
        })
        .collect()
}

/// How many of the cuts get a hook set of their own; at least the first.
fn told_apart(files: &[Vec<Stretch>], cuts: &[Time]) -> usize {
    let mut held = 0;
    let sizes = cuts.iter().map(|from| {
        let reads = files.iter().filter_map(|file| at(file, *from)?.read.as_ref());
        reads.flat_map(|read| &read.groups).map(|group| 1 + group.handlers.len()).sum::<usize>()
    });
    let fits = sizes.take(MOST_ERAS).take_while(|size| {
        held += size;
        held <= MOST_HELD
    });
    fits.count().max(cuts.len().min(1))
}

/// Which scripts are no longer what they were at a time.
fn changed_after(scripts: &[(String, Time)], from: Time) -> Vec<String> {
    let mut changed = scripts.iter().filter(|(_, changed)| *changed > from);
    let named = changed.by_ref().take(MOST_NAMED).map(|(name, _)| format!("{name} changed after this event"));
    let mut notes: Vec<String> = named.collect();
    match changed.count() {
        0 => {}
        1 => notes.push("1 more script changed after this event".to_owned()),
        more => notes.push(format!("{more} more scripts changed after this event")),
    }
    notes
}

fn at(file: &[Stretch], time: Time) -> Option<&Stretch> {
    // `Time::UNKNOWN` is the least of all times.
    file.iter().rfind(|stretch| stretch.from <= time)
}

fn assemble(request: &Request, mut reads: Vec<Read>) -> HookSet {
    codex_trust::warn(&mut reads);
    let switches = switches::thrown(request, &reads);
    let mut set = HookSet { switches, ..HookSet::default() };
    for (file, mut read) in reads.into_iter().enumerate() {
        for group in &mut read.groups {
            group.file = file;
        }
        set.groups.append(&mut read.groups);
        set.files.push(read.file);
    }
    set
}

fn stretches(
    request: &Request,
    discovery: &Discovery,
    found: &Found,
    span: Option<(Time, Time)>,
    changes: &[(Time, String)],
) -> Vec<Stretch> {
    let (text, changed) = match &found.content {
        Content::Text { text, changed } => (Some(text), *changed),
        _ => (None, Time::UNKNOWN),
    };
    let gone = found.content == Content::Missing && request.given.is_empty();
    let now = (!gone).then(|| found.read(&found.content, discovery.version));
    let always = |read| vec![Stretch { from: Time::UNKNOWN, read, note: None }];
    let Some((start, end)) = span else { return always(now) };
    let same_since = text.is_none() || changed.is_unknown() || changed <= start;
    if found.not_loadable.is_some() || same_since && !gone {
        return always(now);
    }
    let shown = shorten(request, &found.path);
    let noticed: Vec<Time> = noticed(request, found, changes).filter(|time| start < *time && *time <= end).collect();
    let versions = git::history(&found.path, start, end);
    if versions.is_empty() && gone {
        return always(None);
    }
    let mut list = committed(discovery, found, &versions, start, &noticed, &shown);
    // The present text, where it differs from the last commit.
    let last = versions.last().map(|version| &version.content);
    if matches!((last, text), (Some(Content::Text { text: last, .. }), Some(text)) if last == text) {
        if let Some(stretch) = list.last_mut() {
            stretch.read = now;
            stretch.note = None;
        }
        return list;
    }
    if versions.is_empty() {
        let note = Some(format!("{AS_OF_NOW} ({shown})"));
        list.push(Stretch { from: Time::UNKNOWN, read: now.clone(), note });
        if changed > end {
            // The session noticed a change, and it was not the last one.
            list.extend(noticed.iter().map(|&from| {
                let note = format!("{AS_OF_NOW} ({shown}; the session itself noticed an earlier change)");
                Stretch { from, read: now.clone(), note: Some(note) }
            }));
        }
    }
    if !gone && changed <= end {
        list.push(Stretch { from: changed, read: now, note: None });
    }
    list
}

/// One stretch for every version in git history.
fn committed(
    discovery: &Discovery,
    found: &Found,
    versions: &[Committed],
    start: Time,
    noticed: &[Time],
    shown: &str,
) -> Vec<Stretch> {
    let stretch = |(index, version): (usize, &Committed)| {
        // Not committed yet at that time: the first version stands for what may have been there.
        let early = index == 0 && (version.content == Content::Missing || version.time > start);
        let source = match (early, &version.content) {
            (true, Content::Missing) => versions.get(1).unwrap_or(version),
            _ => version,
        };
        let read = (source.content != Content::Missing).then(|| {
            let mut read = found.read(&source.content, discovery.version);
            read.file.origin = EraOrigin::Commit { id: source.id.clone() };
            read
        });
        let remark = if early { "which may be later than this event" } else { "changed after this event" };
        let from = match index {
            0 => Time::UNKNOWN,
            _ => edited(version.time, versions[index - 1].time.max(start), noticed),
        };
        Stretch { from, read, note: Some(format!("settings as of commit {}, {remark} ({shown})", source.id)) }
    };
    versions.iter().enumerate().map(stretch).collect()
}

/// When a version came into being: where the session noticed a change before the commit, then.
fn edited(committed: Time, before: Time, noticed: &[Time]) -> Time {
    noticed.iter().copied().filter(|time| before < *time && *time < committed).max().unwrap_or(committed)
}

/// Times at which the session noticed a change of this file.
fn noticed<'a>(
    request: &'a Request,
    found: &'a Found,
    changes: &'a [(Time, String)],
) -> impl Iterator<Item = Time> + 'a {
    changes
        .iter()
        .filter(move |(time, path)| {
            let path = Path::new(path);
            let same = path == found.path || request.start().is_some_and(|start| start.join(path) == found.path);
            same && !time.is_unknown()
        })
        .map(|(time, _)| *time)
}

/// A path from the start folder, or from the home folder.
fn shorten(request: &Request, path: &Path) -> String {
    if let Some(inside) = request.start().and_then(|start| path.strip_prefix(start).ok()) {
        return inside.display().to_string();
    }
    match request.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => path.display().to_string(),
    }
}

/// Scripts that changed after the session began, each once, with the time.
fn changed_scripts(
    request: &Request,
    discovery: &Discovery,
    files: &[Vec<Stretch>],
    (start, _): (Time, Time),
) -> Vec<(String, Time)> {
    let mut scripts: Vec<(PathBuf, Time)> = Vec::new();
    let mut known: HashSet<(PathBuf, Time)> = HashSet::new();
    for (found, stretches) in discovery.found.iter().zip(files) {
        let plugin = found.path.ancestors().nth(2).map(Path::to_path_buf);
        let folders = Folders { plugin, ..Folders::of(request) };
        let groups = stretches.iter().filter_map(|stretch| stretch.read.as_ref()).flat_map(|read| &read.groups);
        for handler in groups.flat_map(|group| &group.handlers) {
            let Some(script) = script::script(handler, &folders).filter(|(_, changed)| *changed > start) else {
                continue;
            };
            if known.insert(script.clone()) {
                scripts.push(script);
            }
        }
    }
    scripts.into_iter().map(|(path, changed)| (script::name(&path), changed)).collect()
}
