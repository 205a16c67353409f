use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;

use crate::{
    Audience, DisplayName, Grace, IllegalActionLimit, MatchId, MatchOutcome, MatchSeed, PlayerId,
    RequestId, SeedText, Sequence, TimeControl, Timestamp, Title,
};

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<C = Box<Created>> {
    /// Its number in the match.
    pub sequence: Sequence,
    /// The time at which the service recorded it.
    pub time: Timestamp,
    /// The event itself.
    pub event: MatchEvent<C>,
}

/// An event of a match.
///
/// `C` is the content of the first event: the terms in full where the log is read, and the part of them that
/// the reader may see elsewhere. Request ids, too, are in the log alone: `None` elsewhere.
///
/// ```
/// use dragontooth_games::Seat;
/// use dragontooth_service_vocabulary::MatchEvent;
///
/// let event: MatchEvent = MatchEvent::TurnPassed { seat: Seat::First };
/// assert_eq!(event.actor(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchEvent<C = Box<Created>> {
    /// The match was created: the first event, and only that.
    Created(C),
    /// A player took a seat.
    SeatJoined {
        /// The seat.
        seat: Seat,
        /// The player.
        player: PlayerId,
        /// The player's name.
        name: DisplayName,
        /// The player's contribution to the random choices.
        seed: SeedText,
        /// The request that led to it.
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
        /// The time at which the service received it and stopped the seat's clock. `None` in logs
        /// of the first format.
        received: Option<Timestamp>,
        /// The time that the seat has left after it; `None` without a clock.
        remaining: Option<Duration>,
        /// The request that led to it.
        request_id: Option<RequestId>,
        /// The notation that the request used, if it is not the canonical one.
        written: Option<String>,
        /// The thoughts of the seat about it. `None` also where a reader must not see them yet.
        thinking: Option<Box<Thinking>>,
    },
    /// A seat answered its decision with an illegal action. The decision is still due and its clock still
    /// runs. Recorded only in a match with a limit on illegal actions.
    ActionRefused {
        /// The seat.
        seat: Seat,
        /// The text that the seat sent.
        action: String,
        /// The request that led to it.
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
        /// The winner; `None` if it was drawn.
        winner: Option<Seat>,
        /// The points that it was worth.
        points: u32,
        /// The rule that ended it, a word in snake case: `home_row`.
        reason: String,
    },
    /// The match ended: the last event.
    MatchEnded {
        /// The result.
        outcome: MatchOutcome,
        /// The request that led to it.
        request_id: Option<RequestId>,
    },
}

impl<C> MatchEvent<C> {
    /// The seat whose player caused the event; `None` if the service or the rules did.
    #[must_use]
    pub const fn actor(&self) -> Option<Seat> {
        match self {
            Self::SeatJoined { seat, .. }
            | Self::ActionPlayed { seat, .. }
            | Self::ActionRefused { seat, .. } => Some(*seat),
            Self::Created(_)
            | Self::GameStarted { .. }
            | Self::Rolled { .. }
            | Self::TurnPassed { .. }
            | Self::GameEnded { .. }
            | Self::MatchEnded { .. } => None,
        }
    }
}

/// The terms of a match, fixed when it is created.
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
    /// The time control of each seat, by [`Seat::index`]; `None` means no clock.
    pub time_controls: [Option<TimeControl>; 2],
    /// The seed of the random choices, to which the players add theirs.
    pub seed: MatchSeed,
    /// The title.
    pub title: Title,
    /// The player that created the match.
    pub creator: PlayerId,
    /// The players for whom seats are reserved, by [`Seat::index`].
    pub reserved: [Option<PlayerId>; 2],
    /// The readers of the match.
    pub audience: Audience,
    /// The time that a player may be away before it loses the match; `None` means no limit.
    pub disconnect_grace: Option<Grace>,
    /// The number of illegal actions at one decision that loses the match; `None` means no limit.
    pub illegal_action_limit: Option<IllegalActionLimit>,
    /// The time from the creation within which both seats must be taken, in whole microseconds. `None` in logs of
    /// earlier versions, and where no service waits for players.
    pub join_timeout: Option<Duration>,
    /// The entries of its opening, which lead to the first position of the first game, in canonical notation; empty
    /// for the usual start.
    pub opening: Vec<String>,
    /// The request that led to it.
    pub request_id: Option<RequestId>,
}
