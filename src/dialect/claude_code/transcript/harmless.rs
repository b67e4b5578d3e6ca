//! Which calls of one turn the client runs side by side.
//!
//! It takes reading tools and plainly reading shell commands for harmless and runs neighbours of that kind together;
//! anything that may write runs alone (`sessions/tools`, `batch/two-calls-noop`). The client's own list of commands
//! is long and unpublished: this one is the part that is beyond doubt. Results that come in another order than the
//! calls prove the contrary and win.

/// Whether calls of `tool` may run beside their neighbours. `command` is the shell command of a shell tool.
pub(super) fn is_harmless(tool: &str, command: Option<&str>) -> bool {
    match tool {
        "Read"
        | "Glob"
        | "Grep"
        | "LS"
        | "NotebookRead"
        | "WebFetch"
        | "WebSearch"
        | "Agent"
        | "Task"
        | "TodoRead"
        | "ToolSearch"
        | "BashOutput"
        | "TaskOutput"
        | "TaskGet"
        | "TaskList"
        | "LSP"
        | "ListMcpResourcesTool"
        | "ReadMcpResourceTool" => true,
        "Bash" => command.is_some_and(only_reads),
        _ => false,
    }
}

/// Commands that only read, whatever their arguments.
const READING: &[&str] = &[
    "echo",
    "printf",
    "pwd",
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "which",
    "type",
    "file",
    "stat",
    "date",
    "whoami",
    "id",
    "uname",
    "hostname",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "cut",
    "sort",
    "uniq",
    "tr",
    "diff",
    "cmp",
    "du",
    "df",
    "ps",
    "true",
    "false",
    "test",
    "[",
    "tree",
    "jq",
    "nl",
    "od",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "column",
    "seq",
    "expr",
    "locale",
    "uptime",
];

/// `git` subcommands that only read.
const READING_GIT: &[&str] =
    &["status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "ls-tree", "describe", "shortlog", "grep"];

fn only_reads(command: &str) -> bool {
    let quiet = command.replace("2>&1", "").replace("2>/dev/null", "").replace(">/dev/null", "");
    if quiet.contains(['>', '<', '`', '\n']) || quiet.contains("$(") {
        return false;
    }
    quiet.split(['|', ';', '&']).map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        let mut words = part.split_whitespace();
        match words.next() {
            Some("git") => words.next().is_some_and(|sub| READING_GIT.contains(&sub)),
            Some("find") => !part.contains("-exec") && !part.contains("-delete") && !part.contains("-ok"),
            Some("cd") => true,
            Some("sort") => !part.contains(" -o"),
            Some(word) => READING.contains(&word),
            None => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_commands_are_harmless_and_writing_ones_are_not() {
        for command in ["echo one", "cat a | grep b", "git status && git diff", "ls -la 2>/dev/null", "find . -name x"]
        {
            assert!(is_harmless("Bash", Some(command)), "{command}");
        }
        for command in ["echo x > y", "rm -rf z", "git push", "make lint", "echo $(rm x)", "find . -delete", "cat <<E"]
        {
            assert!(!is_harmless("Bash", Some(command)), "{command}");
        }
        assert!(is_harmless("Read", None) && is_harmless("Task", None));
        assert!(!is_harmless("Write", None) && !is_harmless("mcp__demo__echo", None) && !is_harmless("Bash", None));
    }
}
