//! The bridge to GNU Backgammon: a bot that asks that program over a socket.

mod bot;
mod engine;
mod error;
mod fibs_board;

pub use bot::GnuBackgammon;
pub use engine::{Engine, EngineOptions, PLIES_MAX};
pub use error::EngineError;
pub use fibs_board::FibsBoard;
