use std::time::Duration;

use dragontooth_games::Seat;

use crate::{
    Audience, FailureText, Grace, IllegalActionLimit, MatchId, MatchSeed, PlayerId, PlayerName,
    RequestId, SeedText, TimeControl, Timestamp, Title,
};

/// The number of an event in its match, from 1; 0 is the sequence before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The number of the next event.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the match.
    pub sequence: Sequence,
    /// When it was recorded.
    pub time: Timestamp,
    /// What happened.
    pub event: Event,
}

/// Something that happened in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The match was created: the first event, and only that.
    Created(Box<Created>),
    /// A player took a seat.
    SeatJoined {
        /// The seat.
        seat: Seat,
        /// The player.
        player: PlayerId,
        /// The player's name.
        name: PlayerName,
        /// What the player adds to the random choices.
        seed: SeedText,
        /// The request that asked for it.
        request_id: Option<RequestId>,
    },
    /// A game began.
    GameStarted {
        /// Its number, from 1.
        number: u32,
        /// The position that opens it.
        position: String,
    },
    /// A seat played an action.
    ActionPlayed {
        /// The seat.
        seat: Seat,
        /// The action in canonical notation.
        action: String,
        /// When the service received it: the seat's clock stopped then. None in logs of the first
        /// format.
        received: Option<Timestamp>,
        /// The time that the seat has left after it; none without a clock.
        remaining: Option<Duration>,
        /// The request that asked for it.
        request_id: Option<RequestId>,
        /// What the request had as the action, if that was another notation of it.
        written: Option<String>,
    },
    /// A seat answered its decision with what the rules refuse: the decision is still due, and its clock has
    /// not stopped. Recorded only in a match with a limit on illegal actions.
    ActionRefused {
        /// The seat.
        seat: Seat,
        /// What the seat sent.
        action: String,
        /// The request that asked for it.
        request_id: Option<RequestId>,
    },
    /// Chance gave a roll.
    Rolled {
        /// The roll in canonical notation.
        roll: String,
    },
    /// A seat could not act and its turn passed.
    TurnPassed {
        /// The seat.
        seat: Seat,
    },
    /// A game ended by its rules.
    GameEnded {
        /// The winner; none if it was drawn.
        winner: Option<Seat>,
        /// The points that it was worth.
        points: u32,
        /// The rule that ended it.
        reason: String,
    },
    /// The match ended: the last event.
    MatchEnded {
        /// The winner, if there is one.
        winner: Option<Seat>,
        /// Why it ended.
        termination: Termination,
        /// The request that asked for it.
        request_id: Option<RequestId>,
        /// The player that called the match off; none if nobody did, and in logs of earlier versions.
        aborted_by: Option<PlayerId>,
        /// Why the program of the seat that resigned cannot go on; none if it resigned by choice, and in logs of
        /// earlier versions.
        failure: Option<FailureText>,
    },
}

/// What is fixed when a match is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The id of the match.
    pub id: MatchId,
    /// The game's name in the catalogue.
    pub game: String,
    /// The variant's name.
    pub variant: String,
    /// The points that win the match.
    pub target: u32,
    /// The agreement on time of each seat, by [`Seat::index`].
    pub time_controls: [TimeControl; 2],
    /// What the random choices follow from, with what the players add.
    pub seed: MatchSeed,
    /// The title.
    pub title: Title,
    /// The player that created the match.
    pub creator: PlayerId,
    /// For whom the seats are kept, by [`Seat::index`].
    pub reserved: [Option<PlayerId>; 2],
    /// Who may see it.
    pub audience: Audience,
    /// How long a player may be away before the match is lost for it; none for ever.
    pub disconnect_grace: Option<Grace>,
    /// With how many illegal actions at one decision a seat loses; none for no limit.
    pub illegal_action_limit: Option<IllegalActionLimit>,
    /// The request that asked for it.
    pub request_id: Option<RequestId>,
}

/// Why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By the rules of the game and of match play.
    Normal,
    /// The loser's clock ran out.
    Timeout,
    /// The loser resigned.
    Resignation,
    /// The match was called off.
    Aborted,
    /// The loser gave as many illegal actions at one decision as the match allows.
    IllegalAction,
    /// The loser was away for longer than the grace. Without a winner, both were, or nothing had
    /// been played yet.
    Disconnect,
}
