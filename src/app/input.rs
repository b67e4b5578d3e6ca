//! What reaches the program: keys become actions, results are taken in, and what is lacking is asked for.

use crossterm::event::{Event as TerminalEvent, KeyCode};
use crossterm::event::{KeyEvent, KeyEventKind, KeyModifiers};
use tui_input::backend::crossterm::EventHandler;

use super::keys::lookup;
use super::state::{Finding, NextFind};
use super::update::{leap, typed_in_ask, update};
use super::{Action, App, Body, Cursor, Described, Effect, Focus, Input, Layer, Tone, Way, Zoom};
use crate::model::{Delta, EventIx, Session, Verdict};

/// Takes in what reached the program.
pub fn input(app: &mut App, input: Input) -> Vec<Effect> {
    let mut effects = match input {
        Input::Key(key) => key_pressed(app, &key),
        Input::Mouse(mouse) => super::mouse::mouse(app, mouse),
        Input::Paste(text) => pasted(app, &text),
        Input::Resize(columns, rows) => {
            app.size = (columns, rows);
            Vec::new()
        }
        Input::Tick => {
            app.ticks = app.ticks.wrapping_add(1);
            Vec::new()
        }
        Input::Terminate => {
            app.choice = None;
            app.leaving = super::Leaving::Quit;
            vec![Effect::Quit]
        }
        result => {
            take_result(app, result);
            Vec::new()
        }
    };
    effects.extend(settle(app));
    effects
}

fn key_pressed(app: &mut App, key: &KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    app.message = None;
    // From here on the selection is the person's.
    app.options.start_at = None;
    let mode = app.mode();
    if let Some(binding) = lookup(mode, key) {
        return update(app, binding.action.clone());
    }
    if mode.takes_text() {
        if let Some(field) = app.layers.last_mut().and_then(Layer::field_mut) {
            field.handle_event(&TerminalEvent::Key(*key));
        }
        text_changed(app);
        return Vec::new();
    }
    match key.code {
        KeyCode::Char(c @ '0'..='9') if key.modifiers.is_empty() && (c != '0' || app.count.is_some()) => {
            update(app, Action::Digit(c as u8 - b'0'))
        }
        KeyCode::Char(_) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            app.count = None;
            app.message = Some(("this key does nothing here: ? lists those that do".into(), Tone::Dim));
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn pasted(app: &mut App, text: &str) -> Vec<Effect> {
    if let Some(field) = app.layers.last_mut().and_then(Layer::field_mut) {
        for c in text.chars().filter(|c| !c.is_control()) {
            field.handle(tui_input::InputRequest::InsertChar(c));
        }
        text_changed(app);
    }
    Vec::new()
}

fn text_changed(app: &mut App) {
    if let Some(Layer::Palette(palette)) = app.layers.last_mut() {
        palette.cursor = Cursor::default();
    }
    if let Some(Layer::Lab(lab)) = app.layers.last_mut() {
        lab.typed();
    }
    typed_in_ask(app);
}

fn take_result(app: &mut App, result: Input) {
    match result {
        Input::Loaded(delta) => app.queue.push_back(delta),
        Input::LoadFailed(why) => app.load_error = Some(why),
        Input::Planned(inspect) => {
            app.inspect = Some(inspect);
            app.rows_changed = true;
        }
        Input::Described(described) => take_described(app, *described),
        Input::Filtered { generation, events, upto, why_empty } if generation == app.timeline.generation => {
            let session = app.session.clone();
            app.timeline.filtered(&session.read(), &events, upto, why_empty, app.wanted);
            // Once the event that was selected has been passed, the selection is the person's again.
            if app.wanted.is_some_and(|wanted| wanted < upto) {
                app.wanted = None;
            }
        }
        Input::Found { generation, event } => take_found(app, generation, event),
        Input::HitsCounted { generation, hits } => take_hits(app, generation, &hits),
        Input::Conversation(event, said) => {
            app.said.insert(event, said);
        }
        Input::Noted(generation, notes) if generation == app.generation => {
            app.notes.extend(notes.into_iter().map(|note| (note.event, note)));
        }
        Input::Surveyed { generation, first, glances, rounds } => app.survey.add(generation, first, glances, &rounds),
        Input::Warned(warnings) => app.warnings = warnings,
        Input::HooksCounted(generation, seen) => {
            if let Some(table) = app.hook_table_mut() {
                table.counted(generation, *seen);
            }
        }
        Input::LoopsFound(generation, seen) => {
            if let Some(loops) = app.loops_mut() {
                loops.found(generation, *seen);
            }
        }
        Input::Listed { generation, listing, now } => {
            if let Some(picker) = app.picking_mut() {
                picker.listed(generation, listing, now);
            }
        }
        Input::Counted(generation, scanned) => {
            if let Some(picker) = app.picking_mut() {
                picker.counted(generation, scanned);
            }
        }
        Input::Tried { generation, row } => {
            if let Some(lab) = app.lab_mut() {
                lab.tried(generation, row);
            }
        }
        Input::JobFailed(why) => app.message = Some((why, Tone::Warn)),
        _ => {}
    }
}

fn take_described(app: &mut App, described: Described) {
    let detail = &mut app.detail;
    if described.generation != detail.generation || detail.event != Some(described.event) {
        return;
    }
    detail.json = described.rows;
    detail.body = Body::Ready(described.step);
    // Remarks stand above the handlers: one comes for the handlers.
    let first = app.hooks_doc().lines.iter().position(|line| line.target.is_some());
    app.detail.hooks_cursor.at = first.unwrap_or(0);
}

fn take_found(app: &mut App, generation: u64, event: Option<EventIx>) {
    let Some(finding) = &mut app.finding else { return };
    if finding.generation != generation {
        return;
    }
    let beyond = |event: EventIx| {
        finding.wrapped
            && match finding.way {
                Way::Forward => event > finding.origin,
                Way::Back => event < finding.origin,
            }
    };
    match event.filter(|event| !beyond(*event)) {
        Some(event) if app.timeline.position(event).is_err() => finding.next = Some(NextFind::From(event)),
        Some(event) => {
            finding.next = Some(NextFind::Count);
            app.message = Some((found_words(finding, event, None), Tone::Plain));
            leap(app, event);
        }
        None if !finding.wrapped => {
            finding.wrapped = true;
            finding.next = Some(NextFind::OtherEnd);
        }
        None => app.message = Some((format!("\"{}\" is in no event that is shown", finding.text), Tone::Plain)),
    }
}

/// Which hit it is among those that are shown, if the person has not gone on since.
fn take_hits(app: &mut App, generation: u64, hits: &[EventIx]) {
    let (Some(finding), Some(event)) = (&app.finding, app.timeline.selected()) else { return };
    let words = found_words(finding, event, None);
    if finding.generation != generation || app.message.as_ref().is_none_or(|(said, _)| *said != words) {
        return;
    }
    let shown: Vec<EventIx> = hits.iter().copied().filter(|&hit| app.timeline.position(hit).is_ok()).collect();
    if let Ok(at) = shown.binary_search(&event) {
        app.message = Some((found_words(finding, event, Some((at + 1, shown.len()))), Tone::Plain));
    }
}

fn found_words(finding: &Finding, event: EventIx, place: Option<(usize, usize)>) -> String {
    let place = place.map_or_else(String::new, |(at, of)| format!(", {at} of {of}"));
    let round = match (finding.wrapped, finding.way) {
        (false, _) => "",
        (true, _) if event == finding.origin => ", the only one that is shown",
        (true, Way::Forward) => ", from the start again",
        (true, Way::Back) => ", from the end again",
    };
    format!("\"{}\": event {}{place}{round}", finding.text, event.0 + 1)
}

/// Applies what was loaded, brings cursors back into their lists, and asks for what is seen but not known.
fn settle(app: &mut App) -> Vec<Effect> {
    apply_loaded(app);
    if app.rows_changed {
        app.rows_changed = false;
        app.generation += 1;
        app.survey.restart();
        app.notes.clear();
        app.notes_asked.clear();
        app.detail.event = None;
    }
    if app.timeline.filter.is_none()
        && let Some(wanted) = app.wanted
        && wanted.at() < app.session.read().events.len()
    {
        app.timeline.select(wanted);
        app.wanted = None;
    }
    let mut effects = Vec::new();
    if let Some(finding) = &mut app.finding
        && let Some(next) = finding.next.take()
    {
        let (text, way, generation) = (finding.text.clone(), finding.way, finding.generation);
        effects.push(match next {
            NextFind::From(from) => Effect::FindText { text, from: Some(from), way, generation },
            NextFind::OtherEnd => Effect::FindText { text, from: None, way, generation },
            NextFind::Count => Effect::CountHits { text, generation },
        });
    }
    ask_for_detail(app, &mut effects);
    app.fit_pane();
    settle_cursors(app);
    ask_for_rows(app, &mut effects);
    ask_for_all(app, &mut effects);
    super::screens::settle(app, &mut effects);
    effects
}

fn apply_loaded(app: &mut App) {
    let session = app.session.clone();
    while !app.queue.is_empty() {
        // A job is reading: a little later, then.
        let Some(mut session) = session.try_write() else { return };
        if let Some(delta) = app.queue.pop_front() {
            apply(app, &mut session, *delta);
        }
    }
}

fn apply(app: &mut App, session: &mut Session, delta: Delta) {
    let from = session.events.len();
    let late =
        delta.marks.iter().any(|mark| mark.event.at() < from) || (!delta.calls.is_empty() && delta.events.is_empty());
    let ended = delta.progress.done && !session.progress.done;
    app.broken += super::state::broken(&delta.diagnostics);
    let rewound = !delta.rewinds.is_empty();
    session.apply(delta);
    app.timeline.grow(session, from);
    if rewound && let Some(number) = app.timeline.branch() {
        app.timeline.choose_branch(session, Some(number));
    }
    app.subjects.count(session);
    // What was known of earlier events may have changed; once at the end is enough.
    app.late |= late;
    if ended && app.late {
        app.rows_changed = true;
        app.late = false;
    }
}

fn ask_for_detail(app: &mut App, effects: &mut Vec<Effect>) {
    let selected = app.timeline.selected();
    let Some(event) = selected else {
        app.detail.event = None;
        app.detail.body = Body::None;
        app.detail.json = Default::default();
        return;
    };
    if app.detail.event == Some(event) || app.inspect.is_none() {
        return;
    }
    let detail = &mut app.detail;
    detail.event = Some(event);
    detail.generation += 1;
    detail.body = Body::Reading;
    detail.json = Default::default();
    (detail.event_cursor, detail.hooks_cursor, detail.decision_cursor) = Default::default();
    effects.push(Effect::Describe { event, generation: detail.generation });
}

fn settle_cursors(app: &mut App) {
    let regions = app.regions();
    for pane in [Focus::Event, Focus::Hooks, Focus::Decision] {
        let height = usize::from(regions.pane(pane).body.height);
        // A pane that is not shown keeps its place.
        if height > 0 {
            let len = app.lines_in(pane);
            app.cursor_mut(pane).settle(len, height);
        }
    }
    let height = usize::from(regions.timeline.height).max(1);
    if app.zoom == Zoom::Pane {
        let last = app.timeline.len().saturating_sub(1);
        let cursor = &mut app.timeline.cursor;
        cursor.at = cursor.at.min(last);
        cursor.top = cursor.top.min(cursor.at);
        return;
    }
    let len = app.timeline.len();
    app.timeline.cursor.settle(len, height);
    // Conversation lines take room, too.
    let cursor = app.timeline.cursor;
    let mut rows = 0;
    let mut top = cursor.at;
    while let Some(event) = app.timeline.event_at(top) {
        rows += app.rows_of(event);
        if rows > height {
            break;
        }
        if top <= cursor.top {
            return;
        }
        top -= 1;
    }
    app.timeline.cursor.top = (top + 1).min(cursor.at);
}

/// What the rows in view lack: words after the verdict, conversation lines.
fn ask_for_rows(app: &mut App, effects: &mut Vec<Effect>) {
    let height = usize::from(app.regions().timeline.height);
    let Some(inspect) = app.inspect.clone() else { return };
    let top = app.timeline.cursor.top;
    let seen: Vec<EventIx> = (top..top + height).map_while(|position| app.timeline.event_at(position)).collect();
    let wanted: Vec<EventIx> = {
        let session = app.session.read();
        let telling = |event: &EventIx| {
            let row = inspect.row(&session, *event);
            row.failed
                || row.lost
                || row.needs_input
                || !matches!(row.verdict, Verdict::None | Verdict::Quiet | Verdict::Unknown)
        };
        seen.iter().copied().filter(|event| !app.notes_asked.contains(event)).filter(telling).collect()
    };
    if !wanted.is_empty() {
        app.notes_asked.extend(&wanted);
        effects.push(Effect::Note { events: wanted, generation: app.generation });
    }
    if app.talk {
        let wanted: Vec<EventIx> = seen.into_iter().filter(|event| app.said_asked.insert(*event)).collect();
        if !wanted.is_empty() {
            effects.push(Effect::Conversation(wanted));
        }
    }
}

/// What concerns all events: the survey, the filter.
fn ask_for_all(app: &mut App, effects: &mut Vec<Effect>) {
    if app.inspect.is_none() {
        return;
    }
    let count = app.session.read().events.len();
    let Ok(end) = u32::try_from(count).map(EventIx) else { return };
    if !app.survey.asked && app.survey.glances.len() < count {
        app.survey.asked = true;
        let first = EventIx(u32::try_from(app.survey.glances.len()).unwrap_or(u32::MAX));
        effects.push(Effect::Survey { first, generation: app.survey.generation });
    }
    let generation = app.timeline.generation;
    if let Some(filter) = &mut app.timeline.filter
        && !filter.asked
        && filter.upto < end
    {
        filter.asked = true;
        effects.push(Effect::Filter { expr: filter.expr.clone(), from: filter.upto, generation });
    }
}
