//! One event in full: groups, handlers with their five stages, runs, decision.

use std::collections::HashSet;

use serde_json::Value;

use super::now::{RunNow, differs, ran};
use super::row::{Proof, verdict};
use super::stages::{Fired, Labels, MUTE, Proven, groups};
use super::{Inputs, Mode, Selection, StepOptions, Tracer};
use crate::dialect::{Candidate, Circumstances, EventClass, Firing, Format, Joined, Rewrite};
use crate::model::{
    Action, Decision, Diagnostic, Ending, EraOrigin, Event, EventIx, Evidence, Handler, HandlerKind, HookSet, MarkKind,
    Name, PermissionResult, Place, Plan, RecordedVerdict, RuleStep, Session, Step, Verdict,
};
use crate::record;
use crate::source::Lines;

impl Tracer {
    /// An event in full, with bodies read from `lines`. `None` where there is no such event.
    pub fn step(&self, session: &Session, ix: EventIx, lines: &dyn Lines, options: StepOptions) -> Option<Step> {
        self.step_with(session, ix, lines, options, RunNow::default())
    }

    /// As [`Tracer::step`], of handlers that were run now; for [`Mode::Run`].
    pub fn step_with(
        &self,
        session: &Session,
        ix: EventIx,
        lines: &dyn Lines,
        options: StepOptions,
        now: RunNow,
    ) -> Option<Step> {
        let event = session.events.get(ix.at())?;
        let selection = self.selection(session, ix)?;
        let empty = HookSet::default();
        let set = self.set_at(event).unwrap_or(&empty);
        let mode = options.mode.unwrap_or(self.options.mode);
        let mut diagnostics: Vec<Diagnostic> =
            session.diagnostics.get(event.diagnostic as usize).cloned().into_iter().collect();
        let unreadable = session.text(event.name) == Some(Event::UNREADABLE);
        let wants_input = options.inputs == Inputs::Shown || selection.depends_on_input;
        let input = if wants_input && !unreadable {
            match (self.behaviour.input)(session, ix, lines) {
                Ok(input) => input,
                Err(error) => {
                    diagnostics.push(Diagnostic {
                        level: crate::model::Level::Warning,
                        message: format!("the hook input could not be read: {error}"),
                        place: place(session, event),
                        help: None,
                    });
                    None
                }
            }
        } else {
            None
        };
        let selection = if selection.depends_on_input {
            self.with_conditions(session, event, &selection, set, input.as_ref())
        } else {
            (*selection).clone()
        };
        let labels = Labels::of(set, &selection);
        let joined = match mode {
            Mode::Match => Vec::new(),
            Mode::Recorded => self.join(session, ix, event, &selection, set, &labels, lines),
            Mode::Run => self.heard(session, event, &selection, set, &labels, now.runs),
        };
        let recorded = (self.behaviour.verdict)(&self.traces(session, ix, event, &selection));
        let proven = Proven::of(session, ix, mode, &joined, &selection);
        let groups = groups(set, &selection, &labels, &joined, proven);
        let decision = self.decision(session, ix, event, &selection, set, &joined, mode, now.blocks_before, lines);
        let decision = self.merged(session, ix, lines, decision);
        // Traces of handlers that decided nothing are a word as well: what blocks now did not then.
        let quiet = mode == Mode::Run && recorded.is_none() && self.proof(session, ix, event, &selection).answered;
        let recorded = recorded.or(quiet.then_some(Verdict::Quiet));
        let changed = mode == Mode::Run && recorded.is_some_and(|verdict| differs(verdict, decision.verdict));
        let context = session.context_of(event);
        let agent = session.agent_of(event);
        let class = selection.spec.map(|spec| spec.class);
        let call_id = match &input {
            Some(input) => input["tool_use_id"].as_str().map(str::to_owned),
            None => call_id(session, event, class, lines).or_else(|| {
                // A log of hook inputs, or a recording, has it in the input alone.
                let of_call = matches!(class, Some(EventClass::BeforeTool | EventClass::AfterTool));
                let input = of_call.then(|| (self.behaviour.input)(session, ix, lines).ok().flatten()).flatten()?;
                input["tool_use_id"].as_str().map(str::to_owned)
            }),
        };
        Some(Step {
            seq: ix.0.saturating_add(1),
            event: session.text(event.name).unwrap_or_default().to_owned(),
            session_id: session
                .text(context.session)
                .map(str::to_owned)
                .or_else(|| Some(session.id.clone()).filter(|id| !id.is_empty())),
            time: event.time.rfc3339(),
            subject: session.text(event.subject).map(str::to_owned),
            sub: session.text(agent.id).or_else(|| session.text(agent.kind)).map(str::to_owned),
            tool_use_id: call_id,
            origin: event.origin,
            source: place(session, event),
            input: input.filter(|_| options.inputs == Inputs::Shown),
            groups,
            runs: joined.into_iter().map(|joined| joined.run).collect(),
            decision,
            recorded: recorded.map(|verdict| RecordedVerdict { verdict }),
            changed,
            hypothetical: false,
            settings_note: self.plan.eras.get(self.plan.era_at(event.time)).and_then(|era| era.note.clone()),
            branch: session.is_left(event).then_some("left"),
            left_at: session.left_at(ix).map(|at| at.0.saturating_add(1)),
            diagnostics,
            evidence: event.evidence,
        })
    }

    /// The selection with every condition held against the input.
    fn with_conditions(
        &self,
        session: &Session,
        event: &Event,
        selection: &Selection,
        set: &HookSet,
        input: Option<&Value>,
    ) -> Selection {
        let mut selection = selection.clone();
        let tool = session.text(event.subject).unwrap_or_default();
        let cwd = session.text(session.context_of(event).cwd);
        for choice in &mut selection.groups {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for chosen in choice.handlers.iter_mut().filter(|chosen| chosen.depends && chosen.selected) {
                let Some(condition) = group.handlers.get(chosen.handler).and_then(|handler| handler.condition.as_ref())
                else {
                    continue;
                };
                let tool_input = input.map(|input| &input["tool_input"]).filter(|input| !input.is_null());
                match tool_input {
                    Some(tool_input) => {
                        let held = (self.behaviour.condition)(condition, tool, tool_input, cwd);
                        chosen.selected = held.holds;
                        chosen.why = held.why;
                        if !held.holds {
                            selection.selected = selection.selected.saturating_sub(1);
                        }
                    }
                    None => chosen.why = format!("`if: {condition}` was not evaluated: the tool's input is not known"),
                }
            }
        }
        selection
    }

    #[allow(clippy::too_many_arguments)]
    fn join(
        &self,
        session: &Session,
        ix: EventIx,
        event: &Event,
        selection: &Selection,
        set: &HookSet,
        labels: &Labels,
        lines: &dyn Lines,
    ) -> Vec<Joined> {
        let mut selected = Vec::new();
        let mut passed_over = Vec::new();
        for (choice, labels) in selection.groups.iter().zip(&labels.0) {
            let Some(group) = set.groups.get(choice.group) else { continue };
            for (chosen, label) in choice.handlers.iter().zip(labels) {
                let Some(handler) = group.handlers.get(chosen.handler) else { continue };
                let candidate = Candidate { group, handler, label };
                if chosen.selected { selected.push(candidate) } else { passed_over.push(candidate) }
            }
        }
        let mut joined = (self.behaviour.join)(&Firing {
            traces: self.traces(session, ix, event, selection),
            marks: session.marks_of(ix).copied().collect(),
            selected,
            passed_over,
            lines,
        });
        let by_elimination = |it: &&mut Joined| it.attributed == Evidence::Derived && !it.run.handler.is_empty();
        let mut guessed = joined.iter_mut().filter(by_elimination).peekable();
        // Elimination is worth something only among the handlers that the session itself had.
        if guessed.peek().is_some() && (self.settings_differ(event) || self.names_strangers(session, event, set)) {
            guessed.for_each(|it| it.attributed = Evidence::Assumed);
        }
        joined
    }

    /// Whether the settings at hand are known to be of another time than an event.
    fn settings_differ(&self, event: &Event) -> bool {
        let Some(era) = self.plan.eras.get(self.plan.era_at(event.time)) else { return false };
        let changed = |file: &crate::model::SettingsFile| {
            file.origin == EraOrigin::Now && !event.time.is_unknown() && file.changed > event.time
        };
        era.set.files.iter().any(changed)
    }

    /// Whether the session names hooks at this kind of event that these settings lack.
    fn names_strangers(&self, session: &Session, event: &Event, set: &HookSet) -> bool {
        let key = (self.plan.era_at(event.time), event.name, session.marks.len());
        if let Some(known) = self.strangers.read().ok().and_then(|kept| kept.get(&key).copied()) {
            return known;
        }
        let known = |command: &str| {
            let groups = set.groups.iter().filter(|group| session.text(event.name) == Some(group.event.as_str()));
            groups.flat_map(|group| &group.handlers).any(|handler| is_command_of(handler, command))
        };
        let mut asked: HashSet<Name> = HashSet::new();
        let same = session.events.iter().enumerate().filter(|(_, other)| other.name == event.name);
        let mut commands = same.flat_map(|(ix, _)| {
            let ix = EventIx(u32::try_from(ix).unwrap_or(u32::MAX));
            session.marks_of(ix).map(|mark| mark.command)
        });
        let found = commands.any(|name| asked.insert(name) && session.text(name).is_some_and(|it| !known(it)));
        if let Ok(mut kept) = self.strangers.write() {
            // A session that grows leaves the answers of its shorter selves behind.
            kept.retain(|(_, _, marks), _| *marks == session.marks.len());
            kept.insert(key, found);
        }
        found
    }

    /// A rewritten input as the tool gets it, where the agent lays it over the old one.
    fn merged(&self, session: &Session, ix: EventIx, lines: &dyn Lines, mut decision: Decision) -> Decision {
        if self.dialect.rewrite == Rewrite::Replaces {
            return decision;
        }
        let Some(Value::Object(changes)) = &decision.updated_input else { return decision };
        let input = (self.behaviour.input)(session, ix, lines).ok().flatten();
        let old = input.and_then(|mut input| input.get_mut("tool_input").map(Value::take));
        if let Some(Value::Object(mut whole)) = old {
            whole.extend(changes.clone());
            decision.updated_input = Some(Value::Object(whole));
        }
        decision
    }

    #[allow(clippy::too_many_arguments)]
    fn decision(
        &self,
        session: &Session,
        ix: EventIx,
        event: &Event,
        selection: &Selection,
        set: &HookSet,
        joined: &[Joined],
        mode: Mode,
        blocks_before: u16,
        lines: &dyn Lines,
    ) -> Decision {
        let traces = self.traces(session, ix, event, selection);
        let class = selection.spec.map_or(EventClass::Notice, |spec| spec.class);
        let stop = matches!(class, EventClass::Stop | EventClass::SubagentStop);
        let at = Circumstances {
            event: session.text(event.name).unwrap_or_default(),
            class,
            subject: session.text(event.subject),
            version: traces.version,
            mode: session.text(session.context_of(event).mode),
            blocks_before: match (stop, mode) {
                (false, _) => 0,
                (true, Mode::Run) => blocks_before,
                (true, Mode::Match | Mode::Recorded) => self.counted_blocks(session, ix, event),
            },
            cap: self.stop_cap(),
            has_rules: set.files.iter().any(|file| file.permissions.is_some()),
        };
        let mut decision = (self.behaviour.decide)(&at, joined);
        if self.plan.trust_known {
            decision.assumed.retain(|name| name != "hooks-are-trusted");
        }
        if mode == Mode::Run {
            ran(&mut decision, selection, joined);
            return decision;
        }
        let (told, proof) = match mode {
            Mode::Match | Mode::Run => (None, Proof::default()),
            Mode::Recorded => ((self.behaviour.verdict)(&traces), self.proof(session, ix, event, selection)),
        };
        let (verdict, evidence) = verdict(told, selection, proof, mode, &self.plan);
        if decision.verdict != verdict {
            contradict(&mut decision, verdict, joined);
            (self.behaviour.follow)(&at, &mut decision);
        }
        decision.evidence = evidence;
        let decider = joined.iter().find(|it| decision.decided_by.as_deref() == Some(it.run.handler.as_str()));
        if let Some(decider) = decider {
            decision.evidence = evidence.and(decider.attributed);
        }
        if verdict == Verdict::Unknown {
            decision.unknown_because = Some(unknown_because(mode, selection, proof, &self.plan));
            decision.steps.push(RuleStep {
                text: decision.unknown_because.clone().unwrap_or_default(),
                rule: Some("mute-handlers-leave-no-trace"),
            });
        }
        match mode {
            Mode::Match if verdict == Verdict::Unknown => {
                let left = std::mem::take(&mut decision.effect);
                decision.effect = format!("only matchers were looked at; unless a hook decides: {left}");
            }
            Mode::Match | Mode::Run => {}
            Mode::Recorded => {
                let cap = session.marks_of(ix).any(|mark| mark.kind == MarkKind::Informational && mark.says.is_none());
                if stop && cap && verdict == Verdict::Block {
                    decision.action = Some(Action::TurnEndsByCap);
                    decision.effect = "the client's cap overrules the hook: the turn ends".to_owned();
                    if !decision.steps.iter().any(|step| step.rule == Some("stop-cap")) {
                        let text = "the client told that it overruled the hook".to_owned();
                        decision.steps.push(RuleStep { text, rule: Some("stop-cap") });
                    }
                }
                self.follow_ending(session, event, &at, &mut decision, lines);
                if let Some(recorded) = recorded_decision(session, event, lines) {
                    record::recall(&mut decision, &recorded, self.behaviour.rule);
                }
            }
        }
        decision
    }

    /// The cap on blocks in a row; 0 in the environment means none.
    pub fn stop_cap(&self) -> Option<u16> {
        match self.options.stop_cap {
            Some(cap) => (cap > 0).then_some(cap),
            None => self.dialect.stop.cap,
        }
    }

    /// How the call really ended is the best witness of what the agent did.
    fn follow_ending(
        &self,
        session: &Session,
        event: &Event,
        at: &Circumstances<'_>,
        decision: &mut Decision,
        lines: &dyn Lines,
    ) {
        let [call] = session.calls_of(event) else { return };
        if at.class != EventClass::BeforeTool {
            return;
        }
        let hooks_let_go =
            matches!(decision.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown | Verdict::Allow);
        let (action, effect) = match call.ending {
            Ending::Succeeded | Ending::Failed if decision.verdict == Verdict::Ask => {
                (Action::AsksUser, "the user was asked and let the call go on")
            }
            Ending::Succeeded if hooks_let_go && decision.verdict != Verdict::Allow => {
                (Action::Proceeds, "the call was made")
            }
            Ending::Failed if hooks_let_go && decision.verdict != Verdict::Allow => {
                (Action::Proceeds, "the call was made, and failed")
            }
            Ending::Interrupted if hooks_let_go => (Action::Proceeds, "the user interrupted it"),
            Ending::Rejected if hooks_let_go => {
                (Action::AsksUser, "the user was asked and said no, or nobody could answer")
            }
            Ending::Rejected if decision.verdict == Verdict::Ask => {
                (Action::AsksUser, "the user was asked and said no, or nobody could answer")
            }
            Ending::DeniedByRule if hooks_let_go => (Action::Blocked, "a permission rule or mode refuses the call"),
            Ending::DeniedByHook if hooks_let_go => {
                (Action::Blocked, "a hook at its permission prompt refuses the call")
            }
            Ending::Pending if decision.verdict == Verdict::Unknown => {
                decision.action = None;
                decision.effect = "nothing tells: the call has no result".to_owned();
                return;
            }
            Ending::Cancelled if hooks_let_go => {
                decision.action = None;
                decision.effect = "the call fell with another one of its batch".to_owned();
                return;
            }
            _ => {
                decision.permission = permission(call.ending, call.answered, lines, at);
                return;
            }
        };
        decision.action = Some(action);
        decision.effect = effect.to_owned();
        decision.assumed.retain(|name| name != "no-permission-rules");
        decision.permission = permission(call.ending, call.answered, lines, at);
    }

    /// Blocks in a row as the client counts them: a tool call in between starts the count anew.
    pub fn counted_blocks(&self, session: &Session, ix: EventIx, event: &Event) -> u16 {
        let rounds = self.blocks_before(session, ix, event);
        if rounds == 0 {
            return 0;
        }
        let tool = session.names.find("PreToolUse");
        let mut counted = 0u16;
        for other in session.events[..ix.at()].iter().rev().filter(|other| other.agent == event.agent) {
            if Some(other.name) == tool || counted == rounds {
                break;
            }
            counted += u16::from(other.name == event.name);
        }
        counted
    }
}

impl Tracer {
    /// What is known of the handlers of one event, in the tracer's own mode. Reads a body only where a trace or a
    /// condition asks for it.
    pub(super) fn firing(
        &self,
        session: &Session,
        ix: EventIx,
        lines: &dyn Lines,
        selection: &Selection,
        set: &HookSet,
    ) -> Fired {
        let mode = self.options.mode;
        let event = session.events.get(ix.at());
        let selection = match event.filter(|_| selection.depends_on_input) {
            Some(event) => {
                let input = (self.behaviour.input)(session, ix, lines).ok().flatten();
                self.with_conditions(session, event, selection, set, input.as_ref())
            }
            None => selection.clone(),
        };
        let traced = mode == Mode::Recorded && session.marks_of(ix).next().is_some();
        let joined = match event.filter(|_| traced) {
            Some(event) => {
                let labels = Labels::of(set, &selection);
                self.join(session, ix, event, &selection, set, &labels, lines)
            }
            None => Vec::new(),
        };
        let proven = Proven::of(session, ix, mode, &joined, &selection);
        Fired::new(selection, joined, proven)
    }
}

/// The id of an event's only call, from the line that asked for it.
/// The call's id as the hook input has it: a batch and a permission request bring none (measured with 2.1.332).
fn call_id(session: &Session, event: &Event, class: Option<EventClass>, lines: &dyn Lines) -> Option<String> {
    if matches!(class, Some(EventClass::AfterBatch | EventClass::Permission)) {
        return None;
    }
    let [call] = session.calls_of(event) else { return None };
    let line = lines.value(call.used).ok()??;
    let block = &line["message"]["content"][usize::from(call.used_block)];
    block["id"].as_str().or_else(|| line["tool_use_id"].as_str()).map(str::to_owned)
}

/// What a recording holds of the decision at an event of it.
fn recorded_decision(session: &Session, event: &Event, lines: &dyn Lines) -> Option<Value> {
    let source = session.sources.get(event.at.source().at())?;
    if source.format != Format::Recording.name() {
        return None;
    }
    match record::parse(&lines.read(event.at).ok()?).ok()? {
        record::Line::Entry(entry) => entry.decision,
        record::Line::Header(_) => None,
    }
}

/// What the result's own `permissionDecision` tells of rules and mode.
fn permission(
    ending: Ending,
    answered: crate::model::LineRef,
    lines: &dyn Lines,
    at: &Circumstances<'_>,
) -> Option<PermissionResult> {
    if !answered.is_some() || matches!(ending, Ending::DeniedByHook | Ending::Deferred) {
        return None;
    }
    let line = lines.value(answered).ok()??;
    let decided = &line["permissionDecision"];
    if decided["reasonType"] != "rule" && decided["reasonType"] != "mode" {
        return None;
    }
    let result = if decided["decision"] == "accept" { "allow" } else { "deny" };
    let rule = ["rule", "ruleContent", "reasonCode"].iter().find_map(|key| decided[*key].as_str());
    Some(PermissionResult {
        result,
        rule: rule.map(str::to_owned),
        path: decided["ruleSource"].as_str().map(str::to_owned),
        line: None,
        mode: at.mode.map(str::to_owned),
    })
}

/// What was recorded wins over what the outputs alone would lead to.
fn contradict(decision: &mut Decision, verdict: Verdict, joined: &[Joined]) {
    if matches!(decision.verdict, Verdict::None | Verdict::Quiet) && matches!(verdict, Verdict::Unknown | Verdict::None)
    {
        decision.verdict = verdict;
        return;
    }
    if !joined.is_empty() {
        decision.steps.push(RuleStep {
            text: format!(
                "the outputs alone would make it {}; what the session recorded is {}",
                decision.verdict.word(),
                verdict.word()
            ),
            rule: Some("recorded-wins"),
        });
    }
    decision.verdict = verdict;
}

fn unknown_because(mode: Mode, selection: &Selection, proof: Proof, plan: &Plan) -> String {
    if plan.blind && selection.selected == 0 && !proof.traced {
        return BLIND.to_owned();
    }
    if mode == Mode::Match {
        return "only matchers were looked at: nothing was run, and no record was asked".to_owned();
    }
    if selection.groups.iter().any(|group| group.tested.matched.is_none()) && selection.selected == 0 {
        return "whether a group matched is undecided".to_owned();
    }
    if proof.logged && !proof.answered {
        return "a hook wrote down what it got, but nothing tells what the hooks said".to_owned();
    }
    if proof.traced {
        return "the handler was started; what it said left no trace".to_owned();
    }
    MUTE.to_owned()
}

/// Why nothing tells, without any settings.
const BLIND: &str = "the folder of this session is not here, so its hooks are not known: one may have run and left no \
    trace (--settings FILE names them)";

/// Whether `command`, as a trace names it, is this handler's.
pub(super) fn is_command_of(handler: &Handler, command: &str) -> bool {
    match &handler.kind {
        HandlerKind::Command { command: own, args, .. } => {
            let args = args.as_deref().unwrap_or_default();
            own == command || (!args.is_empty() && format!("{own} {}", args.join(" ")) == command)
        }
        HandlerKind::Http { url } => url == command,
        HandlerKind::McpTool { server, tool } => {
            command.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(tool.as_str())
        }
        HandlerKind::Prompt { prompt } | HandlerKind::Agent { prompt } => prompt == command,
        HandlerKind::Callback => false,
    }
}

fn place(session: &Session, event: &Event) -> Place {
    let path = session.sources.get(event.at.source().at()).map_or_else(String::new, |source| source.path.clone());
    Place { path, line: event.at.is_some().then_some(event.at.line), column: None }
}
