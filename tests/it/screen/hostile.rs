//! Hostile text and odd sizes.
