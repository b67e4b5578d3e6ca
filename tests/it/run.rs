//! Handlers as real processes: what is kept of them, and that nothing of them outlives its limit.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hookscope::exec::run::{Ended, Start, together};

fn sh(script: &str) -> Start {
    Start {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: std::env::temp_dir(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        input: Vec::new(),
        limit: Some(Duration::from_secs(30)),
    }
}

fn one(start: Start) -> Ended {
    together(vec![start]).unwrap().remove(0).1
}

fn text(ended: &Ended) -> String {
    String::from_utf8(ended.stdout.bytes.clone()).unwrap()
}

/// Whether a process runs on. A killed one takes a moment to go; one that waits for its parent to look is gone.
fn is_alive(id: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    let gone = || {
        let status = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default();
        status.is_empty() || status.contains(") Z ")
    };
    while !gone() {
        if Instant::now() > until {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn output_exit_code_and_signal_are_told() {
    let ended = one(Start { input: b"in".to_vec(), ..sh("cat; echo err >&2; exit 3") });
    assert_eq!((text(&ended), ended.exit_code, ended.signal), ("in".to_owned(), Some(3), None));
    assert_eq!(ended.stderr.bytes, b"err\n");
    let ended = one(sh("kill -TERM $$"));
    assert_eq!((ended.exit_code, ended.signal, ended.timed_out), (None, Some(15), false));
}

#[test]
fn the_environment_is_the_given_one_alone() {
    let mut start = sh("env");
    start.env.push(("CLAUDE_PROJECT_DIR".into(), "/p".into()));
    let ended = one(start);
    let said = text(&ended);
    let names: Vec<&str> = said.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"CLAUDE_PROJECT_DIR") && !names.contains(&"HOME"), "{names:?}");
}

#[test]
fn a_handler_at_its_limit_dies_with_all_that_it_started() {
    let start = Start { limit: Some(Duration::from_millis(300)), ..sh("sleep 60 & echo $!; sleep 60") };
    let ended = one(start);
    assert!(ended.timed_out && !ended.left_behind);
    assert!(!is_alive(&text(&ended)), "the sleeper outlived its parent");
}

#[test]
fn what_is_left_behind_is_noticed_and_killed() {
    let ended = one(sh("sleep 60 & echo $!; exit 0"));
    assert_eq!((ended.exit_code, ended.left_behind, ended.timed_out), (Some(0), true, false));
    assert!(!is_alive(&text(&ended)));
    // One that holds no output open is nobody's business.
    let ended = one(sh("sleep 0 >/dev/null 2>&1 </dev/null & exit 0"));
    assert!(!ended.left_behind);
}

#[test]
fn input_and_output_larger_than_a_pipe_do_not_wait_for_each_other() {
    let ended = one(Start { input: vec![b'x'; 3_000_000], ..sh("cat") });
    assert_eq!((ended.stdout.bytes.len(), ended.exit_code), (3_000_000, Some(0)));
    // Nobody reads the input: no error, no wait.
    let ended = one(Start { input: vec![b'x'; 3_000_000], ..sh("exit 0") });
    assert_eq!(ended.exit_code, Some(0));
}

#[test]
fn output_beyond_the_bound_is_counted_and_dropped() {
    let ended = one(sh("head -c 6000000 /dev/zero"));
    assert_eq!(ended.exit_code, Some(0));
    assert_eq!(ended.stdout.bytes.len() as u64 + ended.stdout.dropped, 6_000_000);
    assert!(ended.stdout.dropped > 0);
}

#[test]
fn handlers_run_together_and_come_back_as_they_finish() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let make = format!("mkfifo '{}'", pipe.display());
    assert_eq!(one(sh(&make)).exit_code, Some(0));
    // The first can only end once the second runs: one after the other would never end.
    let first = format!("read line <'{}'; echo $line", pipe.display());
    let second = format!("echo met >'{}'", pipe.display());
    let ended = together(vec![sh(&first), sh(&second)]).unwrap();
    let said: BTreeMap<usize, String> = ended.iter().map(|(at, ended)| (*at, text(ended))).collect();
    assert_eq!(said[&0], "met\n");
}

#[test]
fn what_cannot_be_started_says_why() {
    let ended = one(Start { program: "/nowhere/guard".into(), ..sh("") });
    assert_eq!(ended.not_started.unwrap().kind(), std::io::ErrorKind::NotFound);
    let ended = one(Start { cwd: "/nowhere".into(), ..sh("true") });
    assert!(ended.not_started.is_some());
}
