//! Drawing only: what the app holds, on a grid of cells. Must not know files, processes or how anything is parsed.
//!
//! Everything that comes from outside goes through `canvas::Canvas`, which makes it safe before it is put into a
//! cell. Only what is seen is built: a million events cost as much as ten.

mod bottom;
mod canvas;
mod doc;
mod header;
mod hook_table;
mod json;
mod lab;
mod layer;
mod loops;
mod panes;
mod picker;
mod strip;
mod theme;
mod timeline;

use ratatui::Frame;
use ratatui::layout::Position;

use crate::app::{App, Shape};
use canvas::Canvas;
use theme::Theme;

/// Draws the whole screen.
pub fn draw(app: &App, frame: &mut Frame) {
    let theme = Theme::new(app.options.colours);
    let regions = app.regions();
    let mut canvas = Canvas::new(frame.buffer_mut(), app.options.charset, theme);
    if regions.shape == Shape::TooSmall {
        canvas.text(regions.whole, "too small", crate::app::Tone::Plain);
        return;
    }
    if app.picking().is_some() {
        bottom::keys(app, app.mode(), regions.bottom, &mut canvas);
        let cursor = layer::draw(app, &regions, &mut canvas);
        if let Some((x, y)) = cursor {
            frame.set_cursor_position(Position { x, y });
        }
        return;
    }
    header::draw(app, &regions, &mut canvas);
    for (at, line) in app.intro_lines().iter().enumerate() {
        canvas.line(canvas::row(regions.intro, at), line);
    }
    timeline::draw(app, &regions, &mut canvas);
    strip::draw(app, &regions, &mut canvas);
    panes::draw(app, &regions, &mut canvas);
    bottom::draw(app, &regions, &mut canvas);
    let cursor = layer::draw(app, &regions, &mut canvas);
    if let Some((x, y)) = cursor {
        frame.set_cursor_position(Position { x, y });
    }
}

/// A terminal to draw on, for [`crate::app::run::run`].
pub struct Screen(ratatui::Terminal<ratatui::backend::CrosstermBackend<std::io::Stdout>>);

impl Screen {
    /// On stdout.
    pub fn new() -> std::io::Result<Screen> {
        Ok(Screen(ratatui::Terminal::new(ratatui::backend::CrosstermBackend::new(std::io::stdout()))?))
    }

    /// Draws the state; from scratch where something else was on the screen.
    pub fn draw(&mut self, app: &mut App) -> std::io::Result<()> {
        if std::mem::take(&mut app.redraw) {
            // `Terminal::clear` would ask the terminal where its cursor is, and the answer would be taken for a key.
            crossterm::execute!(std::io::stdout(), crossterm::terminal::Clear(crossterm::terminal::ClearType::All))?;
            *self = Screen::new()?;
        }
        self.0.draw(|frame| draw(app, frame))?;
        Ok(())
    }
}
