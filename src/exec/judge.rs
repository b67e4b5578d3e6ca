//! Tests patterns that may take exponential time in a child of our own binary, which can be killed.
//!
//! A backtracking engine has no step limit and a thread can't be stopped; a process can.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::matcher::{self, Judge, Judged};

/// The hidden subcommand under which our binary serves one question: see [`serve`].
pub const SUBCOMMAND: &str = "__judge";

/// How long a search may take. JavaScript in the agent would hang as long as it takes; this is what a person waits.
const SEARCH_LIMIT: Duration = Duration::from_millis(100);

/// How long the child may take to start and to read the question, on a busy machine too.
const START_LIMIT: Duration = Duration::from_secs(10);

/// After so many searches of one pattern that took too long the rest of its names are not tried: a list of
/// hundreds of names must not take minutes.
const TIME_OUTS_OF_A_PATTERN: usize = 10;

/// What the child gets on its standard input.
#[derive(Debug, Serialize, Deserialize)]
struct Question {
    pattern: String,
    subject: String,
}

/// What it says, one a line: that it starts to search, then what it found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Searching,
    Found((usize, usize)),
    NotFound,
    Error(String),
}

/// What became of one pattern, by subject.
#[derive(Debug, Default)]
struct Verdicts {
    by_subject: HashMap<String, Judged>,
    time_outs: usize,
}

/// A judge that asks a child process, kills it when it takes too long, and remembers every verdict.
#[derive(Debug)]
pub struct ChildJudge {
    program: PathBuf,
    patterns: Mutex<HashMap<String, Verdicts>>,
}

impl ChildJudge {
    /// Asks `program`, which must serve [`SUBCOMMAND`].
    pub fn new(program: PathBuf) -> ChildJudge {
        ChildJudge { program, patterns: Mutex::default() }
    }

    /// Asks the program that is running now.
    ///
    /// # Errors
    /// Where the system does not tell which program that is.
    pub fn of_this_program() -> io::Result<ChildJudge> {
        std::env::current_exe().map(ChildJudge::new)
    }

    fn ask(&self, pattern: &str, subject: &str) -> Judged {
        match self.started(pattern, subject) {
            Ok((mut child, answers)) => {
                let judged = verdict(&answers, subject);
                // It may be gone already; either way it must not outlive the question.
                let _ = child.kill();
                let _ = child.wait();
                judged
            }
            Err(error) => {
                Judged::Undecided(format!("it may take exponential time, and no process to try it in: {error}"))
            }
        }
    }

    fn started(&self, pattern: &str, subject: &str) -> io::Result<(Child, Receiver<Answer>)> {
        let mut child = Command::new(&self.program)
            .arg(SUBCOMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let question = Question { pattern: pattern.to_owned(), subject: subject.to_owned() };
        // A child that does not read would block us; a thread of its own gets a broken pipe once the child is killed.
        thread::spawn(move || input.and_then(|input| serde_json::to_writer(input, &question).ok()));
        let (send, answers) = channel();
        thread::spawn(move || {
            let Some(output) = output else { return };
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Ok(answer) = serde_json::from_str(&line) else { return };
                if send.send(answer).is_err() {
                    return;
                }
            }
        });
        Ok((child, answers))
    }
}

impl Judge for ChildJudge {
    fn test(&self, pattern: &str, subject: &str) -> Judged {
        if let Ok(patterns) = self.patterns.lock()
            && let Some(verdicts) = patterns.get(pattern)
        {
            if let Some(known) = verdicts.by_subject.get(subject) {
                return known.clone();
            }
            if verdicts.time_outs >= TIME_OUTS_OF_A_PATTERN {
                return Judged::Undecided(format!(
                    "not tried: the pattern took too long on {TIME_OUTS_OF_A_PATTERN} names"
                ));
            }
        }
        let judged = self.ask(pattern, subject);
        if let Ok(mut patterns) = self.patterns.lock() {
            let verdicts = patterns.entry(pattern.to_owned()).or_default();
            verdicts.time_outs += usize::from(matches!(judged, Judged::Undecided(_)));
            verdicts.by_subject.insert(subject.to_owned(), judged.clone());
        }
        judged
    }
}

fn verdict(answers: &Receiver<Answer>, subject: &str) -> Judged {
    match answers.recv_timeout(START_LIMIT) {
        Ok(Answer::Searching) => {}
        Ok(other) => return judged(other, subject),
        Err(_) => {
            return Judged::Undecided(
                "it may take exponential time, and the process to try it in gave no answer".to_owned(),
            );
        }
    }
    match answers.recv_timeout(SEARCH_LIMIT) {
        Ok(answer) => judged(answer, subject),
        Err(RecvTimeoutError::Timeout) => Judged::Undecided(format!(
            "the pattern takes more than {} ms on this name, exponential time perhaps",
            SEARCH_LIMIT.as_millis()
        )),
        Err(RecvTimeoutError::Disconnected) => Judged::Undecided("the process that tried the pattern died".to_owned()),
    }
}

fn judged(answer: Answer, subject: &str) -> Judged {
    match answer {
        // A place that is none in the subject would be a fault of the child; it must not become a panic here.
        Answer::Found((start, end)) if subject.get(start..end).is_some() => Judged::Found(start, end),
        Answer::NotFound => Judged::NotFound,
        Answer::Error(error) => Judged::Undecided(error),
        Answer::Found(_) | Answer::Searching => {
            Judged::Undecided("the process that tried the pattern gave no sense".to_owned())
        }
    }
}

/// The child's side: reads one question from `input`, answers on `output`.
///
/// # Errors
/// Where the question can't be read or the answer not written.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    let question: Question = serde_json::from_str(&text)?;
    say(&mut output, &Answer::Searching)?;
    let answer = match matcher::search(&question.pattern, &question.subject) {
        Ok(Some(found)) => Answer::Found(found),
        Ok(None) => Answer::NotFound,
        Err(error) => Answer::Error(error),
    };
    say(&mut output, &answer)
}

fn say(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.flush()
}
