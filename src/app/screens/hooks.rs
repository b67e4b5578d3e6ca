//! What keys do among the hooks of the session.

use crate::app::hook_table::{Entry, Look, Row, View};
use crate::app::update::{anywhere, copy, filter_by, say, times};
use crate::app::{Action, App, Area, Cursor, Effect, HookTable, Lab, Layer, Line};
use crate::model::Plan;

impl App {
    pub(in crate::app) fn hook_table_mut(&mut self) -> Option<&mut HookTable> {
        self.layers.iter_mut().rev().find_map(|layer| match layer {
            Layer::HookTable(table) => Some(table.as_mut()),
            _ => None,
        })
    }

    fn hook_table(&self) -> Option<&HookTable> {
        self.layers.iter().rev().find_map(|layer| match layer {
            Layer::HookTable(table) => Some(table.as_ref()),
            _ => None,
        })
    }

    /// Title line and the rest of the hooks' screen.
    pub fn hook_table_regions(&self) -> (Area, Area) {
        self.reader_body().split_top(1)
    }

    /// Hooks of the grid that are out of view, to the left and to the right.
    pub fn hook_table_hidden(&self, table: &HookTable) -> (usize, usize) {
        let cells = usize::from(self.hook_table_regions().1.width);
        table.hidden(&Look { cells, charset: self.options.charset, clock: &|time| self.clock(time) })
    }

    /// Heads and entries of the hooks' screen.
    pub fn hook_table_lines(&self, table: &HookTable) -> (Vec<Line>, Vec<Entry>) {
        let cells = usize::from(self.hook_table_regions().1.width);
        let look = Look { cells, charset: self.options.charset, clock: &|time| self.clock(time) };
        let nothing = Plan::default();
        let plan = self.inspect.as_ref().map_or(&nothing, |inspect| inspect.plan());
        (table.heads(&look), table.entries(plan, &look))
    }
}

/// Brings the chosen entry into `height` lines.
pub(super) fn settle(cursor: &mut Cursor, entries: &[Entry], height: usize) {
    cursor.at = cursor.at.min(entries.len().saturating_sub(1));
    cursor.top = cursor.top.min(cursor.at);
    let lines = |from: usize, to: usize| -> usize {
        entries.get(from..=to).unwrap_or_default().iter().map(|entry| entry.lines.len()).sum()
    };
    while cursor.top < cursor.at && lines(cursor.top, cursor.at) > height {
        cursor.top += 1;
    }
    // No blank space beneath the last entry while there is something above.
    while cursor.top > 0 && lines(cursor.top - 1, entries.len().saturating_sub(1)) <= height {
        cursor.top -= 1;
    }
}

/// The entry on a row, counted from the first in view.
pub(super) fn entry_at(cursor: Cursor, entries: &[Entry], row: usize) -> Option<usize> {
    let mut below = 0;
    entries.iter().enumerate().skip(cursor.top).find_map(|(at, entry)| {
        below += entry.lines.len();
        (row < below).then_some(at)
    })
}

/// What keys do there.
pub(in crate::app) fn in_hook_table(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let height = usize::from(app.hook_table_regions().1.height);
    let Some(table) = app.hook_table() else { return Vec::new() };
    let (_, entries) = app.hook_table_lines(table);
    let chosen = table.chosen(&entries);
    let Some(table) = app.hook_table_mut() else { return Vec::new() };
    match action {
        Action::Move(way, amount) => {
            // Pages are counted in entries of about two lines.
            table.cursor.step(way, amount, times(typed), entries.len(), (height / 2).max(1));
        }
        Action::TurnView => table.turn(),
        Action::TurnSort if table.view == View::List => table.turn_sort(),
        Action::TurnSort => return say(app, "only the list is sorted: t leads to it"),
        Action::Sideways(way) if table.view != View::List => table.shift(way),
        Action::Sideways(_) => return say(app, "only a grid goes on sideways: t shows it"),
        Action::Open => {
            let Some(expr) = chosen.and_then(|row| expression(table, row)) else {
                return say(app, "nothing here to filter by");
            };
            let never = match chosen {
                Some(Row::Hook(at)) => table.seen.as_ref().and_then(|seen| seen.hooks.get(at)),
                _ => None,
            };
            let never = never.filter(|hook| hook.matched == 0);
            let words = never.map(|hook| format!("{} never matched: these are all {} events", hook.label, hook.event));
            app.layers.pop();
            let effects = filter_by(app, &expr);
            if let Some(words) = words {
                app.message = Some((words, crate::app::Tone::Plain));
            }
            return effects;
        }
        Action::Lab => {
            let Some(Row::Hook(at)) = chosen else { return say(app, "choose a hook first: its matcher is tried") };
            let hook = table.seen.as_ref().and_then(|seen| seen.hooks.get(at));
            let Some((matcher, event)) = hook.map(|hook| (hook.matcher.clone(), hook.event.clone())) else {
                return Vec::new();
            };
            let session = app.session.clone();
            let session = session.read();
            let version = super::lab::version_here(app, &session);
            let lab = Lab::new(&matcher.unwrap_or_default(), &event, version, &session, &app.subjects);
            app.layers.push(Layer::Lab(Box::new(lab)));
        }
        Action::Copy => {
            let Some(Row::Hook(at)) = chosen else { return say(app, "no hook here") };
            let hook = table.seen.as_ref().and_then(|seen| seen.hooks.get(at));
            let Some(place) = hook.map(|hook| format!("{}:{}", hook.path, hook.line)) else { return Vec::new() };
            return copy(app, place);
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}

/// A filter for what an entry stands for.
fn expression(table: &HookTable, row: Row) -> Option<String> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let named = |field: &str, text: &str| {
        let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if plain { format!("{field}:{text}") } else { format!("{field}:{}", quoted(text)) }
    };
    match row {
        Row::Hook(at) => {
            let seen = table.seen.as_ref()?;
            let hook = seen.hooks.get(at)?;
            let alone = seen.hooks.iter().filter(|other| other.label == hook.label).count() == 1;
            // Where it never matched, the events at which it could have show why.
            if hook.matched == 0 {
                return Some(named("event", &hook.event));
            }
            // The short name is easier to read, where it is the only one.
            Some(named("hook", if alone { &hook.label } else { &hook.id }))
        }
        Row::Grid(at) => {
            let line = table.grid().into_iter().nth(at)?;
            Some(named(if table.view == View::Tools { "tool" } else { "event" }, &line.name))
        }
        Row::Words => None,
    }
}
