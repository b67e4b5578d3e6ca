//! Named scenarios of the other agents' clients: settings and hook inputs in, handlers run for real, decisions out.
//!
//! Every row that was recorded of Codex CLI, Gemini CLI and Qwen Code is held somewhere: single answers and matchers
//! in `agents`, the rest here. What can't hold says why.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

/// One row.
#[derive(Deserialize)]
struct Scenario {
    id: String,
    dialect: String,
    /// Why it can't be held.
    #[serde(default)]
    cannot: Option<String>,
    #[serde(default)]
    version: String,
    /// Where the settings stand.
    #[serde(default)]
    file: String,
    /// The settings: an object, or the text of the file.
    #[serde(default)]
    settings: Value,
    /// The agent refuses the file.
    #[serde(default)]
    rejected: bool,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    input: Value,
    expect: serde_json::Map<String, Value>,
}

/// The lines of `replay --run --json` on settings and hook inputs, in a folder that is the project.
pub fn replayed(dialect: &str, more: &[&str], file: &str, settings: &str, inputs: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    replayed_in(folder.path(), dialect, more, file, settings, inputs)
}

/// As [`replayed`], in a given folder.
pub fn replayed_in(
    folder: &Path,
    dialect: &str,
    more: &[&str],
    file: &str,
    settings: &str,
    inputs: &[Value],
) -> Vec<Value> {
    let (log, file) = (folder.join("inputs.jsonl"), folder.join(file));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, settings).unwrap();
    let lines = inputs.iter().map(|input| {
        let mut input = input.clone();
        input["session_id"] = "s-1".into();
        // Devin's inputs name no folder.
        if dialect != "devin" {
            input["cwd"] = folder.to_str().unwrap().into();
        }
        format!("{input}\n")
    });
    std::fs::write(&log, lines.collect::<String>()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .args(["replay", log.to_str().unwrap(), "--run", "--json", "--dialect", dialect])
        .args(["--settings", file.to_str().unwrap(), "--project", folder.to_str().unwrap()])
        .args(more)
        .env("HOME", folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{dialect}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An id without its scope.
pub fn place(id: &Value) -> Value {
    let id = id.as_str().unwrap_or_default();
    id.split_once(':').map_or(id, |(_, place)| place).into()
}

/// The handlers that an event would start.
pub fn started(event: &Value) -> Vec<Value> {
    let groups = event["groups"].as_array().unwrap().iter().filter(|group| group["matched"] == true);
    let handlers = groups.flat_map(|group| group["handlers"].as_array().unwrap());
    handlers.filter(|handler| handler["selected"] == true).map(|handler| place(&handler["id"])).collect()
}

/// What an event has where a scenario expects something.
fn found(event: &Value, what: &str) -> Value {
    let decision = &event["decision"];
    let runs = |field: fn(&Value) -> Value| event["runs"].as_array().unwrap().iter().map(field).collect::<Vec<_>>();
    match what {
        "fires" => started(event).into(),
        "by" => place(&decision["decided_by"]),
        "context" => decision["additional_context"].clone(),
        "messages" => decision["system_messages"].clone(),
        "outcomes" => runs(|run| run["outcome"].clone()).into(),
        "finished" => runs(|run| place(&run["handler"])).into(),
        what => decision[what].clone(),
    }
}

fn differences(scenario: &Scenario) -> Vec<String> {
    let settings = scenario.settings.as_str().map_or_else(|| scenario.settings.to_string(), str::to_owned);
    let inputs: Vec<Value> = scenario.steps.iter().map(|step| step.input.clone()).collect();
    let more = ["--agent-version", &scenario.version];
    let lines = replayed(&scenario.dialect, &more, &scenario.file, &settings, &inputs);
    let mut wrong = Vec::new();
    let rejected = lines.iter().any(|line| line["kind"] == "settings" && line["rejected"] == true);
    if rejected != scenario.rejected {
        wrong.push(format!("refused: {rejected}"));
    }
    let events: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "event").collect();
    assert_eq!(events.len(), scenario.steps.len(), "{}", scenario.id);
    for (ix, (event, step)) in events.iter().zip(&scenario.steps).enumerate() {
        assert!(!step.expect.is_empty(), "{}", scenario.id);
        for (what, expected) in &step.expect {
            let found = match what.as_str() {
                "verdict_in" => found(event, "verdict"),
                what => found(event, what),
            };
            let same = match what.as_str() {
                "verdict_in" => expected.as_array().unwrap().contains(&found),
                "action" if expected == "stops" => found != "turn-continues",
                _ => *expected == found,
            };
            if !same {
                wrong.push(format!("event {ix}, {what}: expected {expected}, found {found}"));
            }
        }
    }
    wrong
}

#[test]
fn every_named_scenario_ends_as_it_did_in_the_real_client() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth/scenarios-of-other-agents.jsonl");
    let (mut held, mut cannot, mut wrong) = (0, 0, Vec::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let scenario: Scenario = serde_json::from_str(line).unwrap();
        if let Some(why) = &scenario.cannot {
            println!("{} {}: {why}", scenario.dialect, scenario.id);
            cannot += 1;
            continue;
        }
        let differs = differences(&scenario);
        held += usize::from(differs.is_empty());
        wrong.extend(differs.into_iter().map(|why| format!("{} {}: {why}", scenario.dialect, scenario.id)));
    }
    assert!(wrong.is_empty(), "{} held, {} differ:\n{}", held, wrong.len(), wrong.join("\n"));
    assert_eq!((held, cannot), (67, 6));
}
