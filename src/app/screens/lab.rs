//! Opening the matcher lab, and what its keys do.

use crate::app::update::{anywhere, copy, leap, say, times};
use crate::app::{Action, Amount, App, Area, Effect, Focus, Lab, Layer, Target, Tone};
use crate::dialect;
use crate::dialect::match_report::counterpart;
use crate::model::{EventIx, GroupStep};

/// Where the parts of the matcher lab stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabRegions {
    /// Its title line.
    pub title: Area,
    /// The text field.
    pub field: Area,
    /// Reading, hints, what is kept.
    pub head: Area,
    /// Names of the columns.
    pub columns: Area,
    /// The names.
    pub list: Area,
}

impl App {
    /// The matcher lab, where it is open.
    pub fn lab(&self) -> Option<&Lab> {
        self.layers.iter().rev().find_map(|layer| match layer {
            Layer::Lab(lab) => Some(lab.as_ref()),
            _ => None,
        })
    }

    pub(in crate::app) fn lab_mut(&mut self) -> Option<&mut Lab> {
        self.layers.iter_mut().rev().find_map(|layer| match layer {
            Layer::Lab(lab) => Some(lab.as_mut()),
            _ => None,
        })
    }

    /// Where the parts of the matcher lab stand.
    pub fn lab_regions(&self, lab: &Lab) -> LabRegions {
        let (title, rest) = self.reader_body().split_top(1);
        let (field, rest) = rest.split_top(1);
        // The list keeps at least half of the room; in a small one, two names.
        let room = rest.height.saturating_sub(1);
        let most = usize::from((room / 2).max(room.saturating_sub(2).min(3)));
        let head = lab.head(&self.keeps, usize::from(rest.width), most, self.options.charset);
        let (head, rest) = rest.split_top(u16::try_from(head.lines.len()).unwrap_or(u16::MAX));
        let (columns, list) = rest.split_top(1);
        LabRegions { title, field, head, columns, list }
    }
}

/// Opens the lab with the matcher of the hook in focus.
pub(in crate::app) fn open_lab(app: &mut App) {
    let group = group_in_focus(app);
    let pattern = group.as_ref().and_then(|group| group.matcher.clone()).unwrap_or_default();
    let has_matcher = !pattern.is_empty();
    let session = app.session.clone();
    let session = session.read();
    let selected = app.timeline.selected().and_then(|event| session.events.get(event.at()));
    let name = selected.map(|event| session.names.text(event.name)).unwrap_or_default();
    let dialect = dialect::of_session(session.dialect);
    let tested = dialect.event(name).is_some_and(|spec| spec.subject.is_some());
    let event = if tested || has_matcher { name } else { counterpart("PreToolUse", dialect).unwrap_or(name) };
    let version = version_here(app, &session);
    let lab = Lab::new(&pattern, event, version, &session, &app.subjects);
    app.layers.push(Layer::Lab(Box::new(lab)));
}

/// The client version at the selected event.
pub(super) fn version_here(app: &App, session: &crate::model::Session) -> Option<String> {
    let event = app.timeline.selected()?;
    app.inspect.as_ref()?.version(session, event)
}

/// The group under the cursor of the hooks pane; elsewhere the one that deserves a look: a near miss, a match, any.
fn group_in_focus(app: &App) -> Option<GroupStep> {
    let step = app.detail.step()?;
    if app.focus == Focus::Hooks {
        let doc = app.hooks_doc();
        if let Some(Target::Handler(id)) =
            doc.lines.get(app.detail.hooks_cursor.at).and_then(|line| line.target.clone())
        {
            let holds = |group: &&GroupStep| group.id == id || group.handlers.iter().any(|handler| handler.id == id);
            return step.groups.iter().find(holds).cloned();
        }
    }
    let with = |wanted: fn(&GroupStep) -> bool| step.groups.iter().find(|group| wanted(group)).cloned();
    with(|group| group.matched == Some(false) && group.hint.is_some())
        .or_else(|| with(|group| group.matched == Some(true) && group.matcher.is_some()))
        .or_else(|| with(|group| group.matcher.is_some()))
}

/// What keys do in the lab.
pub(in crate::app) fn in_lab(app: &mut App, action: Action, typed: Option<u32>) -> Vec<Effect> {
    let session = app.session.clone();
    let Some(lab) = app.lab() else { return Vec::new() };
    let height = usize::from(app.lab_regions(lab).list.height);
    if let Action::Pane(way) = action {
        let subjects = std::mem::take(&mut app.subjects);
        if let Some(lab) = app.lab_mut() {
            lab.turn_event(way, &session.read(), &subjects);
        }
        app.subjects = subjects;
        return Vec::new();
    }
    let Some(lab) = app.lab_mut() else { return Vec::new() };
    let len = lab.report.results.len();
    match action {
        Action::Choose(way) => lab.cursor.step(way, Amount::Line, 1, len, height),
        Action::Move(way, amount) => lab.cursor.step(way, amount, times(typed), len, height),
        Action::Keep => {
            let chosen = lab.chosen().map(|row| (lab.event.clone(), row.subject.clone()));
            match chosen {
                Some((event, subject)) => crate::app::lab::turn_keep(&mut app.keeps, &event, &subject),
                None => return say(app, "no name here to keep"),
            }
        }
        Action::Accept => {
            let pattern = serde_json::Value::from(lab.field.value()).to_string();
            let effects = copy(app, pattern.clone());
            app.message = Some((format!("copied {pattern}: paste it behind \"matcher\":"), Tone::Plain));
            return effects;
        }
        Action::Open => {
            let Some(wanted) = lab.chosen().map(|row| row.subject.clone()) else { return Vec::new() };
            let event = lab.event.clone();
            return go_to_subject(app, &event, &wanted);
        }
        other => return anywhere(app, other),
    }
    Vec::new()
}

/// Leaps to the next event with that name and subject, going round, and leaves the lab.
fn go_to_subject(app: &mut App, event: &str, subject: &str) -> Vec<Effect> {
    let session = app.session.clone();
    let session = session.read();
    let from = app.timeline.selected().map_or(0, |event| event.at() + 1);
    let fits = |at: &usize| {
        session
            .events
            .get(*at)
            .is_some_and(|it| session.names.text(it.name) == event && session.names.text(it.subject) == subject)
    };
    let count = session.events.len();
    let found = (from..count).chain(0..from.min(count)).find(fits);
    match found.and_then(|at| u32::try_from(at).ok()) {
        Some(at) => {
            app.layers.pop();
            let wrapped = (at as usize) < from;
            leap(app, EventIx(at));
            let back = if wrapped { ", found from the start on" } else { "" };
            let hidden = if app.timeline.selected() == Some(EventIx(at)) { "" } else { ", which is not shown" };
            say(app, format!("event {} is the next {event} of {subject}{back}{hidden}", at + 1))
        }
        None => say(app, format!("no {event} of this session has {subject}: the agent is only known to have it")),
    }
}
