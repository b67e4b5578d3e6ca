//! Rules of a dialect as facts for people: text, versions, source.

/// A rule that an agent follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name, as it stands in JSON: `exit-2-blocks`.
    pub name: &'static str,
    /// What it says, one or two sentences.
    pub text: &'static str,
    /// Client versions for which it holds, in words.
    pub versions: &'static str,
    /// Where it is known from.
    pub source: &'static str,
}

/// Whether a client version is at least `floor`. No version, or one that can't be read, counts as the newest.
pub fn at_least(version: Option<&str>, floor: (u32, u32, u32)) -> bool {
    version.and_then(parts).is_none_or(|version| version >= floor)
}

/// Whether a text can be read as a version.
pub fn is_version(text: &str) -> bool {
    parts(text).is_some()
}

/// The three numbers of a version; what follows the third (`-beta.1`) does not count.
fn parts(version: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = version.trim().trim_start_matches('v').splitn(3, '.').map(|part| {
        let digits = part.find(|c: char| !c.is_ascii_digit()).map_or(part, |end| &part[..end]);
        digits.parse::<u32>().ok()
    });
    let major = numbers.next()??;
    Some((major, numbers.next().flatten().unwrap_or(0), numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn versions_compare_by_number_and_unknown_ones_are_the_newest() {
        for (version, expect) in [
            (Some("2.1.191"), true),
            (Some("2.1.190"), false),
            (Some("2.1.1000"), true),
            (Some("2.2"), true),
            (Some("2.0.300"), false),
            (Some("v2.1.191-beta.1"), true),
            (Some("1.0.128"), false),
            (Some("nightly"), true),
            (Some(""), true),
            (None, true),
        ] {
            assert_eq!(at_least(version, (2, 1, 191)), expect, "{version:?}");
        }
    }
}
