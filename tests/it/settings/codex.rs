//! Codex: which hooks load and which are trusted, through the real binary; the rows are what the client did.

use std::path::{Path, PathBuf};
use std::process::Command;

use hookscope::model::Plan;
use hookscope::settings::{Request, plan};
use serde_json::{Value, json};
use tempfile::TempDir;

fn data(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/truth").join(name)).unwrap()
}

/// A home, a repository `work` and a log with one call of Bash.
struct Machine {
    root: TempDir,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine { root: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(machine.path("work/.git")).unwrap();
        let input = json!({
            "session_id": "s", "turn_id": "t", "cwd": machine.path("work"), "hook_event_name": "PreToolUse",
            "model": "m", "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_use_id": "c",
        });
        machine.write("log.jsonl", &format!("{input}\n"));
        machine
    }

    /// Below the folder, without links: keys hold resolved paths.
    fn path(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn text(&self, path: &str) -> String {
        self.path(path).display().to_string()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookscope"));
        command.args(words).current_dir(self.root.path()).env_clear().env("HOME", self.path("home"));
        command
    }

    /// Lines of `replay --json` of the log, with further words.
    fn replay(&self, words: &[&str]) -> Vec<Value> {
        let output = self.command(&[&["replay", "log.jsonl", "--json", "--run"], words].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn plan(&self) -> Plan {
        let request = Request {
            home: Some(self.path("home")),
            cwd: Some(self.path("work")),
            dialect: Some("codex"),
            ..Request::default()
        };
        plan(&request, None, &[])
    }

    /// Trusts what stands in these files as it is now, as `/hooks` would, with further text.
    fn trust(&self, more: &str) {
        let mut text = format!("{more}\n");
        for (key, hash) in hashes(&self.plan()) {
            text.push_str(&format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"{hash}\"\n"));
        }
        self.write("home/.codex/config.toml", &text);
    }
}

/// Keys and hashes that the reasons name.
fn hashes(plan: &Plan) -> Vec<(String, String)> {
    let handlers = plan.eras[0].set.groups.iter().flat_map(|group| &group.handlers);
    let whys = handlers.filter_map(|handler| handler.held_back.as_deref());
    let part = |why: &str, lead: &str| Some(why.split_once(lead)?.1.split([';', ')', ' ']).next()?.to_owned());
    whys.filter_map(|why| Some((part(why, "no trusted_hash for ")?, part(why, "its hash is ")?))).collect()
}

fn event(lines: &[Value]) -> &Value {
    lines.iter().find(|line| line["kind"] == "event").unwrap()
}

/// Commands that ran, by their first word after `echo `.
fn ran(lines: &[Value]) -> Vec<String> {
    let runs = event(lines)["runs"].as_array().unwrap();
    runs.iter().map(|run| run["command"].as_str().unwrap().trim_start_matches(": ").to_owned()).collect()
}

/// Reasons of the handlers that matched and were not selected.
fn kept(lines: &[Value]) -> Vec<String> {
    let groups = event(lines)["groups"].as_array().unwrap().iter().filter(|group| group["matched"] == true);
    let handlers = groups.flat_map(|group| group["handlers"].as_array().unwrap());
    handlers.filter(|it| it["selected"] == false).map(|it| it["why"].as_str().unwrap().to_owned()).collect()
}

fn warnings(lines: &[Value]) -> Vec<String> {
    let settings = lines.iter().filter(|line| line["kind"] == "settings");
    settings.map(|line| line["why"].as_str().unwrap().to_owned()).collect()
}

fn group(name: &str) -> Value {
    json!({"matcher": "Bash", "hooks": [{"type": "command", "command": format!(": {name}")}]})
}

fn hooks(groups: &[Value]) -> String {
    json!({"hooks": {"PreToolUse": groups}}).to_string()
}

#[test]
fn the_hashes_are_those_that_the_client_listed() {
    let machine = Machine::new();
    let list: Value = serde_json::from_str(&data("codex-hooks-list.json")).unwrap();
    let listed = list["1"]["result"]["data"][0]["hooks"].as_array().unwrap();
    let mut events = serde_json::Map::new();
    for hook in listed {
        let name = hook["eventName"].as_str().unwrap();
        let event = name[..1].to_uppercase() + &name[1..];
        let mut handler = json!({"type": "command", "command": hook["command"]});
        if hook["timeoutSec"] != 600 {
            handler["timeout"] = hook["timeoutSec"].clone();
        }
        if !hook["statusMessage"].is_null() {
            handler["statusMessage"] = hook["statusMessage"].clone();
        }
        let mut group = json!({"hooks": [handler]});
        if !hook["matcher"].is_null() {
            group["matcher"] = hook["matcher"].clone();
        }
        events.entry(event).or_insert(json!([])).as_array_mut().unwrap().push(group);
    }
    // Stop ignores its matcher: it is no part of the hash.
    events["Stop"][0]["matcher"] = json!("ignored");
    machine.write("home/.codex/hooks.json", &json!({"hooks": events}).to_string());
    let found = hashes(&machine.plan());
    let wanted: Vec<(String, String)> = listed
        .iter()
        .map(|hook| {
            let key = hook["key"].as_str().unwrap().replace("/home/dev", &machine.text("home"));
            (key, hook["currentHash"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(wanted.len(), 4);
    assert_eq!(found, wanted);
}

/// Sets a machine up as the words of a row say; tells with which names the handlers bear there.
fn set_up(machine: &Machine, id: &str) {
    let toml =
        "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \": t\"\n";
    let user = |text: &str| machine.write("home/.codex/hooks.json", text);
    let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", machine.text("work"));
    match id {
        "A2" => {
            machine.write("work/.codex/hooks.json", &hooks(&[group("h")]));
            machine.write("home/.codex/config.toml", &trusted);
            machine.trust(&trusted);
        }
        "A4" => {
            user(&hooks(&[group("h")]));
            machine.trust("[features]\nhooks = false");
        }
        "A5" | "A6" => {
            if id == "A6" {
                user(&hooks(&[group("j")]));
            }
            machine.write("home/.codex/config.toml", toml);
            machine.trust(toml);
        }
        "A7" => {
            user(&hooks(&[group("h")]));
            machine.trust("");
            user(&hooks(&[group("h"), group("i")]));
        }
        "A8" => {
            user(&hooks(&[group("h")]));
            machine.trust("[features]\ncodex_hooks = true");
        }
        "A9d" => user("{"),
        "A9e" => {
            let mut odd = group("h");
            odd["unheard"] = json!(1);
            odd["hooks"][0]["timeoutSec"] = json!(1);
            user(&hooks(&[odd]));
            machine.trust("");
        }
        "A9f" | "A9g" => {
            let kind = if id == "A9f" { "prompt" } else { "http" };
            let odd = json!({"matcher": "Bash", "hooks": [{"type": kind, "prompt": "?", "url": "http://localhost"}]});
            user(&hooks(&[odd, group("h")]));
            machine.trust("");
        }
        "A9j" => {
            let mut file: Value = serde_json::from_str(&hooks(&[group("h")])).unwrap();
            file["description"] = json!("mine");
            user(&file.to_string());
            machine.trust("");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn layers_files_and_trust_are_those_of_the_rows() {
    let mut held = 0;
    for line in data("codex-layers.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        // Run without trust and by other handlers: the next test has its switch. The other one is about time.
        if matches!(id, "A7c" | "C-pre-timeoutSec") {
            continue;
        }
        let machine = Machine::new();
        set_up(&machine, id);
        let lines = machine.replay(&["--dialect", "codex"]);
        let fired: Vec<&str> = row["fired"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(ran(&lines), fired, "{id}: {lines:#?}");
        let mentioned = |word: &str| warnings(&lines).iter().any(|why| why.contains(word));
        match id {
            "A6" => assert!(mentioned("both run"), "{lines:#?}"),
            "A9d" => assert!(mentioned("not valid JSON"), "{lines:#?}"),
            "A9f" => assert!(mentioned("passed over"), "{lines:#?}"),
            "A9g" => assert!(mentioned("`http` is no handler type"), "{lines:#?}"),
            _ => assert!(warnings(&lines).is_empty(), "{id}: {lines:#?}"),
        }
        held += 1;
    }
    assert_eq!(held, 11);
}

#[test]
fn a_handler_that_is_not_trusted_stays_visible_and_says_why() {
    let machine = Machine::new();
    machine.write("home/.codex/hooks.json", &hooks(&[group("a"), group("b")]));
    let lines = machine.replay(&["--dialect", "codex"]);
    assert_eq!(kept(&lines).len(), 2, "{lines:#?}");
    assert!(kept(&lines)[0].contains("not trusted yet"), "{lines:#?}");
    assert_eq!(event(&lines)["decision"]["verdict"], "none");

    machine.trust("");
    let lines = machine.replay(&["--dialect", "codex"]);
    assert_eq!(ran(&lines), ["a", "b"]);
    assert_eq!(event(&lines)["decision"]["assumed"], json!([]), "{lines:#?}");

    // Nothing but the time-out changes: no longer trusted. 600 is what is meant without one.
    let mut slow = group("a");
    slow["hooks"][0]["timeout"] = json!(600);
    machine.write("home/.codex/hooks.json", &hooks(&[slow.clone(), group("b")]));
    assert_eq!(ran(&machine.replay(&["--dialect", "codex"])), ["a", "b"]);
    slow["hooks"][0]["timeout"] = json!(5);
    machine.write("home/.codex/hooks.json", &hooks(&[slow, group("b")]));
    let lines = machine.replay(&["--dialect", "codex"]);
    assert_eq!(ran(&lines), ["b"]);
    assert!(kept(&lines)[0].contains("changed after it was trusted"), "{lines:#?}");

    // A group before the others moves their keys.
    machine.write("home/.codex/hooks.json", &hooks(&[group("new"), group("a"), group("b")]));
    let lines = machine.replay(&["--dialect", "codex"]);
    assert!(ran(&lines).is_empty(), "{lines:#?}");
    assert!(kept(&lines)[1].contains("pre_tool_use:0:0, and stands at"), "{lines:#?}");

    // Switched off, although trusted.
    machine.write("home/.codex/hooks.json", &hooks(&[group("a"), group("b")]));
    let config = std::fs::read_to_string(machine.path("home/.codex/config.toml")).unwrap();
    machine.write("home/.codex/config.toml", &config.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1));
    let lines = machine.replay(&["--dialect", "codex"]);
    assert_eq!(ran(&lines), ["b"]);
    assert!(kept(&lines)[0].contains("enabled = false"), "{lines:#?}");

    let list = machine.command(&["hooks", "log.jsonl", "--dialect", "codex"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(list.contains("matched, but Codex will not run it: enabled = false"), "{list}");
}

#[test]
fn what_stands_in_two_layers_runs_twice() {
    let machine = Machine::new();
    let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", machine.text("work"));
    machine.write("home/.codex/hooks.json", &hooks(&[group("same")]));
    machine.write("work/.codex/hooks.json", &hooks(&[group("same"), group("same")]));
    machine.write("home/.codex/config.toml", &trusted);
    machine.trust(&trusted);
    assert_eq!(ran(&machine.replay(&["--dialect", "codex"])), ["same", "same", "same"]);
}

#[test]
fn a_folder_that_is_not_trusted_has_no_hooks_and_one_warning() {
    let machine = Machine::new();
    machine.write("work/.codex/hooks.json", &hooks(&[group("a")]));
    machine.write(
        "work/.codex/config.toml",
        "features.hooks = false\n[[hooks.PreToolUse]]\nhooks = [{ type = \"command\", command = \": t\" }]\n",
    );
    let work = machine.text("work");
    for (projects, words) in [
        (String::new(), "is not trusted; add [projects."),
        (format!("[projects.\"{work}\"]\ntrust_level = \"untrusted\"\n"), "has trust_level = \"untrusted\""),
    ] {
        machine.write("home/.codex/config.toml", &projects);
        let lines = machine.replay(&["--dialect", "codex"]);
        assert!(ran(&lines).is_empty());
        assert_eq!(kept(&lines).len(), 2, "{lines:#?}");
        assert!(kept(&lines)[0].contains(words), "{lines:#?}");
        let told = warnings(&lines);
        assert!(told.len() == 1 && told[0].contains(words), "{lines:#?}");
    }
}

#[test]
fn a_folder_below_has_the_level_of_the_root_unless_it_has_its_own() {
    let machine = Machine::new();
    machine.write("work/.codex/hooks.json", &hooks(&[group("root")]));
    machine.write("work/deep/.codex/hooks.json", &hooks(&[group("deep")]));
    let work = machine.text("work");
    let root = format!("[projects.\"{work}\"]\ntrust_level = \"trusted\"\n");
    let own = format!("[projects.\"{work}/deep\"]\ntrust_level = \"untrusted\"\n");
    for (config, asked) in [(root.clone(), "is not trusted yet"), (root + &own, "trust_level = \"untrusted\"")] {
        machine.write("home/.codex/config.toml", &config);
        let whys = kept(&machine.replay(&["--dialect", "codex", "--project", &format!("{work}/deep")]));
        assert_eq!(whys.len(), 2, "{whys:#?}");
        assert!(whys[0].contains("is not trusted yet") && whys[1].contains(asked), "{whys:#?}");
    }
}

#[test]
fn a_worktree_has_the_hooks_of_the_main_checkout() {
    let machine = Machine::new();
    machine.write("tree/.git", &format!("gitdir: {}/.git/worktrees/tree\n", machine.text("work")));
    machine.write("tree/.codex/hooks.json", &hooks(&[group("tree")]));
    machine.write("work/.codex/hooks.json", &hooks(&[group("main")]));
    let config = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", machine.text("work"));
    machine.write("home/.codex/config.toml", &config);
    machine.trust(&config);
    let tree = machine.text("tree");
    assert_eq!(ran(&machine.replay(&["--dialect", "codex", "--project", &tree])), ["main"]);
}

#[test]
fn given_files_are_trusted_unless_a_config_is_named() {
    let machine = Machine::new();
    machine.write("a/.codex/hooks.json", &hooks(&[group("a")]));
    machine.write("b/.codex/config.toml", "");
    let given = ["--settings", "a/.codex/hooks.json"];
    let lines = machine.replay(&given);
    assert_eq!(ran(&lines), ["a"]);
    assert_eq!(event(&lines)["decision"]["assumed"], json!(["hooks-are-trusted"]));
    let asked = [&given[..], &["--trust-from", "b/.codex/config.toml"]].concat();
    let lines = machine.replay(&asked);
    assert!(ran(&lines).is_empty() && kept(&lines)[0].contains("is not trusted; add [projects."), "{lines:#?}");
    let user = ["--settings", "user=a/.codex/hooks.json", "--trust-from", "b/.codex/config.toml"];
    let why = kept(&machine.replay(&user)).remove(0);
    let hash = why.split_once("its hash is ").unwrap().1.trim_end_matches(')');
    let key = machine.text("a/.codex/hooks.json");
    machine.write(
        "b/.codex/config.toml",
        &format!("[hooks.state.\"{key}:pre_tool_use:0:0\"]\ntrusted_hash = \"{hash}\"\n"),
    );
    let lines = machine.replay(&user);
    assert_eq!(ran(&lines), ["a"], "{lines:#?}");
    assert_eq!(event(&lines)["decision"]["assumed"], json!([]));

    machine.write("b/.codex/config.toml", "[hooks\n");
    let output = machine.command(&[&["replay", "log.jsonl"], &user[..]].concat()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("--trust-from b/.codex/config.toml: not valid TOML") && told.contains("line 1"), "{told}");
}

#[test]
fn a_toml_file_is_read_as_codex_reads_it() {
    let machine = Machine::new();
    let good = "model = \"m\"\n\n[[hooks.PreToolUse]]\nunheard = 1\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \": t\"\n";
    machine.write("mine.toml", good);
    let lines = machine.replay(&["--settings", "mine.toml"]);
    assert_eq!(ran(&lines), ["t"], "{lines:#?}");
    assert_eq!(event(&lines)["groups"][0]["line"], 3);
    for (text, why) in [
        ("[hooks\n", "not valid TOML"),
        ("hooks = 3\n", "`hooks` is a number"),
        ("[hooks]\nPreToolUse = \"x\"\n", "must be a list of groups"),
        (&good.replace("command = \": t\"", "command = \": t\"\ntimeout = \"5\""), "`timeout` must be"),
        (&good.replace("\"command\"\n", "\"http\"\n"), "`http` is no handler type"),
    ] {
        machine.write("mine.toml", text);
        let lines = machine.replay(&["--settings", "mine.toml"]);
        let told = lines.iter().find(|line| line["rejected"] == true).unwrap_or_else(|| panic!("{text}: {lines:#?}"));
        assert!(told["why"].as_str().unwrap().contains(why), "{told}");
        assert!(event(&lines)["groups"].as_array().unwrap().is_empty());
    }
}

#[test]
fn an_unknown_key_at_the_root_costs_the_whole_file() {
    let machine = Machine::new();
    for key in ["$schema", "version"] {
        let mut file: Value = serde_json::from_str(&hooks(&[group("h")])).unwrap();
        file[key] = json!("x");
        machine.write(".codex/hooks.json", &file.to_string());
        let lines = machine.replay(&["--settings", ".codex/hooks.json"]);
        assert!(ran(&lines).is_empty());
        assert!(lines.iter().any(|line| line["rejected"] == true), "{lines:#?}");
    }
}

#[test]
fn tools_and_empty_commands_are_passed_over_where_codex_does_so() {
    let machine = Machine::new();
    let tool = |server: &str| json!({"hooks": [{"type": "mcp_tool", "server": server, "tool": "t"}]});
    let empty = json!({"hooks": [{"type": "command", "command": " "}]});
    let events = json!({"PreToolUse": [tool("s"), tool(""), empty, {}], "SessionEnd": [tool("s")]});
    machine.write(".codex/hooks.json", &json!({"hooks": events}).to_string());
    let lines = machine.replay(&["--settings", ".codex/hooks.json"]);
    let dropped: Vec<&str> = lines.iter().filter_map(|line| line["dropped"].as_str()).collect();
    assert_eq!(dropped, ["project:PreToolUse/1/0", "project:PreToolUse/2/0", "project:SessionEnd/0/0"], "{lines:#?}");
}
