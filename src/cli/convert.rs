//! `hookscope convert SESSION`: writes a session as a hookscope recording.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::{Exit, Failure, View};
use crate::engine::{Inputs, StepOptions};
use crate::model::{EventIx, Session, Step};
use crate::record::{self, Line};

/// Arguments of `hookscope convert`.
#[derive(Debug, Clone, Args)]
pub struct ConvertArgs {
    /// A transcript, stream, hook log or recording; `-` for stdin
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,
}

/// Writes a session as a recording.
///
/// # Errors
/// The output can't be written.
pub fn run(view: &View<'_>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let options = StepOptions { inputs: Inputs::Shown, mode: None };
    write(view.session, &mut |ix| view.tracer.step(view.session, ix, view.lines, options), out)?;
    Ok(Exit::Done)
}

/// Writes the session: a head, then one line an event. `step` gives an event in full, with its input; an event of
/// which it gives nothing is left out, which only happens where the session has no such event.
///
/// # Errors
/// `out` can't be written.
pub fn write(session: &Session, step: &mut dyn FnMut(EventIx) -> Option<Step>, out: &mut dyn Write) -> io::Result<()> {
    let header = record::header_of(session);
    writeln!(out, "{}", record::format(&Line::Header(header.clone())))?;
    for (at, event) in session.events.iter().enumerate() {
        let Some(step) = step(EventIx(u32::try_from(at).unwrap_or(u32::MAX))) else { continue };
        let version = session.text(session.context_of(event).version);
        let entry = record::entry_of(&step, version, &header);
        writeln!(out, "{}", record::format(&Line::Entry(Box::new(entry))))?;
    }
    Ok(())
}
