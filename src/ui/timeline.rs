//! The list of events: only the rows in view are built.

use super::canvas::{Canvas, Focused, row};
use crate::app::{App, Area, Focus, Regions, SeenRow, Shape, Tone, verdict_word};
use crate::model::{Event, EventIx, Session, Verdict};
use crate::text;

/// Columns of the timeline; 0 where one is not shown.
#[derive(Debug, Clone, Copy)]
struct Columns {
    number: usize,
    time: usize,
    lanes: usize,
    event: usize,
    subject: usize,
    hooks: usize,
    note: usize,
    /// Subagents can be folded: names stand two cells in.
    fold: bool,
}

const MARK: usize = 2;
const VERDICT: usize = 8;
const TIME: usize = 8;

impl Columns {
    /// Event names and verdicts always have room; the others come as far as they fit.
    fn new(app: &App, width: usize, shape: Shape, events: usize) -> Columns {
        let number = events.max(1).to_string().len().max(3);
        let lanes = if width >= 90 && app.timeline.agents() > 1 { 2 * app.timeline.agents().min(8) } else { 0 };
        let fold = if app.timeline.agents() > 1 { 2 } else { 0 };
        let event = app.timeline.longest_name.max(5) + fold;
        let groups = app
            .inspect
            .as_ref()
            .map_or(0, |inspect| inspect.plan().eras.iter().map(|era| era.set.groups.len()).max().unwrap_or(0));
        let hooks = if groups < 10 { 7 } else { 9 };
        let mut columns = Columns { number, time: 0, lanes, event, subject: 0, hooks: 0, note: 0, fold: fold > 0 };
        let mut left = width.saturating_sub(MARK + number + 1 + lanes + event + 1 + VERDICT);
        let mut take = |column: &mut usize, cells: usize| {
            if left > cells {
                left -= cells + 1;
                *column = cells;
            }
        };
        let subject = app.timeline.longest_subject.clamp(7, 24);
        take(&mut columns.hooks, hooks);
        take(&mut columns.subject, subject.min(10));
        take(&mut columns.time, TIME);
        if shape == Shape::Stacked {
            take(&mut columns.note, 12);
        }
        if columns.subject > 0 {
            let more = subject.saturating_sub(columns.subject).min(left);
            columns.subject += more;
            left -= more;
        }
        columns.note = if columns.note > 0 { columns.note + left } else { left.saturating_sub(1) };
        if columns.note < 8 {
            columns.note = 0;
        }
        columns
    }
}

/// Draws title, column names and rows.
pub fn draw(app: &App, regions: &Regions, canvas: &mut Canvas) {
    let area = regions.timeline;
    if area.is_empty() {
        return;
    }
    let session = app.session.read();
    let focused = Focused::when(app.focus == Focus::Timeline && app.layers.is_empty());
    let filter = app
        .timeline
        .filter
        .as_ref()
        .map(|filter| format!("& {} ({} of {})", filter.expr, filter.matches.len(), session.events.len()));
    canvas.title(regions.timeline_title, "Timeline", focused, filter.as_deref().unwrap_or_default());
    let columns = Columns::new(app, usize::from(area.width), regions.shape, session.events.len());
    if !regions.columns.is_empty() {
        heads(columns, regions.columns, canvas);
    }
    if app.timeline.is_empty() {
        empty(app, &session, area, canvas);
        return;
    }
    for (at, seen) in app.seen_rows(usize::from(area.height)).into_iter().enumerate() {
        let area = row(area, at);
        match seen {
            SeenRow::Said(event, line) => said(app, columns, event, line, area, canvas),
            SeenRow::Event(event, position) => {
                if let Some(it) = session.events.get(event.at()) {
                    event_row(app, &session, columns, (event, it), area, canvas);
                }
                if position == app.timeline.cursor.at {
                    canvas.text(area, ">", Tone::Strong);
                    let style = if focused == Focused::Yes { canvas.theme.selected() } else { canvas.theme.marked() };
                    canvas.dress(area, style);
                }
            }
        }
    }
}

/// Writes cells side by side.
struct Pen<'a, 'b> {
    canvas: &'a mut Canvas<'b>,
    area: Area,
}

impl Pen<'_, '_> {
    fn cell(&mut self, cells: usize, words: &str, tone: Tone) {
        if cells == 0 {
            return;
        }
        let width = u16::try_from(cells).unwrap_or(u16::MAX).min(self.area.width);
        self.canvas.text(Area { width, ..self.area }, words, tone);
        self.skip(cells + 1);
    }

    fn skip(&mut self, cells: usize) {
        let cells = u16::try_from(cells).unwrap_or(u16::MAX).min(self.area.width);
        self.area.x += cells;
        self.area.width -= cells;
    }
}

fn heads(columns: Columns, area: Area, canvas: &mut Canvas) {
    let mut pen = Pen { canvas, area };
    pen.skip(MARK);
    let number = format!("{:>width$}", "#", width = columns.number);
    pen.cell(columns.number, &number, Tone::Dim);
    pen.cell(columns.time, "time", Tone::Dim);
    pen.skip(columns.lanes);
    pen.cell(columns.event, if columns.fold { "  event" } else { "event" }, Tone::Dim);
    pen.cell(columns.subject, "subject", Tone::Dim);
    pen.cell(columns.hooks, "hooks", Tone::Dim);
    pen.cell(VERDICT, "verdict", Tone::Dim);
}

fn event_row(app: &App, session: &Session, columns: Columns, at: (EventIx, &Event), area: Area, canvas: &mut Canvas) {
    let (ix, event) = at;
    let bookmarked = app.bookmarks.iter().any(|bookmark| bookmark.event == ix);
    let mut pen = Pen { canvas, area };
    let left = session.is_left(event);
    let mark = match (bookmarked, left) {
        (true, _) => "*",
        (false, true) => "~",
        (false, false) => " ",
    };
    pen.skip(1);
    pen.cell(1, mark, Tone::Strong);
    pen.area.x = area.x + u16::try_from(MARK).unwrap_or(0).min(area.width);
    pen.area.width = area.width.saturating_sub(u16::try_from(MARK).unwrap_or(0));
    pen.cell(columns.number, &format!("{:>width$}", ix.0 + 1, width = columns.number), Tone::Dim);
    pen.cell(columns.time, &app.clock(event.time), Tone::Dim);
    lanes(app, columns, event, &mut pen);
    let name = session.names.text(event.name);
    let indent = if columns.lanes == 0 { 2 * app.depth_of(session, ix) } else { 0 };
    let fold = match app.timeline.opens(event.agent, ix) {
        None if app.timeline.agents() > 1 => "  ",
        None => "",
        Some(_) if app.timeline.is_folded(event.agent) => pen.canvas.mark("▸ ", "+ "),
        Some(_) => pen.canvas.mark("▾ ", "v "),
    };
    let diagnostic = session.diagnostics.get(event.diagnostic as usize);
    if name == Event::UNREADABLE {
        let words = diagnostic.map_or("this line could not be read", |it| it.message.as_str());
        let cells = usize::from(pen.area.width);
        pen.cell(cells, &format!("  {words}"), Tone::Warn);
        return;
    }
    let plain = if left { Tone::Dim } else { Tone::Plain };
    pen.cell(columns.event, &format!("{}{fold}{name}", " ".repeat(indent)), plain);
    pen.cell(columns.subject, session.names.text(event.subject), plain);
    let Some(inspect) = &app.inspect else {
        pen.cell(columns.hooks, pen.canvas.charset.ellipsis(), Tone::Dim);
        return;
    };
    let mut line = inspect.row(session, ix);
    let noted = app.notes.get(&ix);
    // Only the event in full tells whether a condition on the input held.
    if line.needs_input
        && let Some(noted) = noted
    {
        line.verdict = noted.verdict;
    }
    let hooks = format!("{} of {}", line.matched, line.considered);
    pen.cell(columns.hooks, &hooks, if line.matched > 0 { plain } else { Tone::Dim });
    let tone = match line.verdict {
        _ if left => Tone::Dim,
        Verdict::Deny | Verdict::Block | Verdict::Halt => Tone::Stop,
        _ if line.failed || line.lost => Tone::Warn,
        Verdict::Allow => Tone::Good,
        Verdict::Ask | Verdict::Defer => Tone::Strong,
        Verdict::None => Tone::Dim,
        Verdict::Quiet | Verdict::Unknown => Tone::Plain,
    };
    pen.cell(VERDICT, &verdict_word(&line), tone);
    let folded = app.timeline.opens(event.agent, ix).filter(|_| app.timeline.is_folded(event.agent));
    let note = match (folded, noted.and_then(|note| note.words.as_ref()), diagnostic) {
        (Some(strand), ..) => format!("{} events folded", strand.count),
        (None, Some(note), _) => note.clone(),
        (None, None, Some(diagnostic)) => diagnostic.message.clone(),
        (None, None, None) => String::new(),
    };
    let note = match (left, note.is_empty()) {
        (false, _) => note,
        (true, true) => "left".to_owned(),
        (true, false) => format!("left; {note}"),
    };
    pen.cell(columns.note, &note, Tone::Dim);
}

/// One column an agent: where things happened side by side.
fn lanes(app: &App, columns: Columns, event: &Event, pen: &mut Pen) {
    if columns.lanes == 0 {
        return;
    }
    let shown = columns.lanes / 2;
    let lane = event.agent.at().min(shown - 1);
    let (here, beside) = (pen.canvas.mark("●", "*"), pen.canvas.mark("│", "|"));
    let lanes: String = (0..shown.min(app.timeline.agents()))
        .map(|at| if at == lane { format!("{here} ") } else { format!("{beside} ") })
        .collect();
    let width = u16::try_from(columns.lanes).unwrap_or(u16::MAX).min(pen.area.width);
    let area = Area { width, ..pen.area };
    pen.canvas.text(area, &lanes, Tone::Dim);
    pen.skip(columns.lanes);
}

fn said(app: &App, columns: Columns, event: EventIx, line: usize, area: Area, canvas: &mut Canvas) {
    let Some(said) = app.said.get(&event).and_then(|said| said.get(line)) else { return };
    let mut pen = Pen { canvas, area };
    pen.skip(MARK + columns.number + 1);
    pen.cell(columns.time, &app.clock(said.time), Tone::Dim);
    pen.skip(columns.lanes + 2);
    let words = said.words.split_whitespace().collect::<Vec<_>>().join(" ");
    let cells = usize::from(pen.area.width);
    pen.cell(cells, &format!("{}: {words}", said.who.word()), Tone::Dim);
}

fn empty(app: &App, session: &Session, area: Area, canvas: &mut Canvas) {
    let words = match &app.timeline.filter {
        Some(filter) => match &filter.why_empty {
            Some(why) => {
                let stop = if why.ends_with('?') { "" } else { "." };
                format!("No event fits the filter: {why}{stop} Esc clears it.")
            }
            None if filter.upto.at() < session.events.len() || !session.progress.done => {
                format!("Looking: {} of {} events so far.", filter.upto.at(), session.events.len())
            }
            None => "No event fits the filter. Esc clears it.".to_owned(),
        },
        None if !session.progress.done => "Reading the session.".to_owned(),
        None => "The session holds no lifecycle event.".to_owned(),
    };
    let words = text::safe_as(&words, canvas.charset).into_owned();
    for (at, line) in text::wrap(&words, usize::from(area.width).saturating_sub(4)).iter().enumerate() {
        let area = row(area, at);
        let x = area.x + 2.min(area.width);
        canvas.text(Area { x, width: area.width.saturating_sub(2), ..area }, line, Tone::Plain);
    }
}
