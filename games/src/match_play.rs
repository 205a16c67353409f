//! Match play: games in a row until a side has the points that were agreed.

mod any;
mod rules;
mod targets;
mod typed;
mod variant;

pub use any::{Match, PlayError, Step};
pub use rules::{Finished, MatchOutcome, MatchPlay, Score, Target};
pub use targets::Targets;
pub use typed::TypedMatch;
pub use variant::Variant;
pub(crate) use variant::find_variant;
