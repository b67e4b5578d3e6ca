//! What keys do: state after strokes.

use super::*;
use hookscope::app::{Focus, Layer, Mode, Zoom};
use hookscope::model::EventIx;

fn after(size: (u16, u16), keys: &str) -> Bench {
    let (session, desk) = desk::nightly_refactor();
    let mut bench = Bench::new(session, desk, size, Options::default());
    bench.type_keys(keys);
    bench
}

/// The number of the selected event.
fn event(keys: &str) -> u32 {
    let bench = after((80, 24), keys);
    bench.app.timeline.selected().map_or(0, |event| event.0 + 1)
}

#[test]
fn moving_by_lines_counts_and_ends() {
    for (keys, expect) in [
        ("", 1),
        ("jjj", 4),
        ("10j", 11),
        ("10jkk", 9),
        ("G", 15),
        ("Gg", 1),
        ("8G", 8),
        ("99j", 15),
        (":8<enter>", 8),
        (":@10:41:20<enter>", 7),
        (":@10:42<enter>", 1),
        ("<down><down><up>", 2),
        ("]", 2),
        ("]]", 4),
        ("3]", 6),
        ("G[", 14),
        // What failed without effect is a stop on the way too.
        ("}", 6),
        ("}}", 8),
        ("G{{", 13),
        ("8G<tab>JJ", 10),
        ("8G<tab>2K", 6),
        ("/Grep<enter>", 7),
        ("/Bash<enter>", 8),
        ("/Stop<enter>n", 12),
        ("/Stop<enter>nN", 11),
        // Hits that the filter hides are passed over.
        ("&tool:PreToolUse<enter>/Read<enter>", 10),
        ("&tool:PreToolUse<enter>/Read<enter>n", 3),
        ("99G", 1),
    ] {
        assert_eq!(event(keys), expect, "{keys}");
    }
}

#[test]
fn leaps_can_be_gone_back_and_forth() {
    assert_eq!(event("8G12G<c-o>"), 8);
    assert_eq!(event("8G12G<c-o><c-o>"), 1);
    assert_eq!(event("8G12G<c-o><c-o><a-right>"), 8);
    assert_eq!(event("8G12G<c-o><c-o><a-right><c-i>"), 12);
}

#[test]
fn tab_turns_through_the_panes() {
    let focus = |size, keys: &str| after(size, keys).app.focus;
    assert_eq!(focus((80, 24), "<tab>"), Focus::Hooks);
    assert_eq!(focus((80, 24), "<tab><tab>"), Focus::Event);
    assert_eq!(focus((120, 40), "<tab>"), Focus::Event);
    assert_eq!(focus((120, 40), "<s-tab>"), Focus::Decision);
    assert_eq!(focus((120, 40), "<tab><tab><tab><tab>"), Focus::Timeline);
}

#[test]
fn escape_clears_one_level_at_a_time() {
    let mut bench = after((80, 24), "&tool:Stop<enter><tab>?");
    assert_eq!(bench.app.mode(), Mode::Reader);
    bench.type_keys("<esc>");
    assert!(bench.app.layers.is_empty());
    bench.type_keys("5<esc>");
    assert_eq!(bench.app.count, None);
    assert!(bench.app.timeline.filter.is_some());
    bench.type_keys("<esc>");
    assert!(bench.app.timeline.filter.is_none());
    assert_eq!(bench.app.focus, Focus::Hooks);
    bench.type_keys("<esc>");
    assert_eq!(bench.app.focus, Focus::Timeline);
    bench.type_keys("<esc>");
    assert!(!bench.quit);
}

#[test]
fn q_goes_back_and_then_quits() {
    let mut bench = after((80, 24), "<enter>");
    assert_eq!(bench.app.zoom, Zoom::Pane);
    bench.type_keys("q");
    assert_eq!(bench.app.zoom, Zoom::Split);
    assert!(!bench.quit);
    bench.type_keys("q");
    assert!(bench.quit);
    assert!(after((80, 24), "<c-c>").quit);
    assert!(after((80, 24), ":q<enter>").quit);
}

#[test]
fn letters_are_text_in_a_field_while_help_and_escape_keep_working() {
    let bench = after((80, 24), "/quiet ? j");
    let Some(Layer::Ask(ask)) = bench.app.layers.last() else { panic!("no field") };
    assert_eq!(ask.field.value(), "quiet ? j");
    let bench = after((80, 24), "/qu<f1>");
    assert_eq!(bench.app.mode(), Mode::Reader);
    let bench = after((80, 24), "/qu<c-p>");
    assert_eq!(bench.app.mode(), Mode::Palette);
    assert!(after((80, 24), "/qu<esc>").app.layers.is_empty());
}

#[test]
fn a_filter_keeps_the_selection_and_its_removal_too() {
    assert_eq!(event("13G&tool:Stop<enter>"), 13);
    assert_eq!(event("13G&tool:Stop<enter><esc>"), 13);
    let bench = after((80, 24), "&tool:Stop<enter>");
    assert_eq!(bench.app.timeline.len(), 4, "SubagentStop and three Stops");
}

#[test]
fn a_filter_that_cannot_be_read_points_at_the_column_and_is_not_taken() {
    let bench = after((80, 24), "&bad:x<enter>");
    let Some(Layer::Ask(ask)) = bench.app.layers.last() else { panic!("the field stays") };
    assert_eq!(ask.fault.as_ref().map(|fault| fault.column), Some(1));
    assert!(bench.screen().contains("column 1: there is no field \"bad\""), "{}", bench.screen());
}

#[test]
fn nothing_is_wrong_with_a_filter_that_is_still_being_typed() {
    for size in [(80, 24), (120, 40), (40, 10)] {
        let screen = after(size, "&bad:").screen();
        assert!(!screen.contains("no field") && !screen.contains("column"), "{screen}");
        let screen = after(size, "&bad:<enter>x").screen();
        assert!(!screen.contains("no field"), "what is typed on is not yet refused: {screen}");
    }
    assert!(after((80, 24), "&bad:x<enter>").screen().contains("did you mean tool: ?"));
}

#[test]
fn the_palette_goes_to_numbers_and_times_without_a_fault() {
    let screen = after((80, 24), ":57").screen();
    assert!(screen.contains("Go to event 57") && !screen.contains("No action"), "{screen}");
    let screen = after((80, 24), ":@10:4").screen();
    assert!(screen.contains("Go to the first event at that time"), "{screen}");
    let screen = after((80, 24), ":57<enter>").screen();
    assert!(screen.contains("there is no event 57: they go from 1 to 15"), "{screen}");
}

#[test]
fn the_palette_takes_words_as_they_stand_and_the_pane_first() {
    let choices = |keys: &str| {
        let bench = after((80, 24), keys);
        let Some(Layer::Palette(palette)) = bench.app.layers.last() else { panic!("no palette") };
        palette.choices().iter().map(|binding| binding.help).collect::<Vec<_>>()
    };
    assert_eq!(choices("8G<tab>:copy"), ["Copy the line"]);
    assert_eq!(choices(":")[0], "Open the event: its panes fill the screen");
    assert!(choices(":filter").iter().all(|help| help.contains("ilter")), "{:?}", choices(":filter"));
    assert!(choices(":mtchr lab").iter().any(|help| help.starts_with("Matcher lab")), "letters apart still find");
    assert!(choices(":mtchr lab").len() < 4, "{:?}", choices(":mtchr lab"));
}

#[test]
fn a_hit_in_the_timeline_says_which_it_is_and_when_the_search_goes_round() {
    for (keys, at, words) in [
        ("/Stop<enter>", 11, "\"Stop\": event 11, 1 of 4"),
        ("/Stop<enter>nn", 13, "\"Stop\": event 13, 3 of 4"),
        ("/Stop<enter>nnnn", 11, "event 11, 1 of 4, from the start again"),
        ("/Stop<enter>N", 14, "event 14, 4 of 4, from the end again"),
        ("/Grep<enter>n", 7, "event 7, 1 of 1, the only one that is shown"),
        ("/nowhere<enter>", 1, "\"nowhere\" is in no event that is shown"),
        ("&tool:PreToolUse<enter>/Stop<enter>", 3, "\"Stop\" is in no event that is shown"),
    ] {
        let bench = after((80, 24), keys);
        let screen = bench.screen();
        assert!(screen.contains(words), "{keys}: {screen}");
        assert_eq!(bench.app.timeline.selected().map(|event| event.0 + 1), Some(at), "{keys}");
    }
    assert!(!after((80, 24), "/Stop<enter>j").screen().contains("1 of 4"), "a message goes with the next key");
}

#[test]
fn a_hit_in_a_pane_says_which_it_is_and_when_the_search_goes_round() {
    for (keys, words) in [
        ("8G<tab><tab>/push<enter>", "\"push\": line 3, 1 of 2"),
        ("8G<tab><tab>/push<enter>n", "\"push\": line 4, 2 of 2"),
        ("8G<tab><tab>/push<enter>nn", "1 of 2, from the start again"),
        ("8G<tab><tab>/push<enter>N", "2 of 2, from the end again"),
        ("8G<tab><tab>/transcript_path<enter>n", "1 of 1, the only one"),
        ("?/quit<enter>", "\"quit\": line"),
    ] {
        let screen = after((80, 24), keys).screen();
        assert!(screen.contains(words), "{keys}: {screen}");
    }
}

#[test]
fn completion_takes_the_word() {
    let bench = after((80, 24), "&ver<tab>deny");
    let Some(Layer::Ask(ask)) = bench.app.layers.last() else { panic!("no field") };
    assert_eq!(ask.field.value(), "verdict:deny");
    let bench = after((80, 24), "&tool:x t<down><down><tab>");
    let Some(Layer::Ask(ask)) = bench.app.layers.last() else { panic!("no field") };
    assert_eq!(ask.field.value(), "tool:x text:");
}

#[test]
fn values_and_paths_are_copied() {
    let copied = |keys: &str| after((80, 24), keys).copied;
    assert_eq!(copied("8G<tab><tab>jjy"), ["git push --force origin main"]);
    assert_eq!(copied("8G<tab><tab>jjp"), ["tool_input.command"]);
    assert_eq!(
        copied("8G<tab><tab>jy"),
        ["{\"command\":\"git push --force origin main\",\"description\":\"Push the branch\"}"]
    );
    assert!(copied("8Gy")[0].starts_with("{\"session_id\":\"4f6c0d1e\""));
}

#[test]
fn finding_in_the_event_opens_what_hides_the_hit() {
    let bench = after((80, 24), "8G<tab><tab>/transcript_path<enter>");
    let row = bench.app.detail.json.at(bench.app.detail.event_cursor).map(|(_, row)| row.path.clone());
    assert_eq!(row.as_deref(), Some("transcript_path"));
}

#[test]
fn a_subagent_folds_and_stands_for_its_events() {
    let bench = after((80, 24), "11G<space>");
    assert_eq!(bench.app.timeline.selected(), Some(EventIx(8)));
    assert_eq!(bench.app.timeline.len(), 13);
    assert_eq!(after((80, 24), "11G<space><space>").app.timeline.len(), 15);
}

#[test]
fn a_bookmark_is_kept_listed_and_gone_to() {
    assert_eq!(event("8GBwhy<enter>g'<enter>"), 8);
    let bench = after((80, 24), "8GB<enter>'d");
    assert!(bench.app.bookmarks.is_empty());
}

#[test]
fn clicks_wheel_and_drag() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut bench = after((120, 40), "");
    let mut mouse = |kind, column, row| {
        bench.give(Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        (bench.app.timeline.selected().map_or(0, |event| event.0 + 1), bench.app.focus, bench.app.dividers.0)
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    assert_eq!(mouse(click, 10, 10).0, 8, "the row of event 8");
    assert_eq!(mouse(click, 80, 17).1, Focus::Hooks);
    let strip = (0..62).find(|&x| mouse(click, x, 37).0 == 12);
    assert!(strip.is_some(), "a click on the strip goes to where something is");
    let before = mouse(click, 62, 10).2;
    assert!(mouse(MouseEventKind::Drag(MouseButton::Left), 80, 10).2 > before);
    mouse(MouseEventKind::Up(MouseButton::Left), 80, 10);
}

#[test]
fn the_readme_table_names_every_key() {
    let table = hookscope::app::readme_table();
    for mode in Mode::ALL {
        for binding in hookscope::app::bindings(mode) {
            assert!(table.contains(binding.help), "{} is missing", binding.help);
        }
    }
}

#[test]
fn every_action_of_the_bottom_line_and_help_is_in_the_palette() {
    let bench = after((80, 24), ":");
    let Some(Layer::Palette(palette)) = bench.app.layers.last() else { panic!("no palette") };
    assert_eq!(palette.choices().len(), hookscope::app::bindings(Mode::Timeline).count());
}

#[test]
fn the_mouse_can_be_left_to_the_terminal() {
    use hookscope::app::MouseUse;
    assert_eq!(after((80, 24), ":mouse off<enter>").app.mouse, MouseUse::Off);
    assert_eq!(after((80, 24), ":mouse off<enter>:mouse on<enter>").app.mouse, MouseUse::On);
}
