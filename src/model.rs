//! Plain data that every room shares: sessions, events, hook sets, steps, evidence, diagnostics.
//!
//! Owns shapes and the few operations that keep them consistent. Must not know files, agents or screens.

mod branch;
mod decision;
mod diagnostic;
mod event;
mod evidence;
mod hook;
mod label;
mod name;
mod session;
mod start;
mod step;
mod time;

pub use branch::{Branches, OffBranch, Rewind};
pub use decision::{Action, Says, Verdict};
pub use diagnostic::{Diagnostic, Level, Place};
pub use event::{
    Agent, AgentIx, Call, CallIx, CallRange, Context, ContextIx, Ending, Event, EventIx, LineRef, MarkIx, MarkKind,
    Origin, RunMark, SourceIx,
};
pub use evidence::{Evidence, Stage};
pub use hook::{
    Drop, Era, EraOrigin, FileStatus, Handler, HandlerKind, HookSet, LookedAt, MatcherGroup, Matching, Permissions,
    Plan, Position, SettingsFile, Switch,
};
pub use label::{command_words, simple_commands};
pub use name::{Name, Names};
pub use session::{Delta, Progress, Session, SourceInfo};
pub use start::Start;
pub use step::{
    Decision, GroupStep, HandlerStep, HookRun, Outcome, Overruled, PermissionResult, RecordedVerdict, RuleStep, Step,
    Text,
};
pub use time::Time;
