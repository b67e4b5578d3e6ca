//! Copying what is under the cursor.

use super::say;
use crate::app::json::bytes;
use crate::app::{App, Cursor, Doc, Effect, Focus, Tone};

pub(super) fn copy_line(app: &mut App, doc: &Doc, cursor: Cursor) -> Vec<Effect> {
    match doc.lines.get(cursor.at) {
        Some(line) => copy(app, line.text().trim().to_owned()),
        None => say(app, "nothing to copy"),
    }
}

pub(in crate::app) fn copy(app: &mut App, text: String) -> Vec<Effect> {
    app.message = Some((format!("copied {}", bytes(text.len())), Tone::Plain));
    vec![Effect::Copy(text)]
}

pub(super) fn copy_value(app: &mut App) -> Vec<Effect> {
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
