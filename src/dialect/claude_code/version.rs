//! Comparing client versions. An unknown version counts as the newest.

/// `2.1.332` and `2.1.332-beta` as numbers.
fn parse(version: &str) -> Option<[u32; 3]> {
    let core = version.trim().trim_start_matches('v').split(['-', '+', ' ']).next()?;
    let mut parts = core.split('.').map(|part| part.parse::<u32>().ok());
    Some([parts.next()??, parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0)])
}

/// Whether the version is before `limit`.
pub(super) fn before(version: Option<&str>, limit: [u32; 3]) -> bool {
    version.and_then(parse).is_some_and(|version| version < limit)
}

/// Whether the version is after `limit`, or unknown.
pub(super) fn after(version: Option<&str>, limit: [u32; 3]) -> bool {
    version.and_then(parse).is_none_or(|version| version > limit)
}
