//! Kamisado: each side has eight coloured towers, and the colour of the square that a tower reaches
//! decides which tower the opponent must move.
//!
//! The rules page `docs/rules/kamisado.md` explains rule labels such as `T2` or `DS1`. Seat first is
//! Black, who moves up from rank 1; seat second is White, who moves down from rank 8.
//!
//! ```
//! use dragontooth_games::kamisado::{Action, Colour, Demand, Position};
//! use dragontooth_games::{IllegalAction, Position as _};
//!
//! let mut position = Position::standard();
//! position.play("a1a7".parse::<Action>()?)?;
//! assert_eq!(position.demand(), Demand::Tower(Colour::Red));
//!
//! let wrong_tower: Action = "a8b7".parse()?;
//! assert_eq!(position.play(wrong_tower).unwrap_err().rule(), "T2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod check;
mod colour;
mod error;
mod illegal;
mod match_play;
mod mirror;
mod moves;
mod notation;
mod parse;
mod passes;
mod position;
mod pushes;
mod rays;
mod refill;
mod rules;
mod square;
mod square_set;
mod tower;

pub use action::{Action, ParseActionError};
pub use colour::Colour;
pub use error::{POSITION_BYTES_MAX, ParsePositionError, PromotedFault, RefillFault, RowFault};
pub use illegal::Illegal;
pub use match_play::Variant;
pub use position::{DEADLOCK, Demand, HOME_ROW, Position};
pub use refill::Refill;
pub use square::{ParseSquareError, Square};
pub use square_set::{SquareIter, SquareSet};
pub use tower::{Rank, Tower};
