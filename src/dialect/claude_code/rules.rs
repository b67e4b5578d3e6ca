//! The rules that verdicts rest on, as shown to people.

use super::matching;
use crate::dialect::Rule;

/// A rule by name: of answers and decisions, or of matchers.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().chain(matching::RULES).find(|rule| rule.name == name)
}

const fn rule(name: &'static str, text: &'static str, versions: &'static str, source: &'static str) -> Rule {
    Rule { name, text, versions, source }
}

const BOTH: &str = "measured on 2.1.197 and 2.1.332";
const NEWEST: &str = "measured on 2.1.332";

/// Every rule about answers and what comes of them.
pub static RULES: &[Rule] = &[
    rule(
        "exit-2-blocks",
        "Exit code 2 refuses a call, erases a prompt, prevents a stop or a compaction, or gives feedback after a \
         tool. The reason is stderr; stdout is never the reason. JSON that allows does not undo it.",
        "all",
        BOTH,
    ),
    rule(
        "only-exit-2-blocks",
        "Any other exit code than 0 and 2 without valid JSON is a failure that the agent reports and ignores.",
        "all",
        BOTH,
    ),
    rule(
        "on-failure-blocks",
        "A handler with `onFailure: block` that can't start, takes too long, ends with another code than 0 and 2 or \
         answers with broken JSON is treated as if it had ended with 2. Stop, SubagentStop, TaskCompleted, \
         TeammateIdle and background handlers ignore it.",
        "2.1.295 and newer",
        "hooks reference",
    ),
    rule(
        "exit-2-has-no-effect-here",
        "At events that can't be stopped exit 2 is only a note for the user.",
        "all",
        "measured on 2.1.332 (SessionStart, SubagentStart, SessionEnd, PostCompact); hooks reference (the others)",
    ),
    rule(
        "json-permission-decision",
        "`hookSpecificOutput.permissionDecision` (allow, deny, ask, defer) decides, whatever the exit code.",
        "all; defer needs print mode",
        BOTH,
    ),
    rule(
        "json-decision",
        "Top-level `decision: block` refuses or blocks, whatever the exit code; before a tool it is the old field, \
         and `approve` allows. Next to a `permissionDecision` the refusal wins.",
        "all",
        BOTH,
    ),
    rule(
        "block-has-no-effect-here",
        "At events that can't be stopped `decision: block` is only a note.",
        "all",
        "measured on 2.1.332 (SessionStart, SubagentStart)",
    ),
    rule(
        "permission-request-behavior",
        "At PermissionRequest only `hookSpecificOutput.decision.behavior` (allow, deny) decides.",
        "all",
        NEWEST,
    ),
    rule(
        "permission-request-ignores-exit-code",
        "At PermissionRequest the exit code is ignored: `behavior: allow` with exit 2 allows.",
        "all",
        NEWEST,
    ),
    rule(
        "permission-request-first-decision-wins",
        "Of several decisions at PermissionRequest the first to come in counts, allow or deny.",
        "all",
        "measured on 2.1.332 (a slow denial loses to a quick allow, and the other way round)",
    ),
    rule(
        "deny-defer-ask-allow",
        "Before a tool: deny beats defer beats ask beats allow.",
        "all",
        "measured on 2.1.332; hooks guide",
    ),
    rule(
        "last-refusal-speaks",
        "Of several refusals before a tool the last one to finish gives the words.",
        "all",
        "measured on 2.1.332 with slowed handlers",
    ),
    rule(
        "first-question-speaks",
        "Of several questions before a tool the first one to finish gives the words.",
        "all",
        "measured on 2.1.332 with slowed handlers",
    ),
    rule(
        "first-prompt-refusal-wins",
        "The first refusal of a prompt to come in ends it.",
        "all",
        "measured on 2.1.332 with slowed handlers",
    ),
    rule(
        "last-rewrite-wins",
        "Of several rewritten inputs the last one to finish wins, whole: two rewriting hooks are a race.",
        "all",
        "measured on 2.1.332 with slowed handlers",
    ),
    rule(
        "updated-input-replaces",
        "`updatedInput` replaces the whole input, it is not merged; rules look at the new input.",
        "all",
        BOTH,
    ),
    rule(
        "continue-false-stops",
        "`continue: false` ends the turn. Before a tool the call itself is still made, unless it is refused too.",
        "all; not at SessionStart, SubagentStart, PostToolUseFailure, PermissionRequest, PreCompact",
        BOTH,
    ),
    rule("halt-beats-block", "`continue: false` beside a block stops.", "all", NEWEST),
    rule(
        "halt-joins-refusal",
        "`continue: false` beside a refusal before a tool: the call is not made and the turn ends.",
        "2.1.332; from which version on was not measured",
        NEWEST,
    ),
    rule(
        "halt-beside-refusal-ignored",
        "`continue: false` beside a refusal before a tool is ignored: the turn goes on.",
        "2.1.197 and older",
        "measured on 2.1.197",
    ),
    rule(
        "stop-context-continues",
        "`additionalContext` of a stop hook keeps the turn going like a block does, and counts for the cap.",
        "2.1.163 and newer",
        NEWEST,
    ),
    rule(
        "stop-cap",
        "The client overrules stop hooks that block too often in a row without a tool call in between: with a cap \
         of 8 it gives in at the 9th. `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` changes the cap, 0 takes it away.",
        "all that have the cap",
        BOTH,
    ),
    rule(
        "timeout-has-no-say",
        "A handler that runs out of time is killed; whatever it had printed is lost, and nothing is blocked.",
        "all; `onFailure: block` changes it from 2.1.295 on",
        BOTH,
    ),
    rule(
        "async-has-no-say",
        "A background handler decides nothing; its context arrives late.",
        "all",
        "measured on 2.1.332",
    ),
    rule(
        "misshapen-json-is-dropped",
        "An answer with a wrong type or value, without `hookEventName`, or with another event's name is dropped \
         whole, and the agent goes on.",
        "all",
        BOTH,
    ),
    rule(
        "broken-json-is-an-error",
        "stdout that starts with { and ends with } without being one JSON object is an error without effect.",
        "after 2.1.197, where it was plain text",
        BOTH,
    ),
    rule(
        "plain-text-is-context",
        "Plain stdout goes to the model at SessionStart, UserPromptSubmit and UserPromptExpansion, elsewhere \
         nowhere.",
        "all",
        BOTH,
    ),
    rule(
        "precompact-stdout-joins-the-request",
        "Whatever a PreCompact hook prints on exit 0 is added to the instructions for the summary, JSON included.",
        "all",
        NEWEST,
    ),
    rule("context-reaches-the-model", "`additionalContext` is put before the model.", "all", BOTH),
    rule(
        "worktree-any-nonzero-fails",
        "A worktree is not created if its hook ends with anything but 0; its stdout is the path.",
        "all",
        "hooks reference",
    ),
    rule("elicitation-action", "`action: decline` refuses an MCP server's question.", "all", "hooks reference"),
    rule(
        "prompt-refused",
        "A prompt that a hook refused leaves one line with the words: whether by exit 2 or by JSON is not told.",
        "all",
        BOTH,
    ),
    rule(
        "mute-handlers-leave-no-trace",
        "A handler that exits 0 and prints nothing leaves nothing in a transcript, except its name in a stop \
         summary. So a transcript never proves that no handler ran.",
        "all",
        BOTH,
    ),
    rule(
        "recorded-wins",
        "What the session recorded of an event's end wins over what would follow from the outputs.",
        "all",
        "how this program reads sessions",
    ),
    rule(
        "no-permission-rules",
        "No settings file at hand has permission rules: the action is what the hooks leave.",
        "all",
        "how this program reads settings",
    ),
];
