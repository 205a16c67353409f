//! What a bot has to do right, and how it did: the pure part of the conformance kit. What plays it
//! out is in [`drive`](crate::drive::conformance).

mod catalogue;
mod json;
mod line;
mod situation;
mod table;
mod verdict;

pub use catalogue::{Behaviour, CHECKS, Check, Kind};
pub use json::to_json;
pub use line::{After, Found, Line, MAX_PLAYOUTS, Moment, find, pick};
pub use situation::Situation;
pub use table::{head, row, tail};
pub use verdict::{NOT_CONNECTED, Outcome, Scene, Verdict};
