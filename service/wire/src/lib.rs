//! Conversions between the vocabulary and the generated types of the API, each in both directions.
//!
//! Service and client read and write the same fields, so both convert them here: what one writes, the
//! other reads as the same value. A module is a kind of field; its `to_proto` never fails, and its
//! `from_proto` returns what is wrong with the field for the caller to name. Conversions of whole messages
//! that only one side reads or writes stay on that side.
//!
//! ```
//! use dragontooth_games::Seat;
//! use dragontooth_service_wire::{UnknownNumber, seat};
//!
//! assert_eq!(seat::from_proto(seat::to_proto(Seat::Second)), Ok(Some(Seat::Second)));
//! assert_eq!(seat::from_proto(0), Ok(None));
//! assert_eq!(seat::from_proto(7), Err(UnknownNumber(7)));
//! ```

pub mod absences;
pub mod clocks;
pub mod duration;
mod numbers;
pub mod offer;
pub mod thinking;
pub mod time_control;
pub mod timestamp;

pub use numbers::{
    UnknownNumber, close_reason, scope, seat, stage, termination, token_standing, visibility,
};
