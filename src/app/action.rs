//! The closed lists of what can reach the program, what a person can mean, and what it asks of the world.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use super::{Focus, Glance, HooksSeen, Inspect, JsonRows, LoopsSeen, Mode, Said, Trial, Warning};
use crate::dialect::match_report::MatchRow;
use crate::load::discover::{Listing, Scanned};
use crate::model::{Delta, EventIx, Step, Time, Verdict};

/// What can reach the program.
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse moved, clicked or scrolled.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// Time passes; something may spin.
    Tick,
    /// More of the session was read.
    Loaded(Box<Delta>),
    /// Loading ended with an error: what, in one sentence.
    LoadFailed(String),
    /// The settings are known, or changed: rows and steps can be had.
    Planned(Arc<dyn Inspect>),
    /// An event in full.
    Described(Box<Described>),
    /// Events for which the filter holds, in order.
    Filtered {
        /// Of the request.
        generation: u64,
        /// More of them.
        events: Vec<EventIx>,
        /// Everything before this was looked at.
        upto: EventIx,
        /// Why nothing was found, once everything was looked at.
        why_empty: Option<String>,
    },
    /// The answer to a search in the texts of events.
    Found {
        /// Of the request.
        generation: u64,
        /// The next hit.
        event: Option<EventIx>,
    },
    /// All events in whose texts a search hits, in order.
    HitsCounted {
        /// Of the request.
        generation: u64,
        /// Those events.
        hits: Vec<EventIx>,
    },
    /// What was said between the event before and this one.
    Conversation(EventIx, Vec<Said>),
    /// Short words after the verdict.
    Noted(u64, Vec<Note>),
    /// A glance at each event from `first` on.
    Surveyed {
        /// Of the request.
        generation: u64,
        /// The first event.
        first: EventIx,
        /// One an event.
        glances: Vec<Glance>,
        /// Ends of runs of stop blocks, with the rounds so far.
        rounds: Vec<(EventIx, u16)>,
    },
    /// What deserves a line of warning, most pressing first.
    Warned(Vec<Warning>),
    /// What a risky pattern makes of a name.
    Tried {
        /// Of the request.
        generation: u64,
        /// The name, and what was found out.
        row: MatchRow,
    },
    /// A job could not do what it was asked.
    JobFailed(String),
    /// What became of every hook.
    HooksCounted(u64, Box<HooksSeen>),
    /// The stop loops.
    LoopsFound(u64, Box<LoopsSeen>),
    /// The sessions of this machine, newest first.
    Listed {
        /// Of the request.
        generation: u64,
        /// What was found.
        listing: Listing,
        /// The time at which that was.
        now: Time,
    },
    /// Counts of some of them.
    Counted(u64, Vec<Scanned>),
    /// The process was asked to end.
    Terminate,
}

/// What a row of the timeline says beyond its columns, once the event was described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Which event.
    pub event: EventIx,
    /// Its verdict, which a row alone may not know.
    pub verdict: Verdict,
    /// Short words: the reason, what failed.
    pub words: Option<String>,
}

/// An event in full, made in the background.
pub struct Described {
    /// Which.
    pub event: EventIx,
    /// Of the request.
    pub generation: u64,
    /// The event.
    pub step: Arc<Step>,
    /// Its hook input, flattened.
    pub rows: JsonRows,
}

/// Two ways along a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Up, backwards, previous.
    Back,
    /// Down, forwards, next.
    Forward,
}

/// How far to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// One line.
    Line,
    /// Half of what is seen.
    HalfPage,
    /// What is seen.
    Page,
    /// To the end.
    End,
}

/// Who gets the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseUse {
    /// The program.
    On,
    /// The terminal, for its own selection.
    Off,
}

/// Everything a person can mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Move in the focused pane.
    Move(Way, Amount),
    /// Step events, whatever has the focus.
    StepEvent(Way),
    /// To the next or previous event with a matched hook.
    ToMatched(Way),
    /// To the next or previous event with a decision.
    ToDecided(Way),
    /// To the event with this number, from 1.
    GoTo(u32),
    /// To the first event at this time of day (`10:41`).
    GoToTime(String),
    /// To an event.
    Select(EventIx),
    /// A digit of a count.
    Digit(u8),
    /// Next or previous pane.
    Pane(Way),
    /// Focus a pane.
    Focus(Focus),
    /// Open or zoom what is under the cursor.
    Open,
    /// Fold or unfold what is under the cursor.
    Fold,
    /// Fold or unfold everything.
    FoldAll,
    /// Copy the value under the cursor.
    Copy,
    /// Copy the path of the value under the cursor.
    CopyPath,
    /// Show one branch of the conversation, the next one, or all again.
    Branch,
    /// Ask for a text to find.
    Find,
    /// Next or previous hit.
    FindAgain(Way),
    /// Ask for a filter.
    AskFilter,
    /// Filter by this.
    FilterBy(String),
    /// Filter by the hook that decided the event.
    FilterByDecider,
    /// Conversation lines on or off.
    Conversation,
    /// Bookmark the event, with a note.
    Bookmark,
    /// The list of bookmarks.
    Bookmarks,
    /// Back and forth in the jump list.
    Jump(Way),
    /// The palette.
    Palette,
    /// Help for the screen at hand.
    Help,
    /// Clear one level.
    Clear,
    /// Back, or quit.
    Back,
    /// Quit.
    Quit,
    /// Give the terminal back to the shell for a while.
    Suspend,
    /// Who gets the mouse.
    Mouse(MouseUse),
    /// In a text field: take it.
    Accept,
    /// In a text field: complete the word.
    Complete,
    /// In a list beneath a text field: next or previous.
    Choose(Way),
    /// Show or hide what explains the keys of a mode.
    HelpFor(Mode),
    /// Open the demo that answers this question, from 0.
    Question(usize),
    /// Left or right, where there is something.
    Sideways(Way),
    /// Look for sessions again.
    Rescan,
    /// The matcher lab.
    Lab,
    /// The hooks of the session.
    HookTable,
    /// Another view of the same.
    TurnView,
    /// Another order.
    TurnSort,
    /// The recorded stop loops.
    Loops,
    /// Turn what the chosen name is kept for.
    Keep,
}

/// What the program asks of the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Describe an event.
    Describe {
        /// Which.
        event: EventIx,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// Find the events for which a filter holds, from `from` on.
    Filter {
        /// The filter.
        expr: String,
        /// The first event to look at.
        from: EventIx,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// Find the next event whose texts hold this.
    FindText {
        /// What to find.
        text: String,
        /// Not this one, but on from here; `None`: from the end that the way starts at.
        from: Option<EventIx>,
        /// Which way.
        way: Way,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// Find all events whose texts hold this.
    CountHits {
        /// What to find.
        text: String,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// What was said before these events.
    Conversation(Vec<EventIx>),
    /// Short words for these events.
    Note {
        /// Which.
        events: Vec<EventIx>,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// Glance at the events from this one on.
    Survey {
        /// The first event.
        first: EventIx,
        /// Answers of earlier generations are stale.
        generation: u64,
    },
    /// Count what became of every hook. Answers of earlier generations are stale.
    CountHooks(u64),
    /// Find the stop loops. Answers of earlier generations are stale.
    FindLoops(u64),
    /// Try a pattern that may take exponential time.
    Try(Trial),
    /// List and count the sessions of this machine. Answers of earlier generations are stale.
    Rescan(u64),
    /// Put a text on the clipboard.
    Copy(String),
    /// Give the mouse to the program or the terminal.
    Mouse(MouseUse),
    /// Stop until the shell continues us.
    Suspend,
    /// Leave.
    Quit,
}
