//! Keys in, screens out.

pub mod desk;
mod hostile;
mod keys;
mod looks;

use hookscope::app::{App, Effect, Input, Intro, Options, input, jobs, typed};
use hookscope::cli::inspector::Inspector;
use hookscope::dialect::claude_code::DIALECT;
use hookscope::engine::{self, Tracer};
use hookscope::load::demo::Demo;
use hookscope::load::open::{From, load};
use hookscope::model::Session;
use hookscope::settings::Request;
use hookscope::source::Store;
use hookscope::ui;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;

use desk::Desk;

/// A program without a terminal: effects are done at once.
pub struct Bench {
    pub app: App,
    pub copied: Vec<String>,
    pub quit: bool,
}

impl Bench {
    pub fn new(session: Session, desk: Desk, size: (u16, u16), options: Options) -> Bench {
        let mut bench = Bench { app: App::new(session, options), copied: Vec::new(), quit: false };
        bench.give(Input::Resize(size.0, size.1));
        bench.give(Input::Planned(Arc::new(desk)));
        bench
    }

    /// A bundled session, opened on the row that matters.
    pub fn demo(name: &str, size: (u16, u16), options: Options) -> Bench {
        let demo = Demo::by_name(name).unwrap();
        let store = Arc::new(Store::new());
        let loaded = load(&From::Demo(demo), &Request::default(), &store).unwrap();
        let tracer = Tracer::new(&DIALECT, loaded.plan, engine::Options::default());
        let start_at = demo.event_in(&loaded.session).map(|event| event.0 + 1);
        let options = Options { start_at, intro: Some(Intro::of(demo)), ..options };
        let app = App::new(loaded.session, options);
        let mut bench = Bench { app, copied: Vec::new(), quit: false };
        bench.give(Input::Resize(size.0, size.1));
        bench.give(Input::Planned(Arc::new(Inspector::new(tracer, store))));
        bench
    }

    pub fn give(&mut self, first: Input) {
        let mut waiting = std::collections::VecDeque::from([first]);
        while let Some(next) = waiting.pop_front() {
            for effect in input(&mut self.app, next) {
                match effect {
                    Effect::Quit => self.quit = true,
                    Effect::Copy(text) => self.copied.push(text),
                    Effect::Mouse(_) | Effect::Suspend => {}
                    effect => {
                        let Some(inspect) = self.app.inspect.clone() else { continue };
                        let session = self.app.session.clone();
                        jobs::perform(&effect, &session, inspect.as_ref(), &|| false, &mut |answer| {
                            waiting.push_back(answer);
                        });
                    }
                }
            }
        }
    }

    pub fn type_keys(&mut self, keys: &str) {
        for key in typed(keys) {
            if self.quit {
                return;
            }
            self.give(Input::Key(key));
        }
    }

    fn terminal(&self) -> Terminal<TestBackend> {
        let (columns, rows) = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a test terminal");
        terminal.draw(|frame| ui::draw(&self.app, frame)).expect("drawing on a test terminal");
        terminal
    }

    /// The screen as text, without blanks at line ends.
    pub fn screen(&self) -> String {
        let terminal = self.terminal();
        let buffer = terminal.backend().buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut line = String::new();
            let mut skip = 0;
            for x in 0..buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                line.push_str(symbol);
                skip = hookscope::text::width(symbol).saturating_sub(1);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// The bundled-like session, keys typed, the screen.
pub fn check(size: (u16, u16), keys: &str) -> String {
    check_with(size, keys, Options::default())
}

pub fn check_with(size: (u16, u16), keys: &str, options: Options) -> String {
    let (session, desk) = desk::nightly_refactor();
    let mut bench = Bench::new(session, desk, size, options);
    bench.type_keys(keys);
    bench.screen()
}
