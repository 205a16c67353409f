//! Match play: games in a row until a side has the points that were agreed.

mod any;
mod rules;
mod typed;

pub use any::{Match, PlayError, Step};
pub use rules::{Finished, MatchOutcome, MatchPlay, Score, Target, Variant};
pub use typed::TypedMatch;
