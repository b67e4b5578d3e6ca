//! Which files count for a session.

use std::fs;
use std::path::{Path, PathBuf};

use hookscope::model::{EraOrigin, FileStatus, HookSet, Plan};
use hookscope::settings::{Given, Request, StartSwitch, Trust, plan};
use tempfile::TempDir;

const RUN: &str = r#"{"type":"command","command":"true"}"#;

fn stop(extra: &str) -> String {
    format!(r#"{{{extra}"hooks":{{"Stop":[{{"hooks":[{RUN}]}}]}}}}"#)
}

/// A made-up machine: `home`, `etc`, and a project under `home/work/app`.
struct Machine {
    root: TempDir,
}

impl Machine {
    fn new() -> Machine {
        Machine { root: TempDir::new().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> &Machine {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn request(&self) -> Request {
        Request {
            cwd: Some(self.path("home/work/app")),
            home: Some(self.path("home")),
            managed: vec![self.path("etc")],
            ..Request::default()
        }
    }

    fn plan(&self) -> Plan {
        plan(&self.request(), None, &[])
    }
}

fn set(plan: &Plan) -> &HookSet {
    assert_eq!(plan.eras.len(), 1);
    &plan.eras[0].set
}

fn group_ids(set: &HookSet) -> Vec<&str> {
    set.groups.iter().map(|group| group.id.as_str()).collect()
}

fn why(set: &HookSet, path: &Path) -> Option<String> {
    let file = set.files.iter().find(|file| Path::new(&file.path) == path).unwrap();
    match &file.status {
        FileStatus::NotLoadable { why } => Some(why.clone()),
        FileStatus::Loaded => None,
        FileStatus::Rejected { .. } => panic!("{file:?}"),
    }
}

#[test]
fn all_scopes_add_up_in_the_order_of_reading() {
    let machine = Machine::new();
    machine
        .write("home/.claude/settings.json", &stop(""))
        .write("home/work/app/.claude/settings.json", &stop(""))
        .write("home/work/app/.claude/settings.local.json", &stop(""))
        .write("etc/managed-settings.json", &stop(""))
        .write("etc/managed-settings.d/10-a.json", &stop(""));
    let plan = machine.plan();
    let set = set(&plan);
    assert_eq!(group_ids(set), ["user:Stop/0", "project:Stop/0", "local:Stop/0", "managed:Stop/0", "managed#2:Stop/0"]);
    assert!(set.groups.iter().enumerate().all(|(index, group)| group.file == index));
    assert!(set.switches.is_empty());
    assert!(!plan.given);
}

#[test]
fn nothing_found_says_where_was_looked() {
    let machine = Machine::new();
    let plan = machine.plan();
    assert!(!plan.has_hooks());
    let looked: Vec<_> = plan.looked_at.iter().map(|looked| (looked.scope.as_str(), looked.path.clone())).collect();
    for (scope, path) in [
        ("user", "home/.claude/settings.json"),
        ("project", "home/work/app/.claude/settings.json"),
        ("local", "home/work/app/.claude/settings.local.json"),
        ("managed", "etc/managed-settings.json"),
        ("plugin", "home/.claude/plugins/installed_plugins.json"),
    ] {
        assert!(looked.contains(&(scope, machine.path(path).display().to_string())), "{path} in {looked:?}");
    }
    assert!(plan.looked_at.iter().all(|looked| !looked.found));
    assert_eq!(plan.eras.len(), 1, "there is always an era");
}

#[test]
fn another_config_folder_stands_for_the_one_at_home() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", &stop("")).write("conf/settings.json", &stop(""));
    let request = Request { config_dir: Some(machine.path("conf")), ..machine.request() };
    let plan = plan(&request, None, &[]);
    assert_eq!(set(&plan).files.len(), 1);
    assert_eq!(Path::new(&set(&plan).files[0].path), machine.path("conf/settings.json"));
}

#[test]
fn a_session_in_the_home_folder_reads_its_settings_once() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", &stop(""));
    let request = Request { cwd: Some(machine.path("home")), ..machine.request() };
    assert_eq!(group_ids(set(&plan(&request, None, &[]))), ["user:Stop/0"]);
}

#[test]
fn folders_above_the_start_folder_do_not_count_for_project_settings() {
    let machine = Machine::new();
    fs::create_dir_all(machine.path("home/work/.git")).unwrap();
    machine
        .write("home/work/.claude/settings.json", &stop(""))
        .write("home/work/.claude/settings.local.json", &stop(""));
    let plan_now = machine.plan();
    let words = why(set(&plan_now), &machine.path("home/work/.claude/settings.json")).unwrap();
    assert!(words.starts_with("this session could not have loaded this file, because it started in"), "{words}");
    assert_eq!(group_ids(set(&plan_now)), ["local:Stop/0"], "local settings are those of the repository's root");
    let request = Request { version: Some("2.1.200".into()), ..machine.request() };
    assert!(group_ids(set(&plan(&request, None, &[]))).is_empty(), "before 2.1.211 they were not");
    let request = Request { project: Some(machine.path("home/work")), ..machine.request() };
    assert_eq!(group_ids(set(&plan(&request, None, &[]))), ["project:Stop/0", "local:Stop/0"]);
}

#[test]
fn settings_of_the_main_checkout_do_not_count_in_a_worktree() {
    let machine = Machine::new();
    machine
        .write("home/work/main/.claude/settings.json", &stop(""))
        .write("home/work/main/.git/worktrees/app/HEAD", "")
        .write(
            "home/work/app/.git",
            &format!("gitdir: {}\n", machine.path("home/work/main/.git/worktrees/app").display()),
        );
    let plan = machine.plan();
    let words = why(set(&plan), &machine.path("home/work/main/.claude/settings.json")).unwrap();
    assert!(words.contains("worktree") && words.contains("assumed"), "{words}");
}

#[test]
fn the_entry_point_decides_what_was_read() {
    let machine = Machine::new();
    machine
        .write("home/.claude/settings.json", &stop(""))
        .write("home/work/app/.claude/settings.json", &stop(""))
        .write("etc/managed-settings.json", &stop(""));
    let all: &[&str] = &["user:Stop/0", "project:Stop/0", "managed:Stop/0"];
    for (entrypoint, version, sources, expect) in [
        ("cli", "2.1.332", None, all),
        ("sdk-cli", "2.0.1", None, all),
        ("claude-vscode", "2.1.332", None, all),
        ("something-new", "2.1.332", None, all),
        ("sdk-py", "2.1.332", None, all),
        ("sdk-ts", "2.0.5", None, &["managed:Stop/0"]),
        ("sdk-ts", "2.1.332", Some(vec![]), &["managed:Stop/0"]),
        ("sdk-ts", "2.1.332", Some(vec!["project".to_owned()]), &["project:Stop/0", "managed:Stop/0"]),
        ("remote", "2.1.332", None, &["project:Stop/0", "managed:Stop/0"]),
    ] {
        let request = Request {
            entrypoint: Some(entrypoint.into()),
            version: Some(version.into()),
            setting_sources: sources,
            ..machine.request()
        };
        let plan = plan(&request, None, &[]);
        assert_eq!(group_ids(set(&plan)), expect, "{entrypoint} {version}");
        for file in &set(&plan).files {
            if let FileStatus::NotLoadable { why } = &file.status {
                assert!(why.starts_with("this session could not have loaded this file, because "), "{why}");
            }
        }
        let assumes = entrypoint == "sdk-py";
        assert_eq!(
            plan.eras[0].note.as_deref().is_some_and(|note| note.starts_with("assumed: ")),
            assumes || (entrypoint == "sdk-ts" && version == "2.0.5")
        );
    }
}

#[test]
fn the_most_specific_scope_decides_whether_hooks_are_off() {
    let on = r#""disableAllHooks":true,"#;
    let off = r#""disableAllHooks":false,"#;
    let others = Some(vec!["user", "project", "sdk"]);
    for (user, project, managed, expect) in [
        ("", "", "", None),
        (on, "", "", others.clone()),
        (on, off, "", None),
        (off, on, "", others),
        (on, on, off, None),
        ("", "", on, Some(vec![])),
        (r#""disableAllHooks":"true","#, "", "", None),
    ] {
        let machine = Machine::new();
        machine
            .write("home/.claude/settings.json", &stop(user))
            .write("home/work/app/.claude/settings.json", &stop(project))
            .write("etc/managed-settings.json", &stop(managed));
        let plan = machine.plan();
        let set = set(&plan);
        let scopes =
            set.switches.iter().map(|switch| switch.scopes.iter().map(String::as_str).collect::<Vec<_>>()).next();
        assert_eq!(scopes, expect, "{user} {project} {managed}");
        assert!(set.switches.iter().all(|switch| switch.position.is_some() && switch.file.is_some()));
    }
}

#[test]
fn managed_hooks_only_counts_from_managed_settings_only() {
    let only = r#""allowManagedHooksOnly":true,"#;
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", &stop(only));
    assert!(set(&machine.plan()).switches.is_empty());
    machine.write("etc/managed-settings.json", &stop(only));
    let plan = machine.plan();
    let [switch] = &set(&plan).switches[..] else { panic!("{:?}", set(&plan).switches) };
    assert_eq!(switch.name, "allowManagedHooksOnly");
    assert_eq!(switch.scopes, ["user"]);
    assert_eq!(switch.file, Some(1));
}

#[test]
fn starting_bare_safe_or_untrusted_turns_hooks_off() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", &stop("")).write("etc/managed-settings.json", &stop(""));
    let started = |switch| Request { started_with: vec![switch], ..machine.request() };
    let untrusted = |entrypoint: &str| Request {
        trust: Trust::Untrusted,
        entrypoint: Some(entrypoint.to_owned()),
        ..machine.request()
    };
    for (request, expect) in [
        (started(StartSwitch::Bare), vec![("--bare", vec![])]),
        (started(StartSwitch::SafeMode), vec![("--safe-mode", vec!["user", "sdk"])]),
        (untrusted("cli"), vec![("trust", vec!["user"])]),
        (untrusted("sdk-cli"), vec![]),
    ] {
        let plan = plan(&request, None, &[]);
        let switches: Vec<_> = set(&plan)
            .switches
            .iter()
            .map(|switch| (switch.name.as_str(), switch.scopes.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        assert_eq!(switches, expect);
    }
}

#[test]
fn plugins_count_when_they_are_enabled() {
    let machine = Machine::new();
    let folder = |name: &str| machine.path(&format!("plugins/{name}")).display().to_string();
    machine
        .write(
            "home/.claude/plugins/installed_plugins.json",
            &format!(
                r#"{{"version":2,"plugins":{{"fmt@shop":[{{"scope":"user","installPath":"{}"}}],"off@shop":[{{"scope":"user","installPath":"{}"}}],"In Line@shop":{{"installPath":"{}"}}}}}}"#,
                folder("fmt"), folder("off"), folder("inline"),
            ),
        )
        .write("home/.claude/settings.json", r#"{"enabledPlugins":{"fmt@shop":true,"off@shop":true,"In Line@shop":true}}"#)
        .write("home/work/app/.claude/settings.json", r#"{"enabledPlugins":{"off@shop":false}}"#)
        .write("plugins/fmt/hooks/hooks.json", &stop(r#""description":"x","#))
        .write("plugins/fmt/.claude-plugin/plugin.json", r#"{"name":"fmt","hooks":["./hooks/hooks.json","./more.json","../../etc/passwd"]}"#)
        .write("plugins/fmt/more.json", &stop(""))
        .write("plugins/off/hooks/hooks.json", &stop(""))
        .write("plugins/inline/.claude-plugin/plugin.json", &format!("{{\"name\":\"x\",\n\"hooks\":{{\"Stop\":[{{\"hooks\":[{RUN}]}}]}}}}"));
    let plan = machine.plan();
    let set = set(&plan);
    assert_eq!(group_ids(set), ["plugin-fmt:Stop/0", "plugin-fmt#2:Stop/0", "plugin-in-line:Stop/0"]);
    assert_eq!(set.groups[2].position.line, 2);
    let words = why(set, &machine.path("plugins/off/hooks/hooks.json")).unwrap();
    assert!(words.contains("switch the plugin off@shop off"), "{words}");
}

#[test]
fn skills_and_subagents_bring_hooks_for_a_while() {
    let machine = Machine::new();
    let front = |name: &str, event: &str| {
        format!(
            "---\nname: {name}\nhooks:\n  {event}:\n    - hooks:\n        - type: command\n          command: x\n---\n"
        )
    };
    machine
        .write("home/.claude/skills/deploy/SKILL.md", &front("deploy", "PreToolUse"))
        .write("home/.claude/skills/plain/SKILL.md", "---\nname: plain\n---\n")
        .write("home/work/app/.claude/agents/sub/reviewer.md", &front("Code Reviewer", "Stop"))
        .write("home/work/app/.claude/agents/notes.txt", "x");
    let plan = machine.plan();
    let set = set(&plan);
    assert_eq!(group_ids(set), ["skill-deploy:PreToolUse/0", "agent-code-reviewer:Stop/0"]);
    assert_eq!(set.groups[1].event, "SubagentStop");
    assert!(set.groups.iter().all(|group| group.limited_to.is_some()));
}

#[test]
fn given_files_stand_alone_and_keep_their_order() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", &stop("")).write("a.json", &stop("")).write("b.json", &stop(""));
    let given = |scope: Option<&str>, path: &str| Given { scope: scope.map(str::to_owned), path: machine.path(path) };
    let files = vec![
        given(None, "b.json"),
        given(Some("team"), "a.json"),
        given(None, "a.json"),
        given(None, "missing.json"),
        given(None, "home/.claude/settings.json"),
    ];
    let plan = plan(&Request { given: files, ..machine.request() }, None, &[]);
    assert!(plan.given);
    let set = set(&plan);
    assert_eq!(group_ids(set), ["project:Stop/0", "team:Stop/0", "project#2:Stop/0", "user:Stop/0"]);
    assert!(set.files.iter().all(|file| file.origin == EraOrigin::Given));
    assert!(matches!(set.files[3].status, FileStatus::Rejected { .. }));
    let found: Vec<_> = plan.looked_at.iter().map(|looked| looked.found).collect();
    assert_eq!(found, [true, true, true, false, true]);
}

#[test]
fn a_given_file_says_its_scope_by_its_path() {
    for (argument, scope) in [
        ("x/.claude/settings.json", "project"),
        ("settings.json", "project"),
        ("x/.claude/settings.local.json", "local"),
        ("~/.claude/settings.json", "user"),
        ("/home/dev/.claude/settings.json", "user"),
        ("/home/dev/app/.claude/settings.json", "project"),
        ("/plugins/x/hooks/hooks.json", "plugin"),
        ("/etc/claude-code/managed-settings.json", "managed"),
        ("team=x/.claude/settings.local.json", "team"),
        ("a-1=settings.json", "a-1"),
        ("Team=settings.json", "project"),
        (".claude/agents/code reviewer.md", "agent-code-reviewer"),
        (".claude/skills/deploy/SKILL.md", "skill-deploy"),
    ] {
        let request = Request { given: vec![Given::parse(argument)], ..Request::default() };
        assert_eq!(plan(&request, None, &[]).eras[0].set.files[0].scope, scope, "{argument}");
    }
}

#[test]
fn what_is_no_text_file_is_refused_not_opened() {
    let machine = Machine::new();
    machine.write("utf16.json", "").write("stray.json", "");
    fs::write(machine.path("utf16.json"), b"\xff\xfe{\0}\0").unwrap();
    fs::write(machine.path("stray.json"), b"{\n\"a\": \"\xe9\"}").unwrap();
    fs::File::create(machine.path("huge.json")).unwrap().set_len(17 << 20).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(machine.path("pipe.json")).unwrap();
    for (path, words) in [
        ("utf16.json", "UTF-16"),
        ("stray.json", "on line 2"),
        ("huge.json", "larger than 16 MB"),
        ("pipe.json", "no regular file"),
        ("", "a folder"),
    ] {
        let given = vec![Given { scope: None, path: machine.path(path) }];
        let plan = plan(&Request { given, ..Request::default() }, None, &[]);
        let FileStatus::Rejected { why, .. } = &plan.eras[0].set.files[0].status else { panic!("{path}") };
        assert!(why.contains(words), "{path}: {why}");
    }
    drop(socket);
}
