//! The `if` of a handler: one permission rule, held against the tool's input.
//!
//! Measured on 2.1.332 for commands and file patterns; a rule that is not understood here lets the handler run,
//! and says so.

use globset::GlobBuilder;
use serde_json::Value;

use super::tools::TOOLS;
use crate::dialect::{Admission, Condition, EventSpec};
use crate::model::{Evidence, Handler, HandlerKind};

/// Events at which a condition is looked at. At all others a handler with one never runs.
const WITH_CONDITION: &[&str] =
    &["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];

/// Events at which prompts and agents may answer.
const WITH_PROMPTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
];

/// Whether a handler runs at an event, before its input is looked at.
pub(super) fn admits(handler: &Handler, spec: Option<&EventSpec>, subject: Option<&str>) -> Admission {
    let event = spec.map_or("", |spec| spec.name);
    let kind = &handler.kind;
    let allowed = match kind {
        HandlerKind::Prompt { .. } | HandlerKind::Agent { .. } => spec.is_none() || WITH_PROMPTS.contains(&event),
        HandlerKind::Http { .. } => !matches!(event, "SessionStart" | "Setup"),
        HandlerKind::Command { .. } | HandlerKind::McpTool { .. } | HandlerKind::Callback => true,
    };
    if !allowed {
        return Admission::Never(format!("a handler of type {} is not run at {event}", kind.word()));
    }
    let Some(condition) = handler.condition.as_deref() else { return Admission::Runs };
    if spec.is_some() && !WITH_CONDITION.contains(&event) {
        return Admission::Never(format!("a handler with `if` never runs at {event}: only tool events look at it"));
    }
    if condition.is_empty() {
        return Admission::Runs;
    }
    let never = |why: &str| Admission::Never(format!("`if: {condition}` {why}"));
    match Rule::read(condition) {
        None => never("is not one permission rule: it never holds"),
        Some(rule) => match (subject, rule.content) {
            (Some(subject), _) if !rule.is_of(subject) => never(&format!("is about another tool than {subject}")),
            (Some("Agent"), Some(_)) => never("never holds: subagent types are not told apart here"),
            (Some(_), None) => Admission::Runs,
            _ => Admission::Depends,
        },
    }
}

/// `Tool` or `Tool(content)`.
struct Rule<'a> {
    tool: &'a str,
    content: Option<&'a str>,
}

impl<'a> Rule<'a> {
    fn read(text: &'a str) -> Option<Rule<'a>> {
        let (tool, content) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
            None => (text, None),
        };
        let named = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        named.then_some(Rule { tool, content })
    }

    /// Former names count as well.
    fn is_of(&self, tool: &str) -> bool {
        self.tool == tool || TOOLS.iter().any(|known| known.name == tool && known.aliases.contains(&self.tool))
    }
}

/// Whether a condition holds for a call.
pub(super) fn holds(condition: &str, tool: &str, input: &Value, cwd: Option<&str>) -> Condition {
    let derived = |holds: bool, why: &str| Condition {
        holds,
        evidence: Evidence::Derived,
        why: format!("`if: {condition}` {why}"),
    };
    let Some(rule) = Rule::read(condition) else { return derived(false, "is not one permission rule") };
    if !rule.is_of(tool) {
        return derived(false, "is about another tool");
    }
    let Some(content) = rule.content else { return derived(true, "holds for every call of the tool") };
    let verdict = match (input["command"].as_str(), path_of(input)) {
        (Some(command), _) if matches!(tool, "Bash" | "PowerShell") => for_command(content, command),
        (_, Some(path)) => for_path(content, path, cwd),
        _ => Held::NotEvaluated("what it says of this tool is not known here"),
    };
    match verdict {
        Held::Yes(why) => derived(true, why),
        Held::No(why) => derived(false, why),
        Held::NotEvaluated(why) => Condition {
            holds: true,
            evidence: Evidence::Assumed,
            why: format!("`if: {condition}` was not evaluated ({why}): taken to hold"),
        },
    }
}

enum Held {
    Yes(&'static str),
    No(&'static str),
    NotEvaluated(&'static str),
}

fn path_of(input: &Value) -> Option<&str> {
    ["file_path", "notebook_path", "path"].iter().find_map(|field| input[*field].as_str())
}

/// A command line: every part of it is tried; what can't be seen through makes the handler run.
fn for_command(content: &str, command: &str) -> Held {
    let Some(parts) = parts(command) else { return Held::NotEvaluated("the command line can't be taken apart") };
    let only_name = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"));
    let bare = content == "*" || only_name.is_some_and(|name| !name.contains(char::is_whitespace) && name.is_empty());
    if parts.iter().any(|part| fits(content, part)) {
        return Held::Yes("holds for a part of the command");
    }
    if !bare && (command.contains("$(") || command.contains('`')) {
        return Held::Yes("can't see through the substitution in the command, so the handler runs");
    }
    if !bare && has_variable(command) {
        return Held::NotEvaluated("a variable in the command hides what is run");
    }
    Held::No("holds for no part of the command")
}

fn has_variable(command: &str) -> bool {
    let mut quoted = false;
    let mut before = ' ';
    for c in command.chars() {
        match c {
            '\'' if before != '\\' => quoted = !quoted,
            c if before == '$' && !quoted && (c.is_alphabetic() || matches!(c, '_' | '{')) => return true,
            _ => {}
        }
        before = c;
    }
    false
}

/// The simple commands of a line, without leading assignments; `None` where quotes don't close.
fn parts(command: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in command.chars() {
        let last = parts.last_mut()?;
        if escaped {
            escaped = false;
            last.push(c);
            continue;
        }
        match c {
            '\\' if !single => {
                escaped = true;
                last.push(c);
            }
            '\'' if !double => {
                single = !single;
                last.push(c);
            }
            '"' if !single => {
                double = !double;
                last.push(c);
            }
            ';' | '&' | '|' | '\n' if !single && !double => parts.push(String::new()),
            c => last.push(c),
        }
    }
    if single || double {
        return None;
    }
    let bare = parts
        .iter()
        .map(|part| without_assignments(part.trim_matches(|c: char| c.is_whitespace() || "(){}".contains(c))));
    Some(bare.filter(|part| !part.is_empty()).map(str::to_owned).collect())
}

fn without_assignments(mut part: &str) -> &str {
    while let Some((first, rest)) = part.split_once(char::is_whitespace) {
        let assigns = first
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        if !assigns {
            break;
        }
        part = rest.trim_start();
    }
    part
}

/// `git *` and `git:*` are `git` alone or with words after it; `*` elsewhere stands for anything.
fn fits(pattern: &str, command: &str) -> bool {
    let prefix = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"));
    match prefix {
        Some(prefix) if !prefix.contains('*') => {
            command == prefix || command.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        }
        _ => stands_for(pattern, command),
    }
}

/// `*` in a command stands for anything, separators included; nothing else is special.
fn stands_for(pattern: &str, command: &str) -> bool {
    let literal = |c: char| match c {
        '?' | '[' | ']' | '{' | '}' => format!("[{c}]"),
        '\\' => r"\\".to_owned(),
        _ => c.to_string(),
    };
    let pattern: String = pattern.chars().map(literal).collect();
    GlobBuilder::new(&pattern).backslash_escape(true).build().is_ok_and(|glob| glob.compile_matcher().is_match(command))
}

/// As in ignore files: `*` stops at `/`, `**` does not, braces are braces. `None`: not a pattern.
fn wild(pattern: &str, path: &str) -> Option<bool> {
    let pattern = pattern.replace('{', "[{]").replace('}', "[}]");
    let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher().is_match(path))
}

/// A file pattern: `src/**` below the working folder, `**/*.txt` anywhere, `//abs` from the root.
fn for_path(content: &str, path: &str, cwd: Option<&str>) -> Held {
    let told = |holds| match holds {
        Some(true) => Held::Yes("holds for the file"),
        Some(false) => Held::No("does not hold for the file"),
        None => Held::NotEvaluated("it is not a pattern that can be read"),
    };
    if content.starts_with('~') || (content.starts_with('/') && !content.starts_with("//")) {
        return Held::NotEvaluated("what its folder is can't be told from the session");
    }
    if let Some(absolute) = content.strip_prefix('/') {
        return told(wild(absolute, path));
    }
    if content.starts_with("**/") {
        return told(wild(content, path.trim_start_matches('/')));
    }
    let content = content.strip_prefix("./").unwrap_or(content);
    let Some(cwd) = cwd else { return Held::NotEvaluated("the working folder is not known") };
    let below = path.strip_prefix(cwd.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let Some(below) = below else { return told(Some(false)) };
    // One segment may be meant for any depth, as in ignore files: nobody measured it.
    let name = below.rsplit('/').next().unwrap_or(below);
    match wild(content, below) {
        Some(false) if !content.contains('/') && name != below && wild(content, name) == Some(true) => {
            Held::NotEvaluated("whether it means this depth is not known")
        }
        holds => told(holds),
    }
}

#[cfg(test)]
mod tests {
    use super::{holds, stands_for, wild};
    use crate::model::Evidence;
    use serde_json::json;

    #[test]
    fn wildcards() {
        for (pattern, text, expect) in [
            ("**/*.txt", "home/dev/notes.txt", true),
            ("**/*.txt", "notes.txt", true),
            ("**/*.txt", "notes.txt.bak", false),
            ("src/**", "src/a/b", true),
            ("src/**", "lib/src/a", false),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/b.rs", "src/b.rs", true),
            ("src/**/b.rs", "src/x/y/b.rs", true),
            ("src/**/b.rs", "src/ab.rs", false),
        ] {
            assert_eq!(wild(pattern, text), Some(expect), "{pattern} {text}");
        }
        assert_eq!(wild("src/{a,b}", "src/a"), Some(false));
        assert!(stands_for("npm run *:fix", "npm run lint/x:fix") && !stands_for("a?c", "abc"));
        assert!(stands_for(r"echo [a]\{!}* ]", r"echo [a]\{!}x ]"));
        assert!(!stands_for(&"*a".repeat(40), &"a".repeat(39)));
    }

    #[test]
    fn what_is_not_understood_is_taken_to_hold_and_says_so() {
        let held = holds("Edit(~/x/**)", "Edit", &json!({"file_path": "/home/a/x/b"}), Some("/srv"));
        assert!(held.holds && held.evidence == Evidence::Assumed && held.why.contains("not evaluated"));
    }
}
