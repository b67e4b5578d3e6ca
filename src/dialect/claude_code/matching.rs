//! How Claude Code reads matchers, by event and version.
//!
//! Measured on 2.1.197 (PreToolUse) and 2.1.332 (every event that could be reached); older versions follow the
//! vendor's changelog.

use serde_json::Value;

use super::DIALECT;
use super::tools::TOOLS;
use crate::dialect::matching;
use crate::dialect::rules::at_least;
use crate::dialect::{MatcherUse, Rule};
use crate::matcher::{Attention, Engine, Hint, HintKind, Kind, Lists, Matcher, MatcherRule, ServerNames, ToolSpec};

/// Commas and spaces in lists of names.
const COMMA_LISTS: (u32, u32, u32) = (2, 1, 191);
/// Hyphens in exact names.
const EXACT_HYPHENS: (u32, u32, u32) = (2, 1, 195);
/// The subagent tool is called Agent, and former names are accepted.
const RENAMED_TOOLS: (u32, u32, u32) = (2, 1, 63);

/// Events whose treatment of a matcher rests on a reading alone, with the rule's name.
const UNCONFIRMED: &[&str] = &["PreSkillShellCommand"];

const SERVERS: ServerNames = ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" };

/// The rules of this page, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "matcher-all",
        text: "No matcher, an empty one and `*` match everything.",
        versions: "all",
        source: "measured on 2.1.197 and 2.1.332; hooks reference",
    },
    Rule {
        name: "matcher-exact-list",
        text: "A text of letters, digits, _, -, |, comma and space is a list, split at | and comma, trimmed; a name \
               matches if it equals one of them, case included.",
        versions: "2.1.195 and newer",
        source: "measured on 2.1.197 and 2.1.332",
    },
    Rule {
        name: "matcher-hyphen-is-regex",
        text: "A hyphen makes the text a regular expression, searched anywhere in the name.",
        versions: "before 2.1.195",
        source: "changelog of 2.1.195",
    },
    Rule {
        name: "matcher-comma-is-regex",
        text: "Only | separates names; a comma or a space makes the text a regular expression.",
        versions: "before 2.1.191; on FileChanged and StopFailure all",
        source: "changelog of 2.1.191; measured on 2.1.332 (StopFailure); hooks reference (FileChanged)",
    },
    Rule {
        name: "matcher-regex",
        text: "Any other text is a JavaScript regular expression without flags, searched anywhere in the name, case \
               included.",
        versions: "all",
        source: "measured on 2.1.197 and 2.1.332",
    },
    Rule {
        name: "matcher-invalid-never-fires",
        text: "A pattern that does not compile never matches; only the debug log says so.",
        versions: "all",
        source: "measured on 2.1.197 and 2.1.332",
    },
    Rule {
        name: "matcher-former-names",
        text: "Former tool names count as well: a list name is mapped to the present one, a regular expression is \
               tried on the present name and on the former ones.",
        versions: "2.1.63 and newer; between it and 2.1.197 assumed",
        source: "measured on 2.1.197 and 2.1.332 (Task and Agent); code of 2.1.332 (the others)",
    },
    Rule {
        name: "matcher-ignored",
        text: "UserPromptSubmit, PostToolBatch, Stop, TeammateIdle, TaskCreated, TaskCompleted, WorktreeCreate, \
               WorktreeRemove, MessageDisplay and CwdChanged ignore their matchers: every group fires.",
        versions: "all",
        source: "measured on 2.1.332 (Stop, UserPromptSubmit, PostToolBatch, TaskCreated, CwdChanged, \
                 MessageDisplay); hooks reference (the others)",
    },
    Rule {
        name: "matcher-of-unconfirmed-event",
        text: "An event that no list names, and PreSkillShellCommand, are taken to test their matcher on `tool_name`.",
        versions: "all",
        source: "assumed by analogy with the tool events",
    },
];

/// How a matcher of that event is read at that version. No version, or one that can't be read, is the newest.
pub fn rule(event: &str, version: Option<&str>) -> MatcherRule {
    let spec = DIALECT.event(event);
    let reading = spec.map_or(MatcherUse::Tested, |spec| spec.matcher);
    let on_tools = spec.is_none_or(|spec| spec.subject == Some("tool_name"));
    let commas = reading != MatcherUse::TestedNarrow && at_least(version, COMMA_LISTS);
    let hyphens = commas && at_least(version, EXACT_HYPHENS);
    let renamed = on_tools && at_least(version, RENAMED_TOOLS);
    const NO_TOOLS: &[ToolSpec] = &[];
    MatcherRule {
        attention: if reading == MatcherUse::Ignored { Attention::Ignored } else { Attention::Tested },
        match_all: &["", "*"],
        lists: Lists::OfMarks,
        list_marks: match (commas, hyphens) {
            (_, true) => "_-|, ",
            (true, false) => "_|, ",
            (false, false) => "_|",
        },
        separators: if commas { &['|', ','] } else { &['|'] },
        tools: if renamed { TOOLS } else { NO_TOOLS },
        former: true,
        servers: on_tools.then_some(SERVERS),
        ..MatcherRule::regex(Engine::JavaScript)
    }
}

/// Reads a group's matcher (`None`: none given) as the client of that version does for that event.
pub fn compile(matcher: Option<&str>, event: &str, version: Option<&str>) -> Matcher {
    Matcher::compile(matcher, &rule(event, version))
}

/// The name of the rule in [`RULES`] by which a matcher was read.
pub fn rule_name(matcher: &Matcher, event: &str) -> &'static str {
    if assumption(event).is_some() {
        return "matcher-of-unconfirmed-event";
    }
    let marks = matcher.rule().list_marks;
    let stray = |mark: char| !marks.contains(mark) && matcher.text().is_some_and(|text| text.contains(mark));
    match matcher.kind() {
        Kind::All => "matcher-all",
        Kind::Ignored => "matcher-ignored",
        Kind::Exact | Kind::List | Kind::Literal => "matcher-exact-list",
        Kind::Invalid => "matcher-invalid-never-fires",
        Kind::Regex if stray(',') || stray(' ') => "matcher-comma-is-regex",
        Kind::Regex if stray('-') => "matcher-hyphen-is-regex",
        Kind::Regex => "matcher-regex",
    }
}

/// The name of the unmeasured rule that a match on this event rests on, if it does.
pub fn assumption(event: &str) -> Option<&'static str> {
    let known = DIALECT.event(event).is_some() && !UNCONFIRMED.contains(&event);
    (!known).then_some("matcher-of-unconfirmed-event")
}

/// What a matcher is tested on, from a hook input. `None` where the event has no subject or the input lacks it.
///
/// FileChanged: the base name of the file (hooks reference). Events that no list names: `tool_name`, assumed.
pub fn subject_for<'a>(event: &str, input: &'a Value) -> Option<&'a str> {
    let field = match DIALECT.event(event) {
        Some(spec) => spec.subject?,
        None => "tool_name",
    };
    let value = input.get(field)?.as_str()?;
    Some(if event == "FileChanged" { value.rsplit(['/', '\\']).next().unwrap_or(value) } else { value })
}

/// Slips in a matcher, those by version included. `known` are names that the subject may have.
pub fn hints(matcher: &Matcher, event: &str, version: Option<&str>, known: &[&str]) -> Vec<Hint> {
    let mut hints = matcher.hints(known);
    hints.extend(other_versions(matcher, event, version));
    hints.extend(matching::foreign_names(&DIALECT, matcher, event));
    hints.extend(matching::unknown_event(&DIALECT, event));
    hints.extend(matching::wrong_subject(&DIALECT, matcher, event, known));
    hints
}

/// A text that clients of another time read otherwise.
fn other_versions(matcher: &Matcher, event: &str, version: Option<&str>) -> Option<Hint> {
    let text = matcher.text()?;
    if DIALECT.event(event).is_some_and(|spec| spec.matcher != MatcherUse::Tested) {
        return None;
    }
    let newest = rule(event, None);
    if !newest.is_list(text) || newest.match_all.contains(&text) {
        return None;
    }
    let comma = text.contains([',', ' ']);
    let said = match (comma, text.contains('-')) {
        (true, _) if at_least(version, COMMA_LISTS) => {
            let names: Vec<&str> = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
            format!(
                "clients before 2.1.191 take commas and spaces for a regular expression; all read {}",
                names.join("|")
            )
        }
        (true, _) => "from 2.1.191 on this is a list of exact names".to_owned(),
        (false, true) if at_least(version, EXACT_HYPHENS) => {
            format!(
                "clients before 2.1.195 take a hyphen for a regular expression: `{text}` would be found in longer names too"
            )
        }
        (false, true) => "from 2.1.195 on this is an exact name".to_owned(),
        (false, false) => return None,
    };
    Some(Hint::new(HintKind::ClientVersion, said, None))
}
