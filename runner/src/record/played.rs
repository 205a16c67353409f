use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Fault, GameCounts, Termination, Verdict};
use dragontooth_service_vocabulary::MatchId;

use super::Gameplay;

/// The most bytes of a fault's detail that are recorded; more are cut.
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
