//! Kamisado: eight coloured towers a side, and the square that a tower reaches names the tower
//! that the opponent must move.
//!
//! `docs/rules/kamisado.md` is the rules page; rule labels such as `T2` or `DS1` are explained
//! there. Seat first is Black, who moves from rank 1 up; seat second is White, who moves from
//! rank 8 down.

mod action;
mod check;
mod colour;
mod error;
mod illegal;
mod match_play;
mod moves;
mod notation;
mod parse;
mod passes;
mod position;
mod pushes;
mod rays;
mod refill;
mod rules;
mod side;
mod square;
mod square_set;
mod tower;

pub use action::{Action, ParseActionError};
pub use colour::Colour;
pub use error::{HeirFault, ParsePositionError, RefillFault, RowFault};
pub use illegal::Illegal;
pub use match_play::Variant;
pub use parse::POSITION_BYTES_MAX;
pub use position::{Demand, Position};
pub use refill::Refill;
pub use rules::{DEADLOCK, HOME_ROW};
pub use square::{ParseSquareError, Square};
pub use square_set::{SquareSet, Squares};
pub use tower::{Rank, Tower};
