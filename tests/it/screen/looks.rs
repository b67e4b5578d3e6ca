//! What the debugger looks like, at the three sizes that matter.

use super::*;

#[test]
fn debugger_120() {
    insta::assert_snapshot!(check((120, 40), "8G"));
}

#[test]
fn debugger_80() {
    insta::assert_snapshot!(check((80, 24), "8G"));
}

#[test]
fn debugger_40() {
    insta::assert_snapshot!(check((40, 10), "8G"));
}
