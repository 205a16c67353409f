use dragontooth_games::Seat;

use crate::{PlayerId, PlayerName, RequestId, SeedText, Sequence, TimeControl, Title};

/// A match that is to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name; none for the default.
    pub variant: Option<String>,
    /// The points that win the match.
    pub target: u32,
    /// The agreement on time, checked.
    pub time_control: TimeControl,
    /// What the random choices follow from; none for bytes that the service draws.
    pub seed: Option<SeedText>,
    /// The title.
    pub title: Title,
    /// The player that creates it.
    pub creator: PlayerId,
    /// For whom the seats are kept, by [`Seat::index`].
    pub reserved: [Option<PlayerId>; 2],
    /// The request that asks for it.
    pub request_id: Option<RequestId>,
}

/// What is asked of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A player takes a seat.
    Join {
        /// The player.
        player: PlayerId,
        /// The seat; none for one that is kept for the player or the first free one.
        seat: Option<Seat>,
        /// The player's name in the match.
        name: PlayerName,
        /// What the player adds to the random choices; none for what is usual.
        seed: Option<SeedText>,
    },
    /// A player answers a decision.
    Act {
        /// The player.
        player: PlayerId,
        /// The decision: the sequence of the event after which it was due.
        decision: Sequence,
        /// The action in any notation of the game.
        action: String,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// A player resigns the match.
    Resign {
        /// The player.
        player: PlayerId,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// A player calls the match off.
    Abort {
        /// The player.
        player: PlayerId,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// The time is looked at: if the clock of the seat that decides has run out, the match ends.
    CheckClock,
}
