//! Bookmarks, and where one came from.

use crate::model::EventIx;

use super::Way;

/// An event to come back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// Which.
    pub event: EventIx,
    /// Why.
    pub note: String,
}

/// The jump list: where the selection was before it leapt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Jumps {
    back: Vec<EventIx>,
    forth: Vec<EventIx>,
}

/// Older jumps than this many are forgotten.
const JUMPS: usize = 100;

impl Jumps {
    /// The selection is about to leap away from here.
    pub fn leave(&mut self, from: EventIx) {
        if self.back.last() != Some(&from) {
            self.back.push(from);
        }
        if self.back.len() > JUMPS {
            self.back.remove(0);
        }
        self.forth.clear();
    }

    /// Where to go from here.
    pub fn go(&mut self, way: Way, here: EventIx) -> Option<EventIx> {
        let (from, to) = match way {
            Way::Back => (&mut self.back, &mut self.forth),
            Way::Forward => (&mut self.forth, &mut self.back),
        };
        while let Some(event) = from.pop() {
            if event != here {
                to.push(here);
                return Some(event);
            }
        }
        None
    }
}
