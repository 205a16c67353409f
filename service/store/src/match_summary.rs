use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_domain::{MatchState, Seated};
use dragontooth_service_vocabulary::{
    Created, MatchOutcome, PlayerId, RequestId, Timestamp, Visibility,
};

use crate::ChainHead;

/// A match that is over, without its events: everything that is shown of it, for lists and for the start of a
/// service.
///
/// It follows from the events, which remain the truth about the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSummary {
    /// The head of the match.
    pub head: ChainHead,
    /// The agreed terms.
    pub created: Created,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The players, by [`Seat::index`]; `None` for a seat that nobody took.
    pub seats: [Option<Seated>; 2],
    /// The score.
    pub score: Score,
    /// The number of the last game, from 1. 0 if none was begun.
    pub game_number: u32,
    /// The last position in the game's notation; empty if no game was begun.
    pub position: String,
    /// The time that each seat had left, by [`Seat::index`]; `None` without a clock.
    pub remaining: [Option<Duration>; 2],
    /// The result.
    pub outcome: MatchOutcome,
    /// The time of the end.
    pub ended_at: Timestamp,
}

impl MatchSummary {
    /// The summary of a match with this head; `None` if it is not over.
    #[must_use]
    pub fn of(state: &MatchState, head: ChainHead) -> Option<Self> {
        Some(Self {
            head,
            created: state.created().clone(),
            created_at: state.created_at(),
            seats: Seat::BOTH.map(|seat| state.seated(seat).cloned()),
            score: state.play().score(),
            game_number: state.play().game_number(),
            position: state.play().position().unwrap_or_default(),
            remaining: Seat::BOTH.map(|seat| state.clocks().remaining(seat)),
            outcome: state.result()?.clone(),
            ended_at: state.ended_at()?,
        })
    }
}

/// A match in short: all by which it is found when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchBrief {
    /// The game's name.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The players in the seats or for whom they are reserved, by [`Seat::index`].
    pub players: [Option<PlayerId>; 2],
    /// The creator.
    pub creator: PlayerId,
    /// The parties that may see it.
    pub visibility: Visibility,
    /// See [`seed_mark`](Self::seed_mark).
    pub seed_mark: Option<[u8; 16]>,
    /// The request that created it.
    pub request_id: Option<RequestId>,
}

impl MatchBrief {
    /// The brief of a summary.
    #[must_use]
    pub fn of(summary: &MatchSummary) -> Self {
        let seated = summary.seats.each_ref();
        let seated = seated.map(|seated| seated.as_ref().map(|seated| seated.player));
        Self::new(&summary.created, seated)
    }

    /// The brief of a match with these players, by [`Seat::index`].
    #[must_use]
    pub fn new(created: &Created, seated: [Option<PlayerId>; 2]) -> Self {
        Self {
            game: created.game.clone(),
            variant: created.variant.clone(),
            players: Seat::BOTH.map(|seat| seated[seat.index()].or(created.reserved[seat.index()])),
            creator: created.creator,
            visibility: created.audience.visibility(),
            seed_mark: Self::seed_mark(created),
            request_id: created.request_id.clone(),
        }
    }

    /// The name of the request that created the match, as it is [reserved](crate::EventLog::reserve); `None` for one without an id.
    #[must_use]
    pub fn creation_name(&self) -> Option<Vec<u8>> {
        let request_id = self.request_id.as_ref()?;
        Some(creation_name(self.creator, request_id))
    }

    /// Half of the hash of the seed that the creator gave; `None` for one that the service drew for this match alone.
    #[must_use]
    pub fn seed_mark(created: &Created) -> Option<[u8; 16]> {
        created.seed.given()?;
        let commitment = created.seed.server_seed().commitment("");
        Some(std::array::from_fn(|at| commitment[at]))
    }
}

/// The name of a player's request to create a match, as it is [reserved](crate::EventLog::reserve).
#[must_use]
pub fn creation_name(creator: PlayerId, request_id: &RequestId) -> Vec<u8> {
    [&creator.bytes(), request_id.as_str().as_bytes()].concat()
}
