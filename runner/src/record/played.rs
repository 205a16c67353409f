use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_service_client::MatchId;

use super::Gameplay;
use crate::tournament::{FaultKind, GameCounts, Termination, Verdict};

/// The most bytes of a fault's detail that are recorded.
pub const MAX_DETAIL_BYTES: usize = 1024;

/// A match that is over, as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its id in the service.
    pub match_id: MatchId,
    /// The winner; none if it was drawn or aborted.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub termination: Termination,
    /// The points by seat.
    pub score: [u32; 2],
    /// The games that were played to their end.
    pub games: GameCounts,
    /// The actions of both seats in all of its games.
    pub plies: u32,
    /// What the bots did wrong, in order.
    pub faults: Vec<Fault>,
    /// How often it was begun anew, because it was called off by no fault of a bot.
    pub replays: u32,
    /// What was played.
    pub gameplay: Gameplay,
    /// When it was created, by the service's clock.
    pub started: SystemTime,
    /// When it ended, by the service's clock.
    pub ended: SystemTime,
}

impl Played {
    /// Whether it counts for nobody.
    #[must_use]
    pub fn is_void(&self) -> bool {
        Verdict::of(self.termination, self.winner) == Verdict::Void
    }
}

/// Something that a bot did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bot's seat.
    pub seat: Seat,
    /// What kind of thing.
    pub kind: FaultKind,
    /// What happened, for people; more than [`MAX_DETAIL_BYTES`] are cut.
    pub detail: String,
}
