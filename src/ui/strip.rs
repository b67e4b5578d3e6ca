//! One line over the whole session: where denials, blocks and failures are, and where one is.

use super::canvas::Canvas;
use crate::app::{App, Area, Class, Regions, Tone};

/// Draws the strip.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) {
    let area = regions.strip;
    if area.is_empty() {
        return;
    }
    canvas.rule(area);
    let events = app.session.read().events.len();
    let cells = usize::from(area.width);
    if events == 0 {
        return;
    }
    // The first cell whose stretch holds the event.
    let here = app.timeline.selected().map(|event| (event.at() * cells).div_ceil(events).min(cells - 1));
    for (at, class) in app.survey.strip(events, cells).into_iter().enumerate() {
        let (letter, tone) = match class {
            Class::Calm if here == Some(at) => (canvas.mark("┼", "+"), Tone::Strong),
            Class::Calm => continue,
            Class::Failed => ("F", Tone::Warn),
            Class::Block => ("B", Tone::Stop),
            Class::Deny => ("D", Tone::Stop),
            Class::Halt => ("H", Tone::Stop),
        };
        let cell = Area { x: area.x + u16::try_from(at).unwrap_or(0), width: 1, ..area };
        canvas.text(cell, letter, tone);
        if here == Some(at) {
            canvas.dress(cell, canvas.theme.selected());
        }
    }
}
