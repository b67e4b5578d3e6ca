//! The selected event in full, once the background has described it.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Cursor, JsonRows};
use crate::model::{EventIx, Step};

/// What is known of the selected event.
#[derive(Debug, Clone, Default)]
pub enum Body {
    /// Nothing was asked for yet.
    #[default]
    None,
    /// It is being read.
    Reading,
    /// All of it.
    Ready(Arc<Step>),
}

/// The selected event in full, and where one is in it.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    /// Which event.
    pub event: Option<EventIx>,
    /// Of the last request.
    pub generation: u64,
    /// What is known.
    pub body: Body,
    /// Its hook input.
    pub json: JsonRows,
    /// In the event pane.
    pub event_cursor: Cursor,
    /// In the hooks pane.
    pub hooks_cursor: Cursor,
    /// In the decision pane.
    pub decision_cursor: Cursor,
    /// Handlers whose stages are shown, by id; kept from event to event.
    pub open: HashSet<String>,
}

impl Detail {
    /// The event in full, where it is known.
    pub fn step(&self) -> Option<&Arc<Step>> {
        match &self.body {
            Body::Ready(step) => Some(step),
            Body::None | Body::Reading => None,
        }
    }
}
