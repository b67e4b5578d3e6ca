//! The interactive program without drawing: state, keys, actions, effects, background jobs, the event loop.
//!
//! `input(&mut App, Input) -> Vec<Effect>` and `update(&mut App, Action) -> Vec<Effect>` are pure: keys and results
//! in, effects out. [`mod@run`] is the only part that touches the terminal, [`jobs`] the only one with threads. Must
//! not know how anything is drawn.
//!
//! A further full-screen view is one file in `layer.rs` (its state, its `doc` or rows, its `update`), one variant of
//! [`Layer`], one [`Mode`] with its key table, and one file in `ui`.

mod action;
mod decision;
mod detail;
mod doc;
pub mod hook_table;
mod hooks;
mod input;
mod inspect;
pub mod jobs;
mod json;
mod keys;
mod lab;
mod layer;
mod layout;
pub mod loops;
mod marks;
mod mouse;
pub mod picker;
pub mod run;
mod scope;
mod screens;
mod session;
mod state;
mod subjects;
mod survey;
pub mod terminal;
mod timeline;
mod update;
mod warn;

pub use crate::dialect::{Rule, Said};
pub use crate::engine::filter::Completion;
pub use action::{Action, Amount, Described, Effect, Input, MouseUse, Note, Way};
pub use decision::{Room, decision_doc, failure_in_short, verdict_sentence};
pub use detail::{Body, Detail};
pub use doc::{Cursor, Doc, Hit, Line, Span, Target, Tone};
pub use hook_table::{HookTable, HooksSeen};
pub use hooks::hooks_doc;
pub use input::input;
pub use inspect::{Inspect, Test};
pub use json::{JsonKind, JsonRow, JsonRows};
pub use keys::{Binding, Mode, bindings, bottom_line, key_for, key_name, readme_table, typed};
pub use lab::{Fit, Keep, Lab, Must, Trial};
pub use layer::{Ask, Asked, Bookmarks, Layer, Palette, Reader, Text, keys_of};
pub use layout::{Area, Pane, Regions, Shape, Share};
pub use loops::{Loops, LoopsSeen};
pub use marks::{Bookmark, Jumps};
pub use run::run;
pub use scope::misnamed;
pub use screens::{LabRegions, LoopsRegions};
pub use session::SharedSession;
pub use state::{App, Colours, Finding, Focus, Intro, Leaving, Options, SeenRow, Zoom};
pub use subjects::Subjects;
pub use survey::{Class, Glance, Survey};
pub use timeline::{Filter, Timeline, ancestry, verdict_word};
pub use update::update;
pub use warn::{Warning, warning};
