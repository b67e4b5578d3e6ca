//! From events and hook sets to steps: select, resolve, describe, filter.
//!
//! Owns the order in which a dialect's rules are applied. Must not know processes, files, the clock, the
//! environment or any screen; bodies come through [`crate::source::Lines`].

pub mod filter;
mod grid;
pub mod matrix;
mod now;
mod row;
mod select;
mod stages;
mod step;
mod tally;
mod tracer;

pub use grid::{GridRow, grid};
pub use now::RunNow;
pub use row::Row;
pub use select::{GroupChoice, HandlerChoice, Selection, held_back};
pub use tally::{HookTally, tally, tally_where};
pub use tracer::{Inputs, Mode, Options, StepOptions, Tracer};
