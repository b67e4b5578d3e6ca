//! Recorded stop loops: what kept the agent going, round by round, and how it ended.

use super::{Cursor, Doc, Line, Tone, Way};
use crate::diagnose::stop_loop::{Ended, Round, StopLoop};
use crate::model::{EventIx, Session, Time};
use crate::text::{self, Charset};

/// The loops of the events that were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoopsSeen {
    /// Runs of more than one block, in order.
    pub loops: Vec<StopLoop>,
    /// Stops that were sent back once and then let go.
    pub once: usize,
    /// Stops of which nothing tells what hooks said.
    pub unknown: usize,
    /// Stops in all, of the main agent and of subagents.
    pub stops: usize,
    /// Events that were looked at.
    pub events: usize,
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Loops {
    /// The loops, once they are known.
    pub seen: Option<LoopsSeen>,
    /// Which loop.
    pub at: usize,
    /// Which round.
    pub cursor: Cursor,
    /// The event from which the screen was opened: its round is chosen once it is known.
    pub(super) from: Option<EventIx>,
    asked: bool,
    of: u64,
}

impl Loops {
    /// Opened from an event.
    pub fn opened_from(event: Option<EventIx>) -> Loops {
        Loops { from: event, ..Loops::default() }
    }

    /// Whether the loops are to be asked for: rows changed, or all events are there at last.
    pub fn wants(&mut self, generation: u64, events: usize, done: bool) -> bool {
        let stale = match &self.seen {
            None => true,
            Some(seen) => self.of != generation || (done && seen.events != events),
        };
        if self.asked && self.of == generation || !stale {
            return false;
        }
        (self.asked, self.of) = (true, generation);
        true
    }

    /// Takes the loops.
    pub fn found(&mut self, generation: u64, seen: LoopsSeen) {
        if generation == self.of {
            self.at = self.at.min(seen.loops.len().saturating_sub(1));
            let round = |event: EventIx| {
                seen.loops
                    .iter()
                    .enumerate()
                    .find_map(|(at, found)| Some((at, found.rounds.iter().position(|round| round.event == event)?)))
            };
            if let Some((at, round)) = self.from.and_then(round) {
                (self.at, self.cursor.at, self.from) = (at, round, None);
            }
            self.seen = Some(seen);
            self.asked = false;
        }
    }

    /// The loop at hand.
    pub fn chosen(&self) -> Option<&StopLoop> {
        self.seen.as_ref()?.loops.get(self.at)
    }

    /// The round at hand.
    pub fn round(&self) -> Option<&Round> {
        self.chosen()?.rounds.get(self.cursor.at)
    }

    /// Another loop.
    pub fn turn(&mut self, way: Way) {
        let count = self.seen.as_ref().map_or(0, |seen| seen.loops.len());
        if count > 0 {
            self.at = match way {
                Way::Forward => (self.at + 1) % count,
                Way::Back => (self.at + count - 1) % count,
            };
            self.cursor = Cursor::default();
        }
    }

    /// What stands above the rounds, in lines of `cells`, at most `rows`.
    pub fn head(&self, session: &Session, cells: usize, rows: usize, charset: Charset) -> Doc {
        let mut doc = match (&self.seen, self.chosen()) {
            (_, Some(found)) => described(found, session, cells, charset),
            (Some(seen), None) => none(seen, cells, charset),
            (None, _) => {
                let mut doc = Doc::default();
                doc.push(Line::new().and(" The stops are being looked at.", Tone::Dim));
                doc
            }
        };
        if doc.lines.len() > rows {
            doc.lines.truncate(rows);
            if let Some(last) = doc.lines.last_mut() {
                *last = std::mem::take(last).and(format!(" {}", charset.ellipsis()), Tone::Dim);
            }
        }
        doc
    }
}

/// Why there is no loop to be shown.
fn none(seen: &LoopsSeen, cells: usize, charset: Charset) -> Doc {
    let stops = |count: usize| if count == 1 { "1 stop".to_owned() } else { format!("{count} stops") };
    let mut words = match (seen.stops, seen.once) {
        (0, _) => "No stop loop: this session has no stop that hooks could have blocked.".to_owned(),
        (1, 0) => "No stop loop: the only stop was not blocked, as far as is recorded.".to_owned(),
        (all, 0) => format!("No stop loop: none of the {all} stops was blocked, as far as is recorded."),
        (all, once) => {
            let were = if once == 1 { "was" } else { "were" };
            format!("No stop was blocked twice in a row: {} of {all} {were} blocked once and then let go.", stops(once))
        }
    };
    if seen.unknown > 0 {
        let of = stops(seen.unknown);
        words.push_str(&format!(" Of {of} nothing tells what the hooks said."));
    }
    let mut doc = Doc::default();
    doc.hang(Line::new().and(" ", Tone::Plain), &words, Tone::Plain, cells, charset);
    doc
}

fn described(found: &StopLoop, session: &Session, cells: usize, charset: Charset) -> Doc {
    let mut doc = Doc::default();
    let dot = charset.dot();
    let mut say = |lead: &str, words: &str, tone: Tone| {
        let lead = Line::new().and(format!(" {lead:<8} "), Tone::Dim);
        doc.hang(lead, words, tone, cells, charset);
    };
    let blocks = found.blocks.len();
    let (first, last) = (found.blocks.first(), found.blocks.last());
    let number = |ix: Option<&crate::model::EventIx>| ix.map_or(0, |ix| ix.0 + 1);
    let span = found.span_ms.map(|millis| format!(" in {}", duration(millis))).unwrap_or_default();
    let whose = agent(found, session);
    let sentence = format!(
        "{whose}{dot}events {} to {}{dot}{blocks} blocks{span}{dot}{}",
        number(first),
        number(last),
        found.ended.sentence()
    );
    say("loop", &sentence, Tone::Strong);
    let labels = match found.labels.as_slice() {
        [] => "nothing tells which hook".to_owned(),
        labels => labels.join(", "),
    };
    let place = found.place.as_ref().map(|(path, line)| format!("{dot}{path}:{line}")).unwrap_or_default();
    say("hook", &format!("{labels}{place}"), Tone::Plain);
    say("reason", &reasons(found), Tone::Plain);
    say("flag", &flag(found), Tone::Plain);
    say("between", &between(found), Tone::Plain);
    if let Some(tokens) = found.tokens {
        say("tokens", &format!("{tokens} of output for the answers that the blocks brought about"), Tone::Plain);
    }
    strip(&mut doc, found, cells, charset);
    let lead = Line::new().and(format!(" {:<8} ", "help"), Tone::Dim);
    doc.hang(lead, &found.help(), Tone::Good, cells, charset);
    doc
}

fn agent(found: &StopLoop, session: &Session) -> String {
    match session.agents.get(found.agent.at()).and_then(|agent| session.text(agent.kind)) {
        Some(kind) if found.agent.0 != 0 => format!("subagent {kind}"),
        _ if found.agent.0 != 0 => "a subagent".to_owned(),
        _ => "main agent".to_owned(),
    }
}

fn reasons(found: &StopLoop) -> String {
    let quoted = |reason: &str| match reason {
        "" => "(no words)".to_owned(),
        words => format!("\"{}\"", words.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    match found.reasons.as_slice() {
        [] => "nothing tells the reason".to_owned(),
        [(reason, times)] => format!("{}, the same {times} times", quoted(reason)),
        several => {
            let list: Vec<String> =
                several.iter().map(|(reason, times)| format!("{} ({times})", quoted(reason))).collect();
            format!("{} different ones: {}", several.len(), list.join(", "))
        }
    }
}

fn flag(found: &StopLoop) -> String {
    let blocks = found.blocks.len();
    match (found.flag_true, found.flag_unknown) {
        (0, unknown) if unknown == blocks => "nothing tells whether stop_hook_active was true".to_owned(),
        (0, _) => "stop_hook_active was never true".to_owned(),
        (times, 0) => {
            format!("stop_hook_active was true at {times} of {blocks} blocks, and the hook blocked all the same")
        }
        (times, unknown) => format!(
            "stop_hook_active was true at {times} of {blocks} blocks (at {unknown} nothing tells), and the hook blocked all the same"
        ),
    }
}

fn between(found: &StopLoop) -> String {
    let counter = match found.cap {
        Some(cap) => format!("the client's counter (cap {cap})"),
        None => "the client's counter (no cap)".to_owned(),
    };
    match found.tools_between {
        0 => format!("no tool ran, so {counter} never went back to 0"),
        1 => format!("1 tool call, which set {counter} back to 0"),
        calls => format!("{calls} tool calls, each of which set {counter} back to 0"),
    }
}

/// The client's counter, block by block, against its cap: `1 2 3 0 1 2 | cap 8`.
fn strip(doc: &mut Doc, found: &StopLoop, cells: usize, charset: Charset) {
    let mut line = Line::new().and(format!(" {:<8} ", "counter"), Tone::Dim);
    let cap = found.cap.map(usize::from);
    let end = match (cap, found.ended) {
        (Some(cap), Ended::Cap) => format!("over the cap of {cap}"),
        (Some(cap), _) => format!("the cap is {cap}"),
        (None, _) => "no cap".to_owned(),
    };
    let mut room = cells.saturating_sub(10 + text::width(&end) + 2 + text::width(charset.ellipsis()) + 1);
    let mut numbers = Vec::new();
    let mut before = 0;
    for round in &found.rounds {
        // A tool in between set it back.
        if round.counter <= before {
            numbers.push(("0".to_owned(), Tone::Good));
        }
        before = round.counter;
        let over = cap.is_some_and(|cap| round.counter > cap);
        numbers.push((round.counter.to_string(), if over { Tone::Stop } else { Tone::Plain }));
    }
    let total = numbers.len();
    let mut shown = 0;
    for (words, tone) in numbers {
        if words.len() + 1 > room {
            break;
        }
        room -= words.len() + 1;
        shown += 1;
        line = line.and(format!("{words} "), tone);
    }
    if shown < total {
        line = line.and(format!("{} ", charset.ellipsis()), Tone::Dim);
    }
    let tone = if found.ended == Ended::Cap { Tone::Stop } else { Tone::Dim };
    doc.push(line.and(format!(" {end}"), tone));
}

/// `12 s`, `3 min 12 s`, `2 h 5 min`.
fn duration(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        ..1 => format!("{millis} ms"),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Cells of a line from which on a column of the rounds is shown.
const TIMES_FROM: usize = 56;
const TOOLS_FROM: usize = 70;

/// Names of the columns of the rounds.
pub fn rounds_head(cells: usize) -> Line {
    rounds_row(["round", "event", "time", "flag", "tools", "counter"].map(str::to_owned), "reason", cells, Tone::Dim)
}

fn rounds_row(columns: [String; 6], reason: &str, cells: usize, tone: Tone) -> Line {
    let [round, event, time, flag, tools, counter] = columns;
    let mut line = format!("  {round:>5}  {event:>6}");
    if cells >= TIMES_FROM {
        line.push_str(&format!("  {time:<8}"));
    }
    line.push_str(&format!("  {flag:<5}"));
    if cells >= TOOLS_FROM {
        line.push_str(&format!("  {tools:>5}  {counter:>7}"));
    }
    Line::new().and(line, tone).and(format!("  {reason}"), tone)
}

/// A round in a line of `cells`.
pub fn round_line(at: usize, round: &Round, found: &StopLoop, clock: &dyn Fn(Time) -> String, cells: usize) -> Line {
    let flag = match round.flag {
        Some(true) => "true",
        Some(false) => "false",
        None => "?",
    };
    let reason = found.reasons.get(round.reason).map_or("", |(reason, _)| reason.as_str());
    let again = at > 0 && found.rounds.get(at - 1).is_some_and(|before| before.reason == round.reason);
    let words = if again { "the same".to_owned() } else { reason.split_whitespace().collect::<Vec<_>>().join(" ") };
    let columns = [
        (at + 1).to_string(),
        (round.event.0 + 1).to_string(),
        clock(round.time),
        flag.to_owned(),
        round.tools.to_string(),
        round.counter.to_string(),
    ];
    rounds_row(columns, &words, cells, Tone::Plain)
}

#[cfg(test)]
mod tests;
