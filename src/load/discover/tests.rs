use super::*;

fn put(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn root(folder: &Path) -> Root {
    Root { dialect: "claude-code", folder: folder.to_owned() }
}

#[test]
fn the_config_folder_of_the_environment_comes_first() {
    let check = |config: Option<&str>, home: Option<&str>, expect: Option<&str>| {
        let roots = claude_code_roots(config.map(OsStr::new), home.map(Path::new));
        assert_eq!(roots.first().map(|root| root.folder.to_str().unwrap()), expect);
    };
    check(Some("/etc/agent"), Some("/home/you"), Some("/etc/agent/projects"));
    check(Some(""), Some("/home/you"), Some("/home/you/.claude/projects"));
    check(None, Some("/home/you"), Some("/home/you/.claude/projects"));
    check(None, None, None);
}

#[test]
fn sessions_come_newest_first_with_what_their_lines_tell() {
    let folder = tempfile::tempdir().unwrap();
    let line = |cwd: &str, day: u8| {
        format!(
            "{{\"type\":\"user\",\"cwd\":\"{cwd}\",\"timestamp\":\"2026-11-{day:02}T10:00:00Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"day {day}\"}}}}\n"
        )
    };
    put(folder.path(), "-home-you-a-b/old.jsonl", &line("/home/you/a-b", 3));
    put(folder.path(), "-home-you-a-b/new.jsonl", &line("/home/you/a/b", 5));
    put(folder.path(), "-srv/middle.jsonl", &line("/srv", 4));
    put(folder.path(), "-srv/agent-a1.jsonl", &line("/srv", 9));
    put(folder.path(), "-srv/middle/subagents/agent-a2.jsonl", &line("/srv", 9));
    put(folder.path(), "-srv/notes.txt", "none of ours");
    put(folder.path(), "loose.jsonl", &line("/", 9));
    let listing = list(&[root(folder.path())]);
    let seen: Vec<_> = listing
        .sessions
        .iter()
        .map(|found| (found.session_id.as_str(), found.project.as_deref().unwrap(), found.label()))
        .collect();
    assert_eq!(
        seen,
        [("new", "/home/you/a/b", "day 5"), ("middle", "/srv", "day 4"), ("old", "/home/you/a-b", "day 3")]
    );
    assert_eq!(listing.problems, []);
}

#[test]
fn a_missing_folder_is_said_and_is_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let listing = list(&[root(&nowhere)]);
    assert_eq!(listing, Listing { looked_in: vec![(nowhere, false)], ..Listing::default() });
}

#[test]
fn a_file_that_cannot_be_read_is_one_problem() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "p/good.jsonl", "{\"cwd\":\"/p\"}\n");
    std::os::unix::fs::symlink(folder.path().join("gone"), folder.path().join("p/dangling.jsonl")).unwrap();
    fs::create_dir(folder.path().join("p/folder.jsonl")).unwrap();
    let listing = list(&[root(folder.path())]);
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.problems.len(), 1, "{:?}", listing.problems);
    assert!(listing.problems[0].place.path.ends_with("dangling.jsonl"));
    assert_eq!(listing.problems[0].message, "cannot be read: no such file");
}

#[test]
fn the_end_of_a_large_file_tells_its_last_activity() {
    let folder = tempfile::tempdir().unwrap();
    let filler = format!("{{\"cwd\":\"/p\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"x\":\"{}\"}}\n", "x".repeat(1000));
    let text = filler.repeat(300) + "{\"timestamp\":\"2026-01-02T00:00:00Z\"}\n";
    put(folder.path(), "p/large.jsonl", &text);
    let listing = list(&[root(folder.path())]);
    assert_eq!(listing.sessions[0].last_activity, Time(1_767_312_000_000));
    assert_eq!(listing.sessions[0].bytes, text.len() as u64);
}
