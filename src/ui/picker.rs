//! The picker: questions, further demos, sessions of this machine.

use super::canvas::{Canvas, Focused, row};
use crate::app::picker::{Item, Offer, Picker, PickerRegions, further, questions};
use crate::app::{App, Area, Line, Tone};
use crate::load::demo::Demo;
use crate::load::discover::{Counts, Found};
use crate::text;

/// Cells of the columns of sessions; 0 where one is not shown.
struct Columns {
    project: usize,
    title: usize,
    age: usize,
    size: usize,
    events: usize,
    denied: usize,
    loops: usize,
}

impl Columns {
    fn new(width: usize) -> Columns {
        let mut columns = Columns { project: 0, title: 0, age: 6, size: 0, events: 0, denied: 0, loops: 0 };
        let mut left = width.saturating_sub(2 + 7);
        let mut take = |column: &mut usize, cells: usize, keep: usize| {
            if left > cells + keep {
                *column = cells;
                left -= cells + 1;
            }
        };
        take(&mut columns.events, 7, 36);
        take(&mut columns.denied, 6, 36);
        take(&mut columns.loops, 5, 36);
        take(&mut columns.size, 7, 36);
        columns.project = (left * 2 / 5).clamp(8, 32);
        columns.title = left.saturating_sub(columns.project + 2);
        columns
    }
}

/// Draws the picker on all but the bottom line.
pub fn draw(app: &App, picker: &Picker, canvas: &mut Canvas) {
    let regions = PickerRegions::new(app.size, picker.offer);
    let dot = canvas.charset.dot();
    let asked = match picker.offer {
        Offer::Machine => "what did the hooks do?",
        Offer::Given => "which session?",
    };
    canvas.text(regions.title, &format!(" hookscope{dot}{asked}"), Tone::Title);
    for ((at, demo), area) in questions(picker.offer).enumerate().zip(&regions.questions) {
        question(at, demo, picker.cursor.at == at, *area, canvas);
    }
    more(picker, regions.more, canvas);
    heading(picker, regions.heading, canvas);
    let columns = Columns::new(usize::from(regions.list.width));
    heads(&columns, regions.columns, canvas);
    sessions(app, picker, &columns, regions.list, canvas);
    match &app.message {
        Some((words, tone)) if !regions.status.is_empty() => {
            canvas.text(regions.status, &format!(" {words}"), *tone);
        }
        Some((words, tone)) => {
            canvas.clear(regions.title);
            canvas.text(regions.title, &format!(" {words}"), *tone);
        }
        None => status(picker, regions.status, canvas),
    }
}

fn inset(area: Area, by: u16) -> Area {
    let by = by.min(area.width);
    Area { x: area.x + by, width: area.width - by, ..area }
}

/// The demos say that they are made up; here everything does, so the words can go.
fn sentence(demo: &Demo) -> &'static str {
    demo.sentence.strip_prefix("Made up: ").unwrap_or(demo.sentence)
}

fn keys(demo: &Demo) -> Line {
    demo.keys.iter().fold(Line::new(), |line, (key, shows)| {
        let line = if line.spans.is_empty() { line } else { line.and("  ", Tone::Plain) };
        line.and(*key, Tone::Key).and(format!(" {shows}"), Tone::Dim)
    })
}

fn question(at: usize, demo: &Demo, chosen: bool, area: Area, canvas: &mut Canvas) {
    let question = demo.question.unwrap_or(demo.name);
    let first = row(area, 0);
    let x = canvas.line(first, &Line::new().and(format!("  {} ", at + 1), Tone::Key).and(question, Tone::Strong));
    match area.height {
        1 => {
            let rest = Area { x: 28.max(x + 2), width: area.width.saturating_sub(28.max(x + 2)), ..first };
            if rest.width >= 20 {
                canvas.text(rest, sentence(demo), Tone::Dim);
            }
        }
        2 => {
            canvas.text(inset(first, 32), sentence(demo), Tone::Plain);
            canvas.line(inset(row(area, 1), 32), &keys(demo));
        }
        _ => {
            canvas.text(inset(row(area, 1), 4), sentence(demo), Tone::Plain);
            canvas.line(inset(row(area, 2), 4), &keys(demo));
        }
    }
    if chosen {
        canvas.text(first, ">", Tone::Strong);
        canvas.dress(Area { width: x - first.x, ..first }, canvas.theme.selected());
    }
}

fn more(picker: &Picker, area: Area, canvas: &mut Canvas) {
    if area.is_empty() {
        return;
    }
    let chosen = matches!(picker.item(), Some(Item::More(_)));
    let mut x = canvas.text(area, if chosen { "> more" } else { "  more" }, Tone::Strong);
    for (at, demo) in further(picker.offer).enumerate() {
        let here = chosen && at == picker.more;
        let words = if here { format!("[{}]", demo.name) } else { format!(" {} ", demo.name) };
        let rest = Area { x: x + 1, width: (area.x + area.width).saturating_sub(x + 1), ..area };
        let end = canvas.text(rest, &words, Tone::Plain);
        if here {
            canvas.dress(Area { width: end.saturating_sub(rest.x), ..rest }, canvas.theme.selected());
        }
        x = end;
    }
}

fn heading(picker: &Picker, area: Area, canvas: &mut Canvas) {
    let mut title = match picker.offer {
        Offer::Machine => "Sessions on this machine".to_owned(),
        Offer::Given => "Sessions in what you named".to_owned(),
    };
    let mut end = String::new();
    if let Some(listing) = &picker.listing {
        let all = listing.sessions.len();
        title = match picker.filter.trim() {
            "" => format!("{title} ({all})"),
            filter => format!("{title} ({} of {all} fit \"{filter}\")", picker.shown.len()),
        };
        let folders: Vec<String> =
            listing.looked_in.iter().map(|(folder, _)| picker.folder(&folder.display().to_string())).collect();
        end = folders.join(", ");
        if !listing.problems.is_empty() {
            end = format!("{}, unreadable: {}", end, listing.problems.len());
        }
    }
    canvas.title(area, &title, Focused::No, &end);
}

/// A session's row is these cells, some right-aligned.
fn heads(columns: &Columns, area: Area, canvas: &mut Canvas) {
    let names = [
        (columns.project, "project", Tone::Dim),
        (columns.title, "title", Tone::Dim),
        (columns.age, "age", Tone::Dim),
        (columns.size, "size", Tone::Dim),
        (columns.events, "events", Tone::Dim),
        (columns.denied, "denied", Tone::Dim),
        (columns.loops, "loops", Tone::Dim),
    ];
    cells(&names.map(|(width, name, tone)| (width, name.to_owned(), tone)), area, canvas);
}

/// Project and title from the left, the rest right-aligned.
fn cells(row: &[(usize, String, Tone)], area: Area, canvas: &mut Canvas) {
    let mut rest = inset(area, 2);
    for (at, (width, words, tone)) in row.iter().enumerate().filter(|(_, (width, ..))| *width > 0) {
        let width = u16::try_from(*width).unwrap_or(u16::MAX).min(rest.width);
        let cell = Area { width, ..rest };
        if at < 2 {
            canvas.text(cell, words, *tone);
        } else {
            canvas.text_right(cell, words, *tone);
        }
        rest = inset(rest, width + 1);
    }
}

fn sessions(app: &App, picker: &Picker, columns: &Columns, area: Area, canvas: &mut Canvas) {
    if picker.shown.is_empty() {
        return empty(picker, area, canvas);
    }
    for at in 0..usize::from(area.height) {
        let position = picker.cursor.top + at + picker.first_session();
        let Some(Item::Session(found)) = picker.item_at(position) else { break };
        let area = row(area, at);
        session(picker, found, columns, area, canvas);
        if picker.cursor.at == position {
            canvas.text(area, ">", Tone::Strong);
            let style = if app.layers.len() == 1 { canvas.theme.selected() } else { canvas.theme.marked() };
            canvas.dress(area, style);
        }
    }
}

fn session(picker: &Picker, found: &Found, columns: &Columns, area: Area, canvas: &mut Canvas) {
    let safe = |text: &str| text::safe_as(text, canvas.charset).into_owned();
    let project = found.project.as_deref().map_or_else(|| "-".to_owned(), |project| picker.folder(project));
    let project = text::cut_start(&safe(&project), columns.project, canvas.charset);
    let one_line = found.label().split_whitespace().collect::<Vec<_>>().join(" ");
    let (events, denied, loops) = match picker.counts(found) {
        Some(Ok(counts)) => counted(counts),
        Some(Err(_)) => (("?".to_owned(), Tone::Warn), ("?".to_owned(), Tone::Warn), ("?".to_owned(), Tone::Warn)),
        None => {
            let wait = || (canvas.charset.ellipsis().to_owned(), Tone::Dim);
            (wait(), wait(), wait())
        }
    };
    let title_tone = if found.title.is_some() { Tone::Plain } else { Tone::Dim };
    let row = [
        (columns.project, project, Tone::Plain),
        (columns.title, text::cut(&safe(&one_line), columns.title, canvas.charset), title_tone),
        (columns.age, picker.age(found), Tone::Plain),
        (columns.size, size(found.bytes), Tone::Dim),
        (columns.events, events.0, events.1),
        (columns.denied, denied.0, denied.1),
        (columns.loops, loops.0, loops.1),
    ];
    cells(&row, area, canvas);
}

type Cell = (String, Tone);

fn counted(counts: &Counts) -> (Cell, Cell, Cell) {
    // Lines too long to be looked at may hold more.
    let more = if counts.long_lines > 0 { "+" } else { "" };
    let number = |count: u64| match count {
        0 => ("-".to_owned(), Tone::Dim),
        count => (format!("{count}{more}"), Tone::Stop),
    };
    let events = (format!("~{}{more}", counts.events_about()), Tone::Plain);
    (events, number(counts.denials()), number(counts.suspected_loops))
}

/// `980 B`, `12 KB`, `3.4 MB`, `1.2 GB`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut scaled = bytes as f64 / 1000.0;
    let mut unit = 0;
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    if unit > 0 && scaled < 9.95 {
        format!("{scaled:.1} {}", UNITS[unit])
    } else {
        format!("{scaled:.0} {}", UNITS[unit])
    }
}

fn empty(picker: &Picker, area: Area, canvas: &mut Canvas) {
    let words = match &picker.listing {
        None => "Looking for sessions.".to_owned(),
        Some(listing) if !listing.sessions.is_empty() => "No session fits what you typed: Esc shows all.".to_owned(),
        Some(listing) => {
            let looked = listing.looked_in.iter().map(|(folder, there)| {
                let state = if *there { "which holds none" } else { "which is not there" };
                format!("{}, {state}", picker.folder(&folder.display().to_string()))
            });
            let looked: Vec<String> = looked.collect();
            let looked = if looked.is_empty() {
                "There is no home folder to look in".to_owned()
            } else {
                format!("No session was found in {}", looked.join(", nor in "))
            };
            format!("{looked}. `hookscope FILE` opens one from anywhere; the examples above need none.")
        }
    };
    let words = text::safe_as(&words, canvas.charset).into_owned();
    let room = usize::from(area.width).saturating_sub(4);
    for (at, line) in text::wrap(&words, room).iter().enumerate() {
        canvas.text(inset(row(area, at), 2), line, Tone::Plain);
    }
}

/// What the chosen row opens.
fn status(picker: &Picker, area: Area, canvas: &mut Canvas) {
    let dot = canvas.charset.dot();
    let words = match picker.item() {
        Some(Item::Question(demo)) => format!("Enter opens the bundled demo {}{dot}it is made up", demo.name),
        Some(Item::More(demo)) => demo.sentence.to_owned(),
        Some(Item::Session(found)) => {
            let path = picker.folder(&found.path.display().to_string());
            let path = text::safe_as(&path, canvas.charset).into_owned();
            match picker.counts(found) {
                Some(Err(why)) => format!("cannot be counted: {why}{dot}{path}"),
                _ => text::cut_start(&path, usize::from(area.width).saturating_sub(2), canvas.charset),
            }
        }
        None => return,
    };
    canvas.text(area, &format!(" {words}"), Tone::Dim);
}
