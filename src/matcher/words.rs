//! Why a matcher matches or not, and what it says, in words for people.

use super::names::{alternatives, differ_by_case, is_plain, permission_rule, server_alone};
use super::{Engine, Lists, MatcherRule};

pub(super) const IGNORED: &str = "this event ignores its matcher: every group fires";
pub(super) const BARRED: &str = "this event has nothing to test a matcher on: only an empty one fires";
pub(super) const INVALID: &str = "the pattern does not compile, so it never matches";

/// A pattern with more alternatives than this, or longer than that, is not put into words part by part.
const ALTERNATIVES_SAID: usize = 5;
const LENGTH_SAID: usize = 200;

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
        format!("the text is exactly `{subject}`")
    } else if differ_by_case(text, subject) {
        by_case(text, subject)
    } else {
        format!("`{subject}` is not `{text}`")
    }
}

pub(super) fn same(subject: &str) -> String {
    format!("the name is exactly `{subject}`")
}

pub(super) fn listed(subject: &str) -> String {
    format!("`{subject}` is on the list")
}

pub(super) fn other_name(written: &str, subject: &str, present: &str, former: bool) -> String {
    let which = if former { "a former name" } else { "another name" };
    if written == present {
        format!("`{subject}` is {which} of `{present}`")
    } else {
        format!("`{written}` is {which} of `{present}`")
    }
}

pub(super) fn not_listed(names: &[String], subject: &str, rule: &MatcherRule) -> String {
    if names.is_empty() {
        return "the list holds no name, so it matches nothing".to_owned();
    }
    if let Some(name) = names.iter().find(|name| differ_by_case(name, subject)) {
        return by_case(name, subject);
    }
    for name in names {
        if let Some(server) = server_alone(name, rule).filter(|server| subject.starts_with(server)) {
            return server_matches_nothing(server);
        }
    }
    if let Some(name) = names.iter().find(|name| subject.contains(name.as_str())) {
        return part(name, subject);
    }
    match names {
        [name] => format!("`{subject}` is not `{name}`"),
        _ => format!("`{subject}` is not on the list"),
    }
}

pub(super) fn server_matches_nothing(server: &str) -> String {
    format!("a server name alone matches nothing: write {server}__.*")
}

pub(super) fn part(written: &str, whole: &str) -> String {
    format!("it has to be the whole name: `{written}` is only a part of `{whole}`")
}

pub(super) fn by_case(written: &str, subject: &str) -> String {
    format!("case counts: `{written}` is not `{subject}`")
}

pub(super) fn found(pattern: &str, subject: &str, start: usize, end: usize) -> String {
    let place = match (start == 0, end == subject.len()) {
        _ if start == end && looks_around(pattern) => "fits at a place in the name, without a letter of it",
        _ if start == end => "matches everything: the empty text is in every name",
        (true, true) => "fits the whole name",
        (true, false) => "is found at the start of the name",
        (false, true) => "is found at the end of the name",
        (false, false) => "is found in the middle of the name",
    };
    format!("the pattern {place}")
}

/// Whether a pattern may ask for a place as well as for letters: then finding the empty text once does not mean
/// finding it in every name.
pub(super) fn looks_around(pattern: &str) -> bool {
    pattern.contains(['^', '$']) || ["\\b", "\\B", "(?"].iter().any(|mark| pattern.contains(mark))
}

pub(super) fn found_other(name: &str, subject: &str) -> String {
    format!("the pattern is found in `{name}`, another name of `{subject}`")
}

pub(super) fn not_found(pattern: &str, subject: &str) -> String {
    let rules = alternatives(pattern);
    if let Some((tool, _)) = rules.iter().copied().find_map(permission_rule).filter(|(tool, _)| *tool == subject) {
        return format!(
            "the name is only `{tool}`: what stands in brackets is a permission rule and belongs into `if`"
        );
    }
    if rules.iter().any(|part| differ_by_case(part, subject)) {
        return format!("case counts: `{pattern}` is not found in `{subject}`");
    }
    "the pattern is not in the name".to_owned()
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
        match (present == name, rule.former) {
            (true, _) => name.clone(),
            (false, true) => format!("{name} (now {present})"),
            (false, false) => format!("{name} (here {present})"),
        }
    };
    match names {
        [] => "a list that holds no name, so it matches nothing".to_owned(),
        [name] => format!("one name, which has to be exactly {}", with_former(name)),
        names => {
            let mut shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(with_former).collect();
            if names.len() > NAMES_SHOWN {
                shown.push(format!("and {} more", names.len() - NAMES_SHOWN));
            }
            format!("a list: the name has to be exactly one of {}", shown.join(", "))
        }
    }
}

pub(super) fn explain_regex(pattern: &str, matches_all: bool, rule: &MatcherRule) -> String {
    let asks = match wanted(pattern) {
        _ if matches_all => "every name fits, because the empty text does".to_owned(),
        _ if rule.whole => "the whole name has to fit".to_owned(),
        Some(wanted) => format!("the name has to {wanted}"),
        None => searched(pattern).to_owned(),
    };
    if rule.lists != Lists::OfMarks {
        let first = if rule.lists == Lists::First { "compared with the name first, then " } else { "" };
        return format!("{first}a regular expression: {asks}");
    }
    let mut odd: Vec<char> = Vec::new();
    for c in pattern.chars().filter(|c| !c.is_ascii_alphanumeric() && !rule.list_marks.contains(*c)) {
        if !odd.contains(&c) && odd.len() < 4 {
            odd.push(c);
        }
    }
    let shown: Vec<String> = odd.iter().map(|c| format!("`{}`", c.escape_debug())).collect();
    let kind = match shown.split_last() {
        None => "a regular expression".to_owned(),
        Some((only, [])) => format!("a regular expression, because of {only}"),
        Some((last, before)) => format!("a regular expression, because of {} and {last}", before.join(" ")),
    };
    format!("{kind}: {asks}")
}

/// What a plain pattern asks of the name, as what follows "has to"; `None` for what words would only blur.
fn wanted(pattern: &str) -> Option<String> {
    if pattern.len() > LENGTH_SAID {
        return None;
    }
    let whole = pattern.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$"));
    if let Some(names) = whole {
        let names: Vec<&str> = names.strip_prefix("?:").unwrap_or(names).split('|').collect();
        let plain = names.len() <= ALTERNATIVES_SAID && names.iter().all(|name| is_plain(name));
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return plain.then(|| format!("be exactly {}", names.join(" or ")));
    }
    let parts = alternatives(pattern);
    if parts.len() > ALTERNATIVES_SAID {
        return None;
    }
    let said: Vec<String> = parts.into_iter().map(wanted_of).collect::<Option<_>>()?;
    Some(said.join(", or "))
}

fn wanted_of(part: &str) -> Option<String> {
    let (starts, rest) = part.strip_prefix('^').map_or((false, part), |rest| (true, rest));
    let (ends, rest) = rest.strip_suffix('$').map_or((false, rest), |rest| (true, rest));
    let pieces: Vec<&str> = rest.split(".*").collect();
    let (starts, ends) = (starts && !pieces.first()?.is_empty(), ends && !pieces.last()?.is_empty());
    let words: Vec<&str> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    if !words.iter().all(|word| is_plain(word)) {
        return None;
    }
    Some(match (words.as_slice(), starts, ends) {
        ([only], true, true) if rest == *only => format!("be exactly `{only}`"),
        ([_], true, true) | ([], ..) => return None,
        ([only], true, false) => format!("begin with `{only}`"),
        ([only], false, true) => format!("end with `{only}`"),
        ([only], false, false) => format!("contain `{only}`"),
        ([first, between @ .., last], ..) => {
            let mut said = format!("{} `{first}`", if starts { "begin with" } else { "contain" });
            for word in between {
                said.push_str(&format!(", then `{word}`"));
            }
            said + &format!("{} `{last}`", if ends { " and end with" } else { ", then" })
        }
    })
}

/// Where a pattern is looked for, by its plain anchors.
fn searched(pattern: &str) -> &'static str {
    let whole = alternatives(pattern).len() == 1;
    let end = pattern.ends_with('$') && !pattern.ends_with("\\$");
    match (whole && pattern.starts_with('^'), whole && end) {
        (true, true) => "the whole name has to fit",
        (true, false) => "it is looked for at the start of the name",
        (false, true) => "it is looked for at the end of the name",
        (false, false) => "it may be found anywhere in the name",
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
