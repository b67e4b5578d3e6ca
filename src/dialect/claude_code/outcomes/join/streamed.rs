//! The runs of a stream, which names no commands, among those that other sources name.

use super::{Draft, spoken};
use crate::dialect::claude_code::outcomes::facts::Facts;
use crate::model::MarkKind;

/// A stream's lines of one run are one run, and the stream names no command: its runs are those that transcript and
/// debug log name, as far as output, word and exit code agree, in the order in which they ended.
pub(super) fn place_streamed(lines: &[&Facts], drafts: &mut Vec<Draft>) {
    let mut runs: Vec<Draft> = Vec::new();
    let mut answers = 0;
    for facts in lines {
        let known = runs.iter().position(|run| run.is_run_of(facts));
        let at = known.unwrap_or(runs.len());
        match known {
            Some(at) => runs[at].take(facts),
            None => runs.push(Draft::new(facts)),
        }
        if facts.kind != MarkKind::Started {
            runs[at].finished = Some(answers);
            answers += 1;
        }
    }
    runs.sort_by_key(|run| run.finished.unwrap_or(usize::MAX));
    let mut open: Vec<usize> = (0..drafts.len()).collect();
    // The surest first: the same output, then the same word, then the same exit code.
    for likeness in [Likeness::Output, Likeness::Word, Likeness::Exit] {
        let mut left = Vec::new();
        for run in runs {
            let twin = open.iter().position(|at| Likeness::of(&drafts[*at], &run) == Some(likeness));
            match twin {
                Some(place) => {
                    let draft = &mut drafts[open.remove(place)];
                    draft.take(&run.facts);
                    draft.finished = run.finished;
                    for (kind, source) in run.kinds.iter().skip(1).zip(run.sources.iter().skip(1)) {
                        draft.kinds.push(*kind);
                        draft.sources.push(source.clone());
                    }
                }
                None => left.push(run),
            }
        }
        runs = left;
    }
    drafts.append(&mut runs);
}

/// By what a run of the stream is like a named one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Output,
    Word,
    Exit,
}

impl Likeness {
    fn of(named: &Draft, streamed: &Draft) -> Option<Likeness> {
        let (one, two) = (&named.facts, &streamed.facts);
        if two.kind == MarkKind::Started && streamed.finished.is_none() {
            return None;
        }
        if let (Some(one), Some(two)) = (spoken(&one.stdout), spoken(&two.stdout)) {
            return (one == two).then_some(Likeness::Output);
        }
        let exits = one.exit_code.zip(two.exit_code).is_none_or(|(one, two)| one == two);
        let stopped = one.timed_out == two.timed_out && one.background == two.background;
        let outputs = one.stdout.is_none() || spoken(&one.stdout) == spoken(&two.stdout);
        if !outputs || !exits || !stopped {
            return None;
        }
        if let (Some(one), Some(two)) = (spoken(&one.stderr), spoken(&two.stderr)) {
            return (one == two).then_some(Likeness::Output);
        }
        match (one.says, two.says) {
            (Some(one), Some(two)) if one == two => Some(Likeness::Word),
            (Some(_), _) => None,
            _ => Some(Likeness::Exit),
        }
    }
}
