use dragontooth_games::Seat;

use dragontooth_service_vocabulary::{
    Audience, FailureText, Grace, IllegalActionLimit, PlayerId, PlayerName, RequestId, SeedText,
    Sequence, TimeControl, Title,
};

/// A match that is to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name; none for the default.
    pub variant: Option<String>,
    /// The points that win the match.
    pub target: u32,
    /// The agreement on time of each seat, by [`Seat::index`], checked.
    pub time_controls: [Option<TimeControl>; 2],
    /// What the random choices follow from; none for bytes that the service draws.
    pub seed: Option<SeedText>,
    /// The title.
    pub title: Title,
    /// The player that creates it.
    pub creator: PlayerId,
    /// For whom the seats are kept, by [`Seat::index`].
    pub reserved: [Option<PlayerId>; 2],
    /// Who may see it.
    pub audience: Audience,
    /// How long a player may be away before the match is lost for it, checked; none for ever.
    pub disconnect_grace: Option<Grace>,
    /// With how many illegal actions at one decision a seat loses; none for no limit.
    pub illegal_action_limit: Option<IllegalActionLimit>,
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
        /// The request.
        request_id: Option<RequestId>,
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
        /// Why its program cannot go on; none if it resigns by choice.
        failure: Option<FailureText>,
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
    /// The grace of a seat whose player is away is over: if the match has one and is played, it ends.
    EndGrace {
        /// The seat.
        seat: Seat,
        /// Whether the opponent is away too.
        opponent_away: bool,
    },
    /// The time is looked at: if the clock of the seat that decides has run out, the match ends.
    CheckClock,
}

impl Command {
    /// The player that asks; none where time does.
    #[must_use]
    pub const fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Join { player, .. }
            | Self::Act { player, .. }
            | Self::Resign { player, .. }
            | Self::Abort { player, .. } => Some(*player),
            Self::EndGrace { .. } | Self::CheckClock => None,
        }
    }
}
