use dragontooth_games::Seat;
use dragontooth_games::{UnknownName, catalogue::SetupError};

use crate::{MatchId, Sequence};

/// Why a command is refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The catalogue has no such game.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// The game has no such variant or is not played to so many points.
    #[error(transparent)]
    Setup(SetupError),
    /// One player is to have both seats.
    #[error("one player cannot have both seats")]
    BothSeats,
    /// A seat is still free.
    #[error("the match has not started: a seat is still free")]
    NotStarted,
    /// The match is over.
    #[error("the match is over")]
    Ended,
    /// The player has no seat.
    #[error("you have no seat in this match")]
    NoSeat,
    /// Another player has the seat that was asked for.
    #[error("the {0} seat is taken")]
    SeatTaken(Seat),
    /// No seat is free.
    #[error("both seats are taken")]
    SeatsTaken,
    /// The seat that was asked for is kept for another player.
    #[error("the {0} seat is kept for another player")]
    SeatReserved(Seat),
    /// Every free seat is kept for other players.
    #[error("the free seats are kept for other players")]
    SeatsReserved,
    /// The player has the other seat, or that one is kept for it.
    #[error("the {0} seat of this match is yours")]
    OtherSeatHeld(Seat),
    /// The other seat decides.
    #[error("the other seat decides now, in decision {due}", due = due.0)]
    NotYourTurn {
        /// The decision that is due.
        due: Sequence,
    },
    /// The answer names a decision that is not due.
    #[error("decision {named} is not due; decision {due} is", named = named.0, due = due.0)]
    StaleDecision {
        /// The decision that was named.
        named: Sequence,
        /// The decision that is due.
        due: Sequence,
    },
    /// The text is no action of the game.
    #[error("the action cannot be read: {0}")]
    UnreadableAction(String),
    /// A rule of the game forbids the action.
    #[error("{facts} (rule {rule})")]
    IllegalAction {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// What is the case.
        facts: String,
    },
    /// The match is private and does not concern the player, who is told no more than of one that there is
    /// not.
    #[error("there is no match {0}")]
    Hidden(MatchId),
    /// The player may not call the match off.
    #[error("only the match's creator may abort it, and a player before the first action")]
    AbortDenied,
    /// The request id stands for another request of the same player.
    #[error("you have used the request id for another request of this match")]
    RequestIdReused,
}
