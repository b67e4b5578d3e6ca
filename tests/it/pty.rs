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

/// The start of the screen's bottom line: it is drawn last.
const DRAWN: &str = "? help";

#[test]
fn a_demo_opens_on_the_row_that_matters_and_q_gives_the_terminal_back() {
    let mut terminal = Terminal::start(&["demo", "stop-loop"], (80, 24));
    terminal.see("BLOCK 9");
    terminal.see(DRAWN);
    assert!(terminal.is_alternate());
    terminal.keys("q");
    assert_eq!(terminal.ended(), 0);
    terminal.wait("the alternate screen to be left", |terminal| !terminal.is_alternate());
}

#[test]
fn another_size_is_drawn_anew() {
    let mut terminal = Terminal::start(&["demo", "refused"], (80, 24));
    terminal.see(DRAWN);
    terminal.resize((120, 40));
    terminal.wait("two panes side by side", |terminal| {
        terminal.text().lines().next().is_some_and(|line| line.trim_end().len() > 80)
    });
    terminal.resize((40, 10));
    terminal.wait("a narrow screen", |terminal| {
        let text = terminal.text();
        text.contains("PreToolUse") && text.lines().all(|line| line.chars().count() <= 40)
    });
    terminal.keys("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn ctrl_c_leaves_and_gives_the_terminal_back() {
    let mut terminal = Terminal::start(&["demo", "ignored"], (80, 24));
    terminal.see(DRAWN);
    terminal.keys("\u{3}");
    assert_eq!(terminal.ended(), 0);
    terminal.wait("the alternate screen to be left", |terminal| !terminal.is_alternate());
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_speaks() {
    let mut terminal = Terminal::start(&["bench", "panic"], (80, 24));
    terminal.see("a panic on purpose");
    assert!(!terminal.is_alternate());
    assert_ne!(terminal.ended(), 0);
}

#[test]
fn escape_sequences_of_a_session_never_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.jsonl");
    let line = |rest: &str| {
        format!(
            r#"{{"sessionId":"0b1d7c5e-0000-4000-8000-00000000000a","version":"2.1.332","cwd":"/x","entrypoint":"cli","timestamp":"2026-11-30T10:00:00.000Z","isSidechain":false,{rest}}}"#
        )
    };
    let hostile = r"\u001b]0;owned\u0007\u001b[31;5mred\u202eevil";
    let prompt = format!(
        r#""type":"user","parentUuid":null,"uuid":"0b1d7c5e-0000-4000-8000-000000000001","message":{{"role":"user","content":"{hostile}"}}"#
    );
    let call = format!(
        r#""type":"assistant","parentUuid":"0b1d7c5e-0000-4000-8000-000000000001","uuid":"0b1d7c5e-0000-4000-8000-000000000002","message":{{"id":"msg_1","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"toolu_1","name":"Bash{hostile}","input":{{"command":"{hostile}"}}}}]}}"#
    );
    std::fs::write(&file, format!("{}\n{}\n", line(&prompt), line(&call))).unwrap();
    let mut terminal = Terminal::start(&[file.to_str().unwrap()], (120, 40));
    terminal.see("PreToolUse");
    terminal.keys("tg");
    terminal.see(DRAWN);
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for bad in ["\u{1b}]0;owned", "\u{1b}[31;5m", "\u{202e}", "\u{7}"] {
        assert!(!raw.contains(bad), "{bad:?} reached the terminal");
    }
    terminal.keys("q");
    assert_eq!(terminal.ended(), 0);
}

#[test]
fn without_a_terminal_one_line_says_what_to_do() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_hookscope")).args(["demo", "stop-loop"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("terminal") && said.contains("replay"), "{said}");
}

#[test]
fn a_key_that_comes_with_another_size_is_not_lost() {
    for _ in 0..20 {
        let mut terminal = Terminal::start(&["demo", "refused"], (80, 24));
        terminal.see(DRAWN);
        terminal.resize((40, 10));
        terminal.keys("q");
        assert_eq!(terminal.ended(), 0);
    }
}
