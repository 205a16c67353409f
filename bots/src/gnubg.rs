//! The bridge to GNU Backgammon: a bot that asks that program over a socket.

mod bot;
mod error;
mod fibs_board;
mod process;

pub use bot::GnuBackgammon;
pub use error::GnubgError;
pub use fibs_board::FibsBoard;
pub use process::{GnubgOptions, GnubgProcess, PLIES_MAX};
