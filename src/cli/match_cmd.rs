//! `hookscope match`: tests a matcher, in words or JSON.

mod agents;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::Common;
use crate::dialect::match_report::{MatchReport, MatchRow, Question, counterpart, known_subjects, report};
use crate::dialect::{self, Dialect};
use crate::exec::judge::ChildJudge;
use crate::matcher::{Judge, NoJudge};
use crate::text::{safe, width, wrap};

/// Cells of a line.
const LINE: usize = 78;

/// Cells of the column of verdicts, with the space after it.
const VERDICT: usize = 11;

/// What to test.
#[derive(Debug, Clone, Args)]
pub struct MatchArgs {
    /// The matcher, as it stands in a settings file
    pub pattern: String,
    /// Names to test it on; without any, the names known for the event
    #[arg(value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// The hook event that the matcher stands under; without it, the one before a tool is used
    #[arg(long, value_name = "E")]
    pub event: Option<String>,
    /// Test it on the names seen in this session
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// What every agent makes of it, one line each
    #[arg(long)]
    pub all_dialects: bool,
}

impl MatchArgs {
    /// The event in a dialect's own words.
    pub fn event_of(&self, dialect: &'static Dialect) -> &str {
        let usual = || counterpart(BEFORE_A_TOOL, dialect).unwrap_or(BEFORE_A_TOOL);
        self.event.as_deref().unwrap_or_else(usual)
    }
}

/// The event that is asked about where none is named, in Claude Code's word.
const BEFORE_A_TOOL: &str = "PreToolUse";

/// Whose matcher it is.
pub fn dialect_of(common: &Common) -> &'static Dialect {
    dialect::of_session(common.dialect.as_deref().unwrap_or_default())
}

/// Tests the matcher and writes what came of it. `session_names`: names seen in the session for this event, with
/// their counts, where a session was given.
///
/// # Errors
/// `InvalidInput` with one line for a person where the words are unusable (exit 2); others are those of `out`.
pub fn run(
    args: &MatchArgs,
    common: &Common,
    session_names: Option<Vec<(String, u64)>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let judge = ChildJudge::of_this_program();
    let judge: &dyn Judge = match &judge {
        Ok(judge) => judge,
        Err(_) => &NoJudge,
    };
    run_with(args, common, session_names, judge, out)
}

/// As [`run`], with a judge of risky patterns.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    args: &MatchArgs,
    common: &Common,
    session_names: Option<Vec<(String, u64)>>,
    judge: &dyn Judge,
    out: &mut dyn Write,
) -> io::Result<()> {
    if args.all_dialects {
        return agents::run(args, common, &session_names.unwrap_or_default(), judge, out);
    }
    let dialect = dialect_of(common);
    let event = args.event_of(dialect);
    let known = known_subjects(dialect, event);
    let counts = session_names.unwrap_or_default();
    let seen: Vec<&str> = counts.iter().map(|(name, _)| name.as_str()).collect();
    let named: Vec<&str> = args.subjects.iter().map(String::as_str).collect();
    let (subjects, asked) = match (named.as_slice(), args.session.is_some() || !seen.is_empty()) {
        ([], true) => (seen.as_slice(), Asked::Session(&counts)),
        ([], false) => (known.as_slice(), Asked::Known),
        (named, _) => (named, Asked::Named),
    };
    let all: Vec<&str> = seen.iter().chain(&known).copied().collect();
    let question = Question { dialect, pattern: &args.pattern, event, version: common.agent_version.as_deref() };
    let report = report(question, subjects, &all, judge);
    if common.json {
        return super::json::line(&report, out);
    }
    write_text(dialect, &report, &asked, out)
}

/// Whose names are tested.
enum Asked<'a> {
    Named,
    Session(&'a [(String, u64)]),
    Known,
}

fn write_text(dialect: &Dialect, report: &MatchReport, asked: &Asked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let MatchReport { pattern, agent_version, event, .. } = report;
    let heading = format!("Matcher  {pattern}   ({} {agent_version}, {event})", dialect.id);
    writeln!(out, "{}", safe(&heading))?;
    writeln!(out, "{}", safe(&report.explanation))?;
    let (listed, others): (Vec<&MatchRow>, Vec<&MatchRow>) = match asked {
        // Dozens of names that nobody asked for: those that do not match are only named.
        Asked::Known => report.results.iter().partition(|row| row.matched != Some(false)),
        Asked::Named | Asked::Session(_) => (report.results.iter().collect(), Vec::new()),
    };
    if !report.results.is_empty() {
        writeln!(out)?;
    } else if let Some(nothing) = nothing_to_test(dialect, event, asked) {
        writeln!(out, "\n{}", safe(&nothing))?;
    }
    write_rows(&listed, asked, out)?;
    if !others.is_empty() {
        let names = others.iter().map(|row| safe(&row.subject)).collect::<Vec<_>>().join(", ");
        write_wrapped(verdict(Some(false)), &names, out)?;
    }
    if let Some(rule) = report.assumed.and_then(|name| dialect.matching.rule_text(name)) {
        writeln!(out)?;
        write_wrapped("assumed", rule.text, out)?;
    }
    if !report.hints.is_empty() {
        writeln!(out)?;
    }
    report.hints.iter().try_for_each(|hint| write_wrapped("hint", &safe(&hint.text), out))
}

/// A word in the column of verdicts, and a text beside it in as many lines as it needs.
fn write_wrapped(word: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    for (at, line) in wrap(text, LINE - VERDICT).iter().enumerate() {
        writeln!(out, "{:<VERDICT$}{line}", if at == 0 { word } else { "" })?;
    }
    Ok(())
}

/// Why there is no row, unless the pattern's own words say it.
fn nothing_to_test(dialect: &Dialect, event: &str, asked: &Asked<'_>) -> Option<String> {
    match asked {
        Asked::Session(_) => Some(format!("the session has no name that a matcher of {event} is tested on")),
        Asked::Known => dialect
            .event(event)
            .and_then(|spec| spec.subject)
            .map(|field| format!("no values of {field} are known: name some to test it on")),
        Asked::Named => None,
    }
}

fn write_rows(rows: &[&MatchRow], asked: &Asked<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = rows.iter().map(|row| marked(row)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    for (row, name) in rows.iter().zip(&names) {
        let count = match asked {
            Asked::Session(counts) => {
                let count = counts.iter().find(|(name, _)| *name == row.subject).map_or(0, |(_, count)| *count);
                format!("{count:>7}  ")
            }
            Asked::Named | Asked::Known => String::new(),
        };
        let fill = " ".repeat(widest - width(name));
        writeln!(out, "{:<VERDICT$}{name}{fill}  {count}{}", verdict(row.matched), safe(&row.why))?;
    }
    Ok(())
}

/// A subject with what was matched in brackets.
fn marked(row: &MatchRow) -> String {
    let parts = row.span.filter(|(start, end)| start < end).and_then(|(start, end)| {
        Some((row.subject.get(..start)?, row.subject.get(start..end)?, row.subject.get(end..)?))
    });
    match parts {
        Some((before, found, after)) => format!("{}[{}]{}", safe(before), safe(found), safe(after)),
        None if row.subject.is_empty() => "(empty)".to_owned(),
        None => safe(&row.subject).into_owned(),
    }
}

fn verdict(matched: Option<bool>) -> &'static str {
    match matched {
        Some(true) => "match",
        Some(false) => "no match",
        None => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MatchArgs,
        #[command(flatten)]
        common: Common,
    }

    fn said(words: &[&str], names: Option<Vec<(String, u64)>>) -> io::Result<String> {
        let line = Line::try_parse_from([&["match"], words].concat()).unwrap();
        let mut out = Vec::new();
        run_with(&line.args, &line.common, names, &NoJudge, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn named_subjects_come_one_a_line_with_the_matched_part_marked() {
        insta::assert_snapshot!(said(&["Edit.*", "Edit", "NotebookEdit", "Read"], None).unwrap());
    }

    #[test]
    fn without_subjects_the_known_names_that_match_are_listed_and_the_others_named() {
        insta::assert_snapshot!(said(&["Edit|Write|Task"], None).unwrap());
        insta::assert_snapshot!(said(&["startup,resume", "--event", "SessionStart"], None).unwrap());
    }

    #[test]
    fn a_sessions_names_come_with_their_counts() {
        let names = vec![("Bash".to_owned(), 120), ("mcp__mail__send".to_owned(), 3)];
        insta::assert_snapshot!(said(&["mcp__mail__*", "--session", "x.jsonl"], Some(names)).unwrap());
        insta::assert_snapshot!(said(&["Bash", "--session", "x.jsonl"], Some(Vec::new())).unwrap());
    }

    #[test]
    fn invalid_ignored_and_undecided_patterns_say_so() {
        insta::assert_snapshot!(said(&["*Edit", "Edit"], None).unwrap());
        insta::assert_snapshot!(said(&["Bash", "--event", "Stop"], None).unwrap());
        insta::assert_snapshot!(said(&["(a+)+$", "aaaaaaaa"], None).unwrap());
        insta::assert_snapshot!(said(&["deploy", "--event", "UserPromptExpansion"], None).unwrap());
        insta::assert_snapshot!(said(&["Bash", "Bash", "--event", "PretoolUse"], None).unwrap());
    }

    #[test]
    fn hostile_text_is_made_safe() {
        let text = said(&["\u{1b}[31m", "\u{1b}]0;x\u{7}", "\u{202e}"], None).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }

    #[test]
    fn json_is_one_document() {
        let text = said(&["Bash, Edit", "Edit", "--json", "--agent-version", "2.1.100"], None).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["kind"], &json["agent_version"]), (&"regex".into(), &"2.1.100".into()));
        assert_eq!(text.lines().count(), 1);
    }
}
