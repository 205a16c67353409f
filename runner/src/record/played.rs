use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::chance::DEFAULT_PLAYER_SEED;
use dragontooth_games::record::GameRecord;
use dragontooth_runner_tournament::{Call, Ending, Fault, GameCounts, Verdict};
use dragontooth_service_vocabulary::MatchId;

use super::Origin;
use crate::openings::Opening;

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
    /// The call by which it ended, or after which it was played on; `None` if nothing was called.
    pub call: Option<Call>,
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

/// The course of a match, action by action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gameplay {
    /// Its opening; `None` for the usual start.
    pub opening: Option<Opening>,
    /// Its games, in order.
    pub games: Vec<GameRecord>,
    /// The duration of each decision, over all games in order: from the moment when the event that made
    /// it due was recorded, to the receipt of the answer.
    pub thinking: Vec<Duration>,
    /// The players' contributions to the random choices, by seat.
    pub player_seeds: [String; 2],
    /// The commitment to the server's seed.
    pub seed_commitment: Option<[u8; 32]>,
}

impl Played {
    /// The call by which the match ended, and not only after which.
    #[must_use]
    pub fn deciding_call(&self) -> Option<Call> {
        self.termination.by_call(self.call, self.winner, self.plies)
    }

    /// Returns true if the match is void: it counts for neither bot.
    #[must_use]
    pub fn is_void(&self) -> bool {
        Verdict::of(self.termination, self.winner) == Verdict::Void
    }
}

impl Default for Gameplay {
    /// No games, and the default seeds of the players.
    fn default() -> Self {
        Self {
            opening: None,
            games: Vec::new(),
            thinking: Vec::new(),
            player_seeds: [DEFAULT_PLAYER_SEED; 2].map(str::to_owned),
            seed_commitment: None,
        }
    }
}
