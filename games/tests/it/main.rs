//! The rules of the rules pages, and the laws that hold for every game.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test fails by panicking, as the test does"
)]

mod analysis;
mod backgammon;
mod board;
mod catalogue;
mod chance;
mod counts;
mod deadlocks;
mod every_game;
mod fairness;
mod figures;
mod first_moves;
mod laws;
mod linja;
mod matches;
mod notation;
mod openings;
mod play;
mod records;
mod reference;
mod refill;
mod refusals;
mod strategies;
mod tzaar;
