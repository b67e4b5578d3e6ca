//! A made-up session of any size: prompts, batches of calls, hooks that speak, refuse and block.

use std::io::{self, Write};

use super::transcript::{Asked, Tool, Trace, Transcript};

/// What kind of session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Lines of about 3 KB in the mean, with tool results up to 80 KB.
    Large,
    /// Short lines and as many events as possible: about a million in 850 MB.
    Many,
}

impl Profile {
    /// By name.
    pub fn by_name(name: &str) -> Option<Profile> {
        match name {
            "large" => Some(Profile::Large),
            "many" => Some(Profile::Many),
            _ => None,
        }
    }
}

/// What was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Made {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub calls: u64,
    /// Calls that ran and failed.
    pub failed: u64,
    /// Calls that a hook refused.
    pub denied: u64,
    /// Batches of calls.
    pub batches: u64,
    /// Stops, of which `blocked` were prevented.
    pub stops: u64,
    /// Stops that a hook prevented.
    pub blocked: u64,
    /// Lines that show a hook of a call.
    pub traces: u64,
}

/// Bytes named as `1G`, `700M`, `64K` or `4096`; powers of 1024.
pub fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.trim().split_at_checked(text.trim().len().saturating_sub(1))? {
        (number, "K" | "k") => (number, 10),
        (number, "M" | "m") => (number, 20),
        (number, "G" | "g") => (number, 30),
        _ => (text.trim(), 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << unit)
}

/// Writes one session of about `target` bytes: it ends with the turn in which they are reached. The same
/// profile, seed and target give the same bytes.
///
/// # Errors
/// What `out` says.
pub fn generate(profile: Profile, seed: u64, target: u64, out: &mut dyn Write) -> io::Result<Made> {
    let mut made = Made::default();
    let mut session = Transcript::new(seed, out);
    made.lines += session.start()?;
    while session.bytes() < target || made.prompts == 0 {
        let len = session.random.within(20..=400);
        session.prompt(len)?;
        made.lines += 1;
        if made.prompts == 0 {
            made.lines += session.surroundings()?;
        }
        made.prompts += 1;
        turn(profile, target, &mut session, &mut made)?;
    }
    made.bytes = session.finish()?;
    Ok(made)
}

/// Batches of calls, then a stop, which may be prevented a few times.
fn turn(profile: Profile, target: u64, session: &mut Transcript<'_>, made: &mut Made) -> io::Result<()> {
    let mut rounds = if session.random.percent(15) { session.random.within(1..=4) } else { 0 };
    loop {
        let batches = match profile {
            Profile::Large => session.random.within(1..=9),
            Profile::Many => session.random.within(10..=60),
        };
        for _ in 0..batches {
            if session.bytes() >= target && made.batches > 0 {
                break;
            }
            batch(profile, session, made)?;
        }
        session.message();
        let len = session.random.within(40..=900);
        session.text(len, "end_turn")?;
        made.lines += 1;
        made.stops += 1;
        if rounds == 0 {
            break;
        }
        rounds -= 1;
        made.blocked += 1;
        made.lines += session.stop_blocked()?;
    }
    session.stopped()?;
    session.last_prompt()?;
    made.lines += 2;
    Ok(())
}

/// Calls side by side with the traces of their hooks.
fn batch(profile: Profile, session: &mut Transcript<'_>, made: &mut Made) -> io::Result<()> {
    if profile == Profile::Large && session.random.percent(40) {
        made.lines += session.request(600)?;
    }
    session.message();
    if profile == Profile::Large && session.random.percent(60) {
        let len = session.random.within(30..=600);
        session.text(len, "tool_use")?;
        made.lines += 1;
    }
    let count = match profile {
        Profile::Large => session.random.within(1..=3),
        Profile::Many => 1,
    };
    let mut asked = Vec::new();
    for _ in 0..count {
        let tool = session.random.pick(Tool::ALL).unwrap_or(Tool::Bash);
        let len = input_size(profile, session);
        asked.push(session.tool_use(tool, len)?);
        made.lines += 1;
        made.calls += 1;
    }
    for call in &asked {
        hooks("PreToolUse", profile, *call, session, made)?;
    }
    for call in asked {
        made.lines += 1;
        match session.random.within(0..=99) {
            0..=1 => {
                made.denied += 1;
                session.denied(call)?;
            }
            2..=6 => {
                made.failed += 1;
                let len = session.random.within(20..=900);
                session.failed(call, len)?;
            }
            _ => {
                let len = result_size(profile, session);
                session.result(call, len)?;
                hooks("PostToolUse", profile, call, session, made)?;
            }
        }
    }
    made.batches += 1;
    if profile == Profile::Large {
        session.reminder()?;
        made.lines += 1;
    }
    Ok(())
}

fn hooks(event: &str, profile: Profile, call: Asked, session: &mut Transcript<'_>, made: &mut Made) -> io::Result<()> {
    let likely = if profile == Profile::Large { 30 } else { 8 };
    if !session.random.percent(likely) {
        return Ok(());
    }
    let trace = match session.random.within(0..=99) {
        0..=79 => Trace::Success,
        80..=89 => Trace::Context,
        90..=94 => Trace::NonBlockingError,
        95..=97 => Trace::SystemMessage,
        _ => Trace::TimedOut,
    };
    let len = session.random.within(10..=300);
    session.hook(event, call, trace, len)?;
    made.traces += 1;
    made.lines += 1;
    Ok(())
}

fn input_size(profile: Profile, session: &mut Transcript<'_>) -> u64 {
    match (profile, session.random.within(0..=99)) {
        (Profile::Many, _) => session.random.within(1..=30),
        (Profile::Large, 0..=79) => session.random.within(10..=400),
        (Profile::Large, _) => session.random.within(400..=6000),
    }
}

/// Results are written twice on their line, for the model and as the tool's own data.
fn result_size(profile: Profile, session: &mut Transcript<'_>) -> u64 {
    match (profile, session.random.within(0..=99)) {
        (Profile::Many, _) => session.random.within(1..=60),
        (Profile::Large, 0..=64) => session.random.within(100..=2000),
        (Profile::Large, 65..=94) => session.random.within(2000..=10_000),
        (Profile::Large, _) => session.random.within(10_000..=80_000),
    }
}
