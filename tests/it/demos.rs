//! The demos.
