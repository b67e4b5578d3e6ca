//! Every hook of the session with what became of it, and the grid of hooks against tools or events.

use super::{Cursor, Doc, Line, Tone, Way};
use crate::dialect;
use crate::engine::{GridRow, HookTally};
use crate::model::{FileStatus, Plan, Time};
use crate::text::{self, Charset};

/// The hooks over the events that were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HooksSeen {
    /// Every handler, in the order of the settings.
    pub hooks: Vec<HookTally>,
    /// Every event and subject.
    pub grid: Vec<GridRow>,
    /// Events that are counted.
    pub events: usize,
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// A list of hooks.
    List,
    /// Tools against hooks.
    Tools,
    /// Events against hooks.
    Events,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// As in the settings.
    Settings,
    /// Those that matched most often first.
    Matched,
    /// Those that failed most often first.
    Failed,
    /// The slowest first.
    Slowest,
    /// The last started first.
    Last,
}

impl Sort {
    const ALL: [Sort; 5] = [Sort::Settings, Sort::Matched, Sort::Failed, Sort::Slowest, Sort::Last];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Sort::Settings => "as in the settings",
            Sort::Matched => "most matched first",
            Sort::Failed => "most failed first",
            Sort::Slowest => "slowest first",
            Sort::Last => "last started first",
        }
    }
}

/// The screen.
#[derive(Debug, Clone)]
pub struct HookTable {
    /// What is shown.
    pub view: View,
    /// In which order.
    pub sort: Sort,
    /// The chosen item.
    pub cursor: Cursor,
    /// In a grid: the first hook in view.
    pub left: usize,
    /// The numbers, once they are there.
    pub seen: Option<HooksSeen>,
    asked: bool,
    /// Generation of the rows that the numbers are of.
    of: u64,
}

/// What an item stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A hook, by its place in the numbers.
    Hook(usize),
    /// A line of a grid.
    Grid(usize),
    /// Words about settings.
    Words,
}

/// Some lines that are chosen together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What they are about.
    pub row: Row,
    /// The lines.
    pub lines: Vec<Line>,
}

/// How things are drawn: cells, characters, the clock.
pub struct Look<'a> {
    /// Cells of a line.
    pub cells: usize,
    /// Which characters may be drawn.
    pub charset: Charset,
    /// A time of day.
    pub clock: &'a dyn Fn(Time) -> String,
}

/// A tool or an event, with how often each hook matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridLine {
    /// The tool or event.
    pub name: String,
    /// How often it happened.
    pub events: u64,
    /// One each hook; none where the hook's event can't be about it.
    pub matched: Vec<u64>,
}

impl HookTable {
    /// The list, not counted yet.
    pub fn new() -> HookTable {
        HookTable {
            view: View::List,
            sort: Sort::Settings,
            cursor: Cursor::default(),
            left: 0,
            seen: None,
            asked: false,
            of: 0,
        }
    }

    /// Whether the numbers are to be asked for: rows changed, or all events are there at last.
    pub fn wants(&mut self, generation: u64, events: usize, done: bool) -> bool {
        let stale = match &self.seen {
            None => true,
            Some(seen) => self.of != generation || (done && seen.events != events),
        };
        if self.asked && self.of == generation || !stale {
            return false;
        }
        (self.asked, self.of) = (true, generation);
        true
    }

    /// Takes the numbers.
    pub fn counted(&mut self, generation: u64, seen: HooksSeen) {
        if generation == self.of {
            self.seen = Some(seen);
            self.asked = false;
        }
    }

    /// List, grid of tools, grid of events, list.
    pub fn turn(&mut self) {
        self.view = match self.view {
            View::List => View::Tools,
            View::Tools => View::Events,
            View::Events => View::List,
        };
        (self.cursor, self.left) = Default::default();
    }

    /// The next order.
    pub fn turn_sort(&mut self) {
        let at = Sort::ALL.iter().position(|sort| *sort == self.sort).unwrap_or(0);
        self.sort = Sort::ALL[(at + 1) % Sort::ALL.len()];
        self.cursor = Cursor::default();
    }

    /// Moves the view of a grid sideways.
    pub fn shift(&mut self, way: Way) {
        let last = self.hooks_across().len().saturating_sub(1);
        self.left = match way {
            Way::Back => self.left.saturating_sub(1),
            Way::Forward => (self.left + 1).min(last),
        };
    }

    /// Places of the hooks in the numbers, in the order of the list.
    fn order(&self) -> Vec<usize> {
        let Some(seen) = &self.seen else { return Vec::new() };
        let mut order: Vec<usize> = (0..seen.hooks.len()).collect();
        let hook = |at: &usize| &seen.hooks[*at];
        match self.sort {
            Sort::Settings => {}
            Sort::Matched => order.sort_by_key(|at| std::cmp::Reverse(hook(at).matched)),
            Sort::Failed => order.sort_by_key(|at| std::cmp::Reverse(hook(at).failed)),
            Sort::Slowest => order.sort_by_key(|at| std::cmp::Reverse(hook(at).times.last().copied())),
            Sort::Last => order.sort_by_key(|at| std::cmp::Reverse(hook(at).last)),
        }
        order
    }

    /// What the chosen item stands for.
    pub fn chosen(&self, entries: &[Entry]) -> Option<Row> {
        entries.get(self.cursor.at).map(|entry| entry.row)
    }

    /// Everything that can be chosen, top to bottom.
    pub fn entries(&self, plan: &Plan, look: &Look<'_>) -> Vec<Entry> {
        let Some(seen) = &self.seen else { return Vec::new() };
        let mut entries = Vec::new();
        match self.view {
            View::List => {
                let widths = Widths::new(&seen.hooks, look.cells, look.charset);
                let hooks = self.order().into_iter();
                entries
                    .extend(hooks.map(|at| Entry { row: Row::Hook(at), lines: widths.lines(&seen.hooks[at], look) }));
                entries.extend(settings(plan, look));
            }
            View::Tools | View::Events => {
                let across = self.hooks_across();
                for (at, line) in self.grid().iter().enumerate() {
                    entries.push(Entry { row: Row::Grid(at), lines: vec![self.grid_line(line, &across, look)] });
                }
            }
        }
        entries
    }

    /// What stands above the items.
    pub fn heads(&self, look: &Look<'_>) -> Vec<Line> {
        let Some(seen) = &self.seen else { return Vec::new() };
        match self.view {
            View::List if seen.hooks.is_empty() => Vec::new(),
            View::List => vec![Widths::new(&seen.hooks, look.cells, look.charset).head(look.charset)],
            View::Tools | View::Events => self.grid_heads(look),
        }
    }

    /// Hooks that have a column in the grid.
    fn hooks_across(&self) -> Vec<usize> {
        let Some(seen) = &self.seen else { return Vec::new() };
        let about_tools = |event: &str| is_about_tools(event);
        let hooks = seen.hooks.iter().enumerate();
        hooks.filter(|(_, hook)| self.view != View::Tools || about_tools(&hook.event)).map(|(at, _)| at).collect()
    }

    /// The lines of the grid, most frequent first.
    pub fn grid(&self) -> Vec<GridLine> {
        let Some(seen) = &self.seen else { return Vec::new() };
        let mut lines: Vec<GridLine> = Vec::new();
        let place = |id: &str| seen.hooks.iter().position(|hook| hook.id == id);
        for row in &seen.grid {
            let name = match (self.view, &row.subject) {
                (View::Tools, Some(subject)) if is_about_tools(&row.event) => subject,
                (View::Tools, _) => continue,
                _ => &row.event,
            };
            let at = lines.iter().position(|line| line.name == *name).unwrap_or_else(|| {
                lines.push(GridLine { name: name.clone(), events: 0, matched: vec![0; seen.hooks.len()] });
                lines.len() - 1
            });
            let line = &mut lines[at];
            // A call has several events; it is counted once.
            line.events = match self.view {
                View::Tools => line.events.max(row.events),
                _ => line.events + row.events,
            };
            for (id, times) in &row.matched {
                if let Some(at) = place(id) {
                    line.matched[at] += times;
                }
            }
        }
        lines.sort_by(|a, b| b.events.cmp(&a.events).then_with(|| a.name.cmp(&b.name)));
        lines
    }

    fn column(&self, at: usize, charset: Charset) -> usize {
        let hook = self.seen.as_ref().and_then(|seen| seen.hooks.get(at));
        let width = |words: &str| text::width(&text::safe_as(words, charset));
        hook.map_or(0, |hook| width(&hook.label).max(width(&hook.event))).clamp(6, 18)
    }

    /// Columns of hooks that fit beside the names.
    fn shown<'a>(&self, across: &'a [usize], look: &Look<'_>) -> &'a [usize] {
        let rest = across.get(self.left.min(across.len().saturating_sub(1))..).unwrap_or_default();
        let mut room = look.cells.saturating_sub(self.name_cells(look) + 2 + 8);
        let mut count = 0;
        for &at in rest {
            let cells = self.column(at, look.charset) + 2;
            if cells > room {
                break;
            }
            room -= cells;
            count += 1;
        }
        &rest[..count]
    }

    /// Hooks of the grid to the left and to the right of those in view.
    pub fn hidden(&self, look: &Look<'_>) -> (usize, usize) {
        if self.view == View::List {
            return (0, 0);
        }
        let across = self.hooks_across();
        let left = self.left.min(across.len().saturating_sub(1));
        (left, across.len() - left - self.shown(&across, look).len())
    }

    fn name_cells(&self, look: &Look<'_>) -> usize {
        let names = self.grid().into_iter().map(|line| text::width(&text::safe_as(&line.name, look.charset)));
        names.max().unwrap_or(0).clamp(6, (look.cells / 3).max(8))
    }

    fn grid_heads(&self, look: &Look<'_>) -> Vec<Line> {
        let across = self.hooks_across();
        let Some(seen) = &self.seen else { return Vec::new() };
        let cell = |words: &str, cells: usize| {
            format!("  {}", text::pad_left(&text::safe_as(words, look.charset), cells, look.charset))
        };
        let what = if self.view == View::Tools { "tool" } else { "event" };
        let count = if self.view == View::Tools { "calls" } else { "times" };
        let name = text::pad(what, self.name_cells(look), look.charset);
        let mut labels = Line::new().and(format!("  {name}  {count:>6}"), Tone::Dim);
        let mut events = Line::new().and(" ".repeat(self.name_cells(look) + 10), Tone::Dim);
        let shown = self.shown(&across, look);
        for &at in shown {
            let cells = self.column(at, look.charset);
            labels = labels.and(cell(&seen.hooks[at].label, cells), Tone::Strong);
            events = events.and(cell(&seen.hooks[at].event, cells), Tone::Dim);
        }
        vec![labels, events]
    }

    fn grid_line(&self, line: &GridLine, across: &[usize], look: &Look<'_>) -> Line {
        let name = text::pad(&text::safe_as(&line.name, look.charset), self.name_cells(look), look.charset);
        let out = Line::new().and(format!("  {name}  {:>6}", line.events), Tone::Plain);
        if across.iter().all(|&at| line.matched[at] == 0) {
            return out.and("  no hook sees it", Tone::Warn);
        }
        self.shown(across, look).iter().fold(out, |out, &at| {
            let cells = self.column(at, look.charset);
            match line.matched[at] {
                0 => out.and(format!("  {:>cells$}", "-"), Tone::Dim),
                times => out.and(format!("  {times:>cells$}"), Tone::Good),
            }
        })
    }
}

impl Default for HookTable {
    fn default() -> HookTable {
        HookTable::new()
    }
}

/// Whether a matcher of that event is tested on a tool's name.
fn is_about_tools(event: &str) -> bool {
    let specs = dialect::ALL.iter().filter_map(|dialect| dialect.event(event));
    specs.into_iter().any(|spec| spec.subject == Some("tool_name"))
}

/// Cells of the columns of the list; 0 where one is not shown.
struct Widths {
    label: usize,
    event: usize,
    matcher: usize,
    matched: usize,
    ran: usize,
    failed: usize,
    time: usize,
}

impl Widths {
    fn new(hooks: &[HookTally], cells: usize, charset: Charset) -> Widths {
        let longest = |of: fn(&HookTally) -> &str, least: usize, most: usize| {
            let widths = hooks.iter().map(|hook| text::width(&text::safe_as(of(hook), charset)));
            widths.max().unwrap_or(0).clamp(least, most.max(least))
        };
        let mut widths = Widths {
            label: longest(|hook| &hook.label, 4, 24),
            event: 0,
            matcher: 0,
            matched: 0,
            ran: 0,
            failed: 0,
            time: 0,
        };
        widths.label = widths.label.min(cells / 3);
        let mut left = cells.saturating_sub(2 + widths.label);
        let mut take = |column: &mut usize, cells: usize| {
            if left > cells + 1 {
                left -= cells + 2;
                *column = cells;
            }
        };
        take(&mut widths.matched, 10);
        take(&mut widths.ran, 7);
        take(&mut widths.event, longest(|hook| &hook.event, 5, 18));
        take(&mut widths.failed, 6);
        take(&mut widths.matcher, longest(matcher, 7, 20));
        take(&mut widths.time, 13);
        widths
    }

    fn head(&self, charset: Charset) -> Line {
        let names = ["hook", "event", "matcher", "matched", "ran", "failed", "p50, longest"];
        self.row(names.map(|name| (name.to_owned(), Tone::Dim)), charset)
    }

    fn row(&self, cells: [(String, Tone); 7], charset: Charset) -> Line {
        let widths = [self.label, self.event, self.matcher, self.matched, self.ran, self.failed, self.time];
        let mut line = Line::new();
        let columns = cells.into_iter().zip(widths).enumerate().filter(|(_, (_, width))| *width > 0);
        for (at, ((words, tone), width)) in columns {
            let safe = text::safe_as(&words, charset);
            let cell = if at < 3 { text::pad(&safe, width, charset) } else { text::pad_left(&safe, width, charset) };
            line = line.and("  ", Tone::Plain).and(cell, tone);
        }
        line
    }

    /// A hook in two lines, or three where it never ran.
    fn lines(&self, hook: &HookTally, look: &Look<'_>) -> Vec<Line> {
        let (ran, tone) = ran(hook);
        let failed = if hook.failed > 0 { (hook.failed.to_string(), Tone::Warn) } else { ("-".to_owned(), Tone::Dim) };
        let matched_tone = if hook.matched == 0 { Tone::Warn } else { Tone::Plain };
        let row = [
            (hook.label.clone(), Tone::Strong),
            (hook.event.clone(), Tone::Plain),
            (matcher(hook).to_owned(), Tone::Plain),
            (format!("{} of {}", hook.matched, hook.considered), matched_tone),
            (ran, tone),
            failed,
            (times(hook), Tone::Plain),
        ];
        let mut doc = Doc::default();
        doc.push(self.row(row, look.charset));
        let dot = look.charset.dot();
        let mut words = format!("{}{dot}{}:{}", hook.scope, hook.path, hook.line);
        if !hook.said.is_empty() {
            let said: Vec<String> = hook.said.iter().map(|(word, times)| format!("{word} {times}")).collect();
            words.push_str(&format!("{dot}said {}", said.join(", ")));
        }
        if let Some(last) = hook.last {
            words.push_str(&format!("{dot}last {}", (look.clock)(last)));
        }
        doc.hang(Line::new().and("    ", Tone::Plain), &words, Tone::Dim, look.cells, look.charset);
        if let Some(why) = hook.remark() {
            doc.hang(Line::new().and("    ", Tone::Plain), why, Tone::Warn, look.cells, look.charset);
        }
        doc.lines
    }
}

fn matcher(hook: &HookTally) -> &str {
    hook.matcher.as_deref().unwrap_or("(none)")
}

/// How often it ran: a number, `never`, or `?` where nothing tells.
fn ran(hook: &HookTally) -> (String, Tone) {
    match (hook.started, hook.started_unknown) {
        (0, 0) => ("never".to_owned(), Tone::Warn),
        (0, _) => ("?".to_owned(), Tone::Warn),
        (started, 0) => (started.to_string(), Tone::Plain),
        (started, _) => (format!("{started} + ?"), Tone::Plain),
    }
}

fn times(hook: &HookTally) -> String {
    match (hook.percentile(50), hook.times.last()) {
        (Some(middle), Some(longest)) if *longest != middle => format!("{}, {}", took(middle), took(*longest)),
        (Some(middle), _) => took(middle),
        _ => "-".to_owned(),
    }
}

fn took(millis: u32) -> String {
    match millis {
        0..10_000 => format!("{millis} ms"),
        _ => format!("{} s", millis / 1000),
    }
}

/// What is to be said of the settings: switches, files that do not count, what is dropped, where was looked.
fn settings(plan: &Plan, look: &Look<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut said: Vec<String> = Vec::new();
    let mut say = |sign: &str, words: String, tone: Tone| {
        if said.contains(&words) {
            return;
        }
        let mut doc = Doc::default();
        doc.hang(Line::new().and(format!("  {sign}"), Tone::Warn), &words, tone, look.cells, look.charset);
        said.push(words);
        entries.push(Entry { row: Row::Words, lines: doc.lines });
    };
    for era in &plan.eras {
        for switch in &era.set.switches {
            say("! ", format!("{}: {}", switch.name, switch.why), Tone::Warn);
        }
        for file in &era.set.files {
            match &file.status {
                FileStatus::Loaded => {}
                FileStatus::Rejected { why, .. } => {
                    say("! ", format!("{} is refused as a whole: {why}", file.path), Tone::Warn);
                }
                FileStatus::NotLoadable { why } => {
                    say("! ", format!("this session could not have loaded {}: {why}", file.path), Tone::Plain);
                }
            }
            for warning in &file.warnings {
                say("! ", format!("{}: {warning}", file.path), Tone::Warn);
            }
            for dropped in &file.drops {
                let place = format!("{}:{}", file.path, dropped.position.line);
                say("! ", format!("{} ({place}) is dropped: {}", dropped.id, dropped.why), Tone::Warn);
            }
        }
        if let Some(note) = &era.note {
            say("  ", note.clone(), Tone::Plain);
        }
    }
    for place in plan.looked_at.iter().filter(|place| !place.found) {
        say("  ", format!("looked for {} settings, nothing there: {}", place.scope, place.path), Tone::Dim);
    }
    if !entries.is_empty() {
        let head = vec![Line::new(), Line::new().and("  Settings", Tone::Title)];
        entries.insert(0, Entry { row: Row::Words, lines: head });
    }
    entries
}

#[cfg(test)]
mod tests;
