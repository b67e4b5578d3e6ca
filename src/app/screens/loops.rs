//! What keys do among the stop loops.

use crate::app::update::{anywhere, copy, leap, say, times};
use crate::app::{Action, App, Area, Effect, Layer, Loops};

/// Where the parts of the loops' screen stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoopsRegions {
    /// Its title line.
    pub title: Area,
    /// What is to be said of the loop.
    pub head: Area,
    /// Names of the columns.
    pub columns: Area,
    /// The rounds.
    pub list: Area,
}

impl App {
    pub(in crate::app) fn loops_mut(&mut self) -> Option<&mut Loops> {
        self.layers.iter_mut().rev().find_map(|layer| match layer {
            Layer::Loops(loops) => Some(loops.as_mut()),
            _ => None,
        })
    }

    fn loops(&self) -> Option<&Loops> {
        self.layers.iter().rev().find_map(|layer| match layer {
            Layer::Loops(loops) => Some(loops.as_ref()),
            _ => None,
        })
    }

    /// Where the parts of the loops' screen stand.
    pub fn loops_regions(&self, loops: &Loops) -> LoopsRegions {
        let (title, rest) = self.reader_body().split_top(1);
        let rounds = loops.chosen().map_or(0, |found| found.rounds.len());
        // A few rounds stay in view.
        let keep = match (rounds, rest.height) {
            (0, _) => 0,
            (_, ..12) => 3,
            (rounds, _) => u16::try_from(rounds.min(4)).unwrap_or(4) + 2,
        };
        let most = usize::from(rest.height.saturating_sub(keep));
        let head = loops.head(&self.session.read(), usize::from(rest.width), most, self.options.charset);
        let (head, rest) = rest.split_top(u16::try_from(head.lines.len()).unwrap_or(u16::MAX));
        let (_, rest) = rest.split_top(u16::from(rest.height > 8));
        let (columns, list) = rest.split_top(u16::from(rounds > 0));
        LoopsRegions { title, head, columns, list }
    }
}

/// What keys do there.
pub(in crate::app) fn in_loops(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let Some(loops) = app.loops() else { return Vec::new() };
    let height = usize::from(app.loops_regions(loops).list.height);
    let Some(loops) = app.loops_mut() else { return Vec::new() };
    let rounds = loops.chosen().map_or(0, |found| found.rounds.len());
    if matches!(action, Action::Move(..) | Action::Pane(_)) {
        loops.from = None;
    }
    match action {
        Action::Move(way, amount) => loops.cursor.step(way, amount, times(typed), rounds, height),
        Action::Pane(way) => loops.turn(way),
        Action::Open => {
            let Some(event) = loops.round().map(|round| round.event) else {
                return say(app, "no round here to go to");
            };
            app.layers.pop();
            leap(app, event);
        }
        Action::Copy => {
            let reason = loops.round().zip(loops.chosen()).and_then(|(round, found)| found.reasons.get(round.reason));
            let Some(reason) = reason.map(|(words, _)| words.clone()) else { return say(app, "nothing to copy") };
            return copy(app, reason);
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}
