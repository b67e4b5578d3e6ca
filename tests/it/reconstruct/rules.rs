//! One small transcript a rule.

use hookscope::dialect::claude_code::Transcript;
use hookscope::dialect::{Output, Reader, Shared};
use hookscope::model::{Evidence, LineRef, MarkKind, Says, SourceIx};
use serde_json::{Value, json};

use super::file::File;

#[test]
fn a_plain_turn() {
    File::new()
        .prompt("go")
        .bash("m1", "a", "make x")
        .result("a", "ok")
        .says("m2", "Done.")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch Stop");
}

#[test]
fn harmless_calls_start_together_and_writing_ones_one_after_the_other() {
    File::new()
        .prompt("go")
        .uses("m1", "a", "Read", json!({"file_path": "/x"}))
        .bash("m1", "b", "echo hi")
        .result("b", "hi")
        .result("a", "x")
        .gives("UserPromptSubmit PreToolUse:Read PreToolUse:Bash PostToolUse:Bash PostToolUse:Read PostToolBatch");
    File::new()
        .prompt("go")
        .bash("m1", "a", "echo x > y")
        .uses("m1", "b", "Write", json!({"file_path": "/x"}))
        .result("a", "")
        .result("b", "")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PreToolUse:Write PostToolUse:Write PostToolBatch");
    // The result of the second came first, so they ran together after all.
    File::new()
        .prompt("go")
        .bash("m1", "a", "make a")
        .bash("m1", "b", "make b")
        .result("b", "")
        .result("a", "")
        .gives("UserPromptSubmit PreToolUse:Bash PreToolUse:Bash PostToolUse:Bash PostToolUse:Bash PostToolBatch");
}

#[test]
fn results_that_come_between_the_calls_of_a_message_belong_to_one_batch() {
    File::new()
        .prompt("go")
        .bash("m1", "a", "make a")
        .result("a", "")
        .bash("m1", "b", "make b")
        .result("b", "")
        .says("m2", "Done.")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PreToolUse:Bash PostToolUse:Bash PostToolBatch Stop");
}

#[test]
fn calls_refused_before_any_hook_are_only_in_the_batch() {
    for text in [
        "<tool_use_error>Error: No such tool available: Nope</tool_use_error>",
        "<tool_use_error>InputValidationError: Bash failed</tool_use_error>",
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
    ] {
        File::new()
            .prompt("go")
            .bash("m1", "a", "x")
            .error("a", text)
            .says("m2", "Hm.")
            .gives("UserPromptSubmit PostToolBatch Stop");
    }
    // A call that fell with a sibling had started.
    File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .error("a", "<tool_use_error>Sibling tool call errored</tool_use_error>")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolBatch");
}

#[test]
fn refused_calls_have_no_post_event() {
    let check = |version, text: &str, more: Value, mark: Option<Says>| {
        let mut more = more;
        more["is_error"] = true.into();
        let file = File::of(version).prompt("go").bash("m1", "a", "x").answer("a", text, more).says("m2", "Hm.");
        let read = file.read();
        let told = read.told();
        assert!(told.ends_with("PreToolUse:Bash PostToolBatch Stop"), "{version} {text}: {told}");
        assert_eq!(read.marks("PreToolUse").first().and_then(|mark| mark.1), mark, "{version} {text}");
    };
    let hook = json!({"toolDenialKind": "permission-rule",
        "permissionDecision": {"decision": "reject", "source": "hook", "reasonType": "hook", "reasonCode": "hook:PreToolUse"}});
    check("2.1.332", "PreToolUse:Bash hook error: no", hook.clone(), Some(Says::Deny));
    check("2.1.332", "no", hook, Some(Says::Deny));
    check("2.1.332", "Permission to use Bash has been denied.", json!({"toolDenialKind": "permission-rule"}), None);
    check("2.1.197", "PreToolUse:Bash hook error: [guard.sh]: no", json!({}), Some(Says::Deny));
    check("2.1.197", "Hook PreToolUse:Bash denied this tool", json!({}), Some(Says::Deny));
    check("2.1.197", "any words at all", json!({}), Some(Says::Deny));
    check("2.1.197", "Output redirection to '/x' was blocked. For security, Claude Code may", json!({}), None);
    check("2.1.140", "Permission to use Bash has been denied.", json!({}), None);
    let ask = json!({"toolDenialKind": "user-rejected",
        "permissionDecision": {"decision": "reject", "source": "config", "reasonCode": "hook:PreToolUse"}});
    check("2.1.332", "why", ask, Some(Says::Ask));
}

#[test]
fn failed_calls_have_a_failure_event() {
    for (version, text) in [("2.1.332", "boom"), ("2.1.197", "Exit code 3\nbad"), ("1.0.44", "boom")] {
        let file = File::of(version).prompt("go").bash("m1", "a", "x").error("a", text);
        assert!(file.read().told().contains("PreToolUse:Bash PostToolUseFailure:Bash"), "{version}");
    }
    let old = File::of("1.0.44").prompt("go").bash("m1", "a", "x").error("a", "boom").read();
    assert_eq!(old.evidence("PostToolUseFailure"), Evidence::Assumed);
}

#[test]
fn a_permission_is_asked_for_where_nobody_had_decided() {
    let refused = |reason: Value| {
        File::new().prompt("go").bash("m1", "a", "x").answer(
            "a",
            "needs approval",
            json!({"is_error": true, "toolDenialKind": "user-rejected", "permissionDecision": reason}),
        )
    };
    refused(json!({"decision": "reject", "source": "config", "reasonCode": "unknown"}))
        .gives("UserPromptSubmit PreToolUse:Bash PermissionRequest:Bash PostToolBatch");
    refused(json!({"decision": "reject", "source": "config", "reasonCode": "hook:PreToolUse"}))
        .gives("UserPromptSubmit PreToolUse:Bash PostToolBatch");
    let file = File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .attachment(json!({"type": "hook_permission_decision", "decision": "deny", "toolUseID": "a",
            "hookEvent": "PermissionRequest"}))
        .error("a", "Not today.");
    let read = file.read();
    assert!(read.told().contains("PreToolUse:Bash PermissionRequest:Bash"));
    assert_eq!(read.marks("PermissionRequest"), [(MarkKind::PermissionDecision, Some(Says::Deny))]);
}

#[test]
fn a_hook_that_stops_the_turn_leaves_neither_batch_nor_stop() {
    let stopped = |event: &str| {
        File::new()
            .prompt("go")
            .bash("m1", "a", "x")
            .result("a", "ok")
            .trace("hook_stopped_continuation", event, &format!("{event}:Bash"), "a")
            .attachment(json!({"type": "total_tokens_reminder"}))
    };
    stopped("PreToolUse").gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash");
    stopped("PostToolUse").gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash");
    stopped("PostToolBatch").gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch");
    stopped("PostToolUseFailure").gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch");
}

#[test]
fn a_deferred_call_ends_the_session_there() {
    let read = File::printing("2.1.332")
        .prompt("go")
        .bash("m1", "a", "x")
        .trace("hook_success", "PreToolUse", "PreToolUse:Bash", "a")
        .trace("hook_deferred_tool", "PreToolUse", "settings", "a")
        .raw(json!({"type": "cost-state"}))
        .read();
    assert_eq!(read.told(), "SessionStart:startup UserPromptSubmit PreToolUse:Bash SessionEnd:other");
    assert_eq!(read.marks("PreToolUse"), [(MarkKind::Success, None), (MarkKind::Deferred, Some(Says::Defer))]);
}

#[test]
fn an_interrupted_turn_has_no_stop() {
    File::new()
        .prompt("go")
        .line(json!({"type": "assistant", "message": {"id": "m1", "model": "m", "content": [{"type": "text", "text": "Well"}]}}))
        .line(json!({"type": "user", "message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]}}))
        .prompt("again")
        .says("m2", "Yes.")
        .gives("UserPromptSubmit UserPromptSubmit Stop");
    File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .answer("a", "The user doesn't want to proceed with this tool use.", json!({"is_error": true}))
        .line(json!({"type": "user", "message": {"content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}}))
        .gives("UserPromptSubmit PreToolUse:Bash PermissionRequest:Bash");
}

#[test]
fn what_is_no_prompt_fires_nothing() {
    let mut file = File::new().prompt("go");
    for text in [
        "<command-name>/model</command-name>\n<command-message>model</command-message>",
        "<local-command-stdout>Kept</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>",
        "Operation stopped by hook: enough",
    ] {
        file = file.user(text);
    }
    file.meta("<local-command-caveat>Caveat</local-command-caveat>").gives("UserPromptSubmit");
}

#[test]
fn notices_of_background_tasks_are_prompts_for_clients_that_say_where_prompts_come_from() {
    let notice = "<task-notification>\n<task-id>x</task-id></task-notification>";
    let queued = json!({"type": "queued_command", "prompt": notice, "commandMode": "task-notification"});
    File::new()
        .prompt("go")
        .attachment(queued.clone())
        .user(notice)
        .gives("UserPromptSubmit UserPromptSubmit UserPromptSubmit");
    File::of("2.1.39").user("go").attachment(queued).user(notice).gives("UserPromptSubmit");
}

#[test]
fn a_mid_turn_prompt_comes_after_the_batch() {
    File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .result("a", "ok")
        .attachment(json!({"type": "queued_command", "prompt": "and this", "commandMode": "prompt"}))
        .says("m2", "Done.")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch UserPromptSubmit Stop");
}

#[test]
fn refused_prompts_are_prompts() {
    let blocked = |content: &str, more: Value| {
        let mut more = more;
        more["content"] = content.into();
        File::new().prompt("go").says("m1", "Yes.").system("informational", more)
    };
    let file = blocked(
        "UserPromptSubmit operation blocked by hook:\n[guard.sh]: no\n\nOriginal prompt: two",
        json!({"promptSubmitEnding": {"ending": {"kind": "blocked_by_hook"}}}),
    );
    file.gives("UserPromptSubmit Stop UserPromptSubmit");
    assert_eq!(file.read().marks("UserPromptSubmit"), [(MarkKind::Informational, Some(Says::Block))]);
    blocked("UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: two", json!({}))
        .gives("UserPromptSubmit Stop UserPromptSubmit");
    blocked("UserPromptExpansion operation blocked by hook:\nno\n\nOriginal prompt: /greet Ann", json!({}))
        .gives("UserPromptSubmit Stop UserPromptSubmit UserPromptExpansion:greet");
    blocked("Something else", json!({})).gives("UserPromptSubmit Stop");
}

#[test]
fn a_custom_command_is_expanded() {
    File::new()
        .prompt("<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Ann</command-args>")
        .meta("Say hello to Ann.")
        .says("m1", "Hello.")
        .gives("UserPromptSubmit UserPromptExpansion:greet Stop");
}

#[test]
fn a_compaction_fires_in_the_measured_order() {
    let boundary = |trigger: &str| json!({"compactMetadata": {"trigger": trigger, "durationMs": 500}});
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"content": "So far: …"}});
    let fired =
        |trigger: &str| format!("PreCompact:{trigger} SubagentStop: SessionStart:compact PostCompact:{trigger}");
    let begun = || File::new().prompt("go").says("m1", "Yes.");
    begun()
        .system("compact_boundary", boundary("manual"))
        .line(summary.clone())
        .meta("<local-command-caveat></local-command-caveat>")
        .user("<command-name>/compact</command-name>\n<command-args>short</command-args>")
        .user("<local-command-stdout>Compacted </local-command-stdout>")
        .prompt("next")
        .gives(&format!("UserPromptSubmit Stop {} UserPromptSubmit", fired("manual")));
    // Within a turn, with a trace of SessionStart hooks.
    File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .result("a", "ok")
        .system("compact_boundary", boundary("auto"))
        .line(summary)
        .trace("hook_success", "SessionStart", "SessionStart:compact", "s")
        .says("m2", "Done.")
        .gives(&format!("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch {} Stop", fired("auto")));
    // Before the events of today.
    File::of("2.0.76")
        .prompt("go")
        .says("m1", "Yes.")
        .user("<command-name>/compact</command-name>")
        .system("compact_boundary", boundary("manual"))
        .gives("UserPromptSubmit Stop PreCompact:manual SessionStart:compact");
}

#[test]
fn a_refused_compaction_fires_only_its_first_event() {
    let file = File::new()
        .prompt("go")
        .says("m1", "Yes.")
        .user("<command-name>/compact</command-name>\n<command-args></command-args>")
        .system("local_command", json!({"commandRun": {"command": "compact", "args": ""},
            "content": "<local-command-stderr>Compaction blocked by PreCompact hook: [keep.sh]: no</local-command-stderr>"}))
        .prompt("next");
    file.gives("UserPromptSubmit Stop PreCompact:manual UserPromptSubmit");
    assert_eq!(file.read().marks("PreCompact"), [(MarkKind::Blocking, Some(Says::Block))]);
}

#[test]
fn a_process_that_ended_is_followed_by_one_that_resumed() {
    let file = File::printing("2.1.332").prompt("go").says("m1", "One.").raw(json!({"type": "cost-state"}));
    file.gives("UserPromptSubmit MessageDisplay Stop SessionEnd:other");
    file.raw(json!({"type": "queue-operation", "operation": "enqueue", "content": "again"}))
        .prompt("again")
        .says("m2", "Two.")
        .gives("UserPromptSubmit MessageDisplay Stop SessionEnd:other SessionStart:resume UserPromptSubmit MessageDisplay Stop");
    // Ids may start anew with the process.
    File::printing("2.1.332")
        .prompt("go")
        .bash("m1", "a", "x")
        .result("a", "ok")
        .raw(json!({"type": "cost-state"}))
        .prompt("again")
        .bash("m1", "a", "x")
        .result("a", "ok")
        .gives(
            "UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch SessionEnd:other SessionStart:resume \
             UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch",
        );
    // Older clients leave only a `last-prompt` when they end; the next process takes a while to start.
    let again = |second: u32| {
        File::printing("2.1.197")
            .prompt("go")
            .says("m1", "One.")
            .raw(json!({"type": "last-prompt"}))
            .raw(json!({"type": "queue-operation", "operation": "enqueue", "content": "again",
                "timestamp": format!("2026-11-30T10:00:0{second}.200Z")}))
            .prompt("again")
            .read()
            .told()
    };
    assert!(again(3).contains("Stop SessionEnd:other SessionStart:resume UserPromptSubmit"));
    assert!(!again(1).contains("SessionEnd"));
    // Another client version can only be another process.
    let read = File::of("2.1.140")
        .prompt("go")
        .says("m1", "One.")
        .line(json!({"type": "user", "version": "2.1.141", "promptId": "q", "message": {"content": "again"}}))
        .read();
    assert!(read.told().contains("Stop SessionEnd:prompt_input_exit SessionStart:resume UserPromptSubmit"));
    assert_eq!(read.evidence("SessionEnd"), Evidence::Assumed);
}

#[test]
fn the_source_of_a_start_is_what_its_hooks_say() {
    for source in ["resume", "clear", "startup"] {
        let told = File::new()
            .trace("hook_success", "SessionStart", &format!("SessionStart:{source}"), "s")
            .prompt("go")
            .read()
            .told();
        assert_eq!(told, format!("SessionStart:{source} UserPromptSubmit"));
    }
    let told = File::new()
        .meta("<local-command-caveat></local-command-caveat>")
        .user("<command-name>/clear</command-name>\n<command-message>clear</command-message>")
        .prompt("go")
        .read()
        .told();
    assert_eq!(told, "SessionStart:clear UserPromptSubmit");
}

#[test]
fn lines_that_a_fork_copied_fire_nothing() {
    let copied = |line: Value| {
        let mut line = line;
        line["timestamp"] = "2026-11-29T10:00:00.000Z".into();
        line
    };
    let say = |id: &str| json!({"type": "assistant", "message": {"id": id, "model": "m", "stop_reason": "end_turn", "content": [{"type": "text", "text": "x"}]}});
    let prompt = |text: &str, id: &str| json!({"type": "user", "promptId": id, "message": {"content": text}});
    // What was queued for this process came after all that was copied.
    let told = File::new()
        .raw(json!({"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-11-30T09:00:00.000Z"}))
        .line(copied(prompt("old", "p")))
        .line(copied(say("m1")))
        .line(prompt("new", "p"))
        .line(say("m2"))
        .read()
        .told();
    assert_eq!(told, "SessionStart:fork UserPromptSubmit Stop");
    // Copies carry the id of the first own prompt.
    let file = |version| {
        File::of(version)
            .line(prompt("old", "p"))
            .line(say("m1"))
            .line(prompt("older", "p"))
            .line(say("m2"))
            .line(prompt("new", "p"))
            .raw(json!({"type": "last-prompt"}))
            .line(say("m3"))
            .line(prompt("next", "q"))
            .read()
            .told()
    };
    assert_eq!(file("2.1.332"), "SessionStart:fork UserPromptSubmit Stop UserPromptSubmit");
    assert_eq!(file("2.1.197"), "SessionStart:resume UserPromptSubmit Stop UserPromptSubmit");
    // They say where they are from.
    let from = |line: Value| {
        let mut line = line;
        line["forkedFrom"] = json!({"sessionId": "s-0", "messageUuid": "x"});
        line
    };
    let told = File::new().line(from(prompt("old", "p"))).line(from(say("m1"))).line(prompt("new", "q")).read().told();
    assert_eq!(told, "SessionStart:fork UserPromptSubmit");
}

#[test]
fn a_background_agent_is_told_by_its_result() {
    let mut shared = Shared::new();
    let mut reader = Transcript::main(None);
    let file = File::new()
        .prompt("go")
        .uses("m1", "t1", "Task", json!({"prompt": "look", "subagent_type": "Explore"}))
        .answer(
            "t1",
            "Async agent launched successfully.",
            json!({"toolUseResult": {"isAsync": true, "status": "async_launched", "agentId": "a1"}}),
        );
    let mut out = Output::default();
    for (ix, line) in file.lines.iter().enumerate() {
        let at = LineRef::new(SourceIx(0), 0, 1, ix as u32 + 1);
        reader.line(at, line.to_string().as_bytes(), &mut shared, &mut out);
    }
    let call = reader.agent_call("t1").unwrap();
    assert_eq!(reader.call_of_agent("a1"), Some(call));
    assert_eq!(reader.agent_runs_beside(call), Some(true));
    file.gives("UserPromptSubmit PreToolUse:Agent PostToolUse:Agent PostToolBatch");
}

#[test]
fn the_task_tool_keeps_the_name_of_its_time() {
    let told =
        |version| File::of(version).prompt("go").uses("m1", "a", "Task", json!({})).result("a", "ok").read().told();
    assert!(told("2.1.39").contains("PreToolUse:Task") && told("2.1.332").contains("PreToolUse:Agent"));
}

#[test]
fn a_changed_folder_comes_between_the_call_and_the_batch() {
    let mut file = File::new().prompt("go").bash("m1", "a", "cd sub").result("a", "");
    file.lines[2]["cwd"] = "/srv/sub".into();
    file.gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash CwdChanged PostToolBatch");
}

#[test]
fn memory_files_are_loaded_before_the_first_prompt_and_on_the_way() {
    File::new()
        .prompt("go")
        .attachment(json!({"type": "instructions", "files": [{"path": "/a"}, {"path": "/b"}]}))
        .uses("m1", "a", "Read", json!({"file_path": "/srv/sub/x"}))
        .result("a", "x")
        .attachment(json!({"type": "nested_memory", "path": "/srv/sub/CLAUDE.md", "content": {}}))
        .gives(
            "InstructionsLoaded:session_start InstructionsLoaded:session_start UserPromptSubmit PreToolUse:Read \
             PostToolUse:Read PostToolBatch InstructionsLoaded:nested_traversal",
        );
}

#[test]
fn tasks_are_created_and_completed_within_their_calls() {
    File::new()
        .prompt("go")
        .uses("m1", "a", "TaskCreate", json!({"subject": "x"}))
        .result("a", "Task #1 created")
        .uses("m2", "b", "TaskUpdate", json!({"taskId": "1", "status": "completed"}))
        .result("b", "Updated")
        .uses("m3", "c", "TaskUpdate", json!({"taskId": "1", "status": "in_progress"}))
        .result("c", "Updated")
        .gives(
            "UserPromptSubmit PreToolUse:TaskCreate TaskCreated PostToolUse:TaskCreate PostToolBatch \
             PreToolUse:TaskUpdate TaskCompleted PostToolUse:TaskUpdate PostToolBatch \
             PreToolUse:TaskUpdate PostToolUse:TaskUpdate PostToolBatch",
        );
}

#[test]
fn an_event_that_only_its_hooks_show_is_one_event_a_firing() {
    File::new()
        .prompt("go")
        .trace("hook_success", "Notification", "Notification:permission_prompt", "n1")
        .trace("hook_success", "Notification", "Notification:permission_prompt", "n1")
        .trace("hook_success", "Notification", "Notification:idle_prompt", "n2")
        .gives("UserPromptSubmit Notification:permission_prompt Notification:idle_prompt");
}

#[test]
fn a_session_that_may_still_run_has_no_end() {
    for file in [File::new(), File::printing("2.1.332"), File::of("2.1.140")] {
        assert!(!file.prompt("go").says("m1", "x").read().told().contains("SessionEnd"));
    }
    let read = File::printing("2.1.197").prompt("go").says("m1", "x").raw(json!({"type": "last-prompt"})).read();
    assert!(read.told().ends_with("Stop SessionEnd:other"));
    assert_eq!(read.evidence("SessionEnd"), Evidence::Assumed);
}

#[test]
fn repeated_uuids_and_rings_and_clocks_that_jump_do_no_harm() {
    let file = File::new()
        .line(json!({"type": "user", "uuid": "a", "parentUuid": "b", "promptId": "p", "message": {"content": "one"}}))
        .line(json!({"type": "assistant", "uuid": "b", "parentUuid": "a", "timestamp": "1999-01-01T00:00:00.000Z",
            "message": {"id": "m1", "model": "m", "content": [{"type": "text", "text": "x"}]}}))
        .line(json!({"type": "user", "uuid": "a", "promptId": "p", "message": {"content": "one"}}));
    file.gives("UserPromptSubmit Stop");
}

#[test]
fn a_prompt_that_goes_back_starts_a_branch() {
    let line = |uuid: &str, parent: &str, text: &str| json!({"type": "user", "uuid": uuid, "parentUuid": parent, "promptId": uuid, "message": {"content": text}});
    let file = File::new()
        .line(line("a", "", "one"))
        .line(line("b", "a", "two"))
        .line(line("c", "b", "three"))
        .line(line("d", "a", "two, but other"));
    let mut reader = Transcript::main(None);
    let (mut shared, mut out) = (Shared::new(), Output::default());
    for (ix, line) in file.lines.iter().enumerate() {
        let at = LineRef::new(SourceIx(0), 0, 1, ix as u32 + 1);
        reader.line(at, line.to_string().as_bytes(), &mut shared, &mut out);
    }
    let rewinds: Vec<(u32, u32)> = reader.rewinds().iter().map(|rewind| (rewind.at.line, rewind.back_to)).collect();
    assert_eq!(rewinds, [(4, 1)]);
    file.gives("UserPromptSubmit UserPromptSubmit UserPromptSubmit UserPromptSubmit");
}

#[test]
fn a_second_result_and_a_result_without_a_call_fire_nothing() {
    File::new()
        .prompt("go")
        .bash("m1", "a", "x")
        .result("a", "first")
        .result("a", "second")
        .result("zzz", "whose?")
        .gives("UserPromptSubmit PreToolUse:Bash PostToolUse:Bash PostToolBatch");
}
