//! Settings: reading with positions, validation, discovery, merging, the past.

mod discovery;
mod reading;
mod time;
