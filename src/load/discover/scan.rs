//! Rough counts of whole session files, at the speed of searching bytes.
//!
//! Owns a handful of byte patterns. It parses next to nothing, so its numbers are called what they are: lines of a
//! kind that were seen. What events a session has, only its reader can tell.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use serde::{Deserialize, Serialize};

use super::subagent_files;
use crate::source::in_words;

const CHUNK: usize = 1 << 20;
/// Longer lines are passed over, and counted as such.
const LONGEST_LINE: usize = 16 << 20;
/// From so many blocked stops in a row on a loop is suspected.
const LOOP: u64 = 3;
/// A batch is handed on after so many files or bytes.
const BATCH_FILES: usize = 16;
const BATCH_BYTES: u64 = 32 << 20;

/// What a quick scan saw in a session's file and those of its subagents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Bytes read.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Lines too long to be looked at: what is in them is missing below.
    pub long_lines: u64,
    /// User lines with a prompt.
    pub prompts: u64,
    /// Answers with tool calls in them.
    pub batches: u64,
    /// Tool calls.
    pub calls: u64,
    /// Results that say a hook refused the call. Old clients (2.1.197, say) do not say so of every refusal.
    pub refused_calls: u64,
    /// Prompts that a hook refused.
    pub refused_prompts: u64,
    /// Stops that a hook prevented.
    pub stop_blocks: u64,
    /// Most prevented stops in a row.
    pub longest_block_run: u64,
    /// Runs of at least three prevented stops.
    pub suspected_loops: u64,
    /// Compactions.
    pub compactions: u64,
    /// Files of subagents.
    pub subagents: u64,
}

impl Counts {
    /// Calls and prompts that hooks refused.
    pub fn denials(&self) -> u64 {
        self.refused_calls + self.refused_prompts
    }

    /// About how many lifecycle events the session has: an estimate, to be shown as one (`~410`).
    ///
    /// Start; submit and stop of each prompt; two a call, but one where it was refused; one a batch; one more for
    /// each prevented stop; four a compaction; two a subagent.
    pub fn events_about(&self) -> u64 {
        if self.lines == 0 {
            return 0;
        }
        let calls = 2 * self.calls - self.refused_calls.min(self.calls);
        let stops = 2 * self.prompts + self.refused_prompts + self.stop_blocks;
        1 + stops + calls + self.batches + 4 * self.compactions + 2 * self.subagents
    }
}

/// The counts of one file of a list, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// Position in the list that was given.
    pub ix: usize,
    /// The counts; an error in words where the file could not be read.
    pub counts: Result<Counts, String>,
}

/// Scans session files in order and hands the counts to `sink` in batches, until all are done, `cancel` is set or
/// the sink breaks off. Holds one line in memory, at most 16 MB.
pub fn scan(paths: &[PathBuf], cancel: &AtomicBool, mut sink: impl FnMut(Vec<Scanned>) -> ControlFlow<()>) {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for (ix, path) in paths.iter().enumerate() {
        let counts = match scan_session(path, cancel) {
            Ok(None) => return,
            Ok(Some(counts)) => Ok(counts),
            Err(error) => Err(in_words(&error)),
        };
        bytes += counts.as_ref().map_or(0, |counts| counts.bytes);
        batch.push(Scanned { ix, counts });
        if batch.len() >= BATCH_FILES || bytes >= BATCH_BYTES {
            bytes = 0;
            if sink(std::mem::take(&mut batch)).is_break() {
                return;
            }
        }
    }
    if !batch.is_empty() {
        // The last batch: nothing is left to break off.
        let _ = sink(batch);
    }
}

/// [`scan`] on a thread of its own. Ends when it is done, `cancel` is set, or the receiver is dropped.
pub fn scan_in_background(paths: Vec<PathBuf>, cancel: Arc<AtomicBool>) -> Receiver<Vec<Scanned>> {
    let (sender, receiver) = sync_channel(4);
    std::thread::spawn(move || {
        scan(&paths, &cancel, |batch| match sender.send(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
    });
    receiver
}

/// One session with its subagents; `None` where it was cancelled.
fn scan_session(path: &Path, cancel: &AtomicBool) -> io::Result<Option<Counts>> {
    let mut counter = Counter::new();
    if each_line(File::open(path)?, &mut counter, cancel)?.is_break() {
        return Ok(None);
    }
    for file in subagent_files(path) {
        counter.start_subagent();
        // A subagent's file that is gone or unreadable takes nothing from what the session's own file tells.
        let Ok(file) = File::open(file) else { continue };
        if each_line(file, &mut counter, cancel)?.is_break() {
            return Ok(None);
        }
    }
    Ok(Some(counter.counts))
}

/// Feeds the lines of a file, in chunks.
fn each_line(mut file: impl Read, counter: &mut Counter, cancel: &AtomicBool) -> io::Result<ControlFlow<()>> {
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    let mut skipping = false;
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Ok(ControlFlow::Break(()));
        }
        if filled == buffer.len() {
            if buffer.len() >= LONGEST_LINE {
                skipping = true;
                filled = 0;
            } else {
                buffer.resize(buffer.len() * 2, 0);
            }
        }
        let read = match file.read(&mut buffer[filled..]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        counter.counts.bytes += read as u64;
        if read == 0 {
            match (skipping, filled) {
                (true, _) => counter.too_long(),
                (false, 0) => {}
                (false, _) => counter.line(&buffer[..filled]),
            }
            return Ok(ControlFlow::Continue(()));
        }
        filled += read;
        let mut start = 0;
        if skipping {
            match memchr(b'\n', &buffer[..filled]) {
                Some(end) => {
                    counter.too_long();
                    skipping = false;
                    start = end + 1;
                }
                None => {
                    filled = 0;
                    continue;
                }
            }
        }
        // The last line may go on in the next chunk.
        let Some(end) = memrchr(b'\n', &buffer[start..filled]).map(|end| start + end + 1) else {
            buffer.copy_within(start..filled, 0);
            filled -= start;
            continue;
        };
        while start < end {
            let length = memchr(b'\n', &buffer[start..end]).unwrap_or(end - start);
            counter.line(&buffer[start..start + length]);
            start += length + 1;
        }
        buffer.copy_within(end..filled, 0);
        filled -= end;
    }
}

/// Patterns that occur in a line's own structure only: inside of strings every quote has a backslash before it.
struct Counter {
    counts: Counts,
    /// Prevented stops in a row.
    run: u64,
    /// A subagent's file: its stops leave no summary, only the feedback.
    in_subagent: bool,
    /// In a subagent: an answer came since the last feedback.
    answered: bool,
    /// `message.id` of the last answer with calls.
    message: Vec<u8>,
    call: Finder<'static>,
    result: Finder<'static>,
    subtype: Finder<'static>,
    user: Finder<'static>,
    progress: Finder<'static>,
    id: Finder<'static>,
}

/// The part of a `stop_hook_summary` that tells whether the stop was prevented.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct StopSummary {
    hook_errors: Vec<serde::de::IgnoredAny>,
    failed_hook_error_indexes: Vec<serde::de::IgnoredAny>,
    hook_additional_context: Vec<serde::de::IgnoredAny>,
    prevented_continuation: bool,
}

impl Counter {
    fn new() -> Counter {
        Counter {
            counts: Counts::default(),
            run: 0,
            in_subagent: false,
            answered: true,
            message: Vec::new(),
            call: Finder::new(b"\"type\":\"tool_use\""),
            result: Finder::new(b"\"type\":\"tool_result\""),
            subtype: Finder::new(b"\"subtype\":\""),
            user: Finder::new(b"\"role\":\"user\",\"content\":"),
            progress: Finder::new(b"\"type\":\"progress\""),
            id: Finder::new(b"\"id\":\"msg_"),
        }
    }

    fn start_subagent(&mut self) {
        self.counts.subagents += 1;
        self.run = 0;
        self.in_subagent = true;
        self.answered = true;
    }

    fn too_long(&mut self) {
        self.counts.lines += 1;
        self.counts.long_lines += 1;
    }

    fn line(&mut self, line: &[u8]) {
        self.counts.lines += 1;
        if is_bookkeeping(line) {
            return;
        }
        if self.call.find(line).is_some() {
            self.answered = true;
            if self.progress.find(line).is_none() {
                self.calls(line);
            }
        } else if self.result.find(line).is_some() {
            if self.progress.find(line).is_none() && says_refused(line) {
                self.counts.refused_calls += 1;
            }
        } else if let Some(at) = self.subtype.find(line) {
            self.system(&line[at + self.subtype.needle().len()..], line);
        } else if let Some(at) = self.user.find(line) {
            if self.progress.find(line).is_none() {
                self.user(&line[at + self.user.needle().len()..], line);
            }
        } else {
            self.answered = true;
        }
    }

    fn calls(&mut self, line: &[u8]) {
        self.counts.calls += self.call.find_iter(line).count() as u64;
        let id = self.id.find(line).map(|at| &line[at + b"\"id\":\"".len()..]);
        let id = id.and_then(|rest| memchr(b'"', rest).map(|end| &rest[..end])).unwrap_or_default();
        if id.is_empty() || id != self.message {
            self.counts.batches += 1;
            self.message = id.to_vec();
        }
    }

    fn system(&mut self, subtype: &[u8], line: &[u8]) {
        if subtype.starts_with(b"stop_hook_summary\"") {
            let Ok(summary) = serde_json::from_slice::<StopSummary>(line) else { return };
            let errors = summary.hook_errors.len().saturating_sub(summary.failed_hook_error_indexes.len());
            let goes_on = errors > 0 || !summary.hook_additional_context.is_empty();
            if goes_on && !summary.prevented_continuation { self.stop_blocked() } else { self.run = 0 }
        } else if subtype.starts_with(b"compact_boundary\"") {
            self.counts.compactions += 1;
        } else if subtype.starts_with(b"informational\"") && has(line, b"\"kind\":\"blocked_by_hook\"") {
            self.counts.refused_prompts += 1;
        }
    }

    fn user(&mut self, content: &[u8], line: &[u8]) {
        if self.in_subagent {
            if content.starts_with(b"\"Stop hook feedback:") && self.answered {
                self.answered = false;
                self.stop_blocked();
            }
            return;
        }
        let machine: [&[u8]; 4] =
            [b"\"<command-", b"\"<local-command-", b"\"[Request interrupted", b"\"Stop hook feedback:"];
        let typed = content.starts_with(b"\"") || content.starts_with(b"[{");
        let other: [&[u8]; 3] = [b"\"isMeta\":true", b"\"isCompactSummary\":true", b"\"isSidechain\":true"];
        if typed && !machine.iter().any(|start| content.starts_with(start)) && !other.iter().any(|mark| has(line, mark))
        {
            self.counts.prompts += 1;
        }
    }

    fn stop_blocked(&mut self) {
        self.counts.stop_blocks += 1;
        self.run += 1;
        self.counts.longest_block_run = self.counts.longest_block_run.max(self.run);
        if self.run == LOOP {
            self.counts.suspected_loops += 1;
        }
    }
}

/// The client's own notes, among them copies of its requests, begin with their type; lines of the conversation
/// begin with their parent. Where some writer puts the type first, it is one of these.
fn is_bookkeeping(line: &[u8]) -> bool {
    let Some(kind) = line.strip_prefix(b"{\"type\":\"") else { return false };
    let spoken: [&[u8]; 5] = [b"user\"", b"assistant\"", b"system\"", b"attachment\"", b"progress\""];
    !spoken.iter().any(|word| kind.starts_with(word))
}

/// Whether a tool result says that a hook refused the call: in its text, or (in newer clients) beside it.
fn says_refused(line: &[u8]) -> bool {
    let in_text = has(line, b"\"content\":\"PreToolUse:") && has(line, b" hook error: ");
    in_text
        || (has(line, b"\"reasonCode\":\"hook:PreToolUse\"")
            && has(line, b"\"source\":\"hook\"")
            && has(line, b"\"decision\":\"reject\""))
}

fn has(line: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(line, needle).is_some()
}

#[cfg(test)]
mod tests;
