//! `hookscope sessions`: the sessions on this machine, one line each.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::Common;
use crate::load::discover::{Counts, Found, Listing, Root, claude_code_roots, list, scan};
use crate::model::Time;
use crate::text::{self, Charset};

/// Lists the sessions of this machine.
///
/// # Errors
/// Those of `out`.
pub fn run(common: &Common, out: &mut dyn Write) -> io::Result<()> {
    let (roots, home) = places();
    let listing = list(&roots);
    let counted = count(&listing);
    if common.json {
        return write_json(out, &listing, &counted);
    }
    let charset = if common.ascii { Charset::Ascii } else { Charset::Unicode };
    write_text(out, &listing, &counted, &TextStyle { charset, zone: TimeZone::system(), home: home.as_deref() })
}

/// Where sessions are kept on this machine, and the home folder.
pub fn places() -> (Vec<Root>, Option<PathBuf>) {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = folder("HOME").map(PathBuf::from);
    (claude_code_roots(folder("CLAUDE_CONFIG_DIR").as_deref(), home.as_deref()), home)
}

/// A listed session with its counts, or why it could not be counted.
pub type Counted<'a> = (&'a Found, Result<Counts, String>);

/// Counts every listed session, in the order of the list.
pub fn count(listing: &Listing) -> Vec<Counted<'_>> {
    let paths: Vec<_> = listing.sessions.iter().map(|found| found.path.clone()).collect();
    let mut counted = Vec::with_capacity(paths.len());
    scan(&paths, &AtomicBool::new(false), |batch| {
        for scanned in batch {
            if let Some(found) = listing.sessions.get(scanned.ix) {
                counted.push((found, scanned.counts));
            }
        }
        std::ops::ControlFlow::Continue(())
    });
    counted
}

/// How to write the list for people.
#[derive(Debug, Clone)]
pub struct TextStyle<'a> {
    /// Characters that may be used.
    pub charset: Charset,
    /// The zone in which times are shown.
    pub zone: TimeZone,
    /// Shown as `~` at the start of folders.
    pub home: Option<&'a Path>,
}

/// For people: a heading, then one line a session, columns aligned; what could not be read stands behind. Paths
/// are last and never cut, so that they can be copied.
pub fn write_text(
    out: &mut dyn Write,
    listing: &Listing,
    counted: &[Counted<'_>],
    style: &TextStyle<'_>,
) -> io::Result<()> {
    if counted.is_empty() {
        writeln!(out, "no sessions found")?;
        for (folder, there) in &listing.looked_in {
            let state = if *there { "holds none" } else { "is not there" };
            writeln!(out, "  {} {state}", safe(&folder.display().to_string(), style))?;
        }
    } else {
        let rows: Vec<[String; 7]> = counted.iter().map(|counted| row(counted, style)).collect();
        let head = ["last activity", "events", "denied", "loops", "folder", "title", "file"].map(str::to_owned);
        let mut widths = [0; 7];
        for row in rows.iter().chain([&head]) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(text::width(cell));
            }
        }
        for row in [&head].into_iter().chain(&rows) {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
                line += &match column {
                    1..=3 => text::pad_left(cell, width, style.charset),
                    6 => cell.clone(),
                    _ => text::pad(cell, width, style.charset),
                };
                line += if column == 6 { "" } else { "  " };
            }
            writeln!(out, "{line}")?;
        }
        writeln!(out, "\nevents, denied and loops are quick counts; hookscope FILE reads a session in full")?;
    }
    for problem in &listing.problems {
        writeln!(out, "{}: {}", safe(&problem.place.path, style), safe(&problem.message, style))?;
    }
    Ok(())
}

const FOLDER_CELLS: usize = 30;
const TITLE_CELLS: usize = 40;

fn row((found, counts): &Counted<'_>, style: &TextStyle<'_>) -> [String; 7] {
    let time = Timestamp::from_millisecond(found.at().millis().unwrap_or_default());
    let time = match time {
        Ok(time) if !found.at().is_unknown() => style.zone.to_datetime(time).strftime("%Y-%m-%d %H:%M").to_string(),
        _ => "unknown".to_owned(),
    };
    let [events, denied, loops] = match counts {
        Ok(counts) => {
            // Lines too long to be looked at may hold more.
            let more = if counts.long_lines > 0 { "+" } else { "" };
            let number = |count: u64| if count == 0 { "-".to_owned() } else { format!("{count}{more}") };
            [format!("~{}{more}", counts.events_about()), number(counts.denials()), number(counts.suspected_loops)]
        }
        Err(_) => ["?".to_owned(), "?".to_owned(), "?".to_owned()],
    };
    let folder = found.project.as_deref().map_or_else(|| "unknown".to_owned(), |folder| tilde(folder, style.home));
    let file = match counts {
        Ok(_) => safe(&found.path.display().to_string(), style),
        Err(why) => format!("{} ({})", safe(&found.path.display().to_string(), style), safe(why, style)),
    };
    [
        time,
        events,
        denied,
        loops,
        text::cut_start(&safe(&folder, style), FOLDER_CELLS, style.charset),
        text::cut(&safe(found.label(), style), TITLE_CELLS, style.charset),
        file,
    ]
}

fn safe(text: &str, style: &TextStyle<'_>) -> String {
    text::safe_as(text, style.charset).into_owned()
}

fn tilde(folder: &str, home: Option<&Path>) -> String {
    match home.and_then(|home| Path::new(folder).strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => folder.to_owned(),
    }
}

/// As JSON Lines, in the order of the list, unreadable files last:
/// `{"path","dialect","session_id","project","title","prompt","bytes","modified","last_activity","events_about",
/// "denials","suspected_loops","counts":{…}}`, or `{"path","error"}`. Times are RFC 3339 in UTC or null.
pub fn write_json(out: &mut dyn Write, listing: &Listing, counted: &[Counted<'_>]) -> io::Result<()> {
    for (found, counts) in counted {
        let line = match counts {
            Ok(counts) => json!({
                "path": found.path.display().to_string(), "dialect": found.dialect, "session_id": found.session_id,
                "project": found.project, "title": found.title, "prompt": found.prompt, "bytes": found.bytes,
                "modified": utc(found.modified), "last_activity": utc(found.last_activity),
                "events_about": counts.events_about(), "denials": counts.denials(),
                "suspected_loops": counts.suspected_loops, "counts": counts,
            }),
            Err(why) => json!({ "path": found.path.display().to_string(), "error": why }),
        };
        writeln!(out, "{line}")?;
    }
    for problem in &listing.problems {
        writeln!(out, "{}", json!({ "path": problem.place.path, "error": problem.message }))?;
    }
    Ok(())
}

fn utc(time: Time) -> Value {
    time.millis()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
        .map_or(Value::Null, |time| Value::String(time.to_string()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::model::{Diagnostic, Level, Place};

    fn found(path: &str, project: &str, title: &str) -> Found {
        Found {
            dialect: "claude-code",
            path: PathBuf::from(path),
            session_id: "s".to_owned(),
            project: Some(project.to_owned()),
            title: Some(title.to_owned()),
            prompt: None,
            bytes: 10,
            modified: Time(0),
            last_activity: Time(1_767_312_000_000),
        }
    }

    fn style() -> TextStyle<'static> {
        TextStyle { charset: Charset::Unicode, zone: TimeZone::UTC, home: Some(Path::new("/home/you")) }
    }

    fn written(listing: &Listing, counted: &[Counted<'_>]) -> String {
        let mut out = Vec::new();
        write_text(&mut out, listing, counted, &style()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sessions_stand_one_a_line_in_columns() {
        let one = found("/p/one.jsonl", "/home/you/demo", "提交钩子");
        let two = found("/p/two.jsonl", "/srv", "plain");
        let busy = Counts { lines: 9, calls: 20, refused_calls: 2, suspected_loops: 1, ..Counts::default() };
        let listing = Listing {
            problems: vec![Diagnostic {
                level: Level::Warning,
                message: "cannot be read: permission denied".to_owned(),
                place: Place { path: "/p/three.jsonl".to_owned(), ..Place::default() },
                help: None,
            }],
            ..Listing::default()
        };
        insta::assert_snapshot!(written(&listing, &[(&one, Ok(busy)), (&two, Err("no".to_owned()))]), @r"
        last activity     events  denied  loops  folder  title     file
        2026-01-02 00:00     ~39       2      1  ~/demo  提交钩子  /p/one.jsonl
        2026-01-02 00:00       ?       ?      ?  /srv    plain     /p/two.jsonl (no)

        events, denied and loops are quick counts; hookscope FILE reads a session in full
        /p/three.jsonl: cannot be read: permission denied
        ");
    }

    #[test]
    fn an_empty_list_says_where_it_looked() {
        let listing = Listing { looked_in: vec![(PathBuf::from("/nowhere"), false)], ..Listing::default() };
        assert_eq!(written(&listing, &[]), "no sessions found\n  /nowhere is not there\n");
    }

    #[test]
    fn nothing_from_a_file_reaches_the_terminal_raw() {
        let evil = found("/p/\u{1b}[2J.jsonl", "/srv/\u{202e}x", "\u{1b}]0;owned\u{7}\nsecond line");
        let text = written(&Listing::default(), &[(&evil, Ok(Counts::default()))]);
        assert!(text.lines().all(text::is_safe), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }

    #[test]
    fn json_has_one_object_a_line() {
        let one = found("/p/one.jsonl", "/srv", "t");
        let problem = Diagnostic {
            level: Level::Warning,
            message: "cannot be read: gone".to_owned(),
            place: Place { path: "/p/two.jsonl".to_owned(), ..Place::default() },
            help: None,
        };
        let listing = Listing { problems: vec![problem], ..Listing::default() };
        let mut out = Vec::new();
        write_json(&mut out, &listing, &[(&one, Ok(Counts { lines: 1, calls: 3, ..Counts::default() }))]).unwrap();
        let lines: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["last_activity"], "2026-01-02T00:00:00Z");
        assert_eq!((&lines[0]["events_about"], &lines[0]["counts"]["calls"]), (&json!(7), &json!(3)));
        assert_eq!(lines[1], json!({ "path": "/p/two.jsonl", "error": "cannot be read: gone" }));
    }
}
