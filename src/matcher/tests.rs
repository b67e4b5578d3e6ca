use proptest::prelude::*;

use super::*;

const TOOLS: &[ToolSpec] = &[
    ToolSpec { name: "Bash", aliases: &[] },
    ToolSpec { name: "Edit", aliases: &[] },
    ToolSpec { name: "NotebookEdit", aliases: &[] },
    ToolSpec { name: "Write", aliases: &[] },
    ToolSpec { name: "TodoWrite", aliases: &[] },
    ToolSpec { name: "Agent", aliases: &["Task"] },
    ToolSpec { name: "TaskStop", aliases: &["KillShell", "KillBash"] },
];

const WIDE: MatcherRule = MatcherRule {
    match_all: &["", "*"],
    lists: Lists::OfMarks,
    list_marks: "_-|, ",
    separators: &['|', ','],
    tools: TOOLS,
    former: true,
    servers: Some(ServerNames { prefix: "mcp__", plugin: "plugin_", separator: "__" }),
    ..MatcherRule::regex(Engine::JavaScript)
};

const NARROW: MatcherRule = MatcherRule { list_marks: "_|", separators: &['|'], ..WIDE };

fn known() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

fn wide(text: &str) -> Matcher {
    Matcher::compile(Some(text), &WIDE)
}

#[test]
fn the_text_decides_the_kind() {
    for (text, kind) in [
        ("", Kind::All),
        ("*", Kind::All),
        ("Bash", Kind::Exact),
        (" Bash", Kind::Exact),
        ("Bash|", Kind::Exact),
        ("mcp__my-srv__echo", Kind::Exact),
        ("Bash, Edit", Kind::List),
        ("|", Kind::List),
        ("Edit.*", Kind::Regex),
        ("B\u{e0}sh", Kind::Regex),
        ("*Bash", Kind::Invalid),
        ("(?i)bash", Kind::Invalid),
    ] {
        assert_eq!(wide(text).kind(), kind, "{text:?}");
    }
    assert_eq!(Matcher::compile(None, &WIDE).kind(), Kind::All);
    let ignored = MatcherRule { attention: Attention::Ignored, ..WIDE };
    assert_eq!(Matcher::compile(Some("["), &ignored).kind(), Kind::Ignored);
    assert_eq!(Matcher::compile(Some("["), &ignored).test("x").matched, Some(true));
    let literal = MatcherRule { engine: Engine::None, ..WIDE };
    let literal = Matcher::compile(Some("a.c"), &literal);
    assert_eq!((literal.kind(), literal.test("abc").matched), (Kind::Literal, Some(false)));
    assert_eq!(literal.test("a.c").matched, Some(true));
}

#[test]
fn a_comma_or_a_hyphen_is_a_regular_expression_under_the_narrow_rule() {
    for text in ["Bash,Edit", "Bash | Edit", "doc-writer"] {
        assert_eq!(Matcher::compile(Some(text), &NARROW).kind(), Kind::Regex, "{text}");
    }
    let hyphen = Matcher::compile(Some("doc-writer"), &NARROW);
    assert_eq!(hyphen.test("senior-doc-writer").matched, Some(true));
    assert_eq!(Matcher::compile(Some("Bash|Edit"), &NARROW).kind(), Kind::List);
}

#[test]
fn the_matched_part_and_the_reason_are_told() {
    for (text, subject, matched, span, why) in [
        ("Bash", "Bash", true, Some((0, 4)), "the name is exactly `Bash`"),
        ("bash", "Bash", false, None, "case counts: `bash` is not `Bash`"),
        ("Edit|Write", "Write", true, Some((0, 5)), "`Write` is on the list"),
        ("Write", "Read", false, None, "`Read` is not `Write`"),
        ("(?=Bash)", "Bash", true, Some((0, 0)), "the pattern fits at a place in the name, without a letter of it"),
        ("Bash(ls)", "Bash", false, None, "the pattern is not in the name"),
        ("Edit|Write", "Read", false, None, "`Read` is not on the list"),
        (
            "Notebook",
            "NotebookEdit",
            false,
            None,
            "it has to be the whole name: `Notebook` is only a part of `NotebookEdit`",
        ),
        ("mcp__github", "mcp__github__push", false, None, "a server name alone matches nothing: write mcp__github__.*"),
        (
            "mcp__github__",
            "mcp__github__push",
            false,
            None,
            "a server name alone matches nothing: write mcp__github__.*",
        ),
        ("*", "Bash", true, None, "`*` matches everything"),
        ("", "Bash", true, None, "an empty matcher matches everything"),
        ("Task", "Agent", true, None, "`Task` is a former name of `Agent`"),
        ("Agent", "Task", true, None, "`Task` is a former name of `Agent`"),
        ("^Task$", "Agent", true, None, "the pattern is found in `Task`, another name of `Agent`"),
        ("KillShell", "KillBash", true, None, "`KillShell` is a former name of `TaskStop`"),
        ("Edit.*", "NotebookEdit", true, Some((8, 12)), "the pattern is found at the end of the name"),
        ("Ed..", "Edit", true, Some((0, 4)), "the pattern fits the whole name"),
        ("(as)", "Bash", true, Some((1, 3)), "the pattern is found in the middle of the name"),
        ("x*?", "Bash", true, Some((0, 0)), "the pattern matches everything: the empty text is in every name"),
        ("^Read$", "Bash", false, None, "the pattern is not in the name"),
    ] {
        let found = wide(text).test(subject);
        assert_eq!(
            (found.matched, found.span, found.why.as_str()),
            (Some(matched), span, why),
            "{text:?} on {subject:?}"
        );
    }
}

#[test]
fn an_invalid_pattern_never_matches_and_keeps_the_engines_words() {
    let matcher = wide("[");
    assert_eq!(matcher.error(), Some("Unbalanced bracket"));
    assert_eq!(matcher.test("[").matched, Some(false));
    assert!(matcher.explain().contains("never matches"));
}

#[test]
fn a_repeated_word_boundary_does_not_compile() {
    for text in [r"\b+", r"\B{2}x", r"Bash\b*?", r"\\\b?", r"\b{1,}"] {
        assert_eq!(wide(text).kind(), Kind::Invalid, "{text}");
    }
    for text in [r"\bBash\b", r"[\b+]", r"\\b+", r"\b{", r"\b{,2}", r"\b{x}"] {
        assert_eq!(wide(text).kind(), Kind::Regex, "{text}");
    }
}

#[test]
fn patterns_are_explained_in_plain_words() {
    for (text, words) in [
        ("Bash", "one name, which has to be exactly Bash"),
        ("Edit, Write", "a list: the name has to be exactly one of Edit, Write"),
        ("Task|Bash", "a list: the name has to be exactly one of Task (now Agent), Bash"),
        (",", "a list that holds no name, so it matches nothing"),
        ("Edit.*", "a regular expression, because of `.` and `*`: the name has to contain `Edit`"),
        ("^Edit$", "a regular expression, because of `^` and `$`: the name has to be exactly `Edit`"),
        ("^Edit.*$", "a regular expression, because of `^` `.` `*` and `$`: the name has to begin with `Edit`"),
        ("^.*Edit$", "a regular expression, because of `^` `.` `*` and `$`: the name has to end with `Edit`"),
        (
            "^Bash|Edit$",
            "a regular expression, because of `^` and `$`: the name has to begin with `Bash`, or end with `Edit`",
        ),
        (
            "mcp__.*__read",
            "a regular expression, because of `.` and `*`: the name has to contain `mcp__`, then `__read`",
        ),
        (
            "^mcp__.*__read$",
            "a regular expression, because of `^` `.` `*` and `$`: the name has to begin with `mcp__` and end with `__read`",
        ),
        (
            "^(Edit|Write)$",
            "a regular expression, because of `^` `(` `)` and `$`: the name has to be exactly `Edit` or `Write`",
        ),
        ("Ed.t", "a regular expression, because of `.`: it may be found anywhere in the name"),
        ("^Ed.t$", "a regular expression, because of `^` `.` and `$`: the whole name has to fit"),
        ("Edit.*|", "a regular expression, because of `.` and `*`: every name fits, because the empty text does"),
        ("(?=Bash)", "a regular expression, because of `(` `?` `=` and `)`: it may be found anywhere in the name"),
    ] {
        assert_eq!(wide(text).explain(), words, "{text:?}");
    }
}

#[test]
fn code_point_escapes_are_repeated_letters_without_the_unicode_flag() {
    assert_eq!(wide(r"^\u{3}$").test("uuu").matched, Some(true));
    assert_eq!(wide(r"\u{42}ash").test("Bash").matched, Some(false));
    assert_eq!(wide(r"^\\u{2}$").test(r"\uu").matched, Some(true));
    assert_eq!(wide(r"(?<\u{61}>B)ash\k<a>?").kind(), Kind::Regex);
}

/// Remembers what it was asked.
struct Listening(std::cell::RefCell<Vec<String>>);

impl Judge for Listening {
    fn test(&self, pattern: &str, _: &str) -> Judged {
        self.0.borrow_mut().push(pattern.to_owned());
        Judged::Found(0, 1)
    }
}

#[test]
fn only_patterns_that_may_take_exponential_time_go_to_the_judge() {
    let name = "mcp__a_rather_long_server__with_a_long_tool_name";
    let nested = "(".repeat(40) + &"a?".repeat(2) + &")*".repeat(40);
    for (text, risky) in [
        ("^(a+)+$", true),
        ("(a|a)*b", true),
        ("(a|ab|b)+$", true),
        ("(\\w+_?)+$", true),
        (r"(.)\1", true),
        (r"(?<x>.)\k<x>", true),
        ("(a?){30}a{30}", true),
        ("(?:){99999999}x", true),
        (".*.*.*.*.*.*x", true),
        (nested.as_str(), true),
        ("Bash|Edit", false),
        ("^(Bash|Edit|Write)$", false),
        ("mcp__.*__(read|write)_.*", false),
        ("^(?!Read$).+", false),
        ("(mcp__|Bash)+", false),
        ("[(a+)+]*x", false),
        (r"\(a+\)+", false),
        ("Notebook(Edit|Read)?", false),
        ("[0-9a-f]{8}-[0-9a-f]{4}", false),
    ] {
        let judge = Listening(std::cell::RefCell::default());
        let found = wide(text).test_with(name, &judge);
        assert_eq!(!judge.0.borrow().is_empty(), risky, "{text}");
        assert_eq!(wide(text).test(name).matched.is_none(), risky, "{text}");
        if risky {
            assert_eq!((found.matched, found.span), (Some(true), Some((0, 1))), "{text}");
        }
    }
}

#[test]
fn patterns_beyond_the_engines_limits_are_undecided_not_invalid() {
    let deep = "(".repeat(1000) + "a" + &")".repeat(1000);
    let matcher = wide(&deep);
    assert_eq!((matcher.kind(), matcher.test("a").matched), (Kind::Regex, None));
}

#[test]
fn near_misses_are_named_with_what_to_write_instead() {
    for (text, kind, instead) in [
        ("bash", HintKind::Case, Some("Bash")),
        ("Bash|edit", HintKind::Case, Some("Bash|Edit")),
        ("^bash$", HintKind::Case, Some("^Bash$")),
        ("Wirte", HintKind::NearName, Some("Write")),
        ("Notebook", HintKind::NearName, Some("NotebookEdit")),
        ("Bash Edit", HintKind::NotAList, Some("Bash|Edit")),
        ("mcp__github", HintKind::ServerAlone, Some("mcp__github__.*")),
        ("mcp__github__", HintKind::ServerAlone, Some("mcp__github__.*")),
        ("mcp__", HintKind::ServerAlone, Some("mcp__.*")),
        ("mcp__mail__*", HintKind::Glob, Some("mcp__mail__.*")),
        ("mcp__*", HintKind::Glob, Some("mcp__.*")),
        ("mcp__*__read", HintKind::Glob, Some("mcp__.*__read")),
        ("Bash*", HintKind::Glob, Some("Bash.*")),
        ("Bash(git *)", HintKind::PermissionRule, Some("Bash")),
        ("Bash(git commit:*)", HintKind::PermissionRule, Some("Bash")),
        ("Bash(*)", HintKind::PermissionRule, Some("Bash")),
        ("Write|Edit|Bash(rm *)", HintKind::PermissionRule, None),
        ("Write|Edit|Bash(rm *)", HintKind::Unanchored, Some("^(Write|Edit)$")),
        ("Edit.*", HintKind::Unanchored, Some("^Edit$")),
        ("Edit$", HintKind::Unanchored, Some("^Edit$")),
        ("(Edit|Write)", HintKind::Unanchored, Some("^(Edit|Write)$")),
        ("Task", HintKind::Renamed, Some("Agent")),
        ("^Task$", HintKind::Renamed, None),
        ("*Edit", HintKind::Invalid, Some(".*Edit")),
        ("(?i)bash", HintKind::Invalid, Some("(?i:bash)")),
        ("(?P<x>Ba)sh", HintKind::Invalid, Some("(?<x>Ba)sh")),
        ("Bash|*Edit", HintKind::Invalid, Some("Bash|.*Edit")),
        ("(?i:bash)", HintKind::EngineVersion, None),
        ("(?<x>a)|(?<x>b)", HintKind::EngineVersion, None),
        ("Edit.*|", HintKind::EmptyAlternative, Some("Edit.*")),
        ("/Bash/", HintKind::NearName, Some("Bash")),
        ("Bash, E.*", HintKind::NotAList, Some("Bash|E.*")),
        ("mcp__db__.*", HintKind::PluginServer, None),
    ] {
        let hints = wide(text).hints(&known());
        let hint = hints.iter().find(|hint| hint.kind == kind);
        assert_eq!(hint.map(|hint| hint.instead.as_deref()), Some(instead), "{text}: {hints:?}");
    }
    let empty: Vec<HintKind> = wide("Edit.*|").hints(&known()).iter().map(|hint| hint.kind).collect();
    assert_eq!(empty, [HintKind::EmptyAlternative]);
    let narrow = Matcher::compile(Some("rate_limit, overloaded"), &NARROW).hints(&["rate_limit", "overloaded"]);
    assert_eq!(narrow[0].instead.as_deref(), Some("rate_limit|overloaded"));
    let hyphen = Matcher::compile(Some("doc-writer"), &NARROW).hints(&[]);
    assert_eq!(hyphen[0].instead.as_deref(), Some("^doc-writer$"));
    let plugged = ["mcp__plugin_acme_db__query"];
    assert_eq!(wide("mcp__db__.*").hints(&plugged)[0].instead.as_deref(), Some("mcp__plugin_acme_db__.*"));
    assert_eq!(wide("mcp__db__query").hints(&plugged)[0].instead.as_deref(), Some("mcp__plugin_acme_db__query"));
}

#[test]
fn what_is_right_gets_no_hint() {
    for text in [
        "",
        "*",
        "Bash",
        "Edit|Write",
        "^Edit$",
        ".*",
        "mcp__.*",
        "^(?!Edit$).+",
        "Notebook(Edit|Read)",
        r"\w*Edit$|^$",
    ] {
        assert_eq!(wide(text).hints(&["Bash", "Edit", "Write", "mcp__db__query"]), [], "{text}");
    }
}

/// Names, list marks and everything that makes a regular expression.
fn any_pattern() -> impl Strategy<Value = String> {
    prop_oneof![r"[A-Za-z_|, \-]{0,12}", r"[A-Za-z(){}\[\]|*+?.^$\\0-9:<>=!,u\-]{0,16}", any::<String>(),]
}

fn any_subject() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z_]{0,16}", "mcp__[a-z_]{0,20}", any::<String>()]
}

proptest! {
    #[test]
    fn no_pattern_and_no_subject_panics_and_spans_are_in_the_subject(text in any_pattern(), subject in any_subject()) {
        for rule in [&WIDE, &NARROW] {
            let matcher = Matcher::compile(Some(&text), rule);
            let found = matcher.test(&subject);
            prop_assert!(!found.why.is_empty());
            prop_assert!(!matcher.explain().is_empty());
            if let Some((start, end)) = found.span {
                prop_assert_eq!(found.matched, Some(true));
                prop_assert!(subject.get(start..end).is_some());
            }
            let _ = matcher.hints(&[&subject, "Bash", "mcp__plugin_x_y__z"]);
        }
    }

    #[test]
    fn a_list_matches_exactly_its_trimmed_members(
        names in prop::collection::vec("[A-Za-z_\\-]{0,4}", 0..6),
        marks in prop::collection::vec("( ?[|,] ?)", 6),
        subject in "[A-Za-z_\\-]{1,4}",
    ) {
        let text: String = names.iter().zip(&marks).flat_map(|(name, mark)| [name.as_str(), mark]).collect();
        prop_assume!(!text.is_empty());
        let matcher = Matcher::compile(Some(&text), &MatcherRule { tools: &[], ..WIDE });
        prop_assert_eq!(matcher.test(&subject).matched, Some(names.contains(&subject)));
    }

    #[test]
    fn a_former_name_matches_what_the_present_one_does(subject in "(Agent|Task|TaskStop|KillShell|KillBash|Bash)") {
        for (former, present) in [("Task", "Agent"), ("KillShell", "TaskStop"), ("KillBash|Bash", "Bash|TaskStop")] {
            prop_assert_eq!(wide(former).test(&subject).matched, wide(present).test(&subject).matched);
        }
    }
}

#[test]
fn hints_of_a_huge_list_look_at_its_first_names_only() {
    let list = |known: usize| format!("{}Bahs", "Bash|".repeat(known));
    assert!(!wide(&list(400)).hints(&known()).is_empty());
    assert_eq!(wide(&list(600)).hints(&known()), []);
}

#[test]
fn a_name_of_a_megabyte_is_near_no_known_name() {
    assert_eq!(wide(&"x".repeat(1 << 20)).hints(&known()), []);
}
