//! When a log says that an input came: a key beside it, or words before it.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::fmt::{rfc2822, strtime};
use regex::Regex;
use serde_json::Value;

use crate::model::Time;

/// Keys under which loggers write the time, surest first.
const KEYS: &[&str] = &[
    "timestamp",
    "@timestamp",
    "time",
    "ts",
    "t",
    "date",
    "datetime",
    "at",
    "t0",
    "_time",
    "when",
    "logged_at",
    "received_at",
    "recorded_at",
    "created_at",
    "logged_time",
    "epoch",
    "asctime",
];

/// The time that an object's own keys tell. `keys` gives the value of a key.
pub(super) fn from_keys(mut keys: impl FnMut(&str) -> Option<Value>) -> Time {
    let found = KEYS.iter().filter_map(|key| keys(key)).map(|value| from_value(&value));
    found.into_iter().find(|time| !time.is_unknown()).unwrap_or(Time::UNKNOWN)
}

fn from_value(value: &Value) -> Time {
    match value {
        Value::String(text) => from_text(text),
        Value::Number(number) => number.as_f64().map_or(Time::UNKNOWN, from_epoch),
        _ => Time::UNKNOWN,
    }
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970, by their size. Only from 2001 to 2100: smaller
/// numbers are counters and durations.
fn from_epoch(number: f64) -> Time {
    const FROM: f64 = 1e9;
    const TO: f64 = 4.1e9;
    for (factor, scale) in [(1e3, 1.0), (1.0, 1e3), (1e-3, 1e6), (1e-6, 1e9)] {
        if (FROM * scale..TO * scale).contains(&number) {
            return Time((number * factor).round() as i64);
        }
    }
    Time::UNKNOWN
}

/// The last time in a text that says which moment it means: with a zone, or counted from 1970. A clock time
/// without a zone tells no moment.
pub(super) fn from_text(text: &str) -> Time {
    let Some(found) = TIMES.as_ref().and_then(|times| times.captures_iter(text).last()) else { return Time::UNKNOWN };
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    if let Some(day) = part("day") {
        let zone = match part("zone") {
            None | Some("Z" | "z" | "UTC" | "GMT") => "+00:00".to_owned(),
            Some(zone) if zone.contains(':') => zone.to_owned(),
            Some(zone) if zone.len() == 3 => format!("{zone}:00"),
            Some(zone) => format!("{}:{}", &zone[..3], &zone[3..]),
        };
        let clock = part("clock").unwrap_or_default().replace(',', ".");
        return moment(format!("{day}T{clock}{zone}").parse::<Timestamp>().ok());
    }
    if let Some(date) = part("date") {
        let date = date.split_whitespace().collect::<Vec<_>>().join(" ").replace("UTC", "GMT").replace("GMT", "+0000");
        let read = strtime::parse("%a %b %d %H:%M:%S %z %Y", &date).and_then(|read| read.to_timestamp());
        return moment(read.ok());
    }
    if let Some(mail) = part("mail") {
        return moment(rfc2822::parse(mail).ok().map(|at| at.timestamp()));
    }
    part("epoch").and_then(|number| number.parse().ok()).map_or(Time::UNKNOWN, from_epoch)
}

fn moment(at: Option<Timestamp>) -> Time {
    at.map_or(Time::UNKNOWN, |at| Time(at.as_millisecond()))
}

static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?P<day>\d{4}-\d\d-\d\d)[Tt\x20](?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\x20?(?P<zone>Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)\b
        | (?P<date>[A-Z][a-z]{2}\x20+[A-Z][a-z]{2}\x20+\d{1,2}\x20\d\d:\d\d:\d\d\x20(?:UTC|GMT)\x20\d{4})\b
        | (?P<mail>[A-Z][a-z]{2},\x20\d{1,2}\x20[A-Z][a-z]{2}\x20\d{4}\x20\d\d:\d\d:\d\d\x20(?:[+-]\d{4}|GMT|UTC))\b
        | \b(?P<epoch>\d{10}(?:\.\d{1,9})?|\d{13}(?:\.\d{1,9})?|\d{16}|\d{19})\b
        ",
    )
    .ok()
});

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expect: Option<i64>) {
        assert_eq!(from_text(text).millis(), expect, "{text}");
    }

    #[test]
    fn times_with_a_zone_are_read_in_the_usual_spellings() {
        let at = Some(1_793_606_400_000);
        check("2026-11-02T08:00:00Z", at);
        check("[2026-11-02T08:00:00.000+00:00] INFO ", at);
        check("2026-11-02 09:00:00,000 +0100 hook: ", at);
        check("=== 2026-11-02 08:00:00 UTC ===\n", at);
        check("Mon Nov  2 08:00:00 UTC 2026 ", at);
        check("Mon, 02 Nov 2026 08:00:00 +0000: ", at);
        check("1793606400 ", at);
        check("1793606400.000: ", at);
        check("ts=1793606400000 ", at);
        check("1793606400000000000 ", at);
        check("2026-11-02T10:00:00+02", at);
        check("old 2020-01-01T00:00:00Z new 2026-11-02T08:00:00Z ", at);
    }

    #[test]
    fn what_tells_no_moment_is_unknown() {
        for text in ["", "2026-11-02 08:00:00 ", "08:00:00 ", "pid 4711 ", "12345678901 ", "x1793606400y "] {
            check(text, None);
        }
    }

    #[test]
    fn keys_beside_the_input_tell_the_time() {
        let at = |object: Value| from_keys(|key| object.get(key).cloned()).millis();
        assert_eq!(at(json!({"ts": 1_793_606_400})), Some(1_793_606_400_000));
        assert_eq!(at(json!({"t": 1_793_606_400_123_u64})), Some(1_793_606_400_123));
        assert_eq!(at(json!({"time": "1793606400.5"})), Some(1_793_606_400_500));
        assert_eq!(at(json!({"date": "nonsense", "timestamp": "2026-11-02T08:00:00Z"})), Some(1_793_606_400_000));
        assert_eq!(at(json!({"t": 12.5, "time": null})), None);
    }
}
