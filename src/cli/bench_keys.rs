//! `hookscope bench keys`: how long a key press and its frame take while a session is loading.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::unbounded_channel;

use super::{Common, Failure, opening, screen};
use crate::app::jobs::Jobs;
use crate::app::{App, Effect, Input, Options, input, typed};
use crate::model::Session;
use crate::ui;

/// Pressed one after the other, again and again.
const KEYS: &str = "jjJK]}[{<pagedown>kG<c-u>g<tab>j<s-tab>";
/// Columns and rows.
const SIZE: (u16, u16) = (120, 40);
/// Keys that are pressed once everything is loaded.
const AFTER: usize = 200;

/// Loads a session as the screen does, and presses a key after everything that arrives.
pub fn run(file: &Path, common: &Common, out: &mut dyn Write) -> Result<(), Failure> {
    let paths: [PathBuf; 1] = [file.to_owned()];
    let Some(from) = opening::find(&paths, common)?.into_iter().next() else { return Ok(()) };
    let mut loading = screen::load(from, common)?;
    let mut app = App::new(Session::new(crate::dialect::claude_code::DIALECT.id), Options::default());
    let (answers, mut answered) = unbounded_channel();
    let jobs = Jobs::start(&app.session, &answers);
    let Ok(mut terminal) = Terminal::new(TestBackend::new(SIZE.0, SIZE.1));
    let give = |app: &mut App, next: Input| {
        for effect in input(app, next) {
            match (effect, &app.inspect) {
                (Effect::Quit | Effect::Suspend | Effect::Copy(_) | Effect::Mouse(_) | Effect::Rescan(_), _) => {}
                (effect, Some(inspect)) => jobs.ask(effect, inspect.clone()),
                (_, None) => {}
            }
        }
    };
    give(&mut app, Input::Resize(SIZE.0, SIZE.1));
    let mut keys = typed(KEYS).into_iter().cycle();
    let (mut while_loading, mut after, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
    let mut loads = true;
    while after.len() < AFTER {
        let next = match answered.try_recv() {
            Ok(answer) => Some(answer),
            Err(_) if !loads || app.is_behind() => None,
            Err(_) => match loading.try_recv() {
                Ok(next) => Some(next),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => {
                    loads = false;
                    None
                }
            },
        };
        let waits = next.is_none();
        let start = Instant::now();
        let delta = matches!(next, Some(Input::Loaded(_)));
        give(&mut app, next.unwrap_or(Input::Tick));
        if delta {
            deltas.push(start.elapsed());
        }
        let Some(key) = keys.next() else { break };
        let start = Instant::now();
        give(&mut app, Input::Key(key));
        let Ok(_) = terminal.draw(|frame| ui::draw(&app, frame));
        if loads { &mut while_loading } else { &mut after }.push(start.elapsed());
        if waits {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    writeln!(out, "{} events", app.session.read().events.len())?;
    for (what, times) in
        [("key and frame, loading", while_loading), ("key and frame, loaded", after), ("batch", deltas)]
    {
        writeln!(out, "{what:<24} {}", spread(times))?;
    }
    Ok(())
}

/// Median, 99th of a hundred, longest, and how many.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        let time = times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default();
        format!("{:.2} ms", time.as_secs_f64() * 1000.0)
    };
    format!("p50 {}  p99 {}  max {}  of {}", at(50), at(99), at(100), times.len())
}
