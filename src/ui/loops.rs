//! The stop loops: what is to be said of one, and its rounds.

use super::canvas::{Canvas, Focused, row};
use super::hook_table::message;
use crate::app::loops::{round_line, rounds_head};
use crate::app::{App, Loops};

/// Draws the screen.
pub fn draw(app: &App, loops: &Loops, on_top: Focused, canvas: &mut Canvas) {
    canvas.clear(app.reader_body());
    let regions = app.loops_regions(loops);
    let count = loops.seen.as_ref().map_or(0, |seen| seen.loops.len());
    let mut ends = Vec::new();
    if count > 1 {
        ends.push(format!("loop {} of {count}, Tab: next", loops.at + 1));
    }
    if let Some(rounds) = loops.chosen().map(|found| found.rounds.len())
        && rounds > usize::from(regions.list.height)
    {
        ends.push(format!("round {} of {rounds}", loops.cursor.at + 1));
    }
    let end = ends.join(canvas.charset.dot());
    canvas.title(regions.title, "Stop loops", on_top, &end);
    let (cells, rows) = (usize::from(regions.head.width), usize::from(regions.head.height));
    let head = loops.head(&app.session.read(), cells, rows, canvas.charset);
    for (at, line) in head.lines.iter().enumerate() {
        canvas.line(row(regions.head, at), line);
    }
    if let Some(found) = loops.chosen() {
        canvas.line(regions.columns, &rounds_head(usize::from(regions.columns.width)));
        let rounds = found.rounds.iter().enumerate().skip(loops.cursor.top).take(usize::from(regions.list.height));
        for (at, round) in rounds {
            let area = row(regions.list, at - loops.cursor.top);
            canvas.line(area, &round_line(at, round, found, &|time| app.clock(time), usize::from(area.width)));
            if at == loops.cursor.at {
                canvas.text(area, ">", crate::app::Tone::Strong);
                let style = if on_top == Focused::Yes { canvas.theme.selected() } else { canvas.theme.marked() };
                canvas.dress(area, style);
            }
        }
    }
    message(app, app.reader_body(), canvas);
}
