//! An event without an end: its state follows from its journal, and its next encounters from the state and from who
//! is present.

mod contender;
mod glicko;
mod journal_entry;
mod pairing_round;
mod ranking;
mod rating_history;
mod state;

pub use contender::Contender;
pub use journal_entry::{ArenaEntry, InvalidEntry, LegResult};
pub use pairing_round::{PresentContender, Proposal};
pub use ranking::{HeadToHead, Ranked, Ranking};
pub use rating_history::{HistoryPoint, RatingHistory};
pub use state::{
    ArenaCounts, ArenaRules, ArenaState, DEFAULT_PAIR_CAP, DEFAULT_PARK_AFTER,
    MAX_BUILDS_OF_PLAYER, RECENT_ENCOUNTERS,
};
