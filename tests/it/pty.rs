//! The real binary in a real (pseudo) terminal: what a buffer can't show.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, NativePtySystem, PtySize, PtySystem};

/// How long a screen may take on a busy machine. Waiting ends as soon as what is waited for is there.
const PATIENCE: Duration = Duration::from_secs(60);

/// vt100 knows no terminal without cells.
fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

/// A program in a terminal of its own, and the screen that a person would see.
pub struct Terminal {
    screen: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    /// Starts the binary with these arguments in a terminal of that size, with an empty home.
    pub fn start(args: &[&str], (columns, rows): (u16, u16)) -> Terminal {
        Terminal::start_with(args, (columns, rows), &[])
    }

    /// The same with more variables.
    pub fn start_with(args: &[&str], (columns, rows): (u16, u16), env: &[(&str, &str)]) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = NativePtySystem::default().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookscope"));
        command.args(args);
        command.env("HOME", env!("CARGO_TARGET_TMPDIR"));
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("TZ", "UTC");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (seen, bytes) = (screen.clone(), raw.clone());
        std::thread::spawn(move || {
            let mut buf = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buf) {
                bytes.lock().unwrap().extend_from_slice(&buf[..n]);
                seen.lock().unwrap().process(&buf[..n]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Terminal { screen, raw, master: pair.master, keys, child }
    }

    /// Types.
    pub fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Everything that was ever written to the terminal.
    pub fn raw(&self) -> Vec<u8> {
        self.raw.lock().unwrap().clone()
    }

    /// Whether the alternate screen is on.
    pub fn is_alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Waits until the screen shows `words`.
    pub fn see(&self, words: &str) {
        self.wait(&format!("{words:?} on the screen"), |terminal| terminal.text().contains(words));
    }

    /// Changes the terminal's size.
    pub fn resize(&self, (columns, rows): (u16, u16)) {
        self.screen.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Waits until the program has ended; gives its exit code.
    pub fn ended(&mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "the program did not end; the screen:\n{}", self.text());
            std::thread::yield_now();
        }
    }

    fn wait(&self, what: &str, holds: impl Fn(&Terminal) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            assert!(start.elapsed() < PATIENCE, "waited for {what}; the screen:\n{}", self.text());
            std::thread::yield_now();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
