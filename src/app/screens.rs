//! The full screens on top of the debugger: opening them, what their keys do, what they lack.

mod hooks;
mod lab;
mod loops;
mod picker;

use super::picker::PickerRegions;
use super::{App, Effect};

pub(super) use hooks::in_hook_table;
pub use lab::LabRegions;
pub(super) use lab::{in_lab, open_lab};
pub use loops::LoopsRegions;
pub(super) use loops::in_loops;
pub(super) use picker::{in_picker, move_in_picker};

/// Brings the screens up to date with what was read, and asks for what they lack.
pub(super) fn settle(app: &mut App, effects: &mut Vec<Effect>) {
    let rows = usize::from(PickerRegions::new(app.size).list.height);
    if let Some(picker) = app.picking_mut() {
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
