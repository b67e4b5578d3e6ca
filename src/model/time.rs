//! Points in time.

/// Milliseconds since 1970-01-01T00:00:00Z, or unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Time {
    /// Nothing tells when.
    pub const UNKNOWN: Time = Time(i64::MIN);

    /// The milliseconds, where known.
    pub fn millis(self) -> Option<i64> {
        (self != Time::UNKNOWN).then_some(self.0)
    }

    /// Whether nothing tells when.
    pub fn is_unknown(self) -> bool {
        self == Time::UNKNOWN
    }
}
