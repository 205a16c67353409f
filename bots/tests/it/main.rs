//! The built-in bots and the program `dragontooth-bot`, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod analyse;
mod cli;
mod engines;
mod every_game;
mod gnubg;
mod perft;
mod positions;
mod records;
mod search;
mod stdio;
