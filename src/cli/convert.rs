//! `hookscope convert SESSION`: writes a session as a hookscope recording.

use std::io::{self, Write};

use crate::model::{EventIx, Session, Step};
use crate::record::{self, Line};

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
