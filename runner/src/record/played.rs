use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::{Ending, Fault, GameCounts, Verdict};
use dragontooth_service_vocabulary::MatchId;

use super::{Gameplay, Origin};

/// The most bytes of a fault's detail that are recorded; more are cut.
pub const MAX_DETAIL_BYTES: usize = 1024;

/// A match that is over, as it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Its id in the service.
    pub match_id: MatchId,
    /// The winner; `None` if it was drawn or aborted.
    pub winner: Option<Seat>,
    /// The reason why it ended.
    pub termination: Ending,
    /// The points by seat.
    pub score: [u32; 2],
    /// The games that were played to their end.
    pub games: GameCounts,
    /// The actions of both seats in all of its games.
    pub plies: u32,
    /// The bots' faults, in order.
    pub faults: Vec<Fault>,
    /// Number of times it was restarted because it was aborted through no fault of a bot.
    pub replays: u32,
    /// The games and the duration of each decision.
    pub gameplay: Gameplay,
    /// The place where it was played.
    pub origin: Origin,
    /// The time of its creation, by the service's clock.
    pub started: SystemTime,
    /// The time of its end, by the service's clock.
    pub ended: SystemTime,
}

impl Played {
    /// Returns true if the match is void: it counts for neither bot.
    #[must_use]
    pub fn is_void(&self) -> bool {
        Verdict::of(self.termination, self.winner) == Verdict::Void
    }
}
