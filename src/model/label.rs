//! Short names of handlers, for people.

use super::{Handler, HandlerKind};

/// Programs that only start another one: the script after them names the handler.
const STARTERS: &[&str] = &[
    "bash",
    "bun",
    "cmd",
    "dash",
    "deno",
    "env",
    "exec",
    "fish",
    "node",
    "npx",
    "nohup",
    "perl",
    "powershell",
    "pwsh",
    "python",
    "python3",
    "ruby",
    "sh",
    "sudo",
    "time",
    "timeout",
    "tsx",
    "uv",
    "zsh",
];

/// The longest label, in characters.
const LONGEST: usize = 40;

impl Handler {
    /// A short name for people: `guard.sh`, `npm test`, `http example.com`, `server/tool`. Not made safe for a
    /// terminal.
    pub fn label(&self) -> String {
        let label = match &self.kind {
            HandlerKind::Command { command, args: Some(args), .. } => {
                let mut words = vec![command.clone()];
                words.extend(args.iter().cloned());
                of_words(&words)
            }
            HandlerKind::Command { command, .. } => of_words(&command_words(command)),
            HandlerKind::Http { url } => format!("http {}", host(url)),
            HandlerKind::McpTool { server, tool } => format!("{server}/{tool}"),
            HandlerKind::Prompt { prompt } => format!("prompt: {}", one_line(prompt)),
            HandlerKind::Agent { prompt } => format!("agent: {}", one_line(prompt)),
            HandlerKind::Callback => "callback".to_owned(),
        };
        shorten(&label)
    }
}

/// Commands that only prepare for another one.
const PREPARING: &[&str] = &["cd", "export", "set", "umask", "test", "[", "[[", "mkdir", ".", "source", ":"];

/// The words of the simple command that a shell text is about: the first one that does more than prepare. Quotes
/// are taken off, redirections left out, nothing is expanded.
pub fn command_words(command: &str) -> Vec<String> {
    let mut commands = simple_commands(command);
    let head = |words: &[String]| words.iter().find(|word| !assignment(word)).cloned().unwrap_or_default();
    let chosen = commands.iter().position(|words| !PREPARING.contains(&head(words).as_str())).unwrap_or(0);
    if chosen < commands.len() { commands.swap_remove(chosen) } else { Vec::new() }
}

/// The words of each simple command in a shell text, as [`command_words`].
pub fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let mut split = Split::default();
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => split.extend(chars.by_ref().take_while(|&c| c != '\'')),
            '"' => {
                split.extend(None);
                while let Some(c) = chars.next().filter(|&c| c != '"') {
                    match (c, chars.peek()) {
                        ('\\', Some('"' | '\\' | '$' | '`')) => split.extend(chars.next()),
                        _ => split.extend([c]),
                    }
                }
            }
            // A back slash before anything but a special character is kept: `C:\tools\guard.cmd` is a path.
            '\\' => match chars.peek() {
                Some(' ' | '"' | '\'' | '\\' | '$' | '&' | '|' | ';' | '(' | ')' | '<' | '>') => {
                    split.extend(chars.next());
                }
                Some('\n') => drop(chars.next()),
                _ => split.extend([c]),
            },
            '<' | '>' => {
                split.redirection();
                while chars.next_if(|c| matches!(c, '<' | '>' | '&' | '|')).is_some() {}
            }
            '#' if split.word.is_none() => while chars.next_if(|&c| c != '\n').is_some() {},
            ';' | '&' | '|' | '\n' | '(' | ')' => split.end_command(),
            c if c.is_whitespace() => split.end_word(),
            c => split.extend([c]),
        }
    }
    split.end_command();
    split.commands
}

#[derive(Default)]
struct Split {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    /// The next word names a file of a redirection.
    skip: bool,
}

impl Split {
    fn extend(&mut self, chars: impl IntoIterator<Item = char>) {
        self.word.get_or_insert_default().extend(chars);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !std::mem::take(&mut self.skip)
        {
            self.words.push(word);
        }
    }

    fn redirection(&mut self) {
        // `2>`: the number is no word.
        self.word.take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        self.skip = true;
    }

    fn end_command(&mut self) {
        self.end_word();
        self.skip = false;
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

fn of_words(words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| assignment(word)).collect();
    let Some(first) = words.first() else { return "(empty command)".to_owned() };
    if !STARTERS.contains(&file_name(first)) {
        return plain(&words);
    }
    let script = words.iter().skip(1).find(|word| !word.starts_with('-') && !assignment(word) && looks_like_file(word));
    match script {
        Some(script) if !words.iter().any(|word| matches!(*word, "-c" | "-e" | "-Command")) => {
            file_name(script).to_owned()
        }
        _ => one_line(&words.join(" ")),
    }
}

/// A path by its last part; else the program with its first argument.
fn plain(words: &[&str]) -> String {
    let Some(first) = words.first() else { return String::new() };
    let name = file_name(first);
    if looks_like_file(first) {
        return name.to_owned();
    }
    match words.get(1) {
        Some(second) => format!("{name} {}", one_line(second)),
        None => name.to_owned(),
    }
}

fn assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn looks_like_file(word: &str) -> bool {
    let name = file_name(word);
    let dotted = name.rsplit_once('.').is_some_and(|(stem, suffix)| {
        !stem.is_empty() && (1..=4).contains(&suffix.len()) && suffix.chars().all(|c| c.is_ascii_alphanumeric())
    });
    !word.contains(char::is_whitespace) && dotted || word.contains(['/', '\\']) && !name.is_empty()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(label: &str) -> String {
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    label.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Position;

    fn label(kind: HandlerKind) -> String {
        let raw = serde_json::Value::Null;
        let (id, position) = (String::new(), Position::default());
        Handler { id, kind, position, timeout: None, condition: None, background: false, held_back: None, raw }.label()
    }

    #[test]
    fn a_command_is_named_by_its_script_or_its_first_words() {
        for (command, expect) in [
            ("guard.sh", "guard.sh"),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh", "guard.sh"),
            ("$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh --strict", "guard.sh"),
            ("sh ./ci.sh", "ci.sh"),
            ("python3 -u 'my hooks/check.py' x", "check.py"),
            ("FOO=1 /usr/bin/env python3 ~/bin/check.py", "check.py"),
            ("npm test", "npm test"),
            ("npm test && echo done", "npm test"),
            ("uv run hooks/lint.py", "lint.py"),
            ("C:\\tools\\guard.cmd", "guard.cmd"),
            ("echo 'two  words' >&2; exit 2", "echo two words"),
            ("sh -c 'exit 2'", "sh -c exit 2"),
            ("true", "true"),
            ("cd \"$CLAUDE_PROJECT_DIR\" 2>/dev/null && npm test", "npm test"),
            ("cat > /dev/null; exit 0", "cat"),
            ("'open quote", "open quote"),
            ("# only words\n./ci.sh", "ci.sh"),
            ("", "(empty command)"),
        ] {
            let command = command.to_owned();
            let kind = HandlerKind::Command { command: command.clone(), args: None, shell: None };
            assert_eq!(label(kind), expect, "{command}");
        }
        let args = Some(vec!["hooks/my guard.py".to_owned()]);
        assert_eq!(label(HandlerKind::Command { command: "python3".into(), args, shell: None }), "my guard.py");
    }

    #[test]
    fn other_handlers_are_named_by_where_they_go() {
        for (kind, expect) in [
            (HandlerKind::Http { url: "https://user:pw@example.com:8080/x?y".into() }, "http example.com:8080"),
            (HandlerKind::McpTool { server: "demo".into(), tool: "check".into() }, "demo/check"),
            (HandlerKind::Prompt { prompt: "Is it\n safe?".into() }, "prompt: Is it safe?"),
            (HandlerKind::Callback, "callback"),
        ] {
            assert_eq!(label(kind), expect);
        }
    }
}
