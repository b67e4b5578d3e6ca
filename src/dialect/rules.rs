//! A dialect's rules as they are shown to people: text, versions, source.

/// A rule that a verdict or an explanation rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable name (`exit-2-blocks`).
    pub name: &'static str,
    /// What holds, for a person.
    pub text: &'static str,
    /// Client versions for which it holds.
    pub versions: &'static str,
    /// Where it is from: a measurement, the vendor's page, code.
    pub source: &'static str,
}
