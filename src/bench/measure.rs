//! What reading a session costs, in time and memory, beside `wc -l` and `jq -c .type` on the same file.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use crate::model::SourceIx;
use crate::source::{Next, Source};

/// Told by a loading function on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Milestone {
    /// The first events could be shown.
    First,
    /// Everything is read.
    All {
        /// Lines read.
        lines: u64,
        /// Events found; 0 where none are looked for.
        events: u64,
    },
}

/// A loading function: reads a file and tells its milestones.
pub type Loading<'a> = &'a mut dyn FnMut(&Path, &mut dyn FnMut(Milestone)) -> io::Result<()>;

/// Wall and processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// By the clock.
    pub wall: Duration,
    /// Of all threads, in the program and in the system.
    pub cpu: Duration,
}

/// What loading a file took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Size of the file.
    pub bytes: u64,
    /// From the start to the return of the loading function.
    pub cost: Cost,
    /// From the start to [`Milestone::First`].
    pub first: Option<Duration>,
    /// From the start to [`Milestone::All`].
    pub all: Option<Duration>,
    /// Lines read.
    pub lines: u64,
    /// Events found.
    pub events: u64,
    /// The most memory this process ever had, in bytes, where the system tells.
    pub peak: Option<u64>,
}

/// What another program took for the same file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// As one would type it.
    pub command: &'static str,
    /// `None` where the program is not installed or failed.
    pub cost: Option<Cost>,
}

/// Loads a file and takes the time.
///
/// # Errors
/// The loading function's, or the file is not there.
pub fn measure(path: &Path, load: Loading<'_>) -> io::Result<Measured> {
    let bytes = fs::metadata(path)?.len();
    let (mut first, mut all, mut found) = (None, None, (0, 0));
    let start = Instant::now();
    let before = cpu(UsageWho::RUSAGE_SELF)?;
    load(path, &mut |milestone| match milestone {
        Milestone::First => first = first.or(Some(start.elapsed())),
        Milestone::All { lines, events } => {
            all = Some(start.elapsed());
            found = (lines, events);
        }
    })?;
    let cost = Cost { wall: start.elapsed(), cpu: cpu(UsageWho::RUSAGE_SELF)?.saturating_sub(before) };
    Ok(Measured { bytes, cost, first, all, lines: found.0, events: found.1, peak: peak() })
}

/// The least that any loading costs: every line once, without looking into it.
///
/// # Errors
/// The file can't be read.
pub fn scan(path: &Path, tell: &mut dyn FnMut(Milestone)) -> io::Result<()> {
    let mut cursor = Source::open(path)?.cursor(SourceIx(0));
    let mut lines = 0;
    loop {
        match cursor.next() {
            Next::Line(_) => {
                if lines == 0 {
                    tell(Milestone::First);
                }
                lines += 1;
            }
            Next::Pending => {
                cursor.wait(Duration::from_secs(1));
            }
            Next::Failed(error) => return Err(error.into()),
            Next::End => break,
        }
    }
    tell(Milestone::All { lines, events: 0 });
    Ok(())
}

/// What `wc -l` and `jq -c .type` take for the same file. Starts them, where they are installed.
///
/// # Errors
/// The file is not there, or the system can't tell times.
pub fn compare(path: &Path) -> io::Result<Vec<Comparison>> {
    // Absolute, so that no name looks like an option.
    let path = fs::canonicalize(path)?;
    let programs: [(&'static str, &str, &[&str]); 2] =
        [("wc -l", "wc", &["-l"]), ("jq -c .type", "jq", &["-c", ".type"])];
    let mut comparisons = Vec::new();
    for (command, program, arguments) in programs {
        let before = cpu(UsageWho::RUSAGE_CHILDREN)?;
        let start = Instant::now();
        let status = Command::new(program)
            .args(arguments)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let cost = Cost { wall: start.elapsed(), cpu: cpu(UsageWho::RUSAGE_CHILDREN)?.saturating_sub(before) };
        comparisons.push(Comparison { command, cost: status.is_ok_and(|status| status.success()).then_some(cost) });
    }
    Ok(comparisons)
}

/// Figures for a person, one a line.
pub fn report(measured: &Measured, comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<16} {value}");
    };
    let Measured { bytes, cost, first, all, lines, events, peak } = *measured;
    line("file", format!("{:.1} MB, {lines} lines, {events} events", mega(bytes)));
    line("first events", first.map_or("-".to_owned(), seconds));
    line("all events", all.map_or("-".to_owned(), seconds));
    line("wall", seconds(cost.wall));
    line("cpu", format!("{}, {:.0} MB per CPU second", seconds(cost.cpu), rate(bytes, cost.cpu)));
    let share =
        |peak: u64| format!("{:.1} MB, {:.1} % of the file", mega(peak), 100.0 * ratio(peak as f64, bytes as f64));
    line("peak memory", peak.map_or("-".to_owned(), share));
    for Comparison { command, cost: other } in comparisons {
        let compared = |other: &Cost| {
            format!(
                "wall {}, cpu {}; this took {:.2} of its wall, {:.2} of its cpu time",
                seconds(other.wall),
                seconds(other.cpu),
                ratio(cost.wall.as_secs_f64(), other.wall.as_secs_f64()),
                ratio(cost.cpu.as_secs_f64(), other.cpu.as_secs_f64()),
            )
        };
        line(command, other.as_ref().map_or("not installed, or failed".to_owned(), compared));
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn rate(bytes: u64, time: Duration) -> f64 {
    ratio(mega(bytes), time.as_secs_f64())
}

/// Not infinite where the clock is too coarse for a small file.
fn ratio(one: f64, other: f64) -> f64 {
    one / other.max(1e-6)
}

fn cpu(who: UsageWho) -> io::Result<Duration> {
    let usage = getrusage(who)?;
    let part = |time: nix::sys::time::TimeVal| {
        Duration::new(u64::try_from(time.tv_sec()).unwrap_or(0), u32::try_from(time.tv_usec() * 1000).unwrap_or(0))
    };
    Ok(part(usage.user_time()) + part(usage.system_time()))
}

/// From `/proc`, since `getrusage` counts what this process was before it became this program.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilo| kilo * 1024)
}
