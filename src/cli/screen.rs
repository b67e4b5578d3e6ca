//! Opens sessions in the debugger: loading in the background, the screen in front.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use tokio::sync::mpsc;

use super::inspector::Inspector;
use super::{Common, Exit, Failure, charset, colours, opening};
use crate::app::picker::Choice;
use crate::app::run::{Where, run, run_picker};
use crate::app::{App, Colours, Input, Intro, Leaving, Options, Tone};
use crate::engine::Mode;
use crate::load::demo::Demo;
use crate::load::discover::Named;
use crate::load::open::{self, Arrival, From};
use crate::model::Session;
use crate::source::Store;
use crate::ui::Screen;

/// Batches that may wait for the screen.
const AHEAD: usize = 8;

/// Opens the sessions that these paths hold: one at once, of several the one that is chosen.
pub fn sessions(paths: &[PathBuf], common: &Common) -> Result<Exit, Failure> {
    on_a_terminal()?;
    open_all(paths, common).map(|_| Exit::Done)
}

fn open_all(paths: &[PathBuf], common: &Common) -> Result<Leaving, Failure> {
    let mut found = opening::find(paths, common)?;
    match (found.pop(), found.is_empty()) {
        (None, _) => Ok(Leaving::Back),
        (Some(From::Demo(demo)), true) => open_demo(demo, common),
        (Some(only), true) => show(only, common, options(common)),
        (Some(last), false) => {
            found.push(last);
            choose(found, common)
        }
    }
}

/// Lets the person choose among sessions, until they leave.
fn choose(found: Vec<From>, common: &Common) -> Result<Leaving, Failure> {
    let named: Vec<Named> = found.iter().filter_map(named).collect();
    let (_, home) = super::sessions::places();
    let mut chooser = App::chooser(options(common), home);
    let mut screen = Screen::new()?;
    let places = Where::Given(named);
    loop {
        chooser.leaving = Leaving::Back;
        let choice = run_picker(&mut chooser, &places, &mut |app| screen.draw(app));
        let left = match choice.map_err(|error| Failure::plain(error.to_string()))? {
            Choice::Quit => return Ok(chooser.leaving),
            Choice::Demo(demo) => open_demo(demo, common),
            Choice::Session(path) => {
                let chosen = found.iter().find(|from| named_by(from, &path));
                chosen.map_or(Ok(Leaving::Back), |from| show(from.clone(), common, options(common)))
            }
        };
        match left {
            Ok(Leaving::Quit) => return Ok(Leaving::Quit),
            Ok(Leaving::Back) => {}
            Err(failure) => chooser.message = Some((failure.to_string(), Tone::Warn)),
        }
    }
}

/// A session as the chooser names it: by its first file.
fn named(from: &From) -> Option<Named> {
    let From::Files(files) = from else { return None };
    let path = files.all().next()?.clone();
    let session_id = match files.id.as_str() {
        "" => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        id => id.to_owned(),
    };
    Some(Named { dialect: crate::dialect::claude_code::DIALECT.id, path, session_id })
}

fn named_by(from: &From, path: &Path) -> bool {
    matches!(from, From::Files(files) if files.all().next().is_some_and(|first| first == path))
}

/// Opens a demo on the row that matters.
pub fn demo(demo: &'static Demo, common: &Common) -> Result<Exit, Failure> {
    on_a_terminal()?;
    open_demo(demo, common).map(|_| Exit::Done)
}

fn open_demo(demo: &'static Demo, common: &Common) -> Result<Leaving, Failure> {
    let from = From::Demo(demo);
    let loaded = opening::load(&from, common, None)?;
    let start_at = demo.event_in(&loaded.session).map(|event| event.0 + 1);
    let intro = Some(Intro::of(demo));
    show(from, common, Options { start_at, intro, ..options(common) })
}

/// The picker: opens what is picked and comes back, until the person leaves for good.
pub fn pick(common: &Common) -> Result<Exit, Failure> {
    on_a_terminal()?;
    let (roots, home) = super::sessions::places();
    let places = Where::Roots(roots);
    let mut picker = App::picker(options(common), home);
    let mut screen = Screen::new()?;
    loop {
        let choice = run_picker(&mut picker, &places, &mut |app| screen.draw(app));
        let left = match choice.map_err(|error| Failure::plain(error.to_string()))? {
            Choice::Quit => return Ok(Exit::Done),
            Choice::Demo(demo) => open_demo(demo, common),
            Choice::Session(path) => open_all(&[path], common),
        };
        match left {
            Ok(Leaving::Quit) => return Ok(Exit::Done),
            Ok(Leaving::Back) => {}
            // A session that can't be opened is no reason to leave.
            Err(failure) => picker.message = Some((failure.to_string(), Tone::Warn)),
        }
    }
}

/// Opens the screen and panics while drawing.
#[allow(clippy::panic, reason = "it is there to panic")]
pub fn fail(common: &Common) -> Result<(), Failure> {
    on_a_terminal()?;
    let (_send, loading) = mpsc::channel(1);
    let mut app = App::new(Session::new(crate::dialect::claude_code::DIALECT.id), options(common));
    let failed = run(&mut app, loading, &mut |_| panic!("a panic on purpose"));
    failed.map_err(|error| Failure::plain(error.to_string()))
}

fn on_a_terminal() -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::new(
        "standard output is not a terminal",
        "hookscope replay SESSION prints the same; see hookscope --help",
    ))
}

fn options(common: &Common) -> Options {
    Options {
        charset: charset(common),
        colours: if colours(common) { Colours::Colour } else { Colours::Mono },
        zone: TimeZone::system(),
        ..Options::default()
    }
}

/// Loads a session in the background.
pub(super) fn load(from: From, common: &Common) -> io::Result<mpsc::Receiver<Input>> {
    let store = Arc::new(Store::new());
    let (send, loading) = mpsc::channel(AHEAD);
    let (common, lines) = (common.clone(), store.clone());
    std::thread::Builder::new().name("load".to_owned()).spawn(move || {
        let request = opening::request(&common);
        let told = |input| match send.blocking_send(input) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let ended = open::open(&from, &request, &lines, &mut |arrival| match arrival {
            Arrival::Delta(delta) => told(Input::Loaded(delta)),
            Arrival::Plan(plan) => {
                let tracer = opening::tracer(plan, Mode::Recorded, &common);
                told(Input::Planned(Arc::new(Inspector::new(tracer, lines.clone()))))
            }
        });
        if let Err(error) = ended {
            let _ = told(Input::LoadFailed(opening::failure(error).to_string()));
        }
    })?;
    Ok(loading)
}

/// Shows one session until the person leaves it.
fn show(from: From, common: &Common, options: Options) -> Result<Leaving, Failure> {
    let loading = load(from, common)?;
    let mut app = App::new(Session::new(crate::dialect::claude_code::DIALECT.id), options);
    let mut screen = Screen::new()?;
    app.redraw = true;
    run(&mut app, loading, &mut |app| screen.draw(app)).map_err(|error| Failure::plain(error.to_string()))?;
    Ok(app.leaving)
}
