//! A match as its commands and events tell it.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod access;
mod acting;
mod ask;
mod audience;
mod changed_logs;
mod changes;
mod clock_laws;
mod creating;
mod ending;
mod illegal_actions;
mod joining;
mod misfits;
mod origin;
mod people;
mod random_matches;
mod requests;
mod snapshot;
mod table;
mod timeouts;
mod whole_matches;
