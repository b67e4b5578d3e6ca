use proptest::prelude::*;

use super::*;

fn check(text: &str, unicode: &str, ascii: &str) {
    assert_eq!(safe(text), unicode, "{text:?}");
    assert_eq!(safe_as(text, Charset::Ascii), ascii, "{text:?}");
}

#[test]
fn hostile_characters_become_visible() {
    check("plain text", "plain text", "plain text");
    check("\x1b[31mred", "␛[31mred", "\\x1b[31mred");
    check("a\tb\nc\r", "a␉b␊c␍", "a\\tb\\nc\\r");
    check("\u{7f}\0", "␡␀", "\\x7f\\x00");
    check("\u{9b}31m", "\\u{9b}31m", "\\u{9b}31m");
    check("\u{202e}gpj.exe", "\\u{202e}gpj.exe", "\\u{202e}gpj.exe");
    check("Ba\u{200b}sh", "Ba\\u{200b}sh", "Ba\\u{200b}sh");
    check("Ba\u{fe0f}sh", "Ba\\u{fe0f}sh", "Ba\\u{fe0f}sh");
    check("\u{e000}\u{f0000}", "\\u{e000}\\u{f0000}", "\\u{e000}\\u{f0000}");
    check("\u{feff}x", "\\u{feff}x", "\\u{feff}x");
    check("你好 é", "你好 é", "\\u{4f60}\\u{597d} \\u{e9}");
}

#[test]
fn emoji_and_scripts_stay_readable() {
    assert_eq!(safe("❤\u{fe0f}"), "❤");
    assert_eq!(safe("👩\u{200d}💻"), "👩💻");
    assert_eq!(safe("می\u{200c}خواهم"), "میخواهم");
    assert_eq!(safe("e\u{301}"), "e\u{301}");
}

#[test]
fn stacked_marks_become_a_count() {
    assert_eq!(safe(&format!("Z{}x", "\u{301}".repeat(40))), "Z\u{301}\u{301}\u{301}{+37 marks}x");
    assert_eq!(safe("\u{301}"), "◌\u{301}");
}

#[test]
fn cutting_marks_what_is_gone() {
    let u = Charset::Unicode;
    assert_eq!(cut("abcdef", 6, u), "abcdef");
    assert_eq!(cut("abcdef", 4, u), "abc…");
    assert_eq!(cut("abcdef", 4, Charset::Ascii), "ab..");
    assert_eq!(cut("你好世界", 5, u), "你好…");
    assert_eq!(cut("你好世界", 4, u), "你…");
    assert_eq!(pad("你好世界", 4, u), "你… ");
    assert_eq!(cut_middle("/home/dana/project/.claude/settings.json", 24, u), "/home/da…e/settings.json");
    assert_eq!(cut_start("/home/dana/settings.json", 14, u), "…settings.json");
    assert_eq!(cut("abc", 0, u), "");
    assert_eq!(pad_left("57", 4, u), "  57");
}

#[test]
fn wrapping_breaks_at_spaces() {
    assert_eq!(wrap("the call is not made", 9), ["the call", "is not", "made"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("", 3), [""]);
    assert_eq!(wrap("你好", 1), ["你", "好"]);
}

proptest! {
    #[test]
    fn safe_text_is_safe_and_stays(text in ".{0,40}", raw in proptest::collection::vec(any::<char>(), 0..30)) {
        for text in [text, raw.iter().collect()] {
            for charset in [Charset::Unicode, Charset::Ascii] {
                let once = safe_as(&text, charset).into_owned();
                prop_assert!(!once.chars().any(char::is_control));
                prop_assert_eq!(safe_as(&once, charset), once.as_str());
                if charset == Charset::Ascii {
                    prop_assert!(once.is_ascii());
                }
            }
        }
    }

    #[test]
    fn nothing_is_wider_than_asked(raw in proptest::collection::vec(any::<char>(), 0..30), cells in 0usize..20) {
        let text = safe(&raw.iter().collect::<String>()).into_owned();
        for charset in [Charset::Unicode, Charset::Ascii] {
            prop_assert!(width(&cut(&text, cells, charset)) <= cells);
            prop_assert!(width(&cut_start(&text, cells, charset)) <= cells);
            prop_assert!(width(&cut_middle(&text, cells, charset)) <= cells);
            prop_assert_eq!(width(&pad(&text, cells, charset)), cells);
        }
        for line in wrap(&text, cells.max(2)) {
            prop_assert!(width(&line) <= cells.max(2));
        }
    }
}
