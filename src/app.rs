//! The interactive program without drawing: state, keys, actions, effects, background jobs, the event loop.
//!
//! `input(&mut App, Input) -> Vec<Effect>` and `update(&mut App, Action) -> Vec<Effect>` are pure: keys and results
//! in, effects out. [`run`] is the only part that touches the terminal, [`jobs`] the only one with threads. Must
//! not know how anything is drawn.
//!
//! A further full-screen view is one file in [`layer`] (its state, its `doc` or rows, its `update`), one variant of
//! [`Layer`], one [`Mode`] with its key table, and one file in `ui`.

mod action;
mod decision;
mod detail;
mod doc;
mod fold;
mod hooks;
mod input;
mod inspect;
pub mod jobs;
mod json;
mod keys;
mod layer;
mod layout;
mod marks;
mod mouse;
pub mod run;
mod session;
mod state;
mod survey;
pub mod terminal;
mod timeline;
mod update;
mod warn;

pub use action::{Action, Amount, Described, Effect, Input, MouseUse, Way};
pub use decision::decision_doc;
pub use detail::{Body, Detail};
pub use doc::{Cursor, Doc, Line, Span, Target, Tone};
pub use hooks::hooks_doc;
pub use input::input;
pub use inspect::{Completion, FilterFault, Inspect, RuleText, Said, Test};
pub use json::{JsonKind, JsonRow, JsonRows};
pub use keys::{Binding, Mode, bindings, bottom_line, key_name, readme_table};
pub use layer::{Ask, Asked, Bookmarks, Help, Layer, Palette, Reader};
pub use layout::{Area, Regions, Shape};
pub use marks::{Bookmark, Jumps};
pub use session::SharedSession;
pub use state::{App, Focus, Options, Zoom};
pub use survey::{BLOCK, Survey, Tally};
pub use timeline::{Filter, Timeline, verdict_word};
pub use update::update;
pub use warn::Warning;
