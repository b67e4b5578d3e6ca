//! The commands that report on sessions: opening what was named, and one report after the other.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use super::replay::{Form, ModeWord, Replay, ReplayArgs};
use super::style::Paint;
use super::view::View;
use super::{Common, Exit, Failure, colours, hooks, loop_cmd, opening, show};
use crate::engine::Mode;
use crate::text::Charset;

fn form(common: &Common) -> Form {
    if common.json { Form::Json } else { Form::Text }
}

fn paint(common: &Common) -> Paint {
    if colours(common) { Paint::Colours } else { Paint::Plain }
}

/// Hands every session that is meant to a report, one after the other.
fn each(
    paths: &[PathBuf],
    mode: Option<ModeWord>,
    common: &Common,
    report: &mut dyn FnMut(&View<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (sessions, grouped) = opening::find(paths, common)?;
    for unreadable in &grouped.unreadable {
        let line = format!("hookscope: {}: {}", unreadable.path.display(), unreadable.why);
        writeln!(std::io::stderr(), "{}", crate::text::safe(&line))?;
    }
    for from in &sessions {
        let opened = opening::load(from, common, mode.map(Mode::from))?;
        report(&View {
            session: &opened.session,
            tracer: &opened.tracer,
            lines: opened.lines.as_ref(),
            session_id: common.session_id.as_deref(),
            paint: paint(common),
            charset: if common.ascii { Charset::Ascii } else { Charset::Unicode },
        })?;
    }
    Ok(())
}

/// `hookscope replay`.
pub fn replay(args: &ReplayArgs, common: &Common, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut replay = Replay::new(args, form(common), Instant::now())?;
    each(&args.sessions, args.mode, common, &mut |view| replay.session(view, out))?;
    replay.finish(paint(common), out)
}

/// `hookscope show`.
pub fn show(args: &show::ShowArgs, common: &Common, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut shown = 0;
    each(std::slice::from_ref(&args.session), args.mode, common, &mut |view| {
        shown += 1;
        if shown > 1 {
            return Err(Failure::new("several sessions: which one?", "choose with --session-id"));
        }
        show::run(args, form(common), view, out).map(|_| ())
    })?;
    Ok(Exit::Done)
}

/// `hookscope hooks`.
pub fn hooks(args: &hooks::HooksArgs, common: &Common, out: &mut dyn Write) -> Result<Exit, Failure> {
    each(&args.sessions, args.mode, common, &mut |view| hooks::run(args, form(common), view, out).map(|_| ()))?;
    Ok(Exit::Done)
}

/// `hookscope loop`.
pub fn loops(args: &loop_cmd::LoopArgs, common: &Common, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    each(&args.sessions, None, common, &mut |view| {
        if loop_cmd::run(form(common), view, out)? == Exit::Found {
            exit = Exit::Found;
        }
        Ok(())
    })?;
    Ok(exit)
}
