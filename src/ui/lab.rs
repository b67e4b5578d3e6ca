//! The matcher lab: the pattern, its reading, and the names it is held against.

use super::canvas::{Canvas, Focused, row};
use super::layer;
use crate::app::{App, Area, Fit, Keep, Lab, Line, Must, Tone};
use crate::dialect::match_report::MatchRow;
use crate::text;

/// Cells of the columns; 0 where one is not shown.
struct Columns {
    name: usize,
    count: usize,
    fit: usize,
    keep: usize,
}

/// Cells of the mark before a name.
const MARK: usize = 2;

impl Columns {
    fn new(app: &App, lab: &Lab, width: usize) -> Columns {
        // Room for the brackets is there from the start: columns stay where they are while one types.
        let name = |row: &MatchRow| text::width(&text::safe_as(&row.subject, app.options.charset)) + 2;
        let longest = lab.report.results.iter().map(name).max().unwrap_or(0);
        let roomy = width >= 60;
        let kept = app.keeps.iter().any(|keep| keep.event == lab.event);
        let keep = match (kept, roomy) {
            (false, _) => 0,
            (true, true) => 17,
            (true, false) => 9,
        };
        let fit = 9;
        let count = if roomy { 6 } else { 0 };
        let rest = width.saturating_sub(MARK + fit + 1 + if keep > 0 { keep + 1 } else { 0 } + count + 1);
        let most = if roomy { (rest / 2).max(16) } else { rest };
        // The words above the column are not to be cut.
        let head = text::width(&matching(lab.report.results.len(), lab.report.results.len()));
        Columns { name: longest.clamp(12, 48).max(head).min(most.max(8)), count, fit, keep }
    }
}

/// Draws the lab. Gives the place of the text cursor where the keys go there.
pub fn draw(app: &App, lab: &Lab, on_top: Focused, canvas: &mut Canvas) -> Option<(u16, u16)> {
    canvas.clear(app.reader_body());
    let regions = app.lab_regions(lab);
    let dot = canvas.charset.dot();
    let agent = format!("{} {}{dot}{}", lab.report.dialect, lab.report.agent_version, lab.event);
    canvas.title(regions.title, "Matcher lab", on_top, &agent);
    let cursor = layer::field("matcher ", &lab.field, regions.field, canvas);
    let head = lab.head(&app.keeps, usize::from(regions.head.width), usize::from(regions.head.height), canvas.charset);
    for (at, line) in head.lines.iter().enumerate() {
        canvas.line(row(regions.head, at), line);
    }
    let columns = Columns::new(app, lab, usize::from(regions.list.width));
    heads(lab, &columns, regions.columns, canvas);
    if lab.report.results.is_empty() {
        let words = format!("  No name is known that a matcher of {} is tested on.", lab.event);
        canvas.text(row(regions.list, 0), &words, Tone::Dim);
    }
    let rows = lab.report.results.iter().enumerate().skip(lab.cursor.top).take(usize::from(regions.list.height));
    for (at, it) in rows {
        let area = row(regions.list, at - lab.cursor.top);
        let count = lab.counts.get(at).copied().unwrap_or(0);
        let keep = app.keeps.iter().find(|keep| keep.event == lab.event && keep.subject == it.subject);
        name_row(lab, &columns, it, count, keep, area, canvas);
        if at == lab.cursor.at {
            canvas.text(area, ">", Tone::Strong);
            canvas.dress(area, canvas.theme.marked());
        }
    }
    super::hook_table::message(app, app.reader_body(), canvas);
    (on_top == Focused::Yes).then_some(cursor)
}

/// The words above the names.
fn matching(matched: usize, total: usize) -> String {
    format!(" {matched} of {} ", super::header::counted(total, "name"))
}

fn heads(lab: &Lab, columns: &Columns, area: Area, canvas: &mut Canvas) {
    canvas.rule(area);
    let matched = lab.report.results.iter().filter(|row| row.matched == Some(true)).count();
    let total = lab.report.results.len();
    let mut line = Line::new().and(" ", Tone::Dim);
    let name = matching(matched, total);
    let (shown, used) = (text::cut(&name, columns.name + 1, canvas.charset), MARK - 1 + columns.name + 1);
    line = line.and(shown.clone(), Tone::Title);
    let x = canvas.line(area, &line);
    let mut rest = Area { x: area.x + u16::try_from(used).unwrap_or(0), ..area };
    rest.x = rest.x.max(x);
    rest.width = (area.x + area.width).saturating_sub(rest.x);
    if columns.count > 0 {
        let x = canvas.text(rest, &format!("{:>6} ", "count"), Tone::Dim);
        rest.width = (rest.x + rest.width).saturating_sub(x);
        rest.x = x;
    }
    canvas.text(rest, " result ", Tone::Dim);
    if columns.keep > 0 {
        let by = u16::try_from(columns.fit + 1).unwrap_or(u16::MAX).min(rest.width);
        let rest = Area { x: rest.x + by, width: rest.width - by, ..rest };
        canvas.text(rest, if columns.keep > 9 { " kept as " } else { " match? " }, Tone::Dim);
    }
}

fn name_row(
    lab: &Lab,
    columns: &Columns,
    it: &MatchRow,
    count: u32,
    keep: Option<&Keep>,
    area: Area,
    canvas: &mut Canvas,
) {
    let fit = lab.fit(it);
    let known_only = count == 0;
    let tone = match (fit, known_only) {
        (Fit::Match, _) => Tone::Plain,
        (_, true) => Tone::Dim,
        (_, false) => Tone::Plain,
    };
    let mut pen = Area { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
    let step = |pen: &mut Area, cells: usize| {
        let by = u16::try_from(cells).unwrap_or(u16::MAX).min(pen.width);
        pen.x += by;
        pen.width -= by;
    };
    let cell = |pen: Area, cells: usize| Area { width: u16::try_from(cells).unwrap_or(u16::MAX).min(pen.width), ..pen };
    canvas.line(cell(pen, columns.name), &name_line(it, tone, columns.name, canvas));
    step(&mut pen, columns.name + 1);
    if columns.count > 0 {
        let words = if known_only { format!("{:>6}", "-") } else { format!("{count:>6}") };
        canvas.text(cell(pen, 6), &words, if known_only { Tone::Dim } else { Tone::Plain });
        step(&mut pen, 8);
    }
    let fit_tone = match fit {
        Fit::Match => Tone::Good,
        Fit::Not => tone,
        Fit::Trying => Tone::Strong,
        Fit::Undecided => Tone::Warn,
    };
    canvas.text(cell(pen, columns.fit), &fit.word(canvas.charset), fit_tone);
    step(&mut pen, columns.fit + 1);
    if columns.keep > 0 {
        if let Some(keep) = keep {
            let (word, tone) = match lab.holds(keep) {
                Some(true) => ("holds", Tone::Good),
                Some(false) => ("FAILS", Tone::Stop),
                None => ("?", Tone::Warn),
            };
            let must = match (keep.must, columns.keep > 9) {
                (Must::Match, true) => "must match",
                (Must::NotMatch, true) => "must not",
                (Must::Match, false) => "yes",
                (Must::NotMatch, false) => "no",
            };
            let lead = if columns.keep > 9 { 10 } else { 3 };
            canvas.text(cell(pen, columns.keep), &format!("{must:<lead$} {word}"), tone);
        }
        step(&mut pen, columns.keep + 1);
    }
    if pen.width >= 12 {
        let why =
            if fit == Fit::Trying { "it may take exponential time: tried where it can be stopped" } else { &it.why };
        canvas.text(pen, why, if fit == Fit::Match { tone } else { Tone::Dim });
    }
}

/// A name with the matched part lit and in brackets; the part stays in view where the name is too long.
fn name_line(it: &MatchRow, tone: Tone, cells: usize, canvas: &Canvas) -> Line {
    let safe = |text: &str| text::safe_as(text, canvas.charset).into_owned();
    let parts = it
        .span
        // Where nothing of the name was matched, brackets around nothing would only puzzle.
        .filter(|(start, end)| start < end)
        .and_then(|(start, end)| Some((it.subject.get(..start)?, it.subject.get(start..end)?, it.subject.get(end..)?)));
    let Some((before, found, after)) = parts else {
        let name = if it.subject.is_empty() { "(empty)".to_owned() } else { safe(&it.subject) };
        return Line::new().and(text::cut_middle(&name, cells, canvas.charset), tone);
    };
    let (before, found) = (safe(before), safe(found));
    let found = text::cut(&found, cells.saturating_sub(2), canvas.charset);
    let room = cells.saturating_sub(text::width(&found) + 2);
    let before = text::cut_start(&before, room, canvas.charset);
    Line::new().and(before, tone).and(format!("[{found}]"), Tone::Strong).and(safe(after), tone)
}
