//! The command line: clap types, one file a subcommand, errors for people, exit codes.
//!
//! Owns words and exit codes. Must not know how anything is done.

mod bench_cmd;
mod bench_keys;
pub mod convert;
pub mod demo;
pub mod failure;
pub mod hooks;
pub mod inspector;
mod json;
pub mod loop_cmd;
pub mod match_cmd;
mod opening;
pub mod options;
pub mod replay;
mod run;
mod screen;
pub mod sessions;
pub mod show;
pub mod style;
pub mod view;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::engine::Mode;
use crate::text::Charset;
pub use failure::{Exit, Failure};
pub use options::{Common, When};
use replay::Form;
pub use view::View;

/// A terminal debugger and replayer for the lifecycle hooks of coding agents.
///
/// Opens recorded sessions of coding agents and shows every hook event, which matchers fired and why, and what was
/// decided. Without a SESSION: a picker. Looking is not running: opening a session executes nothing.
#[derive(Debug, Parser)]
#[command(name = "hookscope", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "hookscope demo stop-loop opens a bundled session; hookscope COMMAND --help tells more.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Transcripts, streams, hook logs, recordings, or folders of them; `-` reads a stream from stdin
    #[arg(value_name = "SESSION")]
    sessions: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open a bundled session on the row that matters; without NAME, list them
    Demo(demo::DemoArgs),
    /// Replay a session without a screen: what matched, what each handler answered, what was decided
    Replay(replay::ReplayArgs),
    /// Show one event in full
    Show(show::ShowArgs),
    /// List every hook, with what became of it over a session
    Hooks(hooks::HooksArgs),
    /// Find recorded stop loops; exits 1 where there is one
    Loop(loop_cmd::LoopArgs),
    /// Write a session as a hookscope recording
    Convert(convert::ConvertArgs),
    /// Test a matcher
    Match(match_cmd::MatchArgs),
    /// List the sessions found on this machine
    Sessions,
    #[command(hide = true)]
    Bench(bench_cmd::BenchArgs),
}

/// Runs the program on these arguments; tells how it ended.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(failure) if failure.broken_pipe => ExitCode::SUCCESS,
        Err(failure) => {
            // Names of files come from outside too.
            let line = crate::text::safe(&failure.to_string()).into_owned();
            let _ = writeln!(io::stderr(), "hookscope: {line}");
            ExitCode::from(2)
        }
    }
}

/// Words that could not be read are one line; what was asked for in so many words is printed whole.
fn misread(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let missing = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => Some(names.join(", ")),
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::String(name))) => Some(name.clone()),
        _ => None,
    };
    let first = missing.map_or_else(|| first.to_owned(), |names| format!("missing: {names}"));
    let tip = text.lines().map(str::trim).find_map(|line| line.strip_prefix("tip: "));
    let help = tip.map_or_else(|| "hookscope --help lists the words".to_owned(), str::to_owned);
    let failure = Failure::new(first.trim_start_matches("error: "), help);
    let _ = writeln!(io::stderr(), "hookscope: {}", crate::text::safe(&failure.to_string()));
    ExitCode::from(2)
}

/// A first word that is no file, but nearly a command.
fn refuse_misspelt(words: &[PathBuf]) -> Result<(), Failure> {
    let Some(word) = words
        .first()
        .filter(|word| !word.exists() && !word.to_string_lossy().contains(':'))
        .and_then(|word| word.to_str())
    else {
        return Ok(());
    };
    let cli = Cli::command();
    let names = cli.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let near = names.map(|name| (strsim::damerau_levenshtein(&word.to_lowercase(), name), name)).min();
    match near {
        Some((distance, name)) if distance <= 1 + name.len() / 4 => {
            Err(Failure::new(format!("{word}: no such command or file"), format!("did you mean hookscope {name}?")))
        }
        _ => Ok(()),
    }
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let common = cli.common;
    if cli.command.is_some() && !cli.sessions.is_empty() {
        return Err(Failure::new(
            format!("{}: a session comes after the command", cli.sessions[0].display()),
            "hookscope COMMAND SESSION, or hookscope SESSION alone to open it",
        ));
    }
    if cli.command.is_none() {
        refuse_misspelt(&cli.sessions)?;
    }
    opening::check(&common)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let form = if common.json { Form::Json } else { Form::Text };
    let exit = match cli.command {
        None if cli.sessions.is_empty() => screen::pick(&common),
        None => screen::sessions(&cli.sessions, &common),
        Some(Command::Demo(args)) => demo_command(&args, &common, &mut out),
        Some(Command::Replay(args)) => {
            let mut replay = replay::Replay::new(&args, &common, form, Instant::now())?;
            let mode = if args.run { Some(Mode::Run) } else { args.mode.map(Into::into) };
            each(&args.sessions, &common, mode, &mut |view| replay.session(view, &mut out).map(|()| Exit::Done))?;
            let paint = if colours(&common) { style::Paint::Colours } else { style::Paint::Plain };
            replay.finish(paint, &mut out)
        }
        Some(Command::Show(args)) => {
            let mode = args.mode.map(Into::into);
            one(&args.session, &common, mode, &mut |view| show::run(&args, form, view, &mut out))
        }
        Some(Command::Hooks(args)) => {
            let mode = args.mode.map(Into::into);
            if args.sessions.is_empty() {
                hooks::of_folder(form, &opening::folder(&common).view(&common), &mut out)?;
                out.flush()?;
                return Ok(Exit::Done);
            }
            each(&args.sessions, &common, mode, &mut |view| hooks::run(&args, form, view, &mut out))
        }
        Some(Command::Loop(args)) => {
            each(&args.sessions, &common, None, &mut |view| loop_cmd::run(form, view, &mut out))
        }
        Some(Command::Convert(args)) => {
            one(&args.session, &common, Some(Mode::Recorded), &mut |view| convert::run(view, &mut out))
        }
        Some(Command::Match(args)) => {
            let names = match &args.session {
                Some(path) => Some(opening::subjects(path, args.event_of(match_cmd::dialect_of(&common)), &common)?),
                None => None,
            };
            match_cmd::run(&args, &common, names, &mut out)?;
            Ok(Exit::Done)
        }
        Some(Command::Bench(args)) => {
            bench_cmd::run(&args, &common, &mut out)?;
            Ok(Exit::Done)
        }
        Some(Command::Sessions) => {
            sessions::run(&common, &mut out)?;
            Ok(Exit::Done)
        }
    }?;
    out.flush()?;
    Ok(exit)
}

/// Does something with each session that these paths hold, one after another.
fn each(
    paths: &[PathBuf],
    common: &Common,
    mode: Option<Mode>,
    act: &mut dyn FnMut(&View<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let sessions = opening::find(paths, common)?;
    let mut exit = Exit::Done;
    let mut strangers = Vec::new();
    let mut acted = false;
    for from in &sessions {
        let opened = opening::load(from, common, mode)?;
        let view = View { of_several: sessions.len() > 1, ..opened.view(common) };
        let ids = view.session_ids();
        if common.session_id.as_ref().is_some_and(|wanted| !ids.contains(wanted)) {
            strangers.extend(ids);
            continue;
        }
        acted = true;
        if act(&view)? == Exit::Found {
            exit = Exit::Found;
        }
    }
    match &common.session_id {
        Some(wanted) if !acted => Err(opening::no_such_id(wanted, strangers)),
        _ => Ok(exit),
    }
}

/// Does something with the one session that a path holds.
fn one(
    path: &Path,
    common: &Common,
    mode: Option<Mode>,
    act: &mut dyn FnMut(&View<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let sessions = opening::find(&[path.to_owned()], common)?;
    match sessions.as_slice() {
        [from] => {
            let opened = opening::load(from, common, mode)?;
            let view = opened.view(common);
            let ids = view.session_ids();
            match &common.session_id {
                Some(wanted) if !ids.contains(wanted) => Err(opening::no_such_id(wanted, ids)),
                _ => act(&view),
            }
        }
        several => Err(Failure::new(
            format!("{}: holds {} sessions, and this command takes one", path.display(), several.len()),
            "name one of its files, or --session-id ID",
        )),
    }
}

fn demo_command(args: &demo::DemoArgs, common: &Common, out: &mut dyn Write) -> Result<Exit, Failure> {
    match &args.name {
        Some(name) => {
            let demo =
                demo::find(name).map_err(|error| Failure::new(error.to_string(), "hookscope demo lists them"))?;
            screen::demo(demo, common)
        }
        None => {
            if common.json {
                demo::write_json(out)?
            } else {
                demo::write_text(out)?
            }
            Ok(Exit::Done)
        }
    }
}

/// Whether colours may be used on standard output.
fn colours(common: &Common) -> bool {
    match common.color {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !no_color && io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Which characters the terminal can be trusted with.
fn charset(common: &Common) -> Charset {
    let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_default().to_ascii_lowercase();
    let unicode = locale.contains("utf-8") || locale.contains("utf8");
    let console = std::env::var_os("TERM").is_some_and(|term| term == "linux");
    if common.ascii || !unicode || console { Charset::Ascii } else { Charset::Unicode }
}
