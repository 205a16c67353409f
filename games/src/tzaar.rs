//! TZAAR: sixty pieces of three kinds on a hexagonal board. Each turn is a capture, followed by
//! another capture, a stacking or a pass.
//!
//! The rules page `docs/rules/tzaar.md` explains the rule labels. Seat first is White, who makes the
//! opening capture; seat second is Black.
//!
//! ```
//! use dragontooth_games::tzaar::{Due, Position};
//! use dragontooth_games::{IllegalAction as _, Position as _, Seat, Turn};
//!
//! let mut position = Position::fixed();
//! let capture = position.legal_actions()[0];
//! position.play(capture)?;
//! // White's first turn is one capture, then Black is to move.
//! assert_eq!(position.turn(), Turn::Decide(Seat::Second));
//! assert_eq!(position.due(), Due::First);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod check;
mod error;
mod illegal;
mod kind;
pub mod little_golem;
mod match_play;
mod moves;
mod notation;
mod parse;
mod point;
mod point_set;
mod position;
mod rays;
mod rules;
mod starts;
mod symmetry;
mod unit;
mod variant;

pub use action::{Action, ParseActionError};
pub use error::{POSITION_BYTES_MAX, ParsePositionError, PhaseFault};
pub use illegal::Illegal;
pub use kind::Kind;
pub use point::{ParsePointError, Point};
pub use point_set::{PointIter, PointSet};
pub use position::{Due, Position};
pub use rules::{BURIED_KIND, LOST_KIND, NO_CAPTURE};
pub use unit::{PIECES, Unit};
pub use variant::Variant;
