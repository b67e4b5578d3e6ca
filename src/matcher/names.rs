//! Shapes of names and patterns that people confuse: server names, permission rules, lists.

use super::MatcherRule;

/// Whether a text could be a name: letters, digits, `_`, `-`.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The server of a text that names an MCP server and no tool of it: `mcp__x` or `mcp__x__` gives `mcp__x`.
/// The bare prefix gives itself, without its separator.
pub(super) fn server_alone<'a>(text: &'a str, rule: &MatcherRule) -> Option<&'a str> {
    let servers = rule.servers?;
    if !is_plain(text) {
        return None;
    }
    let server = text.strip_prefix(servers.prefix).unwrap_or("-");
    if text == servers.prefix || text == servers.prefix.trim_end_matches('_') {
        return Some(text.trim_end_matches('_'));
    }
    let server = server.strip_suffix(servers.separator).unwrap_or(server);
    let alone = text.starts_with(servers.prefix) && !server.is_empty() && !server.contains(servers.separator);
    alone.then(|| text.strip_suffix(servers.separator).unwrap_or(text))
}

/// The server segment of a tool's name: `mcp__x__tool` gives `x`.
pub(super) fn server_of<'a>(name: &'a str, rule: &MatcherRule) -> Option<&'a str> {
    let servers = rule.servers?;
    name.strip_prefix(servers.prefix)?.split_once(servers.separator).map(|(server, _)| server)
}

/// Splits a permission rule, `Bash(git *)` into `Bash` and `git *`. What may as well be a regular expression with
/// a group (`Notebook(Edit|Read)`) is none.
pub(super) fn permission_rule(text: &str) -> Option<(&str, &str)> {
    let (tool, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let group = inner.starts_with('?') || inner.split('|').all(is_plain) || tool.ends_with('\\');
    (is_plain(tool) && !group).then_some((tool, inner))
}

/// The alternatives of a pattern at its top level.
pub(super) fn alternatives(pattern: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut in_class) = (0, 0_usize, false);
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            '|' if !in_class && depth == 0 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pattern[start..]);
    parts
}

/// Whether two names differ only by case.
pub(super) fn differ_by_case(one: &str, other: &str) -> bool {
    one != other && one.to_lowercase() == other.to_lowercase()
}
