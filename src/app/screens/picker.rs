//! What keys do in the picker.

use crate::app::picker::{Choice, Picker, PickerRegions, questions};
use crate::app::update::{anywhere, say, times};
use crate::app::{Action, Amount, App, Ask, Asked, Effect, Layer, Way};

impl App {
    /// The picker, where it is what lies lowest.
    pub fn picking(&self) -> Option<&Picker> {
        match self.layers.first() {
            Some(Layer::Picker(picker)) => Some(picker),
            _ => None,
        }
    }

    pub(in crate::app) fn picking_mut(&mut self) -> Option<&mut Picker> {
        match self.layers.first_mut() {
            Some(Layer::Picker(picker)) => Some(picker),
            _ => None,
        }
    }
}

/// Moves in the picker.
pub(in crate::app) fn move_in_picker(app: &mut App, way: Way, amount: Amount, count: usize) {
    let size = app.size;
    if let Some(picker) = app.picking_mut() {
        let height = usize::from(PickerRegions::new(size, picker.offer).list.height);
        picker.step(way, amount, count, height);
    }
}

/// What keys do in the picker.
pub(in crate::app) fn in_picker(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let Some(picker) = app.picking_mut() else { return Vec::new() };
    match action {
        Action::Move(way, amount) => move_in_picker(app, way, amount, times(typed)),
        Action::Sideways(way) => picker.turn_more(way),
        Action::Rescan => picker.rescan(),
        Action::Find => {
            let text = picker.filter.clone();
            app.layers.push(Layer::Ask(Ask::new(Asked::Sessions, text)));
        }
        Action::Clear => picker.filter_by(""),
        Action::Open => match picker.choice() {
            Some(choice) => return chose(app, choice),
            None => return say(app, "nothing to open"),
        },
        Action::Question(at) => match questions(picker.offer).nth(at) {
            Some(demo) => return chose(app, Choice::Demo(demo)),
            None => return say(app, "there is no such question"),
        },
        Action::Back => return chose(app, Choice::Quit),
        other => return anywhere(app, other),
    }
    Vec::new()
}

fn chose(app: &mut App, choice: Choice) -> Vec<Effect> {
    app.choice = Some(choice);
    vec![Effect::Quit]
}
