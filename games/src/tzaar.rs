//! TZAAR: sixty pieces of three kinds on a hexagon of the triangular lattice, where every turn
//! captures first, and then captures, stacks or passes.
//!
//! `docs/rules/tzaar.md` is the rules page; the names of the rules are explained there. Seat first
//! is White, who makes the opening capture; seat second is Black.

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
mod side;
mod starts;
mod unit;

pub use action::{Action, ParseActionError};
pub use error::{ParsePositionError, PhaseFault};
pub use illegal::Illegal;
pub use kind::Kind;
pub use match_play::Variant;
pub use parse::POSITION_BYTES_MAX;
pub use point::{ParsePointError, Point};
pub use point_set::{PointSet, Points};
pub use position::{Due, Position};
pub use rules::{BURIED_KIND, LOST_KIND, NO_CAPTURE};
pub use unit::{PIECES, Unit};
