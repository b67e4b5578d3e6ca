//! Several traces, one run: transcript, stream and debug log may all tell of the same one.

use std::collections::{HashMap, HashSet};

use super::facts::Facts;
use crate::dialect::{Candidate, EventClass, Firing, Joined, Reading};
use crate::model::{Evidence, HandlerKind, HookRun, MarkKind, Outcome, Place, Says};

use super::super::output::{self, Ran};
use streamed::place_streamed;

mod streamed;

/// Joins an event's marks into runs, one per handler run, in the order in which their ends were written down.
///
/// A trace belongs to the handler whose command it names, to the run whose stream id or words it shares, else to
/// the only handler that was selected; where several could be meant, the run's handler stays empty.
pub fn join(firing: &Firing<'_>) -> Vec<Joined> {
    let facts: Vec<Facts> = firing.marks.iter().map(|mark| Facts::of(&firing.traces, mark, firing.lines)).collect();
    // A logged input proves a start of nobody in particular, and the notice of the cap is no run.
    let of_runs = |facts: &&Facts| match facts.kind {
        MarkKind::InputLogged | MarkKind::RecordedDecision => false,
        MarkKind::Informational => facts.says.is_some(),
        _ => true,
    };
    let facts: Vec<&Facts> = facts.iter().filter(of_runs).collect();
    let mut drafts = if facts.iter().all(|facts| facts.whole.is_some()) {
        // A recording has put its runs together and in order already.
        facts.into_iter().map(Draft::new).collect()
    } else {
        put_together(firing, facts)
    };
    in_order_of_finishing(&mut drafts);
    assign(firing, &mut drafts);
    drafts.into_iter().map(|draft| draft.finish(firing)).collect()
}

/// Which traces are of one run.
fn put_together(firing: &Firing<'_>, facts: Vec<&Facts>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    // What names its command first: the rest is held against it.
    let (named, nameless): (Vec<&Facts>, Vec<&Facts>) = facts.into_iter().partition(|facts| facts.command.is_some());
    // The first run of each command: one event may have a hundred thousand.
    let mut of_command: HashMap<&str, usize> = HashMap::new();
    for facts in named {
        let known = match (&facts.hook_id, &facts.command) {
            (None, Some(command)) => of_command.get(command.as_str()).copied(),
            _ => drafts.iter().position(|draft| draft.is_run_of(facts)),
        };
        match known {
            Some(at) => drafts[at].take(facts),
            None => {
                let command = facts.command.as_deref().unwrap_or_default();
                of_command.entry(command).or_insert(drafts.len());
                drafts.push(Draft::new(facts));
            }
        }
    }
    let (of_stream, rest): (Vec<&Facts>, Vec<&Facts>) =
        nameless.into_iter().partition(|facts| facts.hook_id.is_some() && !is_named_by_id(facts));
    place_streamed(&of_stream, &mut drafts);
    for facts in rest {
        place_nameless(firing, facts, &mut drafts);
    }
    if drafts.iter().any(|draft| !draft.is_bare()) {
        drafts.retain(|draft| !draft.is_bare());
    }
    drafts
}

/// A run while it is being put together.
#[derive(Debug)]
struct Draft {
    facts: Facts,
    kinds: Vec<MarkKind>,
    sources: Vec<Place>,
    /// Index into the selected, then the passed-over handlers.
    handler: Option<usize>,
    /// Which of the stream's answers it is.
    finished: Option<usize>,
    notes: Vec<String>,
    attributed: Evidence,
}

impl Draft {
    fn new(facts: &Facts) -> Draft {
        Draft {
            facts: facts.clone(),
            kinds: vec![facts.kind],
            sources: vec![facts.place.clone()],
            handler: None,
            finished: None,
            notes: Vec::new(),
            attributed: Evidence::Recorded,
        }
    }

    /// A trace of some run that adds nothing to the others.
    fn is_bare(&self) -> bool {
        let facts = &self.facts;
        let named = facts.command.is_some() || facts.hook_id.is_some() || facts.exit_code.is_some();
        let told = facts.outcome.is_some() || facts.says.is_some() || !facts.context.is_empty();
        let words = [&facts.stdout, &facts.stderr, &facts.reason, &facts.stop_reason, &facts.system_message];
        facts.whole.is_none()
            && !named
            && !told
            && facts.unreadable.is_none()
            && words.iter().all(|words| words.is_none())
    }

    fn is_run_of(&self, other: &Facts) -> bool {
        match (&self.facts.hook_id, &other.hook_id) {
            (Some(one), Some(two)) => one == two,
            _ => self.facts.command.is_some() && self.facts.command == other.command,
        }
    }

    /// Adds another trace of the same run. What a transcript spells out beats a stream's or a log's short form.
    fn take(&mut self, other: &Facts) {
        self.kinds.push(other.kind);
        self.sources.push(other.place.clone());
        let mine = &mut self.facts;
        let fill = |mine: &mut Option<String>, other: &Option<String>| {
            if mine.as_deref().is_none_or(str::is_empty) && other.is_some() {
                mine.clone_from(other);
            }
        };
        fill(&mut mine.command, &other.command);
        fill(&mut mine.hook_id, &other.hook_id);
        fill(&mut mine.stdout, &other.stdout);
        fill(&mut mine.stderr, &other.stderr);
        fill(&mut mine.reason, &other.reason);
        fill(&mut mine.delivered, &other.delivered);
        fill(&mut mine.stop_reason, &other.stop_reason);
        fill(&mut mine.system_message, &other.system_message);
        mine.exit_code = mine.exit_code.or(other.exit_code);
        mine.duration_ms = mine.duration_ms.or(other.duration_ms);
        mine.timed_out |= other.timed_out;
        mine.background |= other.background;
        mine.by_exit |= other.by_exit;
        for text in &other.context {
            if !mine.context.contains(text) {
                mine.context.push(text.clone());
            }
        }
        // A block or failure says more than "it ended".
        if mine.outcome.is_none() || mine.outcome == Some(Outcome::Success) {
            mine.outcome = other.outcome.or(mine.outcome);
        }
        mine.says = match (mine.says, other.says) {
            (None | Some(Says::Context), Some(says)) => Some(says),
            (says, _) => says,
        };
        mine.unreadable = mine.unreadable.take().or_else(|| other.unreadable.clone());
    }

    fn reading(&self, firing: &Firing<'_>) -> Reading {
        let facts = &self.facts;
        let event = firing.traces.session.text(firing.traces.event.name).unwrap_or_default();
        let ran = Ran {
            stdout: facts.stdout.as_deref().unwrap_or_default(),
            stderr: facts.stderr.as_deref().unwrap_or_default(),
            exit_code: facts.exit_code,
            timed_out: facts.timed_out,
            background: facts.background,
        };
        let has_output = facts.stdout.is_some() || facts.by_exit;
        let known = has_output || facts.exit_code.is_some() || facts.timed_out || facts.background;
        let mut reading = if known { output::read(event, &ran, firing.traces.version) } else { Reading::default() };
        if facts.background || facts.timed_out {
            return reading;
        }
        self.recorded_over(firing, &mut reading);
        if let Some(whole) = &facts.whole {
            (reading.outcome, reading.says, reading.lost) = (whole.outcome, whole.says, whole.lost);
        }
        reading
    }

    /// What the client wrote down wins over what would follow from the output.
    fn recorded_over(&self, firing: &Firing<'_>, reading: &mut Reading) {
        let facts = &self.facts;
        let class = super::class_of(firing.traces.spec);
        if facts.outcome.is_some() && (reading.outcome.is_none() || !matches!(facts.outcome, Some(Outcome::Success))) {
            reading.outcome = facts.outcome;
        }
        if reading.system_message.is_none() {
            reading.system_message.clone_from(&facts.system_message);
        }
        for text in &facts.context {
            if !reading.context.contains(text) {
                reading.context.push(text.clone());
            }
        }
        let heard = facts.says.is_some() || facts.system_message.is_some();
        if reading.outcome.is_none() && heard && facts.kind != MarkKind::Started {
            // Said in JSON: the process itself ended well enough to be heard.
            reading.outcome = Some(Outcome::Success);
        }
        let said = facts.says.filter(|says| *says != Says::Context || !reading.context.is_empty());
        match (reading.says, said) {
            (None | Some(Says::Context), Some(says)) => reading.says = Some(says),
            (Some(Says::Halt), Some(says)) if says != Says::Halt && reading.also.is_none() => {
                reading.also = Some(says).filter(|says| *says != Says::Context);
            }
            _ => {}
        }
        if self.kinds.contains(&MarkKind::Stopped) && reading.says != Some(Says::Halt) {
            // A refusal that ends the turn as well.
            reading.also = reading.says.filter(|says| *says != Says::Context);
            reading.says = Some(Says::Halt);
        }
        reading.delivered.clone_from(&facts.delivered);
        if reading.reason.is_none() {
            reading.reason.clone_from(&facts.reason);
        }
        if reading.stop_reason.is_none() {
            reading.stop_reason.clone_from(&facts.stop_reason);
        }
        if reading.rule.is_none() {
            reading.rule = match reading.says {
                Some(Says::Deny | Says::Block) if facts.by_exit => Some("exit-2-blocks"),
                Some(Says::Allow | Says::Deny) if class == EventClass::Permission => {
                    Some("permission-request-behavior")
                }
                Some(Says::Allow | Says::Ask | Says::Defer | Says::Deny) => Some("json-permission-decision"),
                Some(Says::Block) => Some("json-decision"),
                Some(Says::Halt) => Some("continue-false-stops"),
                Some(Says::Context) => Some("context-reaches-the-model"),
                None => None,
            };
        }
        if facts.kind == MarkKind::Informational && reading.rule == Some("json-decision") && !facts.by_exit {
            // A refused prompt leaves the words only: exit 2 and JSON look the same.
            reading.rule = Some("prompt-refused");
        }
    }

    fn finish(self, firing: &Firing<'_>) -> Joined {
        let reading = self.reading(firing);
        let handler = self.handler.and_then(|at| candidates(firing).nth(at));
        let mut notes = reading.notes.clone();
        notes.extend(self.notes);
        notes.extend(self.facts.unreadable.map(|why| format!("its line could not be read: {why}")));
        let kind = handler.map_or("command", |candidate| candidate.handler.kind.word());
        let label = handler.map_or_else(String::new, |candidate| candidate.label.to_owned());
        if let Some(whole) = self.facts.whole {
            let named = Some(whole.handler.clone()).filter(|id| !id.is_empty());
            let found = handler.map(|candidate| candidate.handler.id.clone());
            let run = HookRun {
                handler: named.or(found).unwrap_or_default(),
                kind: if handler.is_some() { kind } else { whole.kind },
                sources: each_once(self.sources),
                ..*whole
            };
            return Joined { run, reading, label, place: (0, 0), attributed: self.attributed };
        }
        let run = HookRun {
            handler: handler.map_or_else(String::new, |candidate| candidate.handler.id.clone()),
            kind,
            command: self.facts.command.or_else(|| handler.and_then(command_text)),
            evidence: Evidence::Recorded,
            exit_code: self.facts.exit_code,
            signal: None,
            duration_ms: self.facts.duration_ms,
            stdout: self.facts.stdout,
            stderr: self.facts.stderr,
            timed_out: self.facts.timed_out,
            outcome: reading.outcome,
            says: reading.says,
            notes,
            lost: reading.lost,
            sources: each_once(self.sources),
        };
        Joined { run, reading, label, place: (0, 0), attributed: self.attributed }
    }
}

/// Several traces may stand on one line.
fn each_once(mut places: Vec<Place>) -> Vec<Place> {
    let mut seen: HashSet<(String, Option<u32>)> = HashSet::new();
    places.retain(|place| seen.insert((place.path.clone(), place.line)));
    places
}

fn candidates<'f, 'a>(firing: &'f Firing<'a>) -> impl Iterator<Item = Candidate<'a>> + 'f {
    firing.selected.iter().chain(&firing.passed_over).copied()
}

/// A handler's command, url, `server/tool` or prompt, as the client names it in its traces.
pub(super) fn command_text(candidate: Candidate<'_>) -> Option<String> {
    candidate.handler.kind.text()
}

/// A recording's runs bear the ids of their handlers instead.
fn is_named_by_id(facts: &Facts) -> bool {
    facts.whole.is_some()
}

/// An output without the white space around it, if there is anything left.
fn spoken(output: &Option<String>) -> Option<&str> {
    output.as_deref().map(str::trim).filter(|output| !output.is_empty())
}

/// Who finished last may decide: where the stream tells it of every run, its order holds.
fn in_order_of_finishing(drafts: &mut [Draft]) {
    if drafts.iter().all(|draft| draft.finished.is_some()) {
        drafts.sort_by_key(|draft| draft.finished);
    }
}

/// Finds the run that a trace without a command belongs to.
fn place_nameless(firing: &Firing<'_>, facts: &Facts, drafts: &mut Vec<Draft>) {
    match facts.kind {
        MarkKind::Response | MarkKind::Started | MarkKind::RecordedRun | MarkKind::RecordedStart => {
            drafts.push(Draft::new(facts));
        }
        // These repeat what a named trace says in full.
        MarkKind::Context | MarkKind::SystemMessage | MarkKind::Stopped | MarkKind::DecidedCall => {
            place_echo(firing, facts, drafts);
        }
        MarkKind::StopFeedback | MarkKind::RefusedCall | MarkKind::StopSummary | MarkKind::Informational => {
            place_refusal(facts, drafts);
        }
        _ => place_alone(facts, drafts),
    }
}

/// A context or message that some run's own output already holds belongs to that run.
fn place_echo(firing: &Firing<'_>, facts: &Facts, drafts: &mut Vec<Draft>) {
    let wanted = facts.says;
    let readings: Vec<Reading> = drafts.iter().map(|draft| draft.reading(firing)).collect();
    let holds = |reading: &Reading| match facts.kind {
        MarkKind::Context => facts.context.iter().any(|text| reading.context.contains(text)),
        MarkKind::SystemMessage => reading.system_message == facts.system_message,
        _ => wanted.is_some() && (reading.says == wanted || reading.also == wanted),
    };
    let mut rest = facts.clone();
    if facts.kind == MarkKind::Context {
        let told = |text: &String| readings.iter().any(|reading| reading.context.contains(text));
        rest.context.retain(|text| !told(text));
    }
    let hits: Vec<usize> = (0..readings.len()).filter(|ix| holds(&readings[*ix])).collect();
    match (facts.kind, hits.as_slice()) {
        (MarkKind::Context, [first, ..]) => {
            // One attachment may join the texts of several runs.
            for ix in &hits {
                note_source(&mut drafts[*ix], facts);
            }
            if !rest.context.is_empty() {
                drafts[*first].take(&rest);
            }
        }
        (_, [first, ..]) => drafts[*first].take(&rest),
        _ => place_alone(&rest, drafts),
    }
}

fn note_source(draft: &mut Draft, facts: &Facts) {
    draft.kinds.push(facts.kind);
    draft.sources.push(facts.place.clone());
}

/// A refusal in words only belongs to the run with the same words, else to one that blocks, else it is its own.
fn place_refusal(facts: &Facts, drafts: &mut Vec<Draft>) {
    let same = |draft: &&mut Draft| {
        let words = facts.reason.as_deref().map(str::trim);
        words.is_some() && draft.facts.reason.as_deref().map(str::trim) == words
    };
    if let Some(draft) = drafts.iter_mut().find(same) {
        draft.take(facts);
        return;
    }
    let stdout_has = |draft: &&mut Draft| match (&draft.facts.stdout, &facts.reason) {
        (Some(stdout), Some(reason)) => {
            let quoted = serde_json::to_string(reason.trim()).unwrap_or_default();
            !reason.trim().is_empty() && stdout.contains(quoted.trim_matches('"'))
        }
        _ => false,
    };
    if let Some(draft) = drafts.iter_mut().find(stdout_has) {
        draft.take(facts);
        return;
    }
    // A stop summary that lists one hook: the feedback is that hook's.
    let listed: Vec<usize> =
        (0..drafts.len()).filter(|ix| drafts[*ix].kinds.contains(&MarkKind::StopSummary)).collect();
    match (facts.kind, listed.as_slice()) {
        (MarkKind::StopFeedback, [only]) => drafts[*only].take(facts),
        _ => drafts.push(Draft::new(facts)),
    }
}

/// Joins the run that it repeats, or the only run there is, else stands alone.
fn place_alone(facts: &Facts, drafts: &mut Vec<Draft>) {
    if facts.kind == MarkKind::DebugLine && !drafts.is_empty() && facts.exit_code.is_none() && facts.says.is_none() {
        // It tells only that there was an answer, which a run is known of.
        return;
    }
    let repeats = |draft: &&mut Draft| {
        let same = |one: &Option<String>, two: &Option<String>| spoken(one) == spoken(two);
        let ended = draft.facts.outcome.is_some() && draft.facts.outcome == facts.outcome;
        ended
            && (spoken(&facts.stdout).is_some() || spoken(&facts.stderr).is_some())
            && same(&draft.facts.stdout, &facts.stdout)
            && same(&draft.facts.stderr, &facts.stderr)
    };
    let stopped_by = |draft: &&mut Draft| {
        facts.kind == MarkKind::Stopped && facts.stop_reason.is_some() && draft.facts.reason == facts.stop_reason
    };
    let decided = |draft: &&mut Draft| {
        let decision = matches!(facts.kind, MarkKind::PermissionDecision | MarkKind::Deferred);
        decision && facts.says.is_some() && draft.facts.says == facts.says
    };
    if let Some(draft) = drafts.iter_mut().find(|draft| repeats(draft) || stopped_by(draft) || decided(draft)) {
        draft.take(facts);
        return;
    }
    match drafts.as_mut_slice() {
        [only] if !only.kinds.contains(&facts.kind) => only.take(facts),
        _ => drafts.push(Draft::new(facts)),
    }
}

/// Gives runs their handlers: by command, then the only one left.
fn assign(firing: &Firing<'_>, drafts: &mut [Draft]) {
    let all: Vec<Candidate<'_>> = candidates(firing).collect();
    let selected = firing.selected.len();
    let mut taken = vec![false; all.len()];
    // What a trace may call them, each with its handlers, the last one first.
    let mut by_command: HashMap<String, Vec<usize>> = HashMap::new();
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (ix, candidate) in all.iter().enumerate().rev() {
        for command in names_of(*candidate) {
            by_command.entry(command).or_default().push(ix);
        }
        by_id.entry(candidate.handler.id.as_str()).or_default().push(ix);
    }
    for draft in drafts.iter_mut() {
        let id = draft.facts.hook_id.as_deref().and_then(|id| id.strip_prefix("handler "));
        let lists = [
            draft.facts.command.as_deref().and_then(|command| by_command.get_mut(command)),
            id.and_then(|id| by_id.get_mut(id)),
        ];
        let hit = lists.into_iter().flatten().filter_map(|list| first_free(list, &taken)).min();
        if let Some(ix) = hit {
            taken[ix] = true;
            draft.handler = Some(ix);
        } else if let Some(command) = &draft.facts.command {
            draft.notes.push(format!("no handler in the settings at hand has this command: {command}"));
        }
    }
    assign_background(&all[..selected], &mut taken, drafts);
    let free: Vec<usize> = (0..selected).filter(|ix| !taken[*ix]).collect();
    let unnamed: Vec<usize> =
        (0..drafts.len()).filter(|ix| drafts[*ix].handler.is_none() && drafts[*ix].facts.command.is_none()).collect();
    match (unnamed.as_slice(), free.as_slice()) {
        (&[], _) => {}
        (&[only], &[handler]) => {
            let draft = &mut drafts[only];
            draft.handler = Some(handler);
            draft.attributed = Evidence::Derived;
            if draft.kinds.iter().any(|kind| *kind != MarkKind::PermissionDecision) || selected > 1 {
                draft
                    .notes
                    .push("the trace names no command: it is probably this handler, the only one left".to_owned());
            }
        }
        (_, free) => {
            let names: Vec<&str> = free.iter().map(|ix| all[*ix].label).collect();
            for ix in unnamed {
                drafts[ix].notes.push(if names.is_empty() {
                    "the trace names no command, and no handler in the settings at hand is left for it".to_owned()
                } else {
                    format!("the trace names no command: it is one of {}", names.join(", "))
                });
            }
        }
    }
}

/// A late answer names no command, but it is of a handler that runs in the background.
fn assign_background(selected: &[Candidate<'_>], taken: &mut [bool], drafts: &mut [Draft]) {
    let free: Vec<usize> = (0..selected.len()).filter(|ix| !taken[*ix] && selected[*ix].handler.background).collect();
    let late = |draft: &&mut Draft| draft.handler.is_none() && draft.facts.background && draft.facts.command.is_none();
    let mut late: Vec<&mut Draft> = drafts.iter_mut().filter(late).collect();
    if let ([only], [draft]) = (free.as_slice(), late.as_mut_slice()) {
        taken[*only] = true;
        draft.handler = Some(*only);
        draft.attributed = Evidence::Derived;
        draft
            .notes
            .push("the trace names no command: it is probably this handler, the only background one here".to_owned());
    }
}

/// The commands by which a trace may name a handler.
fn names_of(candidate: Candidate<'_>) -> Vec<String> {
    let mut names: Vec<String> = command_text(candidate).into_iter().collect();
    if let HandlerKind::Command { command, .. } = &candidate.handler.kind
        && !names.contains(command)
    {
        names.push(command.clone());
    }
    names
}

/// The first handler of a list, kept last one first, that has no run yet.
fn first_free(list: &mut Vec<usize>, taken: &[bool]) -> Option<usize> {
    while list.last().is_some_and(|ix| taken[*ix]) {
        list.pop();
    }
    list.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_source_however_many_traces_stand_on_it() {
        let at = |line| Place { path: "p".to_owned(), line: Some(line), column: None };
        assert_eq!(each_once(vec![at(2), at(1), at(2), at(3), at(1)]), [at(2), at(1), at(3)]);
    }

    #[test]
    fn handlers_of_one_command_get_runs_in_their_order() {
        let (mut list, mut taken) = (vec![4, 2, 0], [false; 5]);
        for expect in [Some(0), Some(2), Some(4), None] {
            let got = first_free(&mut list, &taken);
            assert_eq!(got, expect);
            got.into_iter().for_each(|ix| taken[ix] = true);
        }
    }
}
