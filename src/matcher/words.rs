//! Why a matcher matches or not, and what it says, in words for people.

use super::names::{alternatives, differ_by_case, permission_rule, server_alone};
use super::{Engine, Lists, MatcherRule};

pub(super) const IGNORED: &str = "this event ignores its matcher: every group fires";
pub(super) const BARRED: &str = "this event has nothing to test a matcher on: only an empty one fires";
pub(super) const INVALID: &str = "the pattern does not compile, so it never matches";

/// Why a subject is not in a list takes at most this many names.
const NAMES_SHOWN: usize = 6;

pub(super) fn match_all(text: Option<&str>) -> String {
    match text {
        None => "no matcher: everything matches".to_owned(),
        Some("") => "an empty matcher matches everything".to_owned(),
        Some(text) => format!("`{text}` matches everything"),
    }
}

pub(super) fn exact(matched: bool, text: &str, subject: &str) -> String {
    if matched {
        "exact text".to_owned()
    } else if differ_by_case(text, subject) {
        by_case(text, subject)
    } else {
        "another text".to_owned()
    }
}

pub(super) fn listed(subject: &str) -> String {
    format!("exact name, one of the list: `{subject}`")
}

pub(super) fn former(written: &str, subject: &str, present: &str) -> String {
    if written == present {
        format!("`{subject}` is a former name of `{present}`")
    } else {
        format!("`{written}` is a former name of `{present}`")
    }
}

pub(super) fn not_listed(names: &[String], subject: &str, rule: &MatcherRule) -> String {
    if names.is_empty() {
        return "a list without names matches nothing".to_owned();
    }
    if let Some(name) = names.iter().find(|name| differ_by_case(name, subject)) {
        return by_case(name, subject);
    }
    for name in names {
        if let Some(server) = server_alone(name, rule).filter(|server| subject.starts_with(server)) {
            return format!("a server name alone matches nothing: {server}__.*");
        }
    }
    if let Some(name) = names.iter().find(|name| subject.contains(name.as_str())) {
        return format!("exact names: `{name}` is only a part of `{subject}`");
    }
    if names.len() == 1 { "exact name, another one".to_owned() } else { "none of the exact names".to_owned() }
}

fn by_case(written: &str, subject: &str) -> String {
    format!("exact names, case counts: `{written}` is not `{subject}`")
}

pub(super) fn found(subject: &str, start: usize, end: usize) -> String {
    let place = match (start == 0, end == subject.len()) {
        _ if start == end => "finds the empty text, which is in every name",
        (true, true) => "fits the whole name",
        (true, false) => "found at the start of the name",
        (false, true) => "found at the end of the name",
        (false, false) => "found in the middle of the name",
    };
    format!("a regular expression, {place}")
}

pub(super) fn found_other(name: &str, subject: &str) -> String {
    format!("a regular expression, found in `{name}`, another name of `{subject}`")
}

pub(super) fn not_found(pattern: &str, subject: &str) -> String {
    let rules = alternatives(pattern);
    if let Some((tool, _)) = rules.iter().copied().find_map(permission_rule).filter(|(tool, _)| *tool == subject) {
        return format!(
            "read as a regular expression and not found: the name is only `{tool}`, a permission rule belongs into `if`"
        );
    }
    if rules.iter().any(|part| differ_by_case(part, subject)) {
        return format!("a regular expression, case counts: `{pattern}` is not found in `{subject}`");
    }
    "a regular expression, not found in the name".to_owned()
}

pub(super) fn invalid(error: &str, engine: Engine) -> String {
    let whose = match engine {
        Engine::Rust => "Rust",
        Engine::JavaScript | Engine::None => "JavaScript",
    };
    format!("not a valid {whose} regular expression, so it never matches: {}", lower_first(error))
}

pub(super) fn fallen(error: &str) -> String {
    format!("not a valid regular expression, so it is compared as it stands: {}", lower_first(error))
}

pub(super) fn undecided(because: &str) -> String {
    format!("undecided: {}", lower_first(because))
}

pub(super) fn explain_names(names: &[String], rule: &MatcherRule) -> String {
    let with_former = |name: &String| {
        let present = rule.present_name(name);
        if present == name { name.clone() } else { format!("{name} (now {present})") }
    };
    match names {
        [] => "a list without names: matches nothing".to_owned(),
        [name] => format!("one exact name, case counts: {}", with_former(name)),
        names => {
            let mut shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(with_former).collect();
            if names.len() > NAMES_SHOWN {
                shown.push(format!("and {} more", names.len() - NAMES_SHOWN));
            }
            format!("a list of exact names, case counts: {}", shown.join(", "))
        }
    }
}

pub(super) fn explain_regex(pattern: &str, rule: &MatcherRule) -> String {
    let searched = if rule.whole { "must fit the whole name" } else { searched(pattern) };
    if rule.lists != Lists::OfMarks {
        let first = if rule.lists == Lists::First { "compared with the name first, then " } else { "" };
        return format!("{first}a regular expression, {searched}");
    }
    let mut odd: Vec<char> =
        pattern.chars().filter(|c| !c.is_ascii_alphanumeric() && !rule.list_marks.contains(*c)).collect();
    let mut seen = Vec::new();
    odd.retain(|c| {
        !seen.contains(c) && {
            seen.push(*c);
            true
        }
    });
    let marks: String =
        rule.list_marks.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(|c| [' ', c]).collect();
    let because = match odd.as_slice() {
        [] => "it is no list of names".to_owned(),
        odd => {
            let shown: Vec<String> = odd.iter().take(4).map(|c| format!("`{}`", c.escape_debug())).collect();
            format!("it has {} beyond names{}", shown.join(" "), if marks.is_empty() { "" } else { &marks })
        }
    };
    format!("a regular expression ({because}), {searched}")
}

/// Where a pattern is looked for, by its plain anchors.
fn searched(pattern: &str) -> &'static str {
    let whole = alternatives(pattern).len() == 1;
    let end = pattern.ends_with('$') && !pattern.ends_with("\\$");
    match (whole && pattern.starts_with('^'), whole && end) {
        (true, true) => "must fit the whole name",
        (true, false) => "searched at the start of the name",
        (false, true) => "searched at the end of the name",
        (false, false) => "searched anywhere in the name",
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
