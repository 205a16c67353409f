//! The bots that play Backgammon.

mod arithmetic;
mod bear_off;
mod certain;
mod chances;
mod evaluation;
mod expectimax;
mod features;
mod greedy;
mod live_cube;
mod match_equity;
mod match_luck;
mod outlook;
mod race;
mod stakes;
mod weights;

pub(crate) use certain::certain_winner;
pub use expectimax::{CANDIDATES_MAX, Expectimax};
pub use greedy::GreedyBackgammon;
pub use match_equity::MatchEquity;
pub use match_luck::{LuckError, MatchLuck};
pub(crate) use outlook::{Outlook, sound_plays};
