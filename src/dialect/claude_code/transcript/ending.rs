//! How a tool call ended, read from the line with its result.
//!
//! Owns the client's wordings and fields, by version. Must not know events or their order.

use super::Version;
use super::line::{Block, Line};
use super::text::head;
use crate::model::{Ending, Says};

/// What a result's line tells of the hooks of its call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// How the call ended.
    pub ending: Ending,
    /// A PreToolUse hook refused, or its answer could not be used.
    pub refused: Option<Refusal>,
    /// A PreToolUse hook asked or allowed.
    pub decided: Option<Says>,
    /// A permission was asked for: PermissionRequest fired.
    pub asked: bool,
}

/// What a refusing result tells of the handler.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    /// The handler's command, named with an exit code of 2 only.
    pub command: Option<String>,
    /// What it says; `None` where only its rewritten input was no use.
    pub says: Option<Says>,
}

/// Bytes of a result's text that are looked at: enough to tell a refusal's lead-in, and then for what follows it.
const GLANCED_AT: usize = 24;
const LOOKED_AT: usize = 4096;

/// Since which version a result carries `permissionDecision` and `toolDenialKind`: it has them in 2.1.332 and not in
/// 2.1.197, so a line that has neither decides by itself; this only bounds where bare reasons are looked for.
const NAMED_DENIALS: Version = Version::of(2, 1, 332);
/// Before this one every refusal had the lead-in, as far as is known.
const BARE_REASONS: Version = Version::of(2, 1, 141);

/// Reads a `tool_result` block of `line`, the answer to a call of `tool`. `hook_asked`: a hook of the call is recorded
/// to have said `ask`.
pub(super) fn told(line: &Line, block: &Block, tool: &str, version: Version, hook_asked: bool) -> Told {
    let glance = head(block.content, GLANCED_AT);
    let refusal = block.is_error.0 || glance.starts_with("PreToolUse:") || glance.starts_with("Hook PreToolUse:");
    let text = if refusal { head(block.content, LOOKED_AT) } else { glance };
    let text = text.as_ref();
    let decision = line.permission_decision.0.as_ref();
    let by =
        |decision_is: &str, source: &str| decision.is_some_and(|d| d.decision.is(decision_is) && d.source.is(source));
    let code = decision.map_or("", |d| d.reason_code.text());
    let mut told = Told { ending: Ending::Succeeded, refused: None, decided: None, asked: false };

    if let Some(reason) = lead_in(text) {
        told.ending = Ending::DeniedByHook;
        told.refused = Some(Refusal { command: bracketed(reason), says: Some(Says::Deny) });
        return told;
    }
    if by("reject", "hook") {
        told.ending = Ending::DeniedByHook;
        if code == "hook:PreToolUse" || code.is_empty() {
            told.refused = Some(refusal_without_lead_in(text));
        }
        return told;
    }
    if text.starts_with("PreToolUse hook for ") && text.contains("updatedInput") && block.is_error.0
        || text.starts_with("Hook PreToolUse:") && text.contains(" denied this tool")
    {
        told.ending = Ending::DeniedByHook;
        told.refused = Some(refusal_without_lead_in(text));
        return told;
    }
    if let Some(kind) = line.tool_denial_kind.get() {
        told.ending = match kind {
            "user-rejected" => Ending::Rejected,
            "interrupted" => Ending::Interrupted,
            "cancelled" => Ending::Cancelled,
            _ => Ending::DeniedByRule,
        };
        if code == "hook:PreToolUse" {
            told.decided = Some(Says::Ask);
        }
        // In print mode nobody answers, so the request is refused "by config"; a hook's `ask` brings no request.
        told.asked = told.ending == Ending::Rejected
            && code != "hook:PreToolUse"
            && !hook_asked
            && decision.is_none_or(|d| d.reason_type.get().is_none_or(|kind| kind != "mode"));
        return told;
    }
    if !block.is_error.0 {
        if by("accept", "hook") && code.is_empty() {
            told.decided = Some(Says::Allow);
        }
        // A person's yes in the dialog, unlike a stored rule's.
        told.asked = decision.is_some_and(|d| {
            d.decision.is("accept") && d.source.text().starts_with("user") && d.reason_type.get().is_none()
        });
        return told;
    }
    told.ending = failed_or_refused(text, tool, version, line, hook_asked);
    if told.ending == Ending::DeniedByHook {
        told.refused = Some(Refusal { command: None, says: Some(Says::Deny) });
    }
    if told.ending == Ending::Rejected {
        if hook_asked {
            told.decided = Some(Says::Ask);
        }
        told.asked = text.starts_with(USER_REJECTED);
    }
    told
}

const USER_REJECTED: &str = "The user doesn't want to ";

/// Results without any field that tells, by their words.
fn failed_or_refused(text: &str, tool: &str, version: Version, line: &Line, hook_asked: bool) -> Ending {
    let inner = text.strip_prefix("<tool_use_error>");
    let bare = inner.unwrap_or(text);
    if bare.starts_with("Sibling tool call errored") || bare.starts_with("Cancelled: parallel tool call") {
        return Ending::Cancelled;
    }
    if text.starts_with("[Request interrupted by user") || bare.starts_with("Interrupted by user") {
        return Ending::Interrupted;
    }
    if inner.is_some() {
        return Ending::RefusedBeforeHooks;
    }
    if text.starts_with(USER_REJECTED) || text.starts_with("User rejected ") {
        return Ending::Rejected;
    }
    if text.starts_with("Claude requested permissions to ") {
        return Ending::Rejected;
    }
    if text.starts_with("Permission to use ") && (text.contains(" has been denied") || text.contains(" denied")) {
        return Ending::DeniedByRule;
    }
    if hook_asked {
        return Ending::Rejected;
    }
    if line.permission_decision.0.is_some() {
        // Accepted, so it ran.
        return Ending::Failed;
    }
    if version < BARE_REASONS || version >= NAMED_DENIALS {
        return Ending::Failed;
    }
    if tool == "Bash" && (text.contains(" was blocked. For security, ") || text.contains("requires approval")) {
        return Ending::Rejected;
    }
    if ran(text, tool) { Ending::Failed } else { Ending::DeniedByHook }
}

/// Whether an error's text is one of a call that ran. A refusing hook's bare reason is any text, so tools whose own
/// failures have any text too (MCP tools, agents, fetching) count as having run.
fn ran(text: &str, tool: &str) -> bool {
    match tool {
        "Bash" => ["Exit code ", "Command timed out", "Command was aborted", "Command running", "Error: "]
            .iter()
            .any(|lead| text.starts_with(lead)),
        "Read" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "LS" | "TodoWrite" => {
            let code = text.split(':').next().unwrap_or_default();
            let errno = code.len() > 2 && code.starts_with('E') && code.bytes().all(|b| b.is_ascii_uppercase());
            errno || FAILURES.iter().any(|lead| text.starts_with(lead))
        }
        _ => true,
    }
}

/// How the file tools' own failures start.
const FAILURES: &[&str] = &[
    "Error",
    "File ",
    "Path ",
    "Directory ",
    "Failed ",
    "ripgrep",
    "Ripgrep",
    "Cannot ",
    "Could not ",
    "Unable ",
    "Invalid ",
    "String ",
    "No ",
    "Found ",
    "Notebook ",
    "Cell ",
    "Request ",
    "Timeout",
    "Output ",
    "Exit code ",
];

/// The reason after `PreToolUse:<Tool> hook error: `.
fn lead_in(text: &str) -> Option<&str> {
    text.strip_prefix("PreToolUse:")?.split_once(" hook error: ").map(|(_, reason)| reason)
}

fn refusal_without_lead_in(text: &str) -> Refusal {
    let unusable = text.starts_with("PreToolUse hook for ") && text.contains("updatedInput");
    Refusal { command: None, says: (!unusable).then_some(Says::Deny) }
}

/// The command in `[command]: words`, as the client puts it before what was on stderr.
pub(super) fn bracketed(text: &str) -> Option<String> {
    let (command, _) = text.strip_prefix('[')?.split_once("]: ")?;
    Some(command.to_owned())
}
