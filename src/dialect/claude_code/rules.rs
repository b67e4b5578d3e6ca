//! The rules that verdicts rest on, as shown to people.

use crate::dialect::Rule;

/// A rule by name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// Every rule.
pub static RULES: &[Rule] = &[];
