//! What each action does. Pure: the world is asked through effects.

mod layers;
mod leaps;
mod values;

use super::doc::contains;
use super::hook_table::View;
use super::layer::Text;
use super::{
    Action, App, Ask, Asked, Bookmarks, Effect, Focus, Layer, Loops, Palette, Reader, Shape, Target, Tone, Way, Zoom,
};

use layers::in_layer;
pub(super) use layers::typed_in_ask;
pub(super) use leaps::{filter_by, leap};
use leaps::{find_again, go_to, go_to_time, seek, unfilter};
pub(super) use values::copy;
use values::copy_value;

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
            let words = match mouse {
                super::MouseUse::On => "the mouse works here: click, wheel and drag",
                super::MouseUse::Off => "the mouse is left to the terminal's own selection; :mouse on takes it back",
            };
            app.message = Some((words.to_owned(), Tone::Plain));
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
        Action::ToDecided(way) => {
            return seek(app, way, times(typed), "a decision or failure", |glance| glance.decided());
        }
        Action::GoTo(number) => return go_to(app, number),
        Action::GoToTime(time) => return go_to_time(app, &time),
        Action::Select(event) => leap(app, event),
        Action::Pane(way) => app.turn_pane(way),
        Action::Focus(focus) => app.focus_on(focus),
        Action::Open => return open(app),
        Action::Fold => fold(app),
        Action::FoldAll => fold_all(app),
        Action::Branch => return leaps::choose_branch(app, typed),
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
        Action::FilterByDecider => return leaps::filter_by_decider(app),
        Action::Conversation => {
            app.talk = !app.talk;
            return say(
                app,
                if app.talk {
                    "conversation lines are shown: t hides them"
                } else {
                    "conversation lines are hidden: t shows them"
                },
            );
        }
        Action::Bookmark => {
            if let Some(event) = app.timeline.selected() {
                let note = app.bookmarks.iter().find(|it| it.event == event).map(|it| it.note.clone());
                app.layers.push(Layer::Ask(Ask::new(Asked::Note(event), note.unwrap_or_default())));
            }
        }
        Action::Lab => super::screens::open_lab(app),
        Action::HookTable => app.layers.push(Layer::HookTable(Box::default())),
        Action::Loops => app.layers.push(Layer::Loops(Box::new(Loops::opened_from(app.timeline.selected())))),
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
        unfilter(app);
    } else if app.timeline.branch().is_some() {
        let session = app.session.clone();
        app.timeline.choose_branch(&session.read(), None);
    } else if app.focus != Focus::Timeline {
        app.focus = Focus::Timeline;
    } else {
        app.intro_closed = true;
    }
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
                None if app.detail.step().is_none() => return say(app, "the event is still being read"),
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

    /// Whether Enter opens something on the line of the cursor, where the focus is on lines.
    pub fn opens_here(&self) -> bool {
        let doc = match self.focus {
            Focus::Hooks => self.hooks_doc(),
            Focus::Decision => self.decision_doc(),
            Focus::Timeline | Focus::Event => return true,
        };
        doc.lines.get(self.cursor(self.focus).at).is_some_and(|line| line.target.is_some())
    }

    /// Words of the bottom line whose keys would do nothing now.
    pub fn idle_keys(&self) -> &'static [&'static str] {
        match self.layers.last() {
            Some(Layer::HookTable(table)) if table.view != View::List => &["sort", "matcher", "copy"],
            Some(Layer::Loops(loops)) => match loops.seen.as_ref().map_or(0, |seen| seen.loops.len()) {
                0 => &["go", "loop", "copy", "move"],
                1 => &["loop"],
                _ => &[],
            },
            Some(_) => &[],
            None => match (self.opens_here(), self.decided()) {
                (false, false) => &["stages", "rule", "same hook"],
                (false, true) => &["stages", "rule"],
                (true, false) => &["same hook"],
                (true, true) => &[],
            },
        }
    }

    fn decided(&self) -> bool {
        self.detail.step().is_some_and(|step| step.decision.decided_by.is_some())
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
