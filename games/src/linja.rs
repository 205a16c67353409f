//! Linja: twelve pieces a side on eight rows. The number of pieces on the row that the first move of
//! a turn enters is the number of steps of the second.
//!
//! The rules page `docs/rules/linja.md` explains the rule labels. Seat first is Red, who moves up
//! from row 0; seat second is Black, who moves down from row 7.
//!
//! ```
//! use dragontooth_games::linja::{Action, Due, Position};
//! use dragontooth_games::{Position as _, Seat};
//!
//! let mut position = Position::start(Seat::First);
//! position.play("0>1".parse::<Action>()?)?;
//! // Two pieces, one of each side, were on row 1.
//! assert_eq!(position.due(), Due::Second { steps: 2 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod check;
mod counts;
mod error;
mod illegal;
mod match_play;
mod moves;
mod notation;
mod parse;
mod position;
mod row;
mod rules;

pub use action::{Action, ParseActionError};
pub use error::{POSITION_BYTES_MAX, ParsePositionError, TurnStateFault};
pub use illegal::Illegal;
pub use match_play::{GAMES_PER_POINT_MAX, Variant};
pub use position::{Due, PIECES, Position, ROW_CAPACITY, STEPS_MAX};
pub use row::{ParseRowError, Row};
pub use rules::{DEADLOCK, POINTS_BY_ROW, SEPARATED};
