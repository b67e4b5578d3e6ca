//! What every agent makes of one matcher: a line each.

use std::io::{self, Write};

use super::{LINE, MatchArgs, verdict};
use crate::cli::Common;
use crate::dialect::match_report::{MatchReport, MatchRow, Question, counterpart, known_subjects, report};
use crate::dialect::{self, Dialect};
use crate::matcher::Judge;
use crate::text::{safe, wrap};

/// Cells of the columns before the names.
const AGENT: usize = 13;
const EVENT: usize = 20;
const KIND: usize = 9;

/// Tests the matcher under every agent's rules and writes what came of it.
pub(super) fn run(
    args: &MatchArgs,
    common: &Common,
    seen: &[(String, u64)],
    judge: &dyn Judge,
    out: &mut dyn Write,
) -> io::Result<()> {
    let asked = args.event.as_deref().unwrap_or(super::BEFORE_A_TOOL);
    if !common.json {
        let heading = format!("Matcher  {}   ({}, every agent in its newest known version)", args.pattern, asked);
        writeln!(out, "{}\n", safe(&heading))?;
    }
    for dialect in dialect::ALL.iter().copied() {
        let event = counterpart(asked, dialect);
        let report = match event {
            Some(event) => held(args, dialect, event, seen, judge),
            None => absent(args, asked, dialect),
        };
        if common.json {
            crate::cli::json::line(&report, out)?;
        } else {
            write_line(dialect, event, &report, out)?;
        }
    }
    Ok(())
}

/// The matcher in one agent. Names that were asked for are tested as they stand; else those seen in the session, or
/// the agent's own.
fn held(
    args: &MatchArgs,
    dialect: &'static Dialect,
    event: &str,
    seen: &[(String, u64)],
    judge: &dyn Judge,
) -> MatchReport {
    let known = known_subjects(dialect, event);
    let named: Vec<&str> = args.subjects.iter().map(String::as_str).collect();
    let seen: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    let subjects = [named.as_slice(), seen.as_slice(), known.as_slice()].into_iter().find(|names| !names.is_empty());
    // A version is one agent's: the others' numbers mean nothing to it.
    let question = Question { dialect, pattern: &args.pattern, event, version: None };
    report(question, subjects.unwrap_or_default(), &known, judge)
}

/// An agent without such an event: its group never runs.
fn absent(args: &MatchArgs, asked: &str, dialect: &'static Dialect) -> MatchReport {
    let why = format!("{} has no event like {}", dialect.name, asked);
    let row =
        |subject: &String| MatchRow { subject: subject.clone(), matched: Some(false), span: None, why: why.clone() };
    MatchReport {
        pattern: args.pattern.clone(),
        dialect: dialect.id,
        agent_version: dialect.newest.to_owned(),
        event: asked.to_owned(),
        kind: "ignored",
        engine: "none",
        error: Some(why.clone()),
        explanation: why.clone(),
        results: args.subjects.iter().map(row).collect(),
        hints: Vec::new(),
        assumed: None,
        rule: "matcher-ignored",
    }
}

fn write_line(dialect: &Dialect, event: Option<&str>, report: &MatchReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(event) = event else {
        return writeln!(out, "{:<AGENT$}{}", dialect.id, safe(&report.explanation));
    };
    let all = report.results.len() > 4 && report.results.iter().all(|row| row.matched == Some(true));
    let mut said = if all { format!("all {} names", report.results.len()) } else { names(&report.results) };
    if report.kind == "ignored" || report.kind == "all" {
        said = "every group fires".to_owned();
        if report.kind == "all" {
            said = "everything".to_owned();
        }
    } else if report.results.is_empty() || report.rule == "matcher-without-subject" {
        said = report.explanation.clone();
    } else if said.is_empty() {
        let why = match (&report.error, report.results.as_slice()) {
            (Some(error), _) => error.clone(),
            (None, []) => report.explanation.clone(),
            (None, [row]) => row.why.clone(),
            (None, rows) => {
                match rows.iter().map(|row| row.why.as_str()).reduce(|one, other| if one == other { one } else { "" }) {
                    Some(why) if !why.is_empty() && report.kind != "regex" => why.to_owned(),
                    _ => format!("in none of its {} names", rows.len()),
                }
            }
        };
        said = format!("nothing: {why}");
    }
    if report.assumed.is_some() {
        said.push_str(" (assumed)");
    }
    for (at, line) in wrap(&safe(&said), LINE - AGENT - EVENT - KIND).iter().enumerate() {
        let (agent, event, kind) = if at == 0 { (dialect.id, event, report.kind) } else { ("", "", "") };
        writeln!(out, "{agent:<AGENT$}{event:<EVENT$}{kind:<KIND$}{line}")?;
    }
    Ok(())
}

/// The names that match, and those that nobody can tell.
fn names(rows: &[MatchRow]) -> String {
    let told = |row: &&MatchRow| row.matched != Some(false);
    let name = |row: &MatchRow| match row.matched {
        None => format!("{} ({})", row.subject, verdict(None)),
        Some(_) => row.subject.clone(),
    };
    rows.iter().filter(told).map(name).collect::<Vec<_>>().join(", ")
}
