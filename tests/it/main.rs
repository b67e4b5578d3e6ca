//! Everything that is tested through the library's front, in one binary.

mod reconstruct;
