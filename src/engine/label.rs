//! Short names of handlers for people.

use crate::model::{Handler, HandlerKind};

/// `guard.sh` for `sh "$CLAUDE_PROJECT_DIR"/hooks/guard.sh --strict`; a url's host; `server/tool`; a prompt's
/// first words.
pub fn label(handler: &Handler) -> String {
    match &handler.kind {
        HandlerKind::Command { command, args, .. } => {
            let args = args.iter().flatten().map(String::as_str);
            let words: Vec<&str> = command.split_whitespace().chain(args).collect();
            let name = program(&words);
            if name.is_empty() { handler.id.clone() } else { name }
        }
        HandlerKind::Http { url } => {
            let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            rest.split(['/', '?']).next().unwrap_or(rest).to_owned()
        }
        HandlerKind::McpTool { server, tool } => format!("{server}/{tool}"),
        HandlerKind::Prompt { prompt } | HandlerKind::Agent { prompt } => {
            let words: Vec<&str> = prompt.split_whitespace().take(4).collect();
            format!("{} \u{201c}{}\u{2026}\u{201d}", handler.kind.word(), words.join(" "))
        }
        HandlerKind::Callback => handler.id.clone(),
    }
}

/// Programs that only start another one.
const STARTERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "env", "exec", "nice", "node", "deno", "bun", "python", "python3", "ruby", "perl",
    "npx", "uv", "uvx", "run", "sudo", "time", "timeout",
];

/// The script or program that a command is about.
fn program(words: &[&str]) -> String {
    let mut fallback = String::new();
    for word in words {
        let bare = word.trim_matches(['"', '\'', ';', '(', ')']);
        if bare.is_empty() || bare.starts_with('-') || (bare.contains('=') && !bare.contains('/')) {
            continue;
        }
        let name = bare.rsplit(['/', '\\']).next().unwrap_or(bare).trim_matches(['"', '\'', ';']);
        if name.is_empty() {
            continue;
        }
        if !STARTERS.contains(&name) {
            return name.to_owned();
        }
        if fallback.is_empty() {
            name.clone_into(&mut fallback);
        }
    }
    fallback
}
