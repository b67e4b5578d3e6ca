//! Interned names: a session repeats a few hundred of them millions of times.

use std::collections::HashMap;
use std::sync::Arc;

/// A name interned in one [`Names`] table. Meaningless with another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

impl Name {
    /// No name: the field is absent.
    pub const NONE: Name = Name(0);

    /// Whether there is a name at all. The empty text is a name of its own.
    pub fn is_some(self) -> bool {
        self != Name::NONE
    }
}

/// The table that gives [`Name`]s their text.
#[derive(Debug, Clone)]
pub struct Names {
    texts: Vec<Arc<str>>,
    by_text: HashMap<Arc<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        // Entry 0 is `Name::NONE`; its text is never looked up by text.
        Names { texts: vec![Arc::from("")], by_text: HashMap::new() }
    }
}

impl Names {
    /// The name of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.by_text.get(text) {
            return name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = Arc::from(text);
        self.texts.push(text.clone());
        self.by_text.insert(text, name);
        name
    }

    /// The name of `text` if it was interned before.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    /// The text of `name`; empty for [`Name::NONE`].
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }

    /// The text of `name`, or `None` where it is absent.
    pub fn get(&self, name: Name) -> Option<&str> {
        name.is_some().then(|| self.text(name))
    }

    /// How many names there are, [`Name::NONE`] included.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.texts.len() == 1
    }

    /// The texts interned since there were `from` of them: what a reader of the table lacks.
    pub fn since(&self, from: usize) -> Vec<Arc<str>> {
        self.texts.get(from..).unwrap_or_default().to_vec()
    }
}
