//! Near misses: what a pattern shows that its writer may have meant otherwise.

use serde::{Serialize, Serializer};

use super::names::{alternatives, differ_by_case, is_plain, permission_rule, server_alone, server_of};
use super::{Engine, Form, Lists, Matcher, MatcherRule};

/// What kind of slip a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// Differs from a known name by case alone.
    Case,
    /// A server name without a tool.
    ServerAlone,
    /// Looks like a known name, but is a part of it or mistyped.
    NearName,
    /// Like no name that is known.
    UnknownName,
    /// Something other than the separators between names: it is no list.
    NotAList,
    /// `Bash(git *)`: a permission rule.
    PermissionRule,
    /// `mcp__x__*`: a file name pattern.
    Glob,
    /// A regular expression that also catches names with more around it.
    Unanchored,
    /// A plugin's server has a longer name.
    PluginServer,
    /// A former name.
    Renamed,
    /// Does not compile, and what would.
    Invalid,
    /// Whether it compiles depends on the JavaScript engine.
    EngineVersion,
    /// An alternative without text: everything matches.
    EmptyAlternative,
    /// The event does not look at it.
    Ignored,
    /// Other client versions read it otherwise.
    ClientVersion,
    /// Names tools where something else is tested.
    WrongSubject,
    /// No such event is known.
    UnknownEvent,
}

/// A likely slip and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What it is about.
    pub kind: HintKind,
    /// For a person, one line.
    pub text: String,
    /// The matcher to write instead, where there is one.
    pub instead: Option<String>,
}

impl Hint {
    /// A hint, with the matcher to write instead where there is one.
    pub fn new(kind: HintKind, text: String, instead: Option<String>) -> Hint {
        Hint { kind, text, instead }
    }
}

impl Serialize for Hint {
    /// As its text: the contract has hints as strings.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Names that a hint lists before it counts the rest.
const LISTED: usize = 3;

/// A text longer than this is no name, and is not repeated as one.
const LONGEST: usize = 64;

/// Names of a list that are looked at: each hint writes the whole pattern anew, which a list made by a program
/// would turn into minutes.
const LOOKED_AT: usize = 500;

pub(super) fn hints(matcher: &Matcher, known: &[&str]) -> Vec<Hint> {
    let (Some(text), rule) = (matcher.text(), matcher.rule()) else { return Vec::new() };
    let mut hints = Vec::new();
    match &matcher.form {
        Form::All | Form::TooLarge(_) => {}
        Form::Ignored => hints.push(Hint::new(
            HintKind::Ignored,
            "the matcher does nothing here; to run on some of these events only, let the handler decide".to_owned(),
            None,
        )),
        Form::Names(names) => {
            for name in names.iter().take(LOOKED_AT) {
                hints.extend(of_name(name, text, rule, known));
            }
        }
        Form::Literal | Form::Fallen(_) => hints.extend(of_name(text, text, rule, known)),
        Form::Barred => hints.push(Hint::new(
            HintKind::Ignored,
            "write no matcher, or an empty one, and let the handler decide".to_owned(),
            Some(String::new()),
        )),
        Form::Invalid(_) => {
            hints.extend(permission_rules(text));
            if hints.is_empty() {
                let mend = if rule.engine == Engine::Rust { mended_for_rust } else { mended };
                hints.extend(mend(text, known));
            }
        }
        Form::First(names, _) if names.iter().all(|name| is_plain(name)) => {
            let unknown = |name: &&String| matcher_alone(name, rule, known);
            for name in names.iter().take(LOOKED_AT).filter(unknown) {
                hints.extend(of_name(name, text, rule, known));
            }
        }
        Form::Regex(_) | Form::First(..) => {
            hints.extend(not_a_list(text, rule));
            hints.extend(empty_alternative(text));
            let rules = permission_rules(text);
            if rules.is_empty() {
                hints.extend(slashes(text));
                hints.extend(glob(text, rule));
                hints.extend(commas(text, rule));
            }
            hints.extend(rules);
            hints.extend(by_case(matcher, known));
            hints.extend(unanchored(matcher, known));
            hints.extend(plugin_server(matcher, known));
            hints.extend(renamed_in_pattern(text, rule));
            if rule.engine == Engine::JavaScript {
                hints.extend(engine_version(text));
            }
        }
    }
    hints
}

/// Whether a name that may also be found inside names is found in none.
fn matcher_alone(name: &str, rule: &MatcherRule, known: &[&str]) -> bool {
    let matcher = Matcher::compile(Some(name), rule);
    known.iter().all(|known| matcher.test(known).matched == Some(false))
}

/// Slips in one exact name.
fn of_name(name: &str, text: &str, rule: &MatcherRule, known: &[&str]) -> Option<Hint> {
    let with = |other: &str| Some(text.replacen(name, other, 1));
    if let Some(tool) = rule.tools.iter().find(|tool| tool.aliases.contains(&name)) {
        if !rule.former {
            return None;
        }
        let said = format!("`{name}` is called `{}` now; the old name still matches", tool.name);
        return Some(Hint::new(HintKind::Renamed, said, with(tool.name)));
    }
    if known.contains(&name) || rule.tools.iter().any(|tool| tool.name == name) {
        return None;
    }
    if let Some(server) = server_alone(name, rule) {
        // One pattern among names makes a regular expression of the whole, and the names need anchors then.
        let instead = if text.trim() == name { format!("{server}__.*") } else { with_servers(text, rule) };
        let said = format!("a server name alone matches nothing: write {instead} for all tools of `{server}`");
        return Some(Hint::new(HintKind::ServerAlone, said, Some(instead)));
    }
    if let Some(near) = known.iter().find(|known| differ_by_case(known, name)) {
        let said = super::words::by_case(name, near);
        return Some(Hint::new(HintKind::Case, said, with(near)));
    }
    if name.contains(' ') {
        let parted = name.split_whitespace().collect::<Vec<_>>().join("|");
        let said = format!("a space does not separate names: write {parted}");
        return Some(Hint::new(HintKind::NotAList, said, with(&parted)));
    }
    if let Some(hint) = plugin_server_of_name(name, rule, known) {
        return Some(hint);
    }
    let foreign = rule.servers.is_some_and(|servers| name.starts_with(servers.prefix));
    let Some(near) = nearest(name, known) else {
        let unknown = rule.servers.is_some() && !foreign && !known.is_empty() && name.len() <= LONGEST;
        let said = format!("no tool that is known here is named `{name}`");
        return unknown.then(|| Hint::new(HintKind::UnknownName, said, None));
    };
    let what = match (rule.servers, foreign) {
        (None, _) => "subject",
        // What a server offers is known from sessions alone.
        (Some(_), true) => "tool that is known here",
        (Some(_), false) => "tool",
    };
    let said = if near.contains(name) {
        super::words::part(name, near)
    } else {
        format!("no {what} is named `{name}`; did you mean `{near}`?")
    };
    Some(Hint::new(HintKind::NearName, said, with(near)))
}

/// A list with every server alone in it made a pattern for its tools, as a regular expression of whole names.
fn with_servers(text: &str, rule: &MatcherRule) -> String {
    let names = text.split(rule.separators).map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = names
        .map(|name| server_alone(name, rule).map_or_else(|| name.to_owned(), |server| format!("{server}__.*")))
        .collect();
    match names.as_slice() {
        [only] => only.clone(),
        names => format!("^({})$", names.join("|")),
    }
}

/// The known name that contains this one, differs in one or two letters, or has two that are left out here.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() < 3 {
        return None;
    }
    let allowed = if name.len() < 6 { 1 } else { 2 };
    let length = name.chars().count();
    let typo = known
        .iter()
        // The distance takes time and memory by the product of both lengths, and is at least their difference.
        .filter(|known| known.chars().count().abs_diff(length) <= allowed)
        .map(|known| (strsim::damerau_levenshtein(known, name), *known))
        .filter(|(distance, _)| *distance <= allowed)
        .min();
    let part = || known.iter().copied().find(|known| known.contains(name));
    let longer = || {
        known.iter().copied().find(|known| {
            let mut letters = known.chars();
            known.chars().next() == name.chars().next()
                && known.chars().count() <= length + 2
                && name.chars().all(|c| letters.any(|letter| letter == c))
        })
    };
    typo.map(|(_, near)| near).or_else(part).or_else(longer)
}

/// A plain list in all but its separators, or its hyphens, which this rule does not take in a list.
fn not_a_list(text: &str, rule: &MatcherRule) -> Option<Hint> {
    let names: Vec<&str> = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() || !names.iter().all(|name| is_plain(name)) {
        return None;
    }
    let odd: Vec<char> =
        [',', ' ', '-'].into_iter().filter(|c| text.contains(*c) && !rule.list_marks.contains(*c)).collect();
    if odd.is_empty() || odd == ['-'] && rule.lists != Lists::OfMarks {
        return None;
    }
    if odd == ['-']
        && let [name] = names.as_slice()
        && let Some(server) = server_alone(name, rule)
    {
        let instead = format!("{server}__.*");
        let said = format!(
            "the hyphen makes this a regular expression here, so it is found in every tool of the server; where a hyphen \
             may stand in a name it matches nothing: {instead} is right for both"
        );
        return Some(Hint::new(HintKind::ServerAlone, said, Some(instead)));
    }
    if odd == ['-'] {
        let instead = format!("^({})$", names.join("|"));
        let instead = if names.len() == 1 { format!("^{}$", names[0]) } else { instead };
        let said = format!(
            "the hyphen makes this a regular expression here, found inside longer names too: {instead} is exact"
        );
        return Some(Hint::new(HintKind::NotAList, said, Some(instead)));
    }
    let instead = names.join("|");
    Some(Hint::new(HintKind::NotAList, format!("only | separates names here: {instead}"), Some(instead)))
}

/// `Edit.*|`: what is left of the last bar is found in every name.
fn empty_alternative(text: &str) -> Option<Hint> {
    let parts = alternatives(text);
    let filled: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if filled.len() == parts.len() || filled.is_empty() {
        return None;
    }
    let instead = filled.join("|");
    let said = format!("an alternative without text is found in every name: write {instead}");
    Some(Hint::new(HintKind::EmptyAlternative, said, Some(instead)))
}

/// Permission rules among the alternatives.
fn permission_rules(text: &str) -> Vec<Hint> {
    let rules =
        alternatives(text).into_iter().filter_map(|part| permission_rule(part.trim()).map(|rule| (part.trim(), rule)));
    rules
        .map(|(part, (tool, inner))| {
            let rule = format!("{tool}({})", inner.strip_suffix(":*").map_or(inner.to_owned(), |head| format!("{head} *")));
            let said = if inner == "*" || inner.is_empty() {
                format!("`{part}` is a permission rule, not a matcher: use the matcher `{tool}`")
            } else {
                format!("`{part}` is a permission rule, not a matcher: use the matcher `{tool}` and \"if\": \"{rule}\" on the handler")
            };
            Hint::new(HintKind::PermissionRule, said, (part == text).then(|| tool.to_owned()))
        })
        .collect()
}

/// `/Bash/`: the slashes are part of the pattern.
fn slashes(text: &str) -> Option<Hint> {
    let inner = text.strip_prefix('/')?;
    let (inner, flags) = inner.rsplit_once('/')?;
    if inner.is_empty() || !flags.chars().all(|c| c.is_ascii_lowercase()) {
        return None;
    }
    let said = format!("the slashes are looked for in the name: write {inner}");
    Some(Hint::new(HintKind::NearName, said, Some(inner.to_owned())))
}

/// A `*` after a plain character, as in file name patterns.
fn glob(text: &str, rule: &MatcherRule) -> Option<Hint> {
    let mut before = None;
    let mut stars = Vec::new();
    let (mut in_class, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let plain = before.is_some_and(|b: char| b.is_ascii_alphanumeric() || matches!(b, '_' | '-' | ':' | ' '));
        if c == '*' && !escaped && !in_class && plain {
            stars.push(at);
        }
        in_class = !escaped && (c == '[' || in_class && c != ']');
        // What an escape stands for may well be repeated: `\w*`.
        before = if escaped { None } else { Some(c) };
        escaped = c == '\\' && !escaped;
    }
    let first = *stars.first()?;
    let mut instead = String::with_capacity(text.len() + stars.len());
    for (at, c) in text.char_indices() {
        if stars.contains(&at) {
            instead.push('.');
        }
        instead.push(c);
    }
    let repeated = text[..first].chars().next_back().unwrap_or(' ');
    let mut said = format!(
        "this is a regular expression, no file name pattern: `*` repeats the `{repeated}` before it; write {instead}"
    );
    if let Some(server) = text.strip_suffix('*').and_then(|head| server_alone(head, rule)) {
        said.push_str(&format!(" (as it stands it also catches servers whose name begins with `{server}_`)"));
    }
    Some(Hint::new(HintKind::Glob, said, Some(instead)))
}

/// A comma between alternatives of a regular expression.
fn commas(text: &str, rule: &MatcherRule) -> Option<Hint> {
    if !rule.separators.contains(&',') || text.contains(['{', '[', '(']) || !text.contains(',') {
        return None;
    }
    let instead = text.split(',').map(str::trim).collect::<Vec<_>>().join("|");
    let said = format!("a comma separates plain names only; in a regular expression it is looked for: write {instead}");
    Some(Hint::new(HintKind::NotAList, said, Some(instead)))
}

/// Nothing matches, but would if case did not count.
fn by_case(matcher: &Matcher, known: &[&str]) -> Option<Hint> {
    let text = matcher.text()?;
    if known.is_empty() || known.iter().any(|name| matcher.test(name).matched != Some(false)) {
        return None;
    }
    let letters = text.replace("\\b", "");
    let letters = letters.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let near = known.iter().find(|name| differ_by_case(name, letters))?;
    let said = format!("case counts: `{letters}` is not `{near}`");
    Some(Hint::new(HintKind::Case, said, Some(text.replacen(letters, near, 1))))
}

/// Known names that it catches only because nothing anchors it, beside some that it fits as a whole.
fn unanchored(matcher: &Matcher, known: &[&str]) -> Option<Hint> {
    let text = matcher.text()?;
    let anchored = Matcher::compile(Some(&format!("^(?:{text})$")), matcher.rule());
    let caught: Vec<&str> = known.iter().copied().filter(|name| matcher.test(name).matched == Some(true)).collect();
    let (fitting, more): (Vec<&str>, Vec<&str>) =
        caught.into_iter().partition(|name| anchored.test(name).matched != Some(false));
    // An alternative without text catches all, anchors or not: that has a hint of its own.
    if fitting.is_empty() || more.is_empty() || empty_alternative(text).is_some() {
        return None;
    }
    let core = text.trim_start_matches(".*").trim_end_matches(".*").trim_start_matches('^').trim_end_matches('$');
    let instead = if is_plain(core) { format!("^{core}$") } else { whole(text) };
    let said = format!("also catches {}: {instead} would not", listed(&more));
    Some(Hint::new(HintKind::Unanchored, said, Some(instead)))
}

/// A pattern that must fit the whole name; alternatives that are permission rules never match and are left out.
fn whole(text: &str) -> String {
    let parts: Vec<&str> =
        alternatives(text).into_iter().filter(|part| permission_rule(part.trim()).is_none()).collect();
    let grouped = text.starts_with('(') && text.find(')') == Some(text.len() - 1);
    if grouped { format!("^{text}$") } else { format!("^({})$", parts.join("|")) }
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED { format!("{shown} and {} more", names.len() - LISTED) } else { shown }
}

/// A pattern for a server's tools, where a plugin's server of that name is known, or no such server is.
fn plugin_server(matcher: &Matcher, known: &[&str]) -> Option<Hint> {
    let (text, rule) = (matcher.text()?, matcher.rule());
    let text = text.trim_start_matches('^');
    let server = server_of(text, rule)?;
    if known.iter().any(|name| matcher.test(name).matched == Some(true)) {
        return None;
    }
    plugin_hint(text, server, rule, known)
}

fn plugin_server_of_name(name: &str, rule: &MatcherRule, known: &[&str]) -> Option<Hint> {
    plugin_hint(name, server_of(name, rule)?, rule, known)
}

fn plugin_hint(text: &str, server: &str, rule: &MatcherRule, known: &[&str]) -> Option<Hint> {
    let servers = rule.servers?;
    if !is_plain(server) || server.starts_with(servers.plugin) {
        return None;
    }
    let ending = format!("_{server}");
    let plugged = known
        .iter()
        .filter_map(|name| server_of(name, rule))
        .find(|other| other.starts_with(servers.plugin) && other.ends_with(&ending));
    let tail = text.split_once(server).map_or("", |(_, tail)| tail);
    Some(match plugged {
        Some(plugged) => {
            let instead = format!("{}{plugged}{tail}", servers.prefix);
            let said = format!("a plugin brings this server, so its tools have longer names: {instead}");
            Hint::new(HintKind::PluginServer, said, Some(instead))
        }
        None => {
            let name = format!("{}{}PLUGIN_{server}{}TOOL", servers.prefix, servers.plugin, servers.separator);
            Hint::new(
                HintKind::PluginServer,
                format!("tools of a server that a plugin brings are named {name}: this does not match them"),
                None,
            )
        }
    })
}

/// Former names used in a pattern as whole words.
fn renamed_in_pattern(text: &str, rule: &MatcherRule) -> Vec<Hint> {
    if !rule.former {
        return Vec::new();
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let renamed = rule.tools.iter().flat_map(|tool| tool.aliases.iter().map(|alias| (*alias, tool.name)));
    renamed
        .filter(|(alias, _)| words.contains(alias))
        .map(|(alias, name)| {
            let said = format!("`{alias}` is called `{name}` now; the old name is tried as well");
            Hint::new(HintKind::Renamed, said, None)
        })
        .collect()
}

/// Syntax that JavaScript engines took up only lately.
fn engine_version(text: &str) -> Option<Hint> {
    let mut names = Vec::new();
    let mut repeated = false;
    let mut inline = false;
    let mut rest = text;
    while let Some(at) = rest.find("(?") {
        let escaped = rest[..at].ends_with('\\');
        rest = &rest[at + 2..];
        if escaped {
            continue;
        }
        if let Some(name) = rest.strip_prefix('<').filter(|rest| !rest.starts_with(['=', '!'])) {
            let name = name.split('>').next().unwrap_or_default();
            repeated |= names.contains(&name);
            names.push(name);
        } else {
            let flags = rest.split([':', ')']).next().unwrap_or_default();
            inline |= !flags.is_empty() && flags.chars().all(|c| matches!(c, 'i' | 'm' | 's' | '-'));
        }
    }
    let what = match (inline, repeated) {
        (true, _) => "flags inside a group",
        (_, true) => "a group name used twice",
        _ => return None,
    };
    let said = format!(
        "{what} need a JavaScript engine of 2025 or newer: an older one refuses the whole pattern, and it never matches"
    );
    let said = if repeated && !inline { said.replacen(" need ", " needs ", 1) } else { said };
    Some(Hint::new(HintKind::EngineVersion, said, None))
}

/// What would compile in Rust, for the usual faults.
fn mended_for_rust(text: &str, _: &[&str]) -> Option<Hint> {
    if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|mark| text.contains(mark)) {
        let said = "this agent's regular expressions have no look-around: name what shall match, and let the handler \
                    sort out the rest";
        return Some(Hint::new(HintKind::Invalid, said.to_owned(), None));
    }
    let dotted = match text.strip_prefix('*') {
        Some(rest) => format!(".*{rest}"),
        None if text.contains("|*") || text.contains("(*") => text.replace("|*", "|.*").replace("(*", "(.*"),
        None => return None,
    };
    let said = format!("there is nothing before `*` to repeat: write {dotted}");
    Some(Hint::new(HintKind::Invalid, said, Some(dotted)))
}

/// What would compile, for the usual faults.
fn mended(text: &str, known: &[&str]) -> Option<Hint> {
    let hint = |said: String, instead: String| Some(Hint::new(HintKind::Invalid, said, Some(instead)));
    if let Some(rest) = text.strip_prefix('*') {
        let instead = format!(".*{rest}");
        return hint(format!("there is nothing before `*` to repeat: write {instead}"), instead);
    }
    if let Some((flags, rest)) = text.strip_prefix("(?").and_then(|rest| rest.split_once(')'))
        && !flags.is_empty()
        && flags.chars().all(|c| matches!(c, 'i' | 'm' | 's' | 'x' | 'u'))
    {
        let instead = if flags == "i" { format!("(?i:{rest})") } else { rest.to_owned() };
        let or =
            known.iter().find(|name| differ_by_case(name, rest)).map_or(String::new(), |name| format!(" or {name}"));
        return hint(format!("JavaScript has no flags for the rest of a pattern: write {instead}{or}"), instead);
    }
    if text.contains("(?P<") {
        let instead = text.replace("(?P<", "(?<");
        return hint(format!("JavaScript names groups without P: write {instead}"), instead);
    }
    if text.contains("|*") || text.contains("(*") {
        let instead = text.replace("|*", "|.*").replace("(*", "(.*");
        return hint(format!("there is nothing before `*` to repeat: write {instead}"), instead);
    }
    None
}
