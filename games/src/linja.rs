//! Linja: twelve pieces a side on eight rows, where the pieces on the row that a first move enters
//! are the steps of the second.
//!
//! `docs/rules/linja.md` is the rules page; the names of the rules are explained there. Seat first
//! is Red, who moves from row 0 up; seat second is Black, who moves from row 7 down.

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
mod side;

pub use action::{Action, ParseActionError};
pub use error::{ParsePositionError, StateFault};
pub use illegal::Illegal;
pub use match_play::{GAMES_PER_POINT_MAX, Variant};
pub use parse::POSITION_BYTES_MAX;
pub use position::{Due, PIECES, Position, ROW_CAPACITY, STEPS_MAX};
pub use row::{ParseRowError, Row};
pub use rules::{DEADLOCK, POINTS_BY_ROW, SEPARATED};
