//! Points in time.

/// Milliseconds since 1970-01-01T00:00:00Z, or unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Time {
    /// Nothing tells when.
    pub const UNKNOWN: Time = Time(i64::MIN);

    /// The time that an RFC 3339 text names; unknown where it names none.
    pub fn read(text: &str) -> Time {
        usual(text.as_bytes())
            .or_else(|| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond()))
            .map_or(Time::UNKNOWN, Time)
    }

    /// RFC 3339 in UTC, to the second where the time has no fraction; none where it is unknown.
    pub fn rfc3339(self) -> Option<String> {
        self.stamp().map(|stamp| stamp.to_string())
    }

    /// For the calendar; none where it is unknown or outside of it.
    pub fn stamp(self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_millisecond(self.millis()?).ok()
    }

    /// The milliseconds, where known.
    pub fn millis(self) -> Option<i64> {
        (self != Time::UNKNOWN).then_some(self.0)
    }

    /// Whether nothing tells when.
    pub fn is_unknown(self) -> bool {
        self == Time::UNKNOWN
    }
}

/// The usual form (`2026-11-30T18:04:13.813Z`) without any library: a session has a million of them.
fn usual(b: &[u8]) -> Option<i64> {
    let shape = b.len() == 24
        && b[4] == b'-'
        && b[7] == b'-'
        && b[10] == b'T'
        && b[13] == b':'
        && b[16] == b':'
        && b[19] == b'.'
        && b[23] == b'Z';
    if !shape {
        return None;
    }
    let number = |from: usize, to: usize| {
        b[from..to].iter().try_fold(0i64, |n, &c| c.is_ascii_digit().then(|| n * 10 + i64::from(c - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second, milli) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days from civil, Howard Hinnant.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milli)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_times_are_read_as_the_library_reads_them() {
        for text in ["2026-11-30T18:04:13.813Z", "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"] {
            let slow = text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
            assert_eq!(usual(text.as_bytes()), Some(slow), "{text}");
        }
        assert_eq!(Time::read("2026-11-30T20:04:13+02:00"), Time::read("2026-11-30T18:04:13.000Z"));
        assert!(Time::read("yesterday").is_unknown());
        assert!(Time::read("2026-13-40T18:04:13.813Z").is_unknown());
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["2026-11-30T18:04:13.813Z", "2026-11-30T18:04:13Z"] {
            assert_eq!(Time::read(text).rfc3339().as_deref(), Some(text));
        }
        assert_eq!(Time::UNKNOWN.rfc3339(), None);
    }
}
