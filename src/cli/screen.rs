//! Opens sessions in the debugger: loading in the background, the screen in front.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tokio::sync::mpsc;

use super::inspector::Inspector;
use super::{Common, Exit, Failure, charset, colours, opening};
use crate::app::run::run;
use crate::app::{App, Colours, Input, Options};
use crate::engine::Mode;
use crate::load::demo::Demo;
use crate::load::open::{self, Arrival, From};
use crate::model::Session;
use crate::source::Store;
use crate::ui::Screen;

/// Batches that may wait for the screen.
const AHEAD: usize = 8;

/// Opens the sessions that these paths hold.
pub fn sessions(paths: &[PathBuf], common: &Common) -> Result<Exit, Failure> {
    on_a_terminal()?;
    let sessions = opening::find(paths, common)?;
    for from in sessions {
        show(from, common, options(common))?;
    }
    Ok(Exit::Done)
}

/// Opens a demo on the row that matters.
pub fn demo(demo: &'static Demo, common: &Common) -> Result<Exit, Failure> {
    on_a_terminal()?;
    let from = From::Demo(demo);
    let loaded = opening::load(&from, common, None)?;
    let start_at = demo.event_in(&loaded.session).map(|event| event.0 + 1);
    show(from, common, Options { start_at, ..options(common) })?;
    Ok(Exit::Done)
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

/// Shows one session until the person leaves it.
fn show(from: From, common: &Common, options: Options) -> Result<(), Failure> {
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
            Arrival::Delta(delta) => told(Input::Loaded(Box::new(delta))),
            Arrival::Plan(plan) => {
                let tracer = opening::tracer(plan, Mode::Recorded, &common);
                told(Input::Planned(Arc::new(Inspector::new(tracer, lines.clone()))))
            }
        });
        if let Err(error) = ended {
            let _ = told(Input::LoadFailed(opening::failure(error).to_string()));
        }
    })?;
    let mut app = App::new(Session::new(opening::dialect().id), options);
    let mut screen = Screen::new()?;
    run(&mut app, loading, &mut |app| screen.draw(app)).map_err(|error| Failure::plain(error.to_string()))
}
