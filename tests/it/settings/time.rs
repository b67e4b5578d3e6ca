//! Settings and scripts that changed since a session.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use git2::{Repository, Signature};
use hookscope::model::{EraOrigin, Plan, Time};
use hookscope::settings::{Request, plan, script_state};
use tempfile::TempDir;

const NOTE: &str = "settings as of now, changed after this event";

/// Seconds on a made-up clock; the session is from 1000 to 2000.
fn at(seconds: i64) -> Time {
    Time(seconds * 1000)
}

fn span() -> Option<(Time, Time)> {
    Some((at(1000), at(2000)))
}

struct Project {
    root: TempDir,
}

impl Project {
    fn new() -> Project {
        let root = TempDir::new().unwrap();
        fs::create_dir_all(root.path().join(".claude")).unwrap();
        Project { root }
    }

    fn file(&self) -> PathBuf {
        self.root.path().join(".claude/settings.json")
    }

    fn write(&self, path: &Path, text: &str, seconds: i64) {
        fs::write(path, text).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap());
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// Settings whose only hook runs `command`.
    fn settings(&self, command: &str, seconds: i64) {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#);
        self.write(&self.file(), &text, seconds);
    }

    fn commit(&self, seconds: i64) {
        let repository = Repository::open(self.root.path()).or_else(|_| Repository::init(self.root.path())).unwrap();
        let mut index = repository.index().unwrap();
        // Small files of the same size within a second: the index must not trust their times.
        index.clear().unwrap();
        index.add_all(["."], git2::IndexAddOption::FORCE, None).unwrap();
        index.write().unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::new("a", "a@example.com", &git2::Time::new(seconds, 0)).unwrap();
        let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        repository.commit(Some("HEAD"), &who, &who, "x", &tree, &parents).unwrap();
    }

    fn plan(&self, changes: &[(Time, String)]) -> Plan {
        plan(&Request { cwd: Some(self.root.path().to_path_buf()), ..Request::default() }, span(), changes)
    }
}

/// Start, command and note of each era; whether a commit is its source.
fn eras(plan: &Plan) -> Vec<(Option<i64>, String, Option<String>, bool)> {
    let each = plan.eras.iter().map(|era| {
        let command = era.set.groups.first().map_or("-".to_owned(), |group| group.handlers[0].label());
        let committed = matches!(era.set.files[0].origin, EraOrigin::Commit { .. });
        (era.from.millis().map(|millis| millis / 1000), command, era.note.clone(), committed)
    });
    each.collect()
}

fn noted(note: &Option<String>, words: &str) -> bool {
    note.as_deref().is_some_and(|note| note.contains(words))
}

#[test]
fn settings_older_than_the_session_hold_for_all_of_it() {
    let project = Project::new();
    project.settings("old", 900);
    assert_eq!(eras(&project.plan(&[])), [(None, "old".into(), None, false)]);
}

#[test]
fn settings_changed_after_the_session_carry_a_remark() {
    let project = Project::new();
    project.settings("new", 3000);
    let plan = project.plan(&[]);
    let [(None, command, note, false)] = &eras(&plan)[..] else { panic!("{:?}", eras(&plan)) };
    assert_eq!(command, "new");
    assert!(noted(note, NOTE) && noted(note, ".claude/settings.json"), "{note:?}");
}

#[test]
fn settings_changed_within_the_session_are_remarked_only_before_the_change() {
    let project = Project::new();
    project.settings("new", 1500);
    let plan = project.plan(&[]);
    let [(None, _, before, false), (Some(1500), _, None, false)] = &eras(&plan)[..] else {
        panic!("{:?}", eras(&plan))
    };
    assert!(noted(before, NOTE));
    assert_eq!((plan.era_at(at(1499)), plan.era_at(at(1500)), plan.era_at(Time::UNKNOWN)), (0, 1, 1));
}

#[test]
fn git_history_gives_the_version_of_the_time() {
    let project = Project::new();
    project.settings("a", 100);
    project.commit(100);
    project.settings("b", 500);
    project.commit(500);
    project.settings("c", 1400);
    project.commit(1400);
    project.settings("d", 2500);
    project.commit(2500);
    let plan = project.plan(&[]);
    let all = eras(&plan);
    let [(None, first, note, true), (Some(1400), second, _, true)] = &all[..] else { panic!("{all:?}") };
    assert_eq!((first.as_str(), second.as_str()), ("b", "c"));
    assert!(noted(note, "as of commit"), "{note:?}");
}

#[test]
fn a_change_that_the_session_noticed_is_older_than_its_commit() {
    let project = Project::new();
    project.settings("a", 100);
    project.commit(100);
    project.settings("b", 1700);
    project.commit(1700);
    project.settings("c", 2500);
    let changes = [(at(1300), project.file().display().to_string()), (at(1350), "/elsewhere.json".to_owned())];
    let all = eras(&project.plan(&changes));
    assert_eq!(all.iter().map(|era| era.0).collect::<Vec<_>>(), [None, Some(1300)], "{all:?}");
}

#[test]
fn an_uncommitted_edit_within_the_session_starts_an_era() {
    let project = Project::new();
    project.settings("a", 100);
    project.commit(100);
    project.settings("b", 1600);
    let all = eras(&project.plan(&[]));
    let [(None, first, _, true), (Some(1600), second, None, false)] = &all[..] else { panic!("{all:?}") };
    assert_eq!((first.as_str(), second.as_str()), ("a", "b"));
}

#[test]
fn a_checkout_that_only_touched_the_file_changes_nothing() {
    let project = Project::new();
    project.settings("a", 100);
    project.commit(100);
    project.settings("a", 3000);
    assert_eq!(eras(&project.plan(&[])), [(None, "a".into(), None, false)]);
}

#[test]
fn settings_that_are_gone_now_are_found_in_history() {
    let project = Project::new();
    project.settings("a", 100);
    project.commit(100);
    fs::remove_dir_all(project.file().parent().unwrap()).unwrap();
    project.write(&project.root.path().join("README"), "x", 2500);
    project.commit(2500);
    let all = eras(&project.plan(&[]));
    let [(None, command, note, true)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(command, "a");
    assert!(noted(note, "changed after this event"));
}

#[test]
fn settings_that_never_were_stay_away() {
    let project = Project::new();
    project.write(&project.root.path().join("README"), "x", 100);
    project.commit(100);
    let plan = project.plan(&[]);
    assert_eq!(plan.eras.len(), 1);
    assert!(plan.eras[0].set.files.is_empty() && plan.eras[0].note.is_none());
}

#[test]
fn a_change_noticed_without_history_is_remarked_on() {
    let project = Project::new();
    project.settings("new", 3000);
    let all = eras(&project.plan(&[(at(1300), ".claude/settings.json".to_owned())]));
    let [(None, _, before, _), (Some(1300), _, after, _)] = &all[..] else { panic!("{all:?}") };
    assert!(noted(before, NOTE) && noted(after, "noticed an earlier change"), "{all:?}");
}

#[test]
fn a_script_that_changed_after_an_event_is_named() {
    let project = Project::new();
    let script = project.root.path().join(".claude/guard.sh");
    project.write(&script, "exit 0\n", 1500);
    project.settings(r#"\"$CLAUDE_PROJECT_DIR\"/.claude/guard.sh --strict"#, 900);
    let plan = project.plan(&[]);
    let all = eras(&plan);
    let [(None, _, before, _), (Some(1500), _, None, _)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(before.as_deref(), Some("guard.sh changed after this event"));
    let handler = &plan.eras[0].set.groups[0].handlers[0];
    let state = |first, last| script_state(handler, project.root.path(), (at(first), at(last)));
    assert_eq!(state(1600, 2000), None);
    assert_eq!(state(1000, 2000).as_deref(), Some("guard.sh changed during this session"));
    assert_eq!(state(1000, 1200).as_deref(), Some("guard.sh changed after this session"));
}

#[test]
fn a_hundred_thousand_hooks_of_changed_scripts_are_neither_multiplied_nor_left_unsaid() {
    let project = Project::new();
    for script in 0..20 {
        project.write(&project.root.path().join(format!("s{script}.sh")), "x", 1100 + script);
    }
    // Twenty scripts under a hundred thousand names: `a/../s0.sh` is another path than `s0.sh`.
    std::fs::create_dir(project.root.path().join("a")).unwrap();
    let handler = |ix: usize| {
        let command = format!("./{}s{}.sh", "a/../".repeat(ix / 20 % 10), ix % 20);
        format!(r#"{{"type":"command","command":"{command}"}}"#)
    };
    let handlers: Vec<String> = (0..100_000).map(handler).collect();
    let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{}]}}]}}}}"#, handlers.join(","));
    project.write(&project.file(), &text, 900);
    let plan = project.plan(&[]);
    let held: usize = plan.eras.iter().flat_map(|era| &era.set.groups).map(|group| group.handlers.len()).sum();
    assert!(held <= 500_000, "{held}");
    let (first, last) = (&plan.eras[0].note, &plan.eras.last().unwrap().note);
    assert!(noted(first, "s0.sh changed after this event"), "{first:?}");
    assert!(noted(first, "more scripts changed after this event"), "{first:?}");
    assert!(noted(last, "17 later changes of settings and scripts are not told apart from here on"), "{last:?}");
}
