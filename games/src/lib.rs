//! The rules of Dragontooth's games, match play and notation.
//!
//! Everything here is a pure function of its arguments: no I/O, no clock, and no source of
//! randomness. Chance comes in through [`chance::Chance`], text through `FromStr`. A game is a
//! folder that implements [`Position`] (one game, from its first action to its outcome) and
//! [`MatchPlay`] (the rules by which games follow each other to a number of points), plus one line
//! in [`catalogue`].
//!
//! Code that knows its game at compile time uses the typed API:
//!
//! ```
//! use dragontooth_games::{Position, Seat, Turn, kamisado};
//!
//! let mut position = kamisado::Position::standard();
//! assert_eq!(position.turn(), Turn::Decide(Seat::First));
//!
//! let step: kamisado::Action = "a1a7".parse()?;
//! position.play(step)?;
//! assert_eq!(position.turn(), Turn::Decide(Seat::Second));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Code that takes the game by its name, as a service does, starts from [`catalogue::find`] and
//! works in notation alone.

pub mod analysis;
pub mod backgammon;
pub mod catalogue;
pub mod chance;
mod counted;
mod hex;
pub mod kamisado;
pub mod linja;
pub mod match_play;
pub mod perft;
mod position;
mod quoted;
pub mod record;
mod roll;
mod seat;
pub mod suggestion;
mod turn;
pub mod tzaar;
mod unknown_name;
pub mod verify;

pub use counted::{Counted, counted};
pub use hex::{hex, read_hex};
pub use match_play::MatchPlay;
pub use position::{IllegalAction, Position};
pub use roll::{NoRoll, ParseNoRollError, Roll};
pub use seat::{ParseSeatError, Seat};
pub use turn::{GameOutcome, Turn};
pub use unknown_name::UnknownName;
