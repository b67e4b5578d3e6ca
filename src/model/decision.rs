//! The closed vocabularies of the command line contract for what handlers say and what comes of it.

use serde::{Deserialize, Serialize};

/// What one handler's answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Says {
    /// `permissionDecision: allow`, `decision: approve`, `behavior: allow`.
    Allow,
    /// `permissionDecision: ask`.
    Ask,
    /// `permissionDecision: defer`.
    Defer,
    /// Refuses a call or a permission.
    Deny,
    /// Erases a prompt, prevents a stop or a compaction, gives feedback.
    Block,
    /// `continue: false`.
    Halt,
    /// Only text for the model.
    Context,
}

/// What the hooks of one event say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No handler ran or was selected.
    None,
    /// Handlers ran, none decided.
    Quiet,
    /// Nothing tells whether the matched handlers ran or what they said.
    Unknown,
    /// A call or permission is allowed by a hook.
    Allow,
    /// The user is to be asked.
    Ask,
    /// The call is put off.
    Defer,
    /// A call or permission is refused.
    Deny,
    /// A prompt is erased, a stop or compaction prevented, feedback goes to the model.
    Block,
    /// Processing stops.
    Halt,
}

impl Verdict {
    /// Every verdict, in the order of the vocabulary.
    pub const ALL: [Verdict; 9] = [
        Verdict::None,
        Verdict::Quiet,
        Verdict::Unknown,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Defer,
        Verdict::Deny,
        Verdict::Block,
        Verdict::Halt,
    ];

    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::None => "none",
            Verdict::Quiet => "quiet",
            Verdict::Unknown => "unknown",
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Defer => "defer",
            Verdict::Deny => "deny",
            Verdict::Block => "block",
            Verdict::Halt => "halt",
        }
    }
}

/// What the agent then does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The call is made under the usual rules.
    Proceeds,
    /// A hook's allow skipped the question.
    AutoAllowed,
    /// A person is asked.
    AsksUser,
    /// The call is not made.
    Blocked,
    /// The call is put off and the session ends there.
    Deferred,
    /// The rewritten input does not fit the tool.
    InputRejected,
    /// The agent stops (after the call, where the dialect lets it run).
    AgentStops,
    /// The permission prompt is shown.
    PromptShown,
    /// A permission is refused.
    Denied,
    /// Nothing changes.
    NoEffect,
    /// Text goes back to the model.
    FeedbackToModel,
    /// The prompt goes to the model.
    PromptAccepted,
    /// The prompt never reaches the model.
    PromptErased,
    /// The turn ends.
    TurnEnds,
    /// The turn goes on.
    TurnContinues,
    /// The turn ends because the client's cap overrules the hook.
    TurnEndsByCap,
    /// The subagent ends.
    SubagentEnds,
    /// The subagent goes on.
    SubagentContinues,
    /// The compaction is made.
    CompactionRuns,
    /// The compaction is skipped.
    CompactionBlocked,
    /// The task is completed.
    TaskCompletes,
    /// The worktree is not created.
    WorktreeCreationFails,
}

impl Action {
    /// Every action, in the order of the vocabulary.
    pub const ALL: [Action; 22] = [
        Action::Proceeds,
        Action::AutoAllowed,
        Action::AsksUser,
        Action::Blocked,
        Action::Deferred,
        Action::InputRejected,
        Action::AgentStops,
        Action::PromptShown,
        Action::Denied,
        Action::NoEffect,
        Action::FeedbackToModel,
        Action::PromptAccepted,
        Action::PromptErased,
        Action::TurnEnds,
        Action::TurnContinues,
        Action::TurnEndsByCap,
        Action::SubagentEnds,
        Action::SubagentContinues,
        Action::CompactionRuns,
        Action::CompactionBlocked,
        Action::TaskCompletes,
        Action::WorktreeCreationFails,
    ];

    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Action::Proceeds => "proceeds",
            Action::AutoAllowed => "auto-allowed",
            Action::AsksUser => "asks-user",
            Action::Blocked => "blocked",
            Action::Deferred => "deferred",
            Action::InputRejected => "input-rejected",
            Action::AgentStops => "agent-stops",
            Action::PromptShown => "prompt-shown",
            Action::Denied => "denied",
            Action::NoEffect => "no-effect",
            Action::FeedbackToModel => "feedback-to-model",
            Action::PromptAccepted => "prompt-accepted",
            Action::PromptErased => "prompt-erased",
            Action::TurnEnds => "turn-ends",
            Action::TurnContinues => "turn-continues",
            Action::TurnEndsByCap => "turn-ends-by-cap",
            Action::SubagentEnds => "subagent-ends",
            Action::SubagentContinues => "subagent-continues",
            Action::CompactionRuns => "compaction-runs",
            Action::CompactionBlocked => "compaction-blocked",
            Action::TaskCompletes => "task-completes",
            Action::WorktreeCreationFails => "worktree-creation-fails",
        }
    }
}

impl Says {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Says::Allow => "allow",
            Says::Ask => "ask",
            Says::Defer => "defer",
            Says::Deny => "deny",
            Says::Block => "block",
            Says::Halt => "halt",
            Says::Context => "context",
        }
    }
}
