//! The event loop: signals, keys, answers of jobs, what is loaded, time. Drawn when something changed, at most every
//! 16 milliseconds; what draws is passed in.

use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossterm::event::{Event, EventStream};
use futures_core::Stream;
use nix::sys::signal::{Signal, raise};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedSender, channel, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};

use super::jobs::Jobs;
use super::picker::Choice;
use super::terminal::{Guard, TerminalError, copy, give_mouse};
use super::{App, Effect, Input, input};
use crate::load::discover::{self, Named, Root};
use crate::model::Time;

/// Between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Between two ticks, while something is under way.
const TICK: Duration = Duration::from_millis(100);
/// Until what was loaded is tried again, while a job reads.
const RETRY: Duration = Duration::from_millis(2);

/// Draws the state.
pub type Draw<'a> = &'a mut dyn FnMut(&mut App) -> io::Result<()>;

/// Runs until the person quits. `loading` brings what is read in the meantime.
pub fn run(app: &mut App, loading: Receiver<Input>, draw: Draw) -> Result<(), TerminalError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(turn(app, loading, draw, &mut |_, _| {}))
}

/// Where the sessions of the picker are.
#[derive(Debug, Clone)]
pub enum Where {
    /// Below these folders.
    Roots(Vec<Root>),
    /// These.
    Given(Vec<Named>),
}

/// Runs the picker (an app made by [`App::picker`]) until something is picked. Sessions are looked for
/// and counted meanwhile. The app can be run again: it keeps its place.
pub fn run_picker(app: &mut App, places: &Where, draw: Draw) -> Result<Choice, TerminalError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    app.choice = None;
    app.redraw = true;
    if let Some(picker) = app.picking_mut() {
        picker.rescan();
    }
    // The first look is asked for without a key.
    let (first, loading) = channel(1);
    let _ = first.try_send(Input::Tick);
    let mut cancel = Arc::new(AtomicBool::new(false));
    let mut scan = |generation, answers: &UnboundedSender<Input>| {
        cancel.store(true, Ordering::Relaxed);
        cancel = Arc::new(AtomicBool::new(false));
        let (places, answers, cancel) = (places.clone(), answers.clone(), cancel.clone());
        std::thread::spawn(move || look_for_sessions(generation, &places, &cancel, &answers));
    };
    runtime.block_on(turn(app, loading, draw, &mut scan))?;
    cancel.store(true, Ordering::Relaxed);
    Ok(app.choice.clone().unwrap_or(Choice::Quit))
}

/// Lists and counts; ends when nobody waits any more.
fn look_for_sessions(generation: u64, places: &Where, cancel: &AtomicBool, answers: &UnboundedSender<Input>) {
    let listing = match places {
        Where::Roots(roots) => discover::list(roots),
        Where::Given(named) => discover::describe(named),
    };
    let paths: Vec<_> = listing.sessions.iter().map(|found| found.path.clone()).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let now = now.and_then(|since| i64::try_from(since.as_millis()).ok()).map_or(Time::UNKNOWN, Time);
    if answers.send(Input::Listed { generation, listing, now }).is_err() {
        return;
    }
    discover::scan(&paths, cancel, |batch| match answers.send(Input::Counted(generation, batch)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
}

/// Starts looking for sessions, for the request of this generation.
type Rescan<'a> = &'a mut dyn FnMut(u64, &UnboundedSender<Input>);

async fn turn(
    app: &mut App,
    mut loading: Receiver<Input>,
    draw: Draw<'_>,
    rescan: Rescan<'_>,
) -> Result<(), TerminalError> {
    let mut guard = Some(Guard::enter(app.mouse)?);
    app.size = crossterm::terminal::size()?;
    let (answers, mut answered) = unbounded_channel();
    let jobs = Jobs::start(&app.session, &answers);
    let mut keys = Some(EventStream::new());
    let mut ends = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()].map(signal);
    let mut woken = signal(SignalKind::from_raw(Signal::SIGCONT as i32))?;
    let (mut dirty, mut drawn, mut loads) = (true, None::<Instant>, true);
    loop {
        let due = drawn.map_or_else(Instant::now, |at| at + FRAME);
        if dirty && Instant::now() >= due {
            draw(app)?;
            (dirty, drawn) = (false, Some(Instant::now()));
            continue;
        }
        let next = tokio::select! {
            biased;
            () = any(&mut ends) => Some(Input::Terminate),
            _ = woken.recv() => {
                app.redraw = true;
                Some(Input::Tick)
            }
            event = key(&mut keys) => match event {
                Some(Ok(event)) => terminal_input(event),
                // Nobody can press a key any more.
                Some(Err(_)) | None => Some(Input::Terminate),
            },
            Some(answer) = answered.recv() => Some(answer),
            more = loading.recv(), if loads && !app.is_behind() => {
                loads = more.is_some();
                more
            }
            () = sleep_until(due), if dirty => None,
            () = sleep(RETRY), if app.is_behind() => Some(Input::Tick),
            () = sleep(TICK), if app.busy() => Some(Input::Tick),
        };
        let Some(next) = next else { continue };
        dirty = true;
        for effect in input(app, next) {
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Suspend => {
                    // The stream's thread holds the terminal: it has to go first.
                    drop(keys.take());
                    drop(guard.take());
                    raise(Signal::SIGTSTP).map_err(io::Error::from)?;
                    guard = Some(Guard::enter(app.mouse)?);
                    keys = Some(EventStream::new());
                    app.size = crossterm::terminal::size()?;
                    app.redraw = true;
                }
                Effect::Rescan(generation) => rescan(generation, &answers),
                Effect::Copy(text) => copy(&text)?,
                Effect::Mouse(mouse) => give_mouse(mouse)?,
                effect => match &app.inspect {
                    Some(inspect) => jobs.ask(effect, inspect.clone()),
                    None => drop(answers.send(Input::JobFailed("the settings are still being read".into()))),
                },
            }
        }
    }
}

/// Resolves when one of the signals arrives.
async fn any(signals: &mut [io::Result<tokio::signal::unix::Signal>; 3]) {
    std::future::poll_fn(|context| {
        for signal in signals.iter_mut().flatten() {
            if signal.poll_recv(context).is_ready() {
                return std::task::Poll::Ready(());
            }
        }
        std::task::Poll::Pending
    })
    .await;
}

async fn key(keys: &mut Option<EventStream>) -> Option<io::Result<Event>> {
    let Some(keys) = keys else { return std::future::pending().await };
    std::future::poll_fn(|context| Pin::new(&mut *keys).poll_next(context)).await
}

fn terminal_input(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) => Some(Input::Key(key)),
        Event::Mouse(mouse) => Some(Input::Mouse(mouse)),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::FocusGained | Event::FocusLost => None,
    }
}
