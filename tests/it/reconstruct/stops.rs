//! Where a turn ends, and what keeps it from ending.

use hookscope::model::{MarkKind, Says};
use serde_json::json;

use super::file::File;

#[test]
fn api_errors_and_the_clients_own_words_are_no_stops() {
    File::new()
        .prompt("go")
        .line(json!({"type": "assistant", "isApiErrorMessage": true, "error": "rate_limit",
            "message": {"id": "m1", "model": "<synthetic>", "stop_reason": "stop_sequence", "content": [{"type": "text", "text": "API Error"}]}}))
        .prompt("again")
        .line(json!({"type": "assistant", "message": {"id": "m2", "model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}}))
        .gives("UserPromptSubmit StopFailure:rate_limit UserPromptSubmit");
}

#[test]
fn stops_that_hooks_prevent_carry_the_flag_until_the_next_prompt() {
    let read = File::new()
        .prompt("go")
        .says("m1", "Done.")
        .meta("Stop hook feedback:\n[gate.sh]: tests first")
        .bash("m2", "a", "make test")
        .result("a", "ok")
        .says("m3", "Tested.")
        .system("stop_hook_summary", json!({"hookInfos": [{"command": "gate.sh"}], "hookErrors": ["[gate.sh]: again"]}))
        .says("m4", "Again.")
        .prompt("next")
        .says("m5", "Next.")
        .read();
    let flags: Vec<bool> = read.out.events.iter().filter_map(|event| event.stop_hook_active).collect();
    assert_eq!(flags, [false, true, true, false]);
    assert_eq!(
        read.marks("Stop"),
        [(MarkKind::StopFeedback, Some(Says::Block)), (MarkKind::StopSummary, Some(Says::Block))]
    );
}

#[test]
fn a_summary_names_who_blocked_as_far_as_other_lines_tell() {
    let blocked = |trace: bool| {
        let mut file = File::new().prompt("go").says("m1", "Done.");
        if trace {
            file = file.attachment(json!({"type": "hook_blocking_error", "hookEvent": "Stop", "hookName": "Stop",
                "toolUseID": "s", "blockingError": {"blockingError": "no", "command": "two.sh"}}));
        }
        let infos = json!([{"command": "one.sh", "durationMs": 3}, {"command": "two.sh", "durationMs": 4}]);
        let read = file.system("stop_hook_summary", json!({"hookInfos": infos, "hookErrors": ["no"]})).read();
        let summed = read.marks("Stop").into_iter().filter(|mark| mark.0 == MarkKind::StopSummary);
        summed.map(|mark| mark.1).collect::<Vec<_>>()
    };
    assert_eq!(blocked(true), [None, Some(Says::Block)]);
    assert_eq!(blocked(false), [None, None]);
}

#[test]
fn the_cap_is_told_at_the_last_stop() {
    let read = File::new()
        .prompt("go")
        .says("m1", "Done.")
        .system("stop_hook_summary", json!({"hookInfos": [{"command": "g"}], "hookErrors": ["no"]}))
        .system("informational", json!({"content": "A hook blocked the turn from ending 9 consecutive times"}))
        .read();
    assert_eq!(read.marks("Stop").last(), Some(&(MarkKind::Informational, None)));
}

#[test]
fn a_turn_that_ends_without_words_still_stops() {
    File::new()
        .prompt("go")
        .line(json!({"type": "assistant", "message": {"id": "m1", "model": "m", "stop_reason": "end_turn", "content": [{"type": "thinking"}]}}))
        .system("stop_hook_summary", json!({"hookInfos": [{"command": "g", "durationMs": 3}], "hookErrors": []}))
        .gives("UserPromptSubmit Stop");
}
