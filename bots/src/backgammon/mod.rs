//! The bots that play Backgammon.

mod greedy;

pub use greedy::GreedyBackgammon;
