use super::{Field, Filter, FilterError, quoted, text_filter};

fn fault(text: &str) -> FilterError {
    Filter::parse(text).unwrap_err()
}

#[test]
fn what_can_be_read() {
    for text in [
        "",
        "  ",
        "event:PreToolUse tool:Bash verdict:deny",
        "matched:>0 started:unknown took:>500ms round:>=2",
        "text:\"rm -rf\" or (sub:reviewer and not failed)",
        "not not changed",
        "hook:guard.sh,ci.sh",
        "time:>10:41 time:<2026-11-30 time:2026-11-30T10:41",
        "\"two words\" word",
        "verdict:DENY",
        "(event:Stop)",
    ] {
        assert!(Filter::parse(text).is_ok(), "{text}: {:?}", Filter::parse(text));
    }
}

#[test]
fn a_fault_points_at_its_column() {
    for (text, column, words) in [
        ("tool:Bash verdikt:deny", 11, "no field"),
        ("verdict:denied", 9, "never"),
        ("matched:many", 9, "no number"),
        ("took:>5parsec", 7, "no duration"),
        ("event:>Stop", 7, "no order"),
        ("(event:Stop", 1, "without its `)`"),
        ("event:Stop)", 11, "without its `(`"),
        ("event:Stop and", 15, "missing"),
        ("not", 4, "missing"),
        ("or event:Stop", 1, "missing"),
        ("text:\"open", 6, "not closed"),
        ("tool:", 6, "needs a value"),
        ("time:25:00", 6, "no time"),
        ("größe:1", 1, "no field"),
        ("text:größe verdict:x", 20, "never"),
    ] {
        let fault = fault(text);
        assert_eq!(fault.column, column, "{text}: {fault}");
        assert!(fault.message.contains(words), "{text}: {fault}");
    }
}

#[test]
fn a_mistyped_word_is_named() {
    assert_eq!(fault("verdikt:deny").help.as_deref(), Some("did you mean verdict: ?"));
    assert_eq!(fault("verdict:dney").help.as_deref(), Some("did you mean deny?"));
}

#[test]
fn nesting_has_a_limit() {
    let deep = "(".repeat(10_000) + "failed" + &")".repeat(10_000);
    assert!(fault(&deep).message.contains("too deep"));
    assert!(fault(&("not ".repeat(10_000) + "failed")).message.contains("too deep"));
}

#[test]
fn and_binds_more_than_or() {
    assert_eq!(
        Filter::parse("event:A tool:B or failed").unwrap(),
        Filter::parse("(event:A and tool:B) or failed").unwrap()
    );
}

#[test]
fn stars_stand_for_anything() {
    for (pattern, name, expect) in [
        ("mcp__*", "mcp__github__x", true),
        ("*Edit", "NotebookEdit", true),
        ("Edit", "NotebookEdit", false),
        ("a*b*c", "aXbYc", true),
        ("a*b*c", "acb", false),
        ("*", "", true),
        ("ab*b", "ab", false),
    ] {
        assert_eq!(super::holds::fits(pattern, name), expect, "{pattern} {name}");
    }
}

#[test]
fn every_field_is_found_by_its_word() {
    for field in Field::all() {
        assert_eq!(Field::named(field.word()), Some(field));
        assert!(!field.about().is_empty());
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_column_inside_it(text in ".{0,60}") {
        if let Err(fault) = Filter::parse(&text) {
            proptest::prop_assert!((1..=text.chars().count() + 1).contains(&fault.column));
        }
    }

    #[test]
    fn what_is_quoted_reads_back(value in ".{1,40}") {
        proptest::prop_assert!(Filter::parse(&text_filter(&value)).is_ok(), "{}", text_filter(&value));
        let tool = format!("tool:{}", quoted(&value));
        proptest::prop_assert!(Filter::parse(&tool).is_ok(), "{tool}");
    }
}
