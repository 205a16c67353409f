//! Little Golem's record of a game of TZAAR: `(;FF[TZAAR]…)`.
//!
//! It has the syntax of SGF: a game is a list of nodes, a node a list of properties. The first
//! node has the names of the players and the board before the opening capture, every other node a
//! turn. `docs/rules/tzaar.md` tells what of it is written and read.

mod error;
mod game;
mod letters;
mod match_record;
mod nodes;
mod read;
mod write;

pub use error::{ReadError, ReadFault, WriteError};
pub use game::Game;
pub use match_record::FORMAT;
pub use nodes::TEXT_BYTES_MAX;
pub use read::read;
pub use write::write;
