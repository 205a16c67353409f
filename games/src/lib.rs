//! The rules of Dragontooth's games, match play and notation.
//!
//! Everything here is a pure function of its arguments: no I/O, no clock, no randomness of its
//! own. Chance comes in through [`chance::Chance`], text through `FromStr`. A game is a folder
//! that implements [`Position`] (one game from its first action to its outcome) and [`MatchPlay`]
//! (how games follow each other to a number of points), and one line in [`catalogue`].

pub mod analysis;
pub mod backgammon;
pub mod catalogue;
pub mod chance;
pub mod kamisado;
pub mod linja;
pub mod match_play;
mod name;
pub mod perft;
mod position;
mod quoted;
pub mod record;
mod roll;
mod seat;
mod turn;
pub mod tzaar;
pub mod verify;

pub use match_play::MatchPlay;
pub use name::UnknownName;
pub use position::{IllegalAction, Position};
pub use roll::{NoRoll, ParseNoRollError, Roll};
pub use seat::{ParseSeatError, Seat};
pub use turn::{GameOutcome, Turn};
