//! The full screens on top of the debugger: opening them, what their keys do, what they lack.

mod hooks;
mod lab;
mod loops;
mod picker;

use super::picker::PickerRegions;
use super::{Action, Amount, App, Area, Cursor, Effect, Layer, Way, update::update};

pub(super) use hooks::in_hook_table;
pub use lab::LabRegions;
pub(super) use lab::{in_lab, open_lab};
pub use loops::LoopsRegions;
pub(super) use loops::in_loops;
pub(super) use picker::{in_picker, move_in_picker};

/// Brings the screens up to date with what was read, and asks for what they lack.
pub(super) fn settle(app: &mut App, effects: &mut Vec<Effect>) {
    let size = app.size;
    if let Some(picker) = app.picking_mut() {
        let rows = usize::from(PickerRegions::new(size, picker.offer).list.height);
        picker.settle(rows);
        effects.extend(picker.wanted().map(Effect::Rescan));
    }
    settle_hooks(app, effects);
    settle_loops(app, effects);
    let Some(lab) = app.lab() else { return };
    let height = usize::from(app.lab_regions(lab).list.height);
    let session = app.session.clone();
    let known = app.inspect.is_some();
    let subjects = std::mem::take(&mut app.subjects);
    if let Some(lab) = app.lab_mut() {
        lab.catch_up(&session.read(), &subjects);
        lab.cursor.settle(lab.report.results.len(), height);
        if known {
            effects.extend(lab.wanted().map(Effect::Try));
        }
    }
    app.subjects = subjects;
}

fn settle_hooks(app: &mut App, effects: &mut Vec<Effect>) {
    let (known, generation) = (app.inspect.is_some(), app.generation);
    let (events, done) = read_so_far(app);
    let height = app.hook_table_regions().1.height;
    let Some(table) = app.hook_table_mut() else { return };
    if known && table.wants(generation, events, done) {
        effects.push(Effect::CountHooks(generation));
    }
    let table = table.clone();
    let (heads, entries) = app.hook_table_lines(&table);
    if let Some(table) = app.hook_table_mut() {
        hooks::settle(&mut table.cursor, &entries, usize::from(height).saturating_sub(heads.len()));
    }
}

fn settle_loops(app: &mut App, effects: &mut Vec<Effect>) {
    let (known, generation) = (app.inspect.is_some(), app.generation);
    let (events, done) = read_so_far(app);
    let Some(loops) = app.loops_mut() else { return };
    if known && loops.wants(generation, events, done) {
        effects.push(Effect::FindLoops(generation));
    }
    let loops = loops.clone();
    let height = usize::from(app.loops_regions(&loops).list.height);
    if let Some(loops) = app.loops_mut() {
        loops.cursor.settle(loops.chosen().map_or(0, |found| found.rounds.len()), height);
    }
}

fn read_so_far(app: &App) -> (usize, bool) {
    let session = app.session.read();
    (session.events.len(), session.progress.done)
}

/// A turn of the wheel: moves in the list of the screen on top.
pub(super) fn wheel(app: &mut App, way: Way, lines: usize) {
    let by = Some(u32::try_from(lines).unwrap_or(1));
    match app.layers.last() {
        Some(Layer::Lab(_)) => drop(in_lab(app, Action::Move(way, Amount::Line), by)),
        Some(Layer::Picker(_)) => move_in_picker(app, way, Amount::Line, lines),
        Some(Layer::HookTable(_)) => drop(in_hook_table(app, Action::Move(way, Amount::Line), by)),
        Some(Layer::Loops(_)) => drop(in_loops(app, Action::Move(way, Amount::Line), by)),
        Some(Layer::Reader(_) | Layer::Ask(_) | Layer::Palette(_) | Layer::Bookmarks(_)) | None => {}
    }
}

/// A click on a row of the screen on top chooses it; on the chosen row it opens it.
pub(super) fn press(app: &mut App, x: u16, y: u16) -> Vec<Effect> {
    app.message = None;
    let hit = match app.layers.last() {
        Some(Layer::Picker(_)) => picker_row(app, x, y),
        Some(Layer::Lab(lab)) => row_of(app.lab_regions(lab).list, x, y).map(|row| lab.cursor.top + row),
        Some(Layer::Loops(loops)) => row_of(app.loops_regions(loops).list, x, y).map(|row| loops.cursor.top + row),
        Some(Layer::HookTable(table)) => {
            let (heads, entries) = app.hook_table_lines(table);
            let (_, list) = app.hook_table_regions().1.split_top(u16::try_from(heads.len()).unwrap_or(u16::MAX));
            row_of(list, x, y).and_then(|row| hooks::entry_at(table.cursor, &entries, row))
        }
        Some(Layer::Reader(_) | Layer::Ask(_) | Layer::Palette(_) | Layer::Bookmarks(_)) | None => None,
    };
    let Some(at) = hit else { return Vec::new() };
    let in_lab = matches!(app.layers.last(), Some(Layer::Lab(_)));
    let cursor: &mut Cursor = match app.layers.last_mut() {
        Some(Layer::Picker(picker)) => &mut picker.cursor,
        Some(Layer::Lab(lab)) => &mut lab.cursor,
        Some(Layer::Loops(loops)) => &mut loops.cursor,
        Some(Layer::HookTable(table)) => &mut table.cursor,
        _ => return Vec::new(),
    };
    // Where keys are text, a click opens nothing.
    if cursor.at == at && !in_lab {
        return update(app, Action::Open);
    }
    cursor.at = at;
    Vec::new()
}

/// The row of an area under a cell.
fn row_of(area: Area, x: u16, y: u16) -> Option<usize> {
    area.holds(x, y).then(|| usize::from(y - area.y))
}

fn picker_row(app: &App, x: u16, y: u16) -> Option<usize> {
    let picker = app.picking()?;
    let regions = PickerRegions::new(app.size, picker.offer);
    if let Some(at) = regions.questions.iter().position(|area| area.holds(x, y)) {
        return Some(at);
    }
    if regions.more.holds(x, y) {
        return Some(regions.questions.len());
    }
    let at = picker.first_session() + picker.cursor.top + row_of(regions.list, x, y)?;
    (at < picker.len()).then_some(at)
}
