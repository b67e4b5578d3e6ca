//! What each action does. Pure: the world is asked through effects.

use jiff::civil;

use super::doc::contains;
use super::layer::Text;
use super::state::Finding;
use super::{
    Action, App, Ask, Asked, Bookmark, Bookmarks, Cursor, Doc, Effect, Focus, Layer, Palette, Reader, Shape, Target,
    Tone, Way, Zoom,
};
use crate::model::EventIx;

/// Does what a person means.
pub fn update(app: &mut App, action: Action) -> Vec<Effect> {
    if let Action::Digit(digit) = action {
        app.count = Some(app.count.unwrap_or(0).saturating_mul(10).saturating_add(u32::from(digit)));
        return Vec::new();
    }
    let typed = app.count.take();
    if action == Action::Clear && typed.is_some() {
        return Vec::new();
    }
    match app.layers.last() {
        Some(_) => in_layer(app, action, typed),
        None => in_debugger(app, action, typed),
    }
}

pub(super) fn times(typed: Option<u32>) -> usize {
    typed.map_or(1, |count| count.max(1) as usize)
}

pub(super) fn say(app: &mut App, words: impl Into<String>) -> Vec<Effect> {
    app.message = Some((words.into(), Tone::Plain));
    Vec::new()
}

/// What is the same wherever one is.
pub(super) fn anywhere(app: &mut App, action: Action) -> Vec<Effect> {
    match action {
        Action::Quit => {
            app.choice = None;
            app.leaving = super::Leaving::Quit;
            vec![Effect::Quit]
        }
        Action::Suspend => vec![Effect::Suspend],
        Action::Mouse(mouse) => {
            app.mouse = mouse;
            vec![Effect::Mouse(mouse)]
        }
        Action::Help => {
            let mode = app.mode();
            app.layers.push(Layer::Reader(Reader::new(Text::Help(mode))));
            Vec::new()
        }
        Action::HelpFor(mode) => {
            app.layers.push(Layer::Reader(Reader::new(Text::Help(mode))));
            Vec::new()
        }
        Action::Palette => {
            let mode = app.mode();
            app.layers.push(Layer::Palette(Palette::new(mode)));
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn in_layer(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    if matches!(action, Action::Clear | Action::Back) && !matches!(app.layers.last(), Some(Layer::Picker(_))) {
        if let Some(Layer::Ask(Ask { asked: Asked::Sessions, .. })) = app.layers.pop()
            && let Some(picker) = app.picking_mut()
        {
            picker.filter_by("");
        }
        return Vec::new();
    }
    match app.layers.last() {
        Some(Layer::Reader(_)) => in_reader(app, action, typed),
        Some(Layer::Ask(_)) => in_ask(app, action),
        Some(Layer::Palette(_)) => in_palette(app, action),
        Some(Layer::Bookmarks(_)) => in_bookmarks(app, action, typed),
        Some(Layer::Lab(_)) => super::screens::in_lab(app, action, typed),
        Some(Layer::HookTable(_)) => super::screens::in_hook_table(app, action, typed),
        Some(Layer::Loops(_)) => super::screens::in_loops(app, action, typed),
        Some(Layer::Picker(_)) => super::screens::in_picker(app, action, typed),
        None => Vec::new(),
    }
}

fn in_reader(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let height = usize::from(app.reader_body().height).saturating_sub(1);
    let Some(Layer::Reader(reader)) = app.layers.last() else { return Vec::new() };
    let doc = app.reader_doc(reader);
    let mut cursor = reader.cursor;
    match action {
        Action::Move(way, amount) => cursor.step(way, amount, times(typed), doc.lines.len(), height),
        Action::Find => {
            app.layers.push(Layer::Ask(Ask::new(Asked::Find(None), String::new())));
            return Vec::new();
        }
        Action::FindAgain(way) => {
            let Some(finding) = app.finding.clone() else { return say(app, "nothing to find yet: /") };
            match doc.find(&finding.text, cursor.at, way) {
                Some(at) => cursor.at = at,
                None => return say(app, format!("\"{}\" is not here", finding.text)),
            }
            cursor.settle(doc.lines.len(), height);
        }
        Action::Copy => return copy_line(app, &doc, cursor),
        // Help on help closes it again.
        Action::Help => {
            app.layers.pop();
            return Vec::new();
        }
        other => return anywhere(app, other),
    }
    if let Some(Layer::Reader(reader)) = app.layers.last_mut() {
        reader.cursor = cursor;
    }
    Vec::new()
}

fn copy_line(app: &mut App, doc: &Doc, cursor: Cursor) -> Vec<Effect> {
    match doc.lines.get(cursor.at) {
        Some(line) => copy(app, line.text().trim().to_owned()),
        None => say(app, "nothing to copy"),
    }
}

pub(super) fn copy(app: &mut App, text: String) -> Vec<Effect> {
    app.message = Some((format!("copied {}", super::json::bytes(text.len())), Tone::Plain));
    vec![Effect::Copy(text)]
}

fn in_ask(app: &mut App, action: Action) -> Vec<Effect> {
    let Some(Layer::Ask(ask)) = app.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Accept => {
            let (asked, text) = (ask.asked, ask.field.value().to_owned());
            if asked == Asked::Filter && ask.fault.is_some() {
                return Vec::new();
            }
            app.layers.pop();
            accept(app, asked, text)
        }
        Action::Choose(way) if ask.asked == Asked::Sessions => {
            super::screens::move_in_picker(app, way, super::Amount::Line, 1);
            Vec::new()
        }
        Action::Choose(way) => {
            let count = ask.completions.len();
            if count > 0 {
                ask.chosen = Some(match (ask.chosen, way) {
                    (None, Way::Forward) => 0,
                    (None, Way::Back) => count - 1,
                    (Some(at), Way::Forward) => (at + 1) % count,
                    (Some(at), Way::Back) => (at + count - 1) % count,
                });
            }
            Vec::new()
        }
        Action::Complete => {
            if let Some(choice) = ask.completions.get(ask.chosen.unwrap_or(0)).cloned() {
                let text: Vec<char> = ask.field.value().chars().collect();
                let cursor = ask.field.cursor().min(text.len());
                let start = choice.start.min(cursor);
                let mut new: String = text[..start].iter().collect();
                new.push_str(&choice.text);
                let at = new.chars().count();
                new.extend(&text[cursor..]);
                ask.field = tui_input::Input::new(new).with_cursor(at);
                ask.chosen = None;
            }
            typed_in_ask(app);
            Vec::new()
        }
        other => anywhere(app, other),
    }
}

/// Brings what a field shows about its text up to date.
pub(super) fn typed_in_ask(app: &mut App) {
    let Some(Layer::Ask(ask)) = app.layers.last_mut() else { return };
    if ask.asked == Asked::Sessions {
        let text = ask.field.value().to_owned();
        if let Some(picker) = app.picking_mut() {
            picker.filter_by(&text);
        }
        return;
    }
    if ask.asked != Asked::Filter {
        return;
    }
    let Some(inspect) = &app.inspect else { return };
    let text = ask.field.value();
    ask.fault = if text.trim().is_empty() { None } else { inspect.filter(text).err() };
    ask.completions = inspect.complete(&app.session.read(), text, ask.field.cursor());
    ask.chosen = None;
}

fn accept(app: &mut App, asked: Asked, text: String) -> Vec<Effect> {
    match asked {
        Asked::Filter => update(app, Action::FilterBy(text)),
        Asked::Sessions if app.picking().is_some_and(|picker| picker.shown.is_empty()) => {
            say(app, "no session fits what you typed: Esc shows all")
        }
        Asked::Sessions => update(app, Action::Open),
        Asked::Note(event) => {
            app.bookmarks.retain(|bookmark| bookmark.event != event);
            app.bookmarks.push(Bookmark { event, note: text });
            app.bookmarks.sort_by_key(|bookmark| bookmark.event);
            say(app, format!("event {} is bookmarked: ' lists them", event.0 + 1))
        }
        Asked::Find(_) if text.is_empty() => Vec::new(),
        Asked::Find(_) => {
            let generation = app.finding.as_ref().map_or(0, |finding| finding.generation);
            app.finding = Some(Finding { text, generation });
            update(app, Action::FindAgain(Way::Forward))
        }
    }
}

fn in_palette(app: &mut App, action: Action) -> Vec<Effect> {
    let Some(Layer::Palette(palette)) = app.layers.last_mut() else { return Vec::new() };
    let choices = palette.choices();
    match action {
        Action::Choose(way) => {
            palette.cursor.step(way, super::Amount::Line, 1, choices.len(), usize::MAX);
            Vec::new()
        }
        Action::Accept => {
            let typed = palette.field.value().trim().to_owned();
            let chosen = choices.get(palette.cursor.at).map(|binding| binding.action.clone());
            app.layers.pop();
            if let Ok(number) = typed.parse::<u32>() {
                return update(app, Action::GoTo(number));
            }
            if let Some(time) = typed.strip_prefix('@') {
                return update(app, Action::GoToTime(time.to_owned()));
            }
            match chosen {
                Some(action) => update(app, action),
                None => say(app, format!("nothing is called \"{typed}\"")),
            }
        }
        Action::Palette => Vec::new(),
        other => anywhere(app, other),
    }
}

fn in_bookmarks(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let height = usize::from(app.reader_body().height).saturating_sub(1);
    let count = app.bookmarks.len();
    let Some(Layer::Bookmarks(list)) = app.layers.last_mut() else { return Vec::new() };
    match action {
        Action::Move(way, amount) => list.cursor.step(way, amount, times(typed), count, height),
        Action::Open => {
            let event = app.bookmarks.get(list.cursor.at).map(|bookmark| bookmark.event);
            app.layers.pop();
            if let Some(event) = event {
                leap(app, event);
            }
        }
        Action::Fold => {
            if list.cursor.at < count {
                app.bookmarks.remove(list.cursor.at);
                list.cursor.settle(count - 1, height);
            }
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}

fn in_debugger(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    match action {
        Action::Move(way, super::Amount::End) if typed.is_some() && way == Way::Forward => {
            return update(app, Action::GoTo(typed.unwrap_or(1)));
        }
        Action::Move(way, amount) => {
            let pane = app.focus;
            let height = usize::from(app.regions().pane(pane).body.height);
            let len = app.lines_in(pane);
            if pane == Focus::Timeline
                && amount == super::Amount::End
                && let Some(here) = app.timeline.selected()
            {
                app.jumps.leave(here);
            }
            app.cursor_mut(pane).step(way, amount, times(typed), len, height);
        }
        Action::StepEvent(way) => {
            let len = app.timeline.len();
            let height = usize::from(app.regions().timeline.height).max(1);
            app.timeline.cursor.step(way, super::Amount::Line, times(typed), len, height);
        }
        Action::ToMatched(way) => return seek(app, way, times(typed), "a matched hook", |glance| glance.matched()),
        Action::ToDecided(way) => return seek(app, way, times(typed), "a decision", |glance| glance.decided()),
        Action::GoTo(number) => return go_to(app, number),
        Action::GoToTime(time) => return go_to_time(app, &time),
        Action::Select(event) => leap(app, event),
        Action::Pane(way) => app.turn_pane(way),
        Action::Focus(focus) => app.focus_on(focus),
        Action::Open => return open(app),
        Action::Fold => fold(app),
        Action::FoldAll => fold_all(app),
        Action::Copy => return copy_value(app),
        Action::CopyPath => match app.detail.json.at(app.detail.event_cursor) {
            Some((_, row)) if !row.path.is_empty() => {
                let path = row.path.clone();
                return copy(app, path);
            }
            _ => return say(app, "no path here"),
        },
        Action::Find => {
            let focus = app.focus;
            app.layers.push(Layer::Ask(Ask::new(Asked::Find(Some(focus)), String::new())));
        }
        Action::FindAgain(way) => return find_again(app, way),
        Action::AskFilter => {
            let text = app.timeline.filter.as_ref().map(|filter| filter.expr.clone()).unwrap_or_default();
            app.layers.push(Layer::Ask(Ask::new(Asked::Filter, text)));
            typed_in_ask(app);
        }
        Action::FilterBy(expr) => return filter_by(app, &expr),
        Action::Conversation => app.talk = !app.talk,
        Action::Bookmark => {
            if let Some(event) = app.timeline.selected() {
                let note = app.bookmarks.iter().find(|it| it.event == event).map(|it| it.note.clone());
                app.layers.push(Layer::Ask(Ask::new(Asked::Note(event), note.unwrap_or_default())));
            }
        }
        Action::Lab => super::screens::open_lab(app),
        Action::HookTable => app.layers.push(Layer::HookTable(Box::default())),
        Action::Loops => app.layers.push(Layer::Loops(Box::default())),
        Action::Bookmarks => app.layers.push(Layer::Bookmarks(Bookmarks::default())),
        Action::Jump(way) => {
            if let Some(here) = app.timeline.selected() {
                match app.jumps.go(way, here) {
                    Some(event) => app.timeline.select(event),
                    None => return say(app, "no leap to go back to"),
                }
            }
        }
        Action::Clear => clear(app),
        Action::Back => {
            if app.zoom == Zoom::Pane {
                app.zoom = Zoom::Split;
            } else {
                app.leaving = super::Leaving::Back;
                return vec![Effect::Quit];
            }
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}

/// Clears the topmost level: a zoom, the find, the filter, the focus.
fn clear(app: &mut App) {
    if app.zoom == Zoom::Pane {
        app.zoom = Zoom::Split;
    } else if app.finding.take().is_some() {
    } else if app.timeline.filter.is_some() {
        let session = app.session.clone();
        app.timeline.set_filter(&session.read(), None);
    } else if app.focus != Focus::Timeline {
        app.focus = Focus::Timeline;
    } else {
        app.options.intro = None;
    }
}

/// Selects an event far away: one can come back.
pub(super) fn leap(app: &mut App, event: EventIx) {
    if let Some(here) = app.timeline.selected()
        && here != event
    {
        app.jumps.leave(here);
    }
    app.timeline.select(event);
}

fn seek(app: &mut App, way: Way, times: usize, what: &str, wanted: impl Fn(super::Glance) -> bool) -> Vec<Effect> {
    let Some(here) = app.timeline.selected() else { return Vec::new() };
    let mut found = here;
    for _ in 0..times {
        let mut next = app.survey.next(found, way, &wanted);
        // Only events that are seen.
        while let Some(event) = next.filter(|&event| app.timeline.position(event).is_err()) {
            next = app.survey.next(event, way, &wanted);
        }
        match next {
            Some(event) => found = event,
            None => break,
        }
    }
    if found == here {
        let side = if way == Way::Forward { "after" } else { "before" };
        let behind = app.survey.glances.len() < app.session.read().events.len();
        return match (app.inspect.is_some(), behind && way == Way::Forward) {
            (false, _) => say(app, "the settings are still being read"),
            (true, true) => say(app, format!("no event with {what} {side} this one, as far as was read")),
            (true, false) => say(app, format!("no event with {what} {side} this one")),
        };
    }
    leap(app, found);
    Vec::new()
}

fn go_to(app: &mut App, number: u32) -> Vec<Effect> {
    let count = app.session.read().events.len();
    if number == 0 || number as usize > count {
        return say(app, format!("there is no event {number}: they go from 1 to {count}"));
    }
    let event = EventIx(number - 1);
    leap(app, event);
    if app.timeline.selected() != Some(event) {
        return say(app, format!("event {number} is not shown: it is filtered out or folded away"));
    }
    Vec::new()
}

fn go_to_time(app: &mut App, text: &str) -> Vec<Effect> {
    let full = if text.matches(':').count() == 1 { format!("{text}:00") } else { text.to_owned() };
    let full = if full.find(':') == Some(1) { format!("0{full}") } else { full };
    let Ok(clock) = full.parse::<civil::Time>() else {
        return say(app, format!("\"{text}\" is no time of day: 10:41 or 10:41:02"));
    };
    let target = {
        let session = app.session.read();
        let here = app.timeline.selected().map_or(0, EventIx::at);
        // The day is that of the selected event, or of the next one with a time.
        let day = session.events.get(here..).unwrap_or_default().iter().chain(&session.events).find_map(|event| {
            let stamp = jiff::Timestamp::from_millisecond(event.time.millis()?).ok()?;
            Some(stamp.to_zoned_datetime(app.options.zone.clone()).date())
        });
        let start = day.and_then(|day| day.to_datetime(clock).to_zoned_datetime(app.options.zone.clone()).ok());
        start.and_then(|start| {
            let millis = start.timestamp().as_millisecond();
            (0..app.timeline.len()).filter_map(|position| app.timeline.event_at(position)).find(|event| {
                session.events.get(event.at()).and_then(|event| event.time.millis()).is_some_and(|time| time >= millis)
            })
        })
    };
    match target {
        Some(event) => leap(app, event),
        None => return say(app, format!("no event at {text} or later on that day")),
    }
    Vec::new()
}

pub(super) fn filter_by(app: &mut App, expr: &str) -> Vec<Effect> {
    let expr = expr.trim();
    let session = app.session.clone();
    if expr.is_empty() {
        app.timeline.set_filter(&session.read(), None);
        return Vec::new();
    }
    if let Some(Err(fault)) = app.inspect.as_ref().map(|inspect| inspect.filter(expr).map(|_| ())) {
        return say(app, format!("{} (column {})", fault.message, fault.column + 1));
    }
    app.wanted = app.timeline.selected();
    app.timeline.set_filter(&session.read(), Some(expr.to_owned()));
    Vec::new()
}

fn find_again(app: &mut App, way: Way) -> Vec<Effect> {
    let Some(finding) = &mut app.finding else { return say(app, "nothing to find yet: /") };
    finding.generation += 1;
    let (text, generation) = (finding.text.clone(), finding.generation);
    let found = match app.focus {
        Focus::Timeline => {
            let Some(from) = app.timeline.selected() else { return Vec::new() };
            return vec![Effect::FindText { text, from, way, generation }];
        }
        Focus::Event => {
            let at = app.detail.event_cursor.at;
            app.detail.json.find(&text, at, way)
        }
        Focus::Hooks => app.hooks_doc().find(&text, app.detail.hooks_cursor.at, way),
        Focus::Decision => app.decision_doc().find(&text, app.detail.decision_cursor.at, way),
    };
    match found {
        Some(at) => app.cursor_mut(app.focus).at = at,
        None => return say(app, format!("\"{text}\" is not in this pane")),
    }
    Vec::new()
}

fn open(app: &mut App) -> Vec<Effect> {
    match app.focus {
        Focus::Timeline => {
            app.focus = app.pane;
            if app.regions().shape == Shape::Stacked {
                app.zoom = Zoom::Pane;
            }
        }
        Focus::Event => {
            app.zoom = if app.zoom == Zoom::Pane { Zoom::Split } else { Zoom::Pane };
        }
        Focus::Hooks | Focus::Decision => {
            let doc = if app.focus == Focus::Hooks { app.hooks_doc() } else { app.decision_doc() };
            let line = doc.lines.get(app.cursor(app.focus).at);
            match line.and_then(|line| line.target.clone()) {
                Some(Target::Handler(id)) => {
                    if !app.detail.open.remove(&id) {
                        app.detail.open.insert(id.clone());
                    }
                    // The cursor stays with the handler's own line.
                    let target = Some(Target::Handler(id));
                    if let Some(at) = app.hooks_doc().lines.iter().position(|line| line.target == target) {
                        app.detail.hooks_cursor.at = at;
                    }
                }
                Some(Target::Rule(name)) => match app.inspect.as_ref().and_then(|inspect| inspect.rule(&name)) {
                    Some(rule) => app.layers.push(Layer::Reader(Reader::new(Text::Rule(rule)))),
                    None => return say(app, format!("{name}: no text is known for this rule")),
                },
                Some(Target::Event(event)) => leap(app, event),
                None => return say(app, "nothing to open on this line"),
            }
        }
    }
    Vec::new()
}

fn fold(app: &mut App) {
    match app.focus {
        Focus::Timeline => {
            let session = app.session.clone();
            let session = session.read();
            let agent = app
                .timeline
                .selected()
                .and_then(|event| session.events.get(event.at()))
                .map(|event| event.agent)
                .filter(|agent| agent.0 != 0);
            match agent {
                Some(agent) => app.timeline.fold(&session, agent),
                None => app.message = Some(("no subagent here to fold".into(), Tone::Plain)),
            }
        }
        Focus::Event => {
            let at = app.detail.json.toggle(app.detail.event_cursor.at);
            app.detail.event_cursor.at = at;
        }
        Focus::Hooks | Focus::Decision => {}
    }
}

fn fold_all(app: &mut App) {
    match app.focus {
        Focus::Timeline => {
            let session = app.session.clone();
            app.timeline.fold_all(&session.read());
        }
        Focus::Event => app.detail.json.toggle_all(),
        Focus::Hooks => {
            let Some(step) = app.detail.step().cloned() else { return };
            let ids: Vec<String> =
                step.groups.iter().flat_map(|group| &group.handlers).map(|handler| handler.id.clone()).collect();
            if ids.iter().any(|id| app.detail.open.contains(id)) {
                app.detail.open.clear();
            } else {
                app.detail.open.extend(ids);
            }
        }
        Focus::Decision => {}
    }
}

fn copy_value(app: &mut App) -> Vec<Effect> {
    let Some(step) = app.detail.step().cloned() else { return say(app, "the event is still being read") };
    match app.focus {
        Focus::Timeline => match &step.input {
            Some(input) => copy(app, input.to_string()),
            None => say(app, "the hook input of this event is not known"),
        },
        Focus::Event => {
            let value = app.detail.json.at(app.detail.event_cursor).map(|(_, row)| row.pointer.clone());
            match value.as_deref().and_then(|pointer| step.input.as_ref()?.pointer(pointer)) {
                Some(serde_json::Value::String(text)) => copy(app, text.clone()),
                Some(value) => copy(app, value.to_string()),
                None => say(app, "nothing to copy"),
            }
        }
        Focus::Hooks => {
            let (doc, cursor) = (app.hooks_doc(), app.detail.hooks_cursor);
            copy_line(app, &doc, cursor)
        }
        Focus::Decision => {
            let (doc, cursor) = (app.decision_doc(), app.detail.decision_cursor);
            copy_line(app, &doc, cursor)
        }
    }
}

impl App {
    /// The panes in the order in which they stand.
    pub fn pane_order(&self) -> [Focus; 4] {
        match self.regions().shape {
            Shape::Beside if self.zoom == Zoom::Split => [Focus::Timeline, Focus::Event, Focus::Hooks, Focus::Decision],
            _ => [Focus::Timeline, Focus::Hooks, Focus::Event, Focus::Decision],
        }
    }

    fn turn_pane(&mut self, way: Way) {
        let order = self.pane_order();
        // A zoomed pane gives way to another pane, not to the timeline.
        let order: &[Focus] = if self.zoom == Zoom::Pane { &order[1..] } else { &order };
        let at = order.iter().position(|&pane| pane == self.focus).unwrap_or(0);
        let next = match way {
            Way::Forward => (at + 1) % order.len(),
            Way::Back => (at + order.len() - 1) % order.len(),
        };
        self.focus_on(order[next]);
    }

    pub(super) fn focus_on(&mut self, focus: Focus) {
        self.focus = focus;
        if focus != Focus::Timeline {
            self.pane = focus;
        }
    }

    /// Whether a text holds what is being looked for.
    pub fn is_hit(&self, text: &str) -> bool {
        self.finding.as_ref().is_some_and(|finding| contains(text, &finding.text))
    }
}
