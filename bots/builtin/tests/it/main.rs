//! The search and the built-in bots, from outside.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod book;
mod engines;
mod every_game;
mod match_luck;
mod positions;
mod proof;
mod search;
