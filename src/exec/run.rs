//! Runs command handlers: started together, input written while output is read, killed
//! with their whole process group. What moves to a group of its own is out of reach.
//!
//! Owns processes from their start to their end. Must not know events, dialects, or what an answer means.

use std::collections::BTreeSet;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::model::Start;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Bytes of one stream that are kept; what comes after is read and dropped, so that the writer is not held up.
const KEPT: usize = 4 * 1024 * 1024;

/// How long a stream may stay open after its process has ended, before what holds it open counts as left behind.
const LINGER: Duration = Duration::from_millis(300);

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
    /// Exit code; `None` where a signal ended it, or it was never started.
    pub exit_code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// Killed at its limit.
    pub timed_out: bool,
    /// It ended, but something that it had started still held its output open, and was killed.
    pub left_behind: bool,
    /// From the start to the end.
    pub took: Duration,
    /// Why it could not be started.
    pub not_started: Option<io::Error>,
}

/// What came out of a stream.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// How many more there were.
    pub dropped: u64,
}

/// The process groups that run now.
#[derive(Debug, Default, Clone)]
pub struct Running(Arc<Mutex<BTreeSet<i32>>>);

impl Running {
    /// Groups that die with this program: a signal that ends it (INT, TERM, HUP) kills them first. From then on
    /// these signals end the program with 128 and their number.
    ///
    /// # Errors
    /// Where the system takes no signal handlers or no thread.
    pub fn watched() -> io::Result<Running> {
        let running = Running::default();
        let watched = running.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let guard = runtime.enter();
        let (mut int, mut term, mut hup) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        drop(guard);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let number = runtime.block_on(async {
                tokio::select! {
                    _ = int.recv() => Signal::SIGINT,
                    _ = term.recv() => Signal::SIGTERM,
                    _ = hup.recv() => Signal::SIGHUP,
                }
            });
            // Held until the end: nothing is started any more.
            let groups = watched.groups();
            for group in groups.iter() {
                kill(Some(Pid::from_raw(*group)));
            }
            std::process::exit(128 + number as i32);
        })?;
        Ok(running)
    }

    /// Starts all of them at once and waits for the last. They come back in the order of finishing, each with its
    /// place in `starts`.
    ///
    /// # Errors
    /// Where the system gives no means to wait for processes.
    pub fn together(&self, starts: Vec<Start>) -> io::Result<Vec<(usize, Ended)>> {
        if starts.is_empty() {
            return Ok(Vec::new());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut running = JoinSet::new();
            for (at, start) in starts.into_iter().enumerate() {
                let groups = self.clone();
                running.spawn(async move { (at, one(start, &groups).await) });
            }
            let mut ended = Vec::new();
            while let Some(done) = running.join_next().await {
                ended.push(done.map_err(io::Error::other)?);
            }
            Ok(ended)
        })
    }

    fn groups(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a process and takes note of its group before anything else can happen.
    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut groups = self.groups();
        let child = command.spawn()?;
        groups.extend(group_of(&child).map(Pid::as_raw));
        Ok(child)
    }

    /// A group that has ended: what is left of it dies, and its number may be another's from now on.
    fn end(&self, group: Option<Pid>) {
        let mut groups = self.groups();
        kill(group);
        if let Some(group) = group {
            groups.remove(&group.as_raw());
        }
    }
}

fn group_of(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw)
}

async fn one(start: Start, running: &Running) -> Ended {
    let began = Instant::now();
    let mut command = Command::new(&start.program);
    command.args(&start.args).current_dir(&start.cwd).env_clear().envs(start.env);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts can be killed with it.
    command.process_group(0).kill_on_drop(true);
    match running.spawn(&mut command) {
        Ok(child) => wait(child, start.input, start.limit, began, running).await,
        Err(error) => Ended {
            stdout: Stream::default(),
            stderr: Stream::default(),
            exit_code: None,
            signal: None,
            timed_out: false,
            left_behind: false,
            took: began.elapsed(),
            not_started: Some(error),
        },
    }
}

async fn wait(mut child: Child, input: Vec<u8>, limit: Option<Duration>, began: Instant, running: &Running) -> Ended {
    let group = group_of(&child);
    let stdin = child.stdin.take();
    let writing = tokio::spawn(async move {
        if let Some(mut stdin) = stdin {
            // A handler need not read its input.
            let _ = stdin.write_all(&input).await;
        }
    });
    let (stdout, stderr) = (Arc::<Mutex<Stream>>::default(), Arc::<Mutex<Stream>>::default());
    let mut reading = JoinSet::new();
    reading.spawn(read(child.stdout.take(), Arc::clone(&stdout)));
    reading.spawn(read(child.stderr.take(), Arc::clone(&stderr)));
    let ended = tokio::select! {
        status = child.wait() => Some(status),
        () = until(limit) => None,
    };
    let timed_out = ended.is_none();
    if timed_out {
        kill(group);
    }
    let status = match ended {
        Some(status) => status.ok(),
        None => child.wait().await.ok(),
    };
    let took = began.elapsed();
    let left_behind = timeout(LINGER, drained(&mut reading)).await.is_err();
    if left_behind {
        kill(group);
        // What moved to a group of its own can't be reached; its output is not waited for.
        let _ = timeout(LINGER, drained(&mut reading)).await;
    }
    running.end(group);
    writing.abort();
    Ended {
        stdout: taken(&stdout),
        stderr: taken(&stderr),
        exit_code: status.filter(|_| !timed_out).and_then(|status| status.code()),
        signal: status.and_then(signal_of),
        timed_out,
        left_behind: left_behind && !timed_out,
        took,
        not_started: None,
    }
}

fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

async fn until(limit: Option<Duration>) {
    match limit {
        Some(limit) => sleep(limit).await,
        None => std::future::pending().await,
    }
}

/// A group that is gone already needs no killing.
fn kill(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = killpg(group, Signal::SIGKILL);
    }
}

async fn drained(reading: &mut JoinSet<()>) {
    while reading.join_next().await.is_some() {}
}

fn taken(stream: &Mutex<Stream>) -> Stream {
    std::mem::take(&mut *stream.lock().unwrap_or_else(PoisonError::into_inner))
}

async fn read(from: Option<impl AsyncRead + Unpin>, into: Arc<Mutex<Stream>>) {
    let Some(mut from) = from else { return };
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count) = from.read(&mut buffer).await {
        if count == 0 {
            return;
        }
        let mut stream = into.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(stream.bytes.len()).min(count);
        stream.bytes.extend_from_slice(buffer.get(..room).unwrap_or_default());
        stream.dropped += (count - room) as u64;
    }
}
