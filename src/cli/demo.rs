//! `hookscope demo [NAME]`: lists the bundled sessions, or names one to be opened.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::load::demo::{ALL, Demo};

/// Arguments of `hookscope demo`.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// Which one; without it they are listed.
    pub name: Option<String>,
}

/// No demo of that name.
#[derive(Debug, thiserror::Error)]
#[error("no demo is called {name:?}: there are {}", known())]
pub struct UnknownDemo {
    /// The name that was asked for.
    pub name: String,
}

fn known() -> String {
    ALL.iter().map(|demo| demo.name).collect::<Vec<_>>().join(", ")
}

/// The demo of that name.
pub fn find(name: &str) -> Result<&'static Demo, UnknownDemo> {
    Demo::by_name(name).ok_or_else(|| UnknownDemo { name: name.to_owned() })
}

/// The list for people: two lines a demo, at most 80 columns wide.
pub fn write_text(out: &mut dyn Write) -> io::Result<()> {
    let width = ALL.iter().map(|demo| demo.name.len()).max().unwrap_or_default();
    for demo in ALL {
        match demo.question {
            Some(question) => writeln!(out, "{:width$}  {question}", demo.name)?,
            None => writeln!(out, "{}", demo.name)?,
        }
        writeln!(out, "    {}", demo.sentence)?;
    }
    writeln!(out, "\nhookscope demo NAME opens one on the row that matters.")
}

/// The list as JSON Lines: `{"name","question","sentence","row":{"event","subject","sub","nth"},"keys":[{"key","shows"}]}`.
pub fn write_json(out: &mut dyn Write) -> io::Result<()> {
    for demo in ALL {
        let row = demo.row;
        let row = json!({ "event": row.event, "subject": row.subject, "sub": row.sub, "nth": row.nth });
        let keys: Vec<_> = demo.keys.iter().map(|(key, shows)| json!({ "key": key, "shows": shows })).collect();
        let line = json!({
            "name": demo.name, "question": demo.question, "sentence": demo.sentence, "row": row, "keys": keys,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_every_demo_and_fits_80_columns() {
        let mut out = Vec::new();
        write_text(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for demo in ALL {
            assert!(text.lines().any(|line| line.split("  ").next() == Some(demo.name)), "{}", demo.name);
        }
        let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, Vec::<&str>::new());
    }

    #[test]
    fn the_json_list_has_one_object_a_demo() {
        let mut out = Vec::new();
        write_json(&mut out).unwrap();
        let lines: Vec<serde_json::Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), ALL.len());
        assert_eq!(lines[2]["name"], "stop-loop");
        assert_eq!(lines[2]["row"], json!({ "event": "Stop", "subject": null, "sub": null, "nth": 9 }));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = find("stoploop").unwrap_err().to_string();
        assert!(error.contains("\"stoploop\"") && error.contains("stop-loop"), "{error}");
    }
}
