//! How Cortex Code starts handlers and reads their answers.
//!
//! Its pages describe the same exit codes and fields as Claude Code's, and users report that the contract is the
//! same: what they leave open is taken from there, and marked as assumed.

use super::{DIALECT, SDK};
use crate::dialect::answers::{self, Own, Starting};
use crate::dialect::claude_code::{decide as claude_decide, heard as claude_heard};
use crate::dialect::{Behaviour, Candidate, Circumstances, Joined, Reading, Rule};
use crate::model::{Decision, HookRun, Outcome, Says};

/// Its rules that are code.
pub static BEHAVIOUR: Behaviour = answers::behaviour(Own {
    decide: |at, all| decide(at, all),
    start: |handler, setting| answers::start(&STARTING, handler, setting),
    heard: |event, _, candidate, run| heard(event, candidate, run),
    rule: |name| RULES.iter().chain(DIALECT.matching.rules).find(|rule| rule.name == name),
});

/// As [`BEHAVIOUR`], of the SDK's callbacks.
pub static SDK_BEHAVIOUR: Behaviour = answers::behaviour(Own {
    decide: |at, all| decide(at, all),
    start: |_, _| Err("a callback of an SDK program can't be run as a command".to_owned()),
    heard: |event, _, candidate, run| heard(event, candidate, run),
    rule: |name| RULES.iter().chain(SDK.matching.rules).find(|rule| rule.name == name),
});

const STARTING: Starting = Starting {
    // No document names the shell.
    shell: Some("/bin/sh"),
    project: &["CORTEX_PROJECT_DIR"],
    session: &[],
    plugin: &["CORTEX_PLUGIN_ROOT"],
    substitutes: true,
    limit: 60.0,
    seconds: |named| named,
};

fn heard(event: &str, candidate: &Candidate<'_>, run: HookRun) -> Joined {
    let mut joined = claude_heard(event, None, candidate, run);
    // Here a set-up can be held up, other than in Claude Code.
    if event == "Setup" && joined.run.exit_code == Some(2) && !joined.run.timed_out {
        let words = joined.run.stderr.as_deref().unwrap_or_default().trim().to_owned();
        joined.reading = Reading {
            outcome: Some(Outcome::Blocking),
            says: Some(Says::Block),
            reason: Some(words).filter(|words| !words.is_empty()),
            rule: Some("exit-2-blocks"),
            ..Reading::default()
        };
        joined.run.outcome = joined.reading.outcome;
        joined.run.says = joined.reading.says;
        joined.run.notes.clear();
    }
    joined
}

fn decide(at: &Circumstances<'_>, all: &[Joined]) -> Decision {
    let at = Circumstances { version: None, ..*at };
    let mut decision = claude_decide::decide(&at, all);
    if !all.is_empty() {
        decision.assumed.push("answers-as-in-claude-code".to_owned());
    }
    decision
}

/// The rules about answers, for people.
pub const RULES: &[Rule] = &[
    Rule {
        name: "exit-2-blocks",
        text: "Exit code 2 blocks; stderr goes to the agent.",
        versions: "all known",
        source: "vendor's pages",
    },
    Rule {
        name: "only-exit-2-blocks",
        text: "Other exit codes do not block; they are shown to the user.",
        versions: "all known",
        source: "vendor's pages",
    },
    Rule {
        name: "json-permission-decision",
        text: "permissionDecision deny refuses a call.",
        versions: "all known",
        source: "tried by hand by users; stated by a vendor's employee",
    },
    Rule {
        name: "answers-as-in-claude-code",
        text: "What the vendor's pages leave open about answers is taken from Claude Code.",
        versions: "all known",
        source: "assumed",
    },
    Rule {
        name: "timeout-has-no-say",
        text: "A handler that takes too long is taken to have no say.",
        versions: "all known",
        source: "assumed as in Claude Code",
    },
];
