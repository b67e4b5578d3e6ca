//! The house keeps its order: direction of the rooms, what a room may touch, sizes, names, words.
//!
//! Every rule is a function from text to complaints, so that it is also tried on text that breaks it.

mod paths;

use std::fs;
use std::path::{Path, PathBuf};

use paths::paths;

/// Plain tables may be longer than 600 lines. Each with the reason.
const TABLES: &[(&str, &str)] = &[];
const LONGEST: usize = 600;

/// A file of the project: path from its root, and text.
struct File {
    path: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below the given folders (or the files themselves), in order of path.
fn files(places: &[&str], wanted: impl Fn(&Path) -> bool) -> Vec<File> {
    let mut open: Vec<PathBuf> = places.iter().map(|place| root().join(place)).filter(|path| path.exists()).collect();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if wanted(&path) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push(File { path: path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned(), text });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Rust files of the program: no test modules.
fn program() -> Vec<File> {
    let mut files = files(&["src"], is_rust);
    files.retain(|file| !module(&file.path).iter().any(|name| name == "tests"));
    files
}

/// `src/engine/select.rs` → `engine`, `select`.
fn module(path: &str) -> Vec<String> {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').filter(|name| !matches!(*name, "lib" | "main")).map(str::to_owned).collect()
}

fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

// --- The map and the direction of the rooms ---

/// The rooms of the map in `src/lib.rs`, in its order.
fn map(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let names = rows.filter_map(|row| row.split_once("`]")).map(|(name, _)| name);
    // `mod@` tells the documentation that a module is meant.
    names.map(|name| name.trim_start_matches("mod@").to_owned()).collect()
}

fn map_complaints(lib: &str, rooms: &[String]) -> Vec<String> {
    let map = map(lib);
    let unnamed = rooms.iter().filter(|room| !map.contains(room));
    let missing = map.iter().filter(|name| !rooms.contains(name));
    unnamed
        .map(|room| format!("the map in src/lib.rs does not name the room {room}"))
        .chain(missing.map(|name| format!("the map in src/lib.rs names {name}, which is not there")))
        .collect()
}

fn direction_complaints(map: &[String], files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let module = module(&file.path);
        let Some(own) = module.first().and_then(|room| map.iter().position(|name| name == room)) else { continue };
        for path in paths(&file.text, &module) {
            if path[0] != "crate" {
                continue;
            }
            if let Some(other) = map.iter().position(|name| *name == path[1])
                && other > own
            {
                complaints.push(format!("{}: {} is a room below {}", file.path, path.join("::"), map[own]));
            }
        }
    }
    complaints
}

#[test]
fn the_map_names_every_room() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut rooms: Vec<String> =
        files(&["src"], is_rust).iter().filter_map(|file| module(&file.path).first().cloned()).collect();
    rooms.dedup();
    none(map_complaints(&lib, &rooms));
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    none(direction_complaints(&map(&lib), &program()));
}

#[test]
fn the_rules_about_rooms_can_be_broken() {
    let lib = "//! | room | owns |\n//! |---|---|\n//! | [`model`] | data |\n//! | [`mod@ui`] | drawing |\n";
    let map = map(lib);
    assert_eq!(map, ["model", "ui"]);
    assert_eq!(map_complaints(lib, &map), Vec::<String>::new());
    assert_eq!(map_complaints(lib, &["model".to_owned()]).len(), 1);
    assert_eq!(map_complaints(lib, &["model".to_owned(), "ui".to_owned(), "attic".to_owned()]).len(), 1);

    let wrong = [
        file("src/model.rs", "use crate::ui::List;"),
        file("src/model/event.rs", "fn f() { super::super::ui::draw() }"),
        file("src/model/name.rs", "use crate::{model::Name, ui::{self}};"),
    ];
    assert_eq!(direction_complaints(&map, &wrong).len(), 3);
    let right = [file("src/ui.rs", "use crate::model::Event;"), file("src/model/step.rs", "use super::Event;")];
    assert_eq!(direction_complaints(&map, &right), Vec::<String>::new());
}

// --- What a room may touch ---

/// A thing of the world outside, and where alone it may be touched.
struct Reserved {
    what: &'static str,
    /// A path names it when it holds these segments side by side.
    segments: &'static [&'static str],
    /// Whether a module may touch it.
    allowed: fn(&[String]) -> bool,
}

fn in_room(module: &[String], rooms: &[&str]) -> bool {
    module.first().is_none_or(|room| rooms.contains(&room.as_str()))
}

/// Rooms without IO, clock or environment; in `app` only the loop that runs it and its jobs touch the world.
fn is_edge(module: &[String]) -> bool {
    let edge_of_app = || matches!(module.get(1).map(String::as_str), Some("run" | "jobs"));
    match module.first().map(String::as_str) {
        Some("model" | "text" | "matcher" | "dialect" | "engine" | "diagnose" | "ui") => false,
        Some("app") => edge_of_app(),
        _ => true,
    }
}

fn may_start_processes(module: &[String]) -> bool {
    in_room(module, &["exec"]) || module.iter().any(|name| name == "bench")
}

const RESERVED: &[Reserved] = &[
    Reserved { what: "starts processes", segments: &["process", "Command"], allowed: may_start_processes },
    Reserved { what: "starts processes", segments: &["process", "*"], allowed: may_start_processes },
    Reserved { what: "starts processes", segments: &["tokio", "process"], allowed: may_start_processes },
    Reserved { what: "touches files", segments: &["std", "fs"], allowed: is_edge },
    Reserved { what: "touches files", segments: &["fs", "File"], allowed: is_edge },
    Reserved { what: "touches files", segments: &["tokio", "fs"], allowed: is_edge },
    Reserved { what: "reads the environment", segments: &["std", "env"], allowed: is_edge },
    Reserved { what: "reads standard input", segments: &["io", "stdin"], allowed: is_edge },
    Reserved { what: "speaks to a network", segments: &["std", "net"], allowed: is_edge },
    Reserved { what: "reads the clock", segments: &["SystemTime", "now"], allowed: is_edge },
    Reserved { what: "reads the clock", segments: &["Instant", "now"], allowed: is_edge },
    Reserved { what: "reads the clock", segments: &["Timestamp", "now"], allowed: is_edge },
    Reserved { what: "reads the clock", segments: &["Zoned", "now"], allowed: is_edge },
    Reserved { what: "draws", segments: &["ratatui", ""], allowed: |module| in_room(module, &["ui", "cli"]) },
    Reserved {
        what: "knows the terminal",
        segments: &["crossterm", ""],
        allowed: |module| in_room(module, &["app", "ui", "cli"]),
    },
    Reserved { what: "knows the command line", segments: &["clap", ""], allowed: |module| in_room(module, &["cli"]) },
];

fn reserved_complaints(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let module = module(&file.path);
        for path in paths(&file.text, &module) {
            let broken = RESERVED.iter().find(|rule| {
                let same = |pair: &[String]| {
                    pair.iter().zip(rule.segments).all(|(have, want)| want.is_empty() || have == want)
                };
                path.windows(2).any(same) && !(rule.allowed)(&module)
            });
            complaints.extend(broken.map(|rule| format!("{}: {} {}", file.path, path.join("::"), rule.what)));
        }
    }
    complaints
}

#[test]
fn only_the_edge_touches_the_world() {
    none(reserved_complaints(&program()));
}

#[test]
fn the_rules_about_the_world_can_be_broken() {
    let wrong = [
        ("src/settings/git.rs", "use std::process::Command;"),
        ("src/load.rs", "use std::process; fn f() { process::Command::new(\"git\"); }"),
        ("src/load.rs", "use std::process::*;"),
        ("src/load.rs", "use tokio::process::Child;"),
        ("src/engine/select.rs", "fn f() { std::fs::read(\"x\"); }"),
        ("src/model.rs", "use std::{env, io};"),
        ("src/app/state.rs", "use std::fs::File;"),
        ("src/diagnose.rs", "fn f() { let t = std::time::Instant::now(); }"),
        ("src/ui/theme.rs", "fn f() { std::env::var(\"NO_COLOR\"); }"),
        ("src/app/keys.rs", "use ratatui::style::Color;"),
        ("src/model/time.rs", "use crossterm::event;"),
        ("src/load/discover.rs", "use clap::Parser;"),
    ];
    for (path, text) in wrong {
        assert_eq!(reserved_complaints(&[file(path, text)]).len(), 1, "{path}: {text}");
    }
    let right = [
        ("src/exec/spawn.rs", "use std::process::Command;"),
        ("src/cli/bench.rs", "use std::process::Command;"),
        ("src/cli.rs", "use clap::Command; use std::process::ExitCode;"),
        ("src/app/run.rs", "fn f() { let t = std::time::Instant::now(); }"),
        ("src/app/jobs.rs", "use std::fs;"),
        ("src/ui/draw.rs", "use ratatui::Frame;"),
        ("src/matcher.rs", "const V: &str = env!(\"CARGO_PKG_VERSION\"); #[cfg(test)] mod tests { use std::fs; }"),
    ];
    for (path, text) in right {
        assert_eq!(reserved_complaints(&[file(path, text)]), Vec::<String>::new());
    }
}

// --- Sizes and names ---

fn size_complaints(files: &[File], tables: &[(&str, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        let table = tables.iter().any(|(path, _)| *path == file.path);
        if lines > LONGEST && !table {
            complaints.push(format!("{}: {lines} lines, and it is not listed as a plain table", file.path));
        }
        if lines <= LONGEST && table {
            complaints.push(format!("{}: listed as a long table, and has only {lines} lines", file.path));
        }
    }
    let gone = tables.iter().filter(|(path, _)| !files.iter().any(|file| file.path == *path));
    complaints.extend(gone.map(|(path, _)| format!("{path}: listed as a long table, and not there")));
    let silent = tables.iter().filter(|(_, why)| why.is_empty());
    complaints.extend(silent.map(|(path, _)| format!("{path}: listed as a long table without a reason")));
    complaints
}

fn name_complaints(files: &[File]) -> Vec<String> {
    let empty_words = ["util", "utils", "helper", "helpers", "manager", "common", "misc"];
    let mut complaints = Vec::new();
    for file in files {
        if module(&file.path).iter().any(|name| empty_words.contains(&name.as_str())) {
            complaints.push(format!("{}: a name that says nothing", file.path));
        }
        if !file.text.starts_with("//!") {
            complaints.push(format!("{}: does not say at its head what it owns", file.path));
        }
    }
    complaints
}

#[test]
fn files_are_short_or_plain_tables() {
    none(size_complaints(&files(&["src", "tests", "benches"], is_rust), TABLES));
}

#[test]
fn modules_say_what_they_are() {
    none(name_complaints(&program()));
}

#[test]
fn the_rules_about_files_can_be_broken() {
    let long = file("src/a.rs", &"//! x\n".repeat(601));
    assert_eq!(size_complaints(&[long], &[]).len(), 1);
    let short = file("src/a.rs", &"//! x\n".repeat(600));
    assert_eq!(size_complaints(&[short], &[]), Vec::<String>::new());
    assert_eq!(size_complaints(&[file("src/a.rs", "")], &[("src/a.rs", "a table")]).len(), 1);
    assert_eq!(size_complaints(&[], &[("src/a.rs", "")]).len(), 2);
    assert_eq!(name_complaints(&[file("src/engine/utils.rs", "//! x")]).len(), 1);
    assert_eq!(name_complaints(&[file("src/engine/select.rs", "use x;")]).len(), 1);
}

// --- The README, the checks of every change, the words ---

/// The command lines in the README's `sh` blocks up to and including the line for one's own sessions.
fn first_commands(readme: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside && !line.is_empty() => commands.push(line.split('#').next().unwrap_or(line).trim()),
            _ => {}
        }
    }
    commands.truncate(3);
    commands
}

fn readme_complaints(readme: &str, checks: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    match first_commands(readme)[..] {
        [open, test, own] => {
            if open != "cargo run --release -- demo stop-loop" {
                complaints.push(format!("README.md: the first command is {open}"));
            }
            if test != "cargo test" || !checks.lines().any(|line| line == test) {
                complaints.push(format!("README.md: the second command is {test}, and .ci/run must run it"));
            }
            if own != "hookscope" {
                complaints.push(format!("README.md: the line after the two commands is {own}"));
            }
        }
        _ => complaints.push("README.md: two commands and the line for one's own sessions are missing".to_owned()),
    }
    for check in ["cargo fmt --check", "cargo clippy --all-targets -- -D warnings"] {
        if !checks.lines().any(|line| line == check) {
            complaints.push(format!(".ci/run: does not run {check}"));
        }
    }
    if !checks.lines().any(|line| line.starts_with("RUSTDOCFLAGS=\"-D warnings\" cargo doc")) {
        complaints.push(".ci/run: does not build the documentation with warnings denied".to_owned());
    }
    complaints
}

#[test]
fn the_readme_and_the_checks_agree() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let checks = fs::read_to_string(root().join(".ci/run")).unwrap();
    none(readme_complaints(&readme, &checks));
}

#[test]
fn the_rules_about_the_readme_can_be_broken() {
    let readme = "```sh\ncargo run --release -- demo stop-loop  # x\ncargo test\n```\n\n```sh\nhookscope\n```\n";
    let checks = "cargo test\ncargo fmt --check\ncargo clippy --all-targets -- -D warnings\n\
                  RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps\n";
    assert_eq!(readme_complaints(readme, checks), Vec::<String>::new());
    assert_eq!(readme_complaints(&readme.replace("stop-loop", "loop"), checks).len(), 1);
    assert_eq!(readme_complaints(&readme.replace("cargo test", "make test"), checks).len(), 1);
    assert_eq!(readme_complaints("", checks).len(), 1);
    assert_eq!(readme_complaints(readme, "cargo test").len(), 3);
}

/// What stands between `<!-- name -->` and `<!-- /name -->`, if both are there.
fn marked<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n"))?;
    rest.split_once(&format!("<!-- /{name} -->")).map(|(inside, _)| inside)
}

#[test]
fn the_readme_has_the_key_table_of_the_program() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let table = hookscope::app::readme_table();
    assert!(
        marked(&readme, "keys") == Some(&*table),
        "README.md: what stands between <!-- keys --> and <!-- /keys --> must be\n{table}"
    );
}

#[test]
fn marked_text_is_found_between_its_marks_alone() {
    assert_eq!(marked("a\n<!-- keys -->\nb\n<!-- /keys -->\nc", "keys"), Some("b\n"));
    assert_eq!(marked("<!-- keys -->\nb\n", "keys"), None);
    assert_eq!(marked("<!-- figures -->\nb\n<!-- /figures -->", "keys"), None);
}

/// The project speaks of itself alone. Pieces are joined here so that this list does not find itself.
fn word_complaints(files: &[File]) -> Vec<String> {
    let words: Vec<String> = [
        ["../", "shared"],
        [" /wo", "rk/"],
        ["\"/wo", "rk/"],
        ["brief", "ing"],
        ["this iss", "ue"],
        ["issue te", "xt"],
        ["issues sh", "ow"],
        ["issue ", "#"],
        ["sub-ta", "sk"],
        ["generated wi", "th"],
        ["TO", "DO"],
        ["FIX", "ME"],
    ]
    .iter()
    .map(|pieces| pieces.concat())
    .collect();
    let mut complaints = Vec::new();
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            let lower = line.to_lowercase();
            for word in &words {
                let shouted = word.chars().all(char::is_uppercase);
                if if shouted { line.contains(word) } else { lower.contains(word) } {
                    complaints.push(format!("{}:{}: {word}", file.path, number + 1));
                }
            }
        }
    }
    complaints
}

#[test]
fn the_project_speaks_of_itself_alone() {
    // Recorded data is left out: it says what agents said.
    let spoken = |path: &Path| {
        !path.starts_with(root().join("tests/data"))
            && path.extension().is_none_or(|extension| {
                ["rs", "md", "toml", "sh", "json", "jsonl", "txt"].iter().any(|known| extension == *known)
            })
    };
    let places = ["src", "tests", "benches", "sessions", "README.md", "Cargo.toml", ".ci"];
    none(word_complaints(&files(&places, spoken)));
}

#[test]
fn the_rule_about_words_can_be_broken() {
    let bad = format!("// see ../{}/design\n// {}DO: later\n// as the Brief{} says\n", "shared", "TO", "ing");
    assert_eq!(word_complaints(&[file("src/a.rs", &bad)]).len(), 3);
    assert_eq!(word_complaints(&[file("src/a.rs", "// to-do lists are a tool: TodoWrite")]), Vec::<String>::new());
}
