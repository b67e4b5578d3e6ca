//! hookscope: a debugger and replayer for the lifecycle hooks of coding agents.
//!
//! # One event's way through the house
//!
//! ```text
//! bytes ─ source ─▶ line ─ dialect ─▶ Event ─ engine::select (matcher) ─▶ firing handlers
//!                                                                              │ what is recorded of them
//! Step ◀─ engine::step (the dialect's rules) ◀─ HookRun ◀─ dialect ◀───────────┘
//!   └─▶ read by all: ui · cli reports · loop doctor
//! ```
//!
//! It never goes back. A lower room may use any room above it in this list, never the reverse; a test holds
//! this line.
//!
//! | room | owns | must not know |
//! |---|---|---|
//! | [`model`] | plain data: session, event, hook set, decision, step, evidence, diagnostic | files, agents, screens |
//! | [`text`] | making hostile text safe and measuring it | events, screens |
//! | [`matcher`] | match-all, exact list, JavaScript regex: compile, test, explain, near misses | events, agents |
//! | [`source`] | bytes into lines and JSON values: positioned reads, spools, streams | what a line means |
//! | [`dialect`] | one agent each: event table, matcher rule, hook output reading, its transcripts | screens, processes |
//! | [`record`] | hookscope's own recording format, read and written | screens |
//! | [`settings`] | discover, read with positions, validate, merge scopes, versions of the past | events, screens |
//! | [`engine`] | select, resolve, step, filter language | processes, files, clock, screens |
//! | [`load`] | which files make a session; reading them in batches; joining several sources | screens |
//! | [`exec`] | the only code that starts processes | screens |
//! | [`diagnose`] | the loop doctor | screens |
//! | [`app`] | the interactive program without drawing: state, keys, actions, effects | ratatui |
//! | [`ui`] | drawing only | files, processes, parsing |
//! | [`mod@bench`] | makes transcripts of any size, and measures; kept out of the help | screens, how a session is loaded |
//! | [`cli`] | clap types, one file a subcommand, errors for people, exit codes | how anything is done |

pub mod app;
pub mod bench;
pub mod cli;
pub mod diagnose;
pub mod dialect;
pub mod engine;
pub mod exec;
pub mod load;
pub mod matcher;
pub mod model;
pub mod record;
pub mod settings;
pub mod source;
pub mod text;
pub mod ui;
