//! JavaScript regular expressions without flags, as `new RegExp(text)` reads them.

use std::borrow::Cow;

use regress::Regex;

use super::effort::Effort;
use super::pattern::Refusal;
use super::{Judge, Judged};

/// Bytes of the subject that were matched.
pub type Found = Option<(usize, usize)>;

/// A compiled pattern with what it may cost.
#[derive(Debug)]
pub(super) struct Searcher {
    pattern: String,
    regex: Regex,
    effort: Effort,
}

impl Searcher {
    pub(super) fn compile(pattern: &str) -> Result<Searcher, Refusal> {
        let regex = compile(pattern)?;
        Ok(Searcher { pattern: pattern.to_owned(), regex, effort: Effort::of(pattern) })
    }

    /// Searches a text, through the judge where it may take long.
    pub(super) fn find(&self, text: &str, judge: &dyn Judge) -> Judged {
        if self.effort.is_risky(text.chars().count()) {
            return judge.test(&self.pattern, text);
        }
        match self.regex.find(text) {
            Some(found) => Judged::Found(found.start(), found.end()),
            None => Judged::NotFound,
        }
    }
}

/// Searches a text for a pattern, however long it takes: for a process that can be killed.
///
/// # Errors
/// The engine's words where it does not take the pattern.
pub fn search(pattern: &str, text: &str) -> Result<Found, String> {
    match compile(pattern) {
        Ok(regex) => Ok(regex.find(text).map(|found| (found.start(), found.end()))),
        Err(Refusal::Invalid(error) | Refusal::TooLarge(error)) => Err(error),
    }
}

fn compile(pattern: &str) -> Result<Regex, Refusal> {
    if repeats_a_word_boundary(pattern) {
        return Err(Refusal::Invalid("Nothing to repeat".to_owned()));
    }
    // The engine's own limits are no statement about JavaScript.
    Regex::new(&without_code_point_escapes(pattern)).map_err(|error| {
        let limit = error.text.contains("too deeply nested") || error.text.contains("limit exceeded");
        if limit { Refusal::TooLarge(error.text) } else { Refusal::Invalid(error.text) }
    })
}

/// `\b+`: an error in JavaScript, which the engine takes.
fn repeats_a_word_boundary(pattern: &str) -> bool {
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let boundary = matches!(chars.next(), Some('b' | 'B')) && !in_class;
                if boundary && begins_with_quantifier(chars.as_str()) {
                    return true;
                }
            }
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    false
}

fn begins_with_quantifier(text: &str) -> bool {
    let counted = || {
        let (count, _) = text.strip_prefix('{')?.split_once('}')?;
        let (least, most) = count.split_once(',').unwrap_or((count, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        Some(!least.is_empty() && digits(least) && digits(most))
    };
    text.starts_with(['*', '+', '?']) || counted() == Some(true)
}

/// Without the `u` flag `\u{41}` is the letter u, 41 times; the engine reads it as a code point all the same.
/// Group names keep theirs: there it is a code point in JavaScript too.
fn without_code_point_escapes(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains("\\u{") {
        return Cow::Borrowed(pattern);
    }
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let taken = if let Some(name) = rest.strip_prefix("(?<").filter(|name| !name.starts_with(['=', '!'])) {
            let len = 3 + name.find('>').map_or(name.len(), |end| end + 1);
            text.push_str(&rest[..len]);
            len
        } else if rest.starts_with("\\u{") {
            text.push('u');
            2
        } else if c == '\\' {
            let len = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..len]);
            len
        } else {
            text.push(c);
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    Cow::Owned(text)
}
