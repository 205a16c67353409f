//! The repository against its own rules, and the rules against a repository with other files in it.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod beside;
mod certificate;
mod layering;
mod repository;
