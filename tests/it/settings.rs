//! Settings: reading with positions, validation, discovery, merging, the past.

mod codex;
mod discovery;
mod reading;
mod time;
