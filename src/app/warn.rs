//! What deserves a line of warning.

use super::{Action, App};
use crate::model::FileStatus;

/// A warning: one sentence, and what to press for more.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The sentence.
    pub text: String,
    /// Few words, for narrow screens.
    pub short: String,
    /// What shows more of it.
    pub action: Option<Action>,
}

/// The most pressing warning about the session at hand.
pub fn warning(app: &App) -> Option<Warning> {
    if let Some(error) = &app.load_error {
        return Some(Warning { text: error.clone(), short: error.clone(), action: None });
    }
    if let Some(warning) = app.warnings.first() {
        return Some(warning.clone());
    }
    if let Some((event, rounds)) = app.survey.longest.filter(|(_, rounds)| *rounds >= 3) {
        return Some(Warning {
            text: format!("{rounds} stops were blocked in a row, up to event {}", event.0 + 1),
            short: format!("{rounds} stop blocks"),
            action: Some(Action::Loops),
        });
    }
    if let Some(inspect) = &app.inspect
        && let Some((path, why)) =
            inspect.plan().eras.iter().flat_map(|era| &era.set.files).find_map(|file| match &file.status {
                FileStatus::Rejected { why, .. } => Some((file.path.clone(), why.clone())),
                FileStatus::Loaded | FileStatus::NotLoadable { .. } => None,
            })
    {
        return Some(Warning {
            text: format!("{path} is refused: {why}"),
            short: format!("{path} is refused"),
            action: Some(Action::HookTable),
        });
    }
    let broken = app.broken;
    if broken > 0 {
        let lines = if broken == 1 {
            "1 line could not be read".to_owned()
        } else {
            format!("{broken} lines could not be read")
        };
        return Some(Warning { text: lines.clone(), short: lines, action: None });
    }
    None
}
