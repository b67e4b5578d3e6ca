use super::*;

fn count(text: &str) -> Counts {
    let mut counter = Counter::new();
    let _ = each_line(text.as_bytes(), &mut counter, &AtomicBool::new(false)).unwrap();
    counter.counts
}

const CALL: &str = r#"{"parentUuid":null,"message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]},"type":"assistant"}"#;
const BLOCK: &str =
    r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":["no"],"failedHookErrorIndexes":[]}"#;
const PASS: &str = r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":[]}"#;

#[test]
fn calls_are_counted_once_and_batches_by_message() {
    let other = CALL.replace("msg_1", "msg_2");
    let counts = count(&format!("{CALL}\n{CALL}\n{other}\n"));
    assert_eq!((counts.lines, counts.calls, counts.batches), (3, 3, 2));
}

#[test]
fn text_that_only_quotes_a_call_is_none() {
    let quoted = serde_json::json!({ "message": { "role": "user", "content": CALL }, "type": "user" }).to_string();
    let counts = count(&quoted);
    assert_eq!((counts.calls, counts.prompts), (0, 1), "{quoted}");
    let copy = CALL.replacen("{\"parentUuid\":null", "{\"type\":\"api-request-blob\"", 1);
    assert_eq!(count(&copy).calls, 0);
    let nested = CALL.replacen("{\"parentUuid\":null", "{\"type\":\"progress\",\"data\":1", 1);
    assert_eq!(count(&nested).calls, 0);
}

#[test]
fn refusals_are_told_by_text_or_by_the_decision_beside() {
    let result = |content: &str, beside: &str| {
        let line = format!(
            "{{\"parentUuid\":null,\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\
             \"type\":\"tool_result\",\"content\":\"{content}\"}}]}}{beside}}}"
        );
        count(&line).refused_calls
    };
    let decision = |decision, source| {
        format!(
            ",\"permissionDecision\":{{\"decision\":\"{decision}\",\"source\":\"{source}\",\"reasonCode\":\"hook:PreToolUse\"}}"
        )
    };
    assert_eq!(result("PreToolUse:Bash hook error: no", ""), 1);
    assert_eq!(result("PreToolUse:Bash hook error: no", &decision("reject", "hook")), 1);
    assert_eq!(result("no", &decision("reject", "hook")), 1);
    assert_eq!(result("R-ASK", &decision("reject", "config")), 0);
    assert_eq!(result("fine", &decision("accept", "hook")), 0);
    assert_eq!(result("it says PreToolUse:Bash hook error: no", ""), 0);
}

#[test]
fn loops_are_runs_of_three_prevented_stops() {
    let check = |lines: &[&str], expect: (u64, u64, u64)| {
        let counts = count(&lines.join("\n"));
        assert_eq!((counts.stop_blocks, counts.longest_block_run, counts.suspected_loops), expect, "{lines:?}");
    };
    let failed = BLOCK.replace("[]", "[0]");
    let context = PASS.replace("}", ",\"hookAdditionalContext\":[\"more\"]}");
    let halted = BLOCK.replace("}", ",\"preventedContinuation\":true}");
    check(&[BLOCK, BLOCK], (2, 2, 0));
    check(&[BLOCK, BLOCK, BLOCK], (3, 3, 1));
    check(&[BLOCK, BLOCK, PASS, BLOCK, BLOCK], (4, 2, 0));
    check(&[BLOCK; 9], (9, 9, 1));
    check(&[BLOCK, BLOCK, &failed, BLOCK], (3, 2, 0));
    check(&[&context, &context, &context], (3, 3, 1));
    check(&[BLOCK, BLOCK, &halted], (2, 2, 0));
}

#[test]
fn prompts_are_what_people_typed() {
    let user = |content: &str, more: &str| {
        count(&format!(
            "{{\"parentUuid\":null,\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":{content}}}{more}}}"
        ))
        .prompts
    };
    assert_eq!(user("\"go\"", ""), 1);
    assert_eq!(user("[{\"type\":\"text\",\"text\":\"go\"}]", ""), 1);
    assert_eq!(user("\"go\"", ",\"isMeta\":true"), 0);
    assert_eq!(user("\"go\"", ",\"isCompactSummary\":true"), 0);
    assert_eq!(user("\"<command-name>/clear\"", ""), 0);
    assert_eq!(user("[]", ""), 0);
}

#[test]
fn lines_are_whole_however_they_are_read() {
    /// Gives a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);
    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(buffer.len()).min(self.0.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let text = format!("{CALL}\n\n{BLOCK}\r\n{BLOCK}\n{BLOCK}\n{CALL}");
    let whole = count(&text);
    assert_eq!((whole.lines, whole.calls, whole.suspected_loops), (6, 2, 1));
    for step in [1, 2, 7, 100, 1 << 20] {
        let mut counter = Counter::new();
        let _ = each_line(Drip(text.as_bytes(), step), &mut counter, &AtomicBool::new(false)).unwrap();
        assert_eq!(counter.counts, whole, "{step}");
    }
}

#[test]
fn a_line_beyond_the_limit_is_passed_over_and_said() {
    let long = "x".repeat(LONGEST_LINE + 5);
    let counts = count(&format!("{CALL}\n{long}\n{CALL}\n"));
    assert_eq!((counts.lines, counts.long_lines, counts.calls), (3, 1, 2));
    assert_eq!(count(&long).long_lines, 1);
    let just = format!("{CALL}{}", " ".repeat(LONGEST_LINE / 2));
    assert_eq!(count(&just).calls, 1);
}

#[test]
fn subagents_count_with_their_session_and_their_stops_by_feedback() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("s.jsonl");
    std::fs::write(&main, format!("{BLOCK}\n{BLOCK}\n")).unwrap();
    std::fs::create_dir_all(folder.path().join("s/subagents")).unwrap();
    let feedback = r#"{"parentUuid":"a","isSidechain":true,"type":"user","message":{"role":"user","content":"Stop hook feedback:\nno"},"isMeta":true}"#;
    let answer = r#"{"parentUuid":"a","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"x"}]},"type":"assistant"}"#;
    // Two hooks that prevent one stop are one round.
    let text = [answer, feedback, feedback, answer, feedback, answer, feedback, answer].join("\n");
    std::fs::write(folder.path().join("s/subagents/agent-a.jsonl"), text).unwrap();
    let counts = scan_session(&main, &AtomicBool::new(false)).unwrap().unwrap();
    assert_eq!((counts.subagents, counts.stop_blocks, counts.longest_block_run, counts.suspected_loops), (1, 5, 3, 1));
}

#[test]
fn a_scan_goes_on_after_a_missing_file_and_stops_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..40).map(|n| folder.path().join(format!("{n}.jsonl"))).collect();
    for path in paths.iter().skip(1) {
        std::fs::write(path, CALL).unwrap();
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let all: Vec<Scanned> = scan_in_background(paths.clone(), cancel.clone()).into_iter().flatten().collect();
    assert_eq!(all.iter().map(|scanned| scanned.ix).collect::<Vec<_>>(), (0..40).collect::<Vec<_>>());
    assert_eq!(all[0].counts, Err("no such file".to_owned()));
    assert!(all[1..].iter().all(|scanned| scanned.counts.as_ref().is_ok_and(|counts| counts.calls == 1)));

    let mut batches = 0;
    scan(&paths, &cancel, |_| {
        batches += 1;
        ControlFlow::Break(())
    });
    assert_eq!(batches, 1);
    cancel.store(true, Ordering::Relaxed);
    scan(&paths[1..], &cancel, |_| unreachable!("it was cancelled before it began"));
}

#[test]
fn estimates_say_nothing_of_an_empty_file_and_never_underflow() {
    assert_eq!(Counts::default().events_about(), 0);
    let odd = Counts { lines: 1, refused_calls: 5, ..Counts::default() };
    assert_eq!(odd.events_about(), 1);
    let plain = Counts { lines: 9, prompts: 1, calls: 2, batches: 1, refused_calls: 1, ..Counts::default() };
    assert_eq!(plain.events_about(), 1 + 2 + 3 + 1);
}
