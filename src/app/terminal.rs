//! The terminal: entered and left as one, whatever happens in between.

use std::io::{self, IsTerminal, Write};
use std::sync::Once;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use super::MouseUse;

/// Why there can be no screen.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The output goes elsewhere.
    #[error("stdout is not a terminal: use `hookscope replay SESSION` for text, or `hookscope replay SESSION --json`")]
    NotATerminal,
    /// It can't be used.
    #[error("the terminal cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// Holds the terminal; leaves it when dropped.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Takes the terminal: raw, on its other screen, with mouse and paste reported. Keys come from the terminal even
    /// where stdin is a pipe.
    pub fn enter(mouse: MouseUse) -> Result<Guard, TerminalError> {
        if !io::stdout().is_terminal() {
            return Err(TerminalError::NotATerminal);
        }
        restore_on_panic();
        enable_raw_mode()?;
        // From here on whatever fails leaves the terminal as it was.
        let guard = Guard(());
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        give_mouse(mouse)?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    let mut out = io::stdout();
    // The terminal may be gone: nothing to be done about it then.
    let _ = execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = out.flush();
}

/// A panic's words would be lost on the other screen.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        let screen = std::thread::current().id();
        std::panic::set_hook(Box::new(move |info| {
            // A job's panic is caught and said on the screen, which goes on.
            if std::thread::current().id() == screen {
                leave();
                before(info);
            }
        }));
    });
}

/// Gives the mouse to the program or the terminal.
pub fn give_mouse(mouse: MouseUse) -> io::Result<()> {
    match mouse {
        MouseUse::On => execute!(io::stdout(), EnableMouseCapture),
        MouseUse::Off => execute!(io::stdout(), DisableMouseCapture),
    }
}

/// Puts a text on the clipboard, by OSC 52: works over ssh, too.
pub fn copy(text: &str) -> io::Result<()> {
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
}
