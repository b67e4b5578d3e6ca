use std::fs;
use std::io::Read;

use super::*;

fn peek(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn main_line(id: &str) -> String {
    format!(r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"{id}","type":"user","uuid":"u","message":{{}}}}"#)
}

fn side_line(id: &str, agent: &str) -> String {
    format!(r#"{{"parentUuid":null,"isSidechain":true,"agentId":"{agent}","sessionId":"{id}","type":"user"}}"#)
}

fn input(id: &str) -> String {
    format!(r#"{{"hook_event_name":"Stop","session_id":"{id}","transcript_path":"/x"}}"#)
}

fn stream(id: &str) -> String {
    format!(r#"{{"type":"system","subtype":"init","session_id":"{id}"}}"#)
}

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, String)]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = tree.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        tree
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Sessions as text: `id: main+…`.
    fn group(&self, paths: &[&str]) -> Result<Vec<String>, NoSession> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| self.at(path)).collect();
        let grouped = group(&paths, &peek)?;
        Ok(grouped.sessions.iter().map(|session| format!("{}: {}", session.id, self.list(session))).collect())
    }

    fn list(&self, session: &SessionFiles) -> String {
        let show = |path: &PathBuf| path.strip_prefix(self.0.path()).unwrap().display().to_string();
        session.all().map(show).collect::<Vec<_>>().join(" ")
    }
}

fn debug() -> String {
    "[DEBUG] Hooks: Stop [x] finished with status 0 (1ms)\n".to_owned()
}

#[test]
fn everything_of_a_session_comes_together() {
    let tree = Tree::new(&[
        ("s/projects/-p/A.jsonl", main_line("A")),
        ("s/projects/-p/A/subagents/agent-1.jsonl", side_line("A", "1")),
        ("s/projects/-p/A/subagents/agent-1.meta.json", "{\"agentType\":\"x\"}".into()),
        ("s/stream-1.jsonl", stream("A")),
        ("s/stream-2.jsonl", stream("A")),
        ("s/inputs.jsonl", input("A")),
        ("s/debug.txt", debug()),
        ("s/settings.json", "{\"hooks\":{}}".into()),
        ("s/README.md", "# notes".into()),
    ]);
    let expect = "A: s/projects/-p/A.jsonl s/projects/-p/A/subagents/agent-1.jsonl s/stream-1.jsonl s/stream-2.jsonl s/debug.txt s/inputs.jsonl";
    assert_eq!(tree.group(&["s"]).unwrap(), [expect]);
    let one = "A: s/projects/-p/A.jsonl s/projects/-p/A/subagents/agent-1.jsonl";
    for named in ["s/projects/-p/A.jsonl", "s/projects/-p/A", "s/projects/-p", "s/projects"] {
        assert_eq!(tree.group(&[named]).unwrap(), [one], "{named}");
    }
    let grouped = group(&[tree.at("s")], &peek).unwrap();
    assert_eq!(grouped.sessions[0].subagents[0].1, Some(tree.at("s/projects/-p/A/subagents/agent-1.meta.json")));
    let aside: Vec<_> = grouped.aside.iter().map(|(_, format)| *format).collect();
    assert_eq!(aside, [Format::UnknownText, Format::SubagentMeta, Format::Settings]);
}

#[test]
fn several_sessions_share_a_log_and_each_takes_its_own() {
    let tree = Tree::new(&[
        ("A.jsonl", main_line("A")),
        ("B.jsonl", main_line("B")),
        ("log", [input("A"), input("B"), input("C")].join("\n")),
        ("debug.txt", debug()),
    ]);
    assert_eq!(tree.group(&["A.jsonl", "log", "B.jsonl"]).unwrap(), ["A: A.jsonl log", "B: B.jsonl log"]);
    let grouped = group(&[tree.at("")], &peek).unwrap();
    let [a, b] = &grouped.sessions[..] else { panic!("two sessions") };
    assert!(a.takes("A") && !a.takes("B") && b.takes("B") && !b.takes("A"));
    assert!(grouped.aside.iter().any(|(_, format)| *format == Format::DebugLog), "nobody knows whose it is");
}

#[test]
fn a_log_alone_is_one_session_however_many_it_holds() {
    let tree = Tree::new(&[("log", [input("A"), input("B")].join("\n"))]);
    assert_eq!(tree.group(&["log"]).unwrap(), ["A: log"]);
    assert!(group(&[tree.at("log")], &peek).unwrap().sessions[0].takes("B"));
}

#[test]
fn older_subagent_files_stand_beside_the_transcript() {
    let tree = Tree::new(&[
        ("p/A.jsonl", main_line("A")),
        ("p/agent-1.jsonl", side_line("A", "1")),
        ("p/agent-2.jsonl", side_line("B", "2")),
    ]);
    assert_eq!(tree.group(&["p"]).unwrap(), ["A: p/A.jsonl p/agent-1.jsonl", "B: p/agent-2.jsonl"]);
    assert_eq!(tree.group(&["p/A.jsonl"]).unwrap(), ["A: p/A.jsonl p/agent-1.jsonl"]);
    assert_eq!(tree.group(&["p/agent-2.jsonl"]).unwrap(), ["B: p/agent-2.jsonl"]);
}

#[test]
fn what_is_no_session_is_said_with_its_kind() {
    let tree = Tree::new(&[
        ("codex", "{\"type\":\"session_meta\",\"payload\":{}}".into()),
        ("empty", String::new()),
        ("notes/a.txt", "words".into()),
        ("hollow/.keep", String::new()),
    ]);
    let said = |path: &str| tree.group(&[path]).unwrap_err().to_string();
    assert!(said("codex").ends_with("codex: this is a Codex rollout, which can't be opened yet"));
    assert!(said("empty").ends_with("empty: this is an empty file, not a session"));
    assert!(said("missing").contains("no such file"), "{}", said("missing"));
    assert!(said("notes").contains("no session found among 1 files; looked for transcripts"));
    assert!(said("hollow").contains("no session found"));
    assert!(said("").contains("codex is a Codex rollout, which can't be opened yet"));
    assert!(matches!(group(&[], &peek), Err(NoSession::NoPath)));
}

#[cfg(unix)]
#[test]
fn rings_and_pipes_are_not_entered() {
    let tree = Tree::new(&[("d/A.jsonl", main_line("A"))]);
    std::os::unix::fs::symlink(tree.at("d"), tree.at("d/ring")).unwrap();
    std::os::unix::fs::symlink(tree.at("d/A.jsonl"), tree.at("d/again.jsonl")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(tree.at("d/pipe")).status().unwrap().success());
    assert_eq!(tree.group(&["d"]).unwrap(), ["A: d/A.jsonl"]);
    assert!(tree.group(&["d/pipe"]).unwrap_err().to_string().contains("not a regular file"));
}

#[test]
fn a_subagent_with_a_long_first_line_finds_its_session() {
    let long = side_line("A", "1")
        .replace(r#""sessionId""#, &format!(r#""message":"{}","sessionId""#, "x".repeat(2 * FIRST_LOOK)));
    let tree = Tree::new(&[("p/A.jsonl", main_line("A")), ("p/A/subagents/agent-1.jsonl", long + "\n")]);
    assert_eq!(tree.group(&["p"]).unwrap(), ["A: p/A.jsonl p/A/subagents/agent-1.jsonl"]);
    assert_eq!(tree.group(&["p/A.jsonl"]).unwrap(), ["A: p/A.jsonl p/A/subagents/agent-1.jsonl"]);
}
