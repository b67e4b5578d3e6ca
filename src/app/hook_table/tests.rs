use super::*;

fn hook(id: &str, event: &str, label: &str) -> HookTally {
    HookTally {
        id: id.into(),
        event: event.into(),
        label: label.into(),
        scope: "project".into(),
        path: ".claude/settings.json".into(),
        line: 4,
        ..HookTally::default()
    }
}

fn row(event: &str, subject: Option<&str>, events: u64, matched: &[(&str, u64)]) -> GridRow {
    GridRow {
        event: event.into(),
        subject: subject.map(str::to_owned),
        events,
        matched: matched.iter().map(|(id, times)| ((*id).to_owned(), *times)).collect(),
    }
}

fn table() -> HookTable {
    let mut table = HookTable::new();
    assert!(table.wants(0, 10, true));
    let mut slow = hook("b", "PostToolUse", "fmt.sh");
    slow.times = vec![5, 900];
    let mut busy = hook("a", "PreToolUse", "guard.sh");
    (busy.matched, busy.started, busy.failed, busy.times) = (9, 9, 2, vec![10]);
    let grid = vec![
        row("PreToolUse", Some("Bash"), 9, &[("a", 9)]),
        row("PostToolUse", Some("Bash"), 8, &[]),
        row("PreToolUse", Some("Edit"), 3, &[]),
        row("PostToolUse", Some("Edit"), 3, &[("b", 3)]),
        row("PreToolUse", Some("Read"), 5, &[]),
        row("Stop", None, 2, &[("c", 2)]),
    ];
    let hooks = vec![slow, busy, hook("c", "Stop", "ci.sh")];
    table.counted(0, HooksSeen { hooks, grid, events: 10 });
    table
}

fn texts(table: &HookTable, cells: usize) -> Vec<String> {
    let look = Look { cells, charset: Charset::Ascii, clock: &|_| "10:00".into() };
    let entries = table.entries(&Plan::default(), &look);
    entries.iter().flat_map(|entry| &entry.lines).map(|line| line.text().trim_end().to_owned()).collect()
}

#[test]
fn a_tool_that_no_hook_sees_is_marked_in_words() {
    let mut table = table();
    table.turn();
    assert_eq!(table.view, View::Tools);
    let lines = texts(&table, 80);
    assert!(lines[0].trim_start().starts_with("Bash") && lines[0].ends_with('9'), "{lines:?}");
    assert!(lines[1].trim_start().starts_with("Read") && lines[1].ends_with("no hook sees it"), "{lines:?}");
    assert!(lines[2].contains('3') && !lines[2].contains("no hook"), "{lines:?}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_call_is_counted_once_however_many_events_it_has() {
    let mut table = table();
    table.turn();
    let counts: Vec<(String, u64)> = table.grid().into_iter().map(|line| (line.name, line.events)).collect();
    assert_eq!(counts, [("Bash".into(), 9), ("Read".into(), 5), ("Edit".into(), 3)]);
    table.turn();
    let counts: Vec<(String, u64)> = table.grid().into_iter().map(|line| (line.name, line.events)).collect();
    assert_eq!(counts, [("PreToolUse".into(), 17), ("PostToolUse".into(), 11), ("Stop".into(), 2)]);
}

#[test]
fn the_list_is_sorted_by_key() {
    let mut table = table();
    let first = |table: &HookTable| table.order().first().copied();
    for (sort, expect) in [(Sort::Settings, 0), (Sort::Matched, 1), (Sort::Failed, 1), (Sort::Slowest, 0)] {
        assert_eq!((table.sort, first(&table)), (sort, Some(expect)));
        table.turn_sort();
    }
}

#[test]
fn every_line_fits_whatever_the_width() {
    let mut table = table();
    for _ in 0..3 {
        for cells in [20, 40, 60, 80, 120] {
            let look = Look { cells, charset: Charset::Ascii, clock: &|_| String::new() };
            let wide: Vec<String> = texts(&table, cells)
                .into_iter()
                .filter(|line| line.len() > cells && !line.contains("no hook"))
                .collect();
            assert_eq!(wide, Vec::<String>::new(), "{cells} {:?}", table.view);
            assert!(table.heads(&look).iter().all(|line| cells < 40 || line.text().len() <= cells), "{cells}");
        }
        table.turn();
    }
}

#[test]
fn hooks_that_do_not_fit_are_reached_sideways() {
    let mut table = table();
    table.turn();
    table.shift(Way::Back);
    assert_eq!(table.left, 0);
    table.shift(Way::Forward);
    table.shift(Way::Forward);
    assert_eq!(table.left, 1, "two hooks are about tools");
}
