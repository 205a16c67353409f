//! Little Golem's record format for games of TZAAR: `(;FF[TZAAR]…)`.
//!
//! It has the syntax of SGF: a game is a list of nodes, and a node is a list of properties. The first
//! node has the players' names and the board before the opening capture; every other node is a turn.
//! `docs/rules/tzaar.md` says which parts are written and read.

mod error;
mod letters;
mod match_record;
mod nodes;
mod read;
mod recorded_game;
mod write;

pub use error::{ReadFault, ReadGameError, TEXT_BYTES_MAX, WriteGameError};
pub use match_record::FORMAT;
pub use read::read;
pub use recorded_game::RecordedGame;
pub use write::write;
