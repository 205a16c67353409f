//! The program `dragontooth-bot`, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod analyze;
mod cli;
mod direct_match;
mod export_all;
mod gnubg;
mod openings;
mod perft;
mod records;
mod stdio;
