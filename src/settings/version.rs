//! Client versions, as far as settings depend on them.

/// Major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Newer than any.
    pub const NEWEST: Version = Version(u32::MAX, 0, 0);

    /// Reads `2.1.332`; what is no version counts as the newest.
    pub fn read(text: Option<&str>) -> Version {
        let mut parts = text.unwrap_or_default().split(['.', '-', '+', ' ']).map(str::parse);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Version(major, minor, patch),
            _ => Version::NEWEST,
        }
    }
}
