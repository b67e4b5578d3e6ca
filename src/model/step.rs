//! One event in full: what matched, what ran, what was decided. Serialises to the `event` line of the
//! command line contract.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Action, Diagnostic, Evidence, Origin, Place, Says, Stage, Verdict};

/// An event in full.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// 1-based position in the session.
    pub seq: u32,
    /// Event name.
    pub event: String,
    /// Session id.
    pub session_id: Option<String>,
    /// RFC 3339, UTC.
    pub time: Option<String>,
    /// What a matcher is tested on.
    pub subject: Option<String>,
    /// Subagent: its id, else its type.
    pub sub: Option<String>,
    /// Id of the call.
    pub tool_use_id: Option<String>,
    /// Written down, or follows.
    pub origin: Origin,
    /// The line that shows it.
    pub source: Place,
    /// The hook input, as far as it can be told. Absent in JSON unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Every group for this event, matched or not.
    pub groups: Vec<GroupStep>,
    /// What ran.
    pub runs: Vec<HookRun>,
    /// What was decided.
    pub decision: Decision,
    /// What the session recorded, where that differs in kind from `decision`.
    pub recorded: Option<RecordedVerdict>,
    /// The decision now differs from the recorded one.
    pub changed: bool,
    /// After an event whose decision now differs.
    pub hypothetical: bool,
    /// A remark on the settings used ("settings as of now, changed after this event").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_note: Option<String>,
    /// `left`: the conversation went back behind this event and on from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<&'static str>,
    /// 1-based position of the event at which its branch was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_at: Option<u32>,
    /// What is wrong with the line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// How sure it is that this event fired.
    #[serde(skip)]
    pub evidence: Evidence,
}

/// The verdict that the session recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedVerdict {
    /// The verdict.
    pub verdict: Verdict,
}

/// One matcher group at one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupStep {
    /// Its id.
    pub id: String,
    /// Its scope.
    pub scope: String,
    /// Its file.
    pub path: String,
    /// 1-based line of the group.
    pub line: u32,
    /// The matcher as written.
    pub matcher: Option<String>,
    /// Whether it matched; `None`: undecided.
    pub matched: Option<bool>,
    /// Why.
    pub why: String,
    /// Its handlers.
    pub handlers: Vec<HandlerStep>,
    /// Bytes of the subject that the pattern matched.
    #[serde(skip)]
    pub span: Option<(usize, usize)>,
    /// What would make it match, if it looks like a slip.
    #[serde(skip)]
    pub hint: Option<String>,
}

/// One handler at one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HandlerStep {
    /// Its id.
    pub id: String,
    /// Whether the agent would start it.
    pub selected: bool,
    /// Why.
    pub why: String,
    /// Whether it was started.
    pub started: Option<bool>,
    /// What says so.
    pub evidence: Evidence,
    /// Short name of the handler for people (`guard.sh`).
    #[serde(skip)]
    pub label: String,
    /// 1-based line of the handler.
    #[serde(skip)]
    pub line: u32,
    /// The five stages: considered, matched, selected, started, answered.
    #[serde(skip)]
    pub stages: [Stage; 5],
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ended well, whatever it said.
    Success,
    /// It blocked by its exit code.
    Blocking,
    /// It failed, and the agent goes on.
    NonBlockingError,
    /// It was stopped by its time limit: it has no say.
    Timeout,
    /// It runs in the background.
    Async,
    /// It was not run.
    Skipped,
    /// It needs something that is not here.
    CannotRun,
}

/// One run of one handler.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HookRun {
    /// The handler's id; empty where nothing tells which of several it was.
    pub handler: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its command, url, `server/tool` or prompt.
    pub command: Option<String>,
    /// `Recorded` or `Run`.
    pub evidence: Evidence,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Standard output.
    pub stdout: Option<String>,
    /// Standard error.
    pub stderr: Option<String>,
    /// Stopped by its time limit.
    pub timed_out: bool,
    /// How it ended; `None` where only its start is known.
    pub outcome: Option<Outcome>,
    /// What it says.
    pub says: Option<Says>,
    /// What the agent makes of it ("exit 1 does not block: only exit 2 does").
    pub notes: Vec<String>,
    /// It wrote a refusal where the agent does not read one; one of the notes says why.
    #[serde(skip)]
    pub lost: bool,
    /// Lines that this was read from.
    #[serde(skip)]
    pub sources: Vec<Place>,
}

impl HookRun {
    /// A run from its JSON form. What is missing or of another shape is absent.
    pub fn of_json(run: &Value) -> HookRun {
        const KINDS: &[&str] = &["command", "http", "mcp_tool", "prompt", "agent", "callback"];
        let text = |key: &str| run.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| run.get(key).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
        let is_true = |key: &str| run.get(key) == Some(&Value::Bool(true));
        let kind = text("type").unwrap_or_default();
        let notes = run.get("notes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        HookRun {
            handler: text("handler").unwrap_or_default(),
            kind: KINDS.iter().copied().find(|known| *known == kind).unwrap_or("command"),
            command: text("command"),
            evidence: Evidence::Recorded,
            exit_code: number("exit_code"),
            signal: number("signal"),
            duration_ms: run.get("duration_ms").and_then(Value::as_f64),
            stdout: text("stdout"),
            stderr: text("stderr"),
            timed_out: is_true("timed_out"),
            outcome: run.get("outcome").and_then(|word| Outcome::deserialize(word).ok()),
            says: run.get("says").and_then(|word| Says::deserialize(word).ok()),
            notes: notes.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            lost: is_true("lost"),
            sources: Vec::new(),
        }
    }
}

/// A text and who gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Where it is from: a handler's label, or the agent.
    pub from: String,
    /// The words.
    pub words: String,
}

/// What one handler said and was not followed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// Its id.
    pub handler: String,
    /// What it said.
    pub says: Says,
}

/// What permission rules and mode make of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PermissionResult {
    /// `allow`, `ask`, `deny`.
    pub result: &'static str,
    /// The rule, where one decided.
    pub rule: Option<String>,
    /// Its file.
    pub path: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// The mode.
    pub mode: Option<String>,
}

/// One step on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStep {
    /// What happened, for a person.
    pub text: String,
    /// The dialect's rule behind it.
    pub rule: Option<&'static str>,
}

/// What was decided at one event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// What the hooks say together.
    pub verdict: Verdict,
    /// Every refusal text that is delivered, in order of finishing, one a line.
    pub reason: Option<String>,
    /// The handler that decided.
    pub decided_by: Option<String>,
    /// Name of the dialect's rule that made the verdict.
    pub rule: Option<&'static str>,
    /// What the agent then does; `None` where nothing tells.
    pub action: Option<Action>,
    /// The same for a person, in one sentence.
    pub effect: String,
    /// Permission rules and mode.
    pub permission: Option<PermissionResult>,
    /// Handlers that said something else.
    pub overruled: Vec<Overruled>,
    /// Rewritten tool input.
    pub updated_input: Option<Value>,
    /// Rewritten tool output.
    pub updated_output: Option<Value>,
    /// Everything else that reaches the model.
    pub additional_context: Vec<String>,
    /// Messages for the user.
    pub system_messages: Vec<String>,
    /// A prompt that a hook sends first.
    pub initial_prompt: Option<String>,
    /// Permission updates.
    pub updated_permissions: Vec<Value>,
    /// How sure.
    pub evidence: Evidence,
    /// Names of rules and circumstances that the verdict rests on and that are undocumented.
    pub assumed: Vec<String>,
    /// How it came about, step by step.
    #[serde(skip)]
    pub steps: Vec<RuleStep>,
    /// Words that reach the model.
    #[serde(skip)]
    pub model_sees: Vec<Text>,
    /// Words that reach the user.
    #[serde(skip)]
    pub user_sees: Vec<Text>,
    /// Why the verdict is `unknown`, where it is.
    #[serde(skip)]
    pub unknown_because: Option<String>,
}
