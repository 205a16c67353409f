use dragontooth_games::Seat;
use dragontooth_games::match_play::{InvalidOpening, PlayError};
use dragontooth_games::{UnknownName, catalogue::SetupError};

use dragontooth_service_vocabulary::{MatchId, Sequence};

/// The reason why a command is refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The catalogue does not contain the game.
    #[error(transparent)]
    UnknownGame(UnknownName),
    /// The game has no such variant or target.
    #[error(transparent)]
    Setup(SetupError),
    /// No match begins with the opening.
    #[error(transparent)]
    Opening(InvalidOpening),
    /// Both seats would belong to one player.
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
    /// Another player has the requested seat.
    #[error("the {0} seat is taken")]
    SeatTaken(Seat),
    /// No seat is free.
    #[error("both seats are taken")]
    SeatsTaken,
    /// The requested seat is reserved for another player.
    #[error("the {0} seat is kept for another player")]
    SeatReserved(Seat),
    /// Every free seat is reserved for other players.
    #[error("the free seats are kept for other players")]
    SeatsReserved,
    /// The player has the other seat, or it is reserved for the player.
    #[error("the {0} seat of this match is yours")]
    OtherSeatHeld(Seat),
    /// The player took its seat with another name or share of the seed.
    #[error("you have joined the match with another {field}")]
    JoinedDifferently {
        /// The field of the request that differs: `name` or `seed`.
        field: &'static str,
    },
    /// The other seat has to act.
    #[error("the other seat decides now, in decision {due}", due = due.0)]
    NotYourTurn {
        /// The decision that is due.
        due: Sequence,
    },
    /// The answer names a decision that is not due.
    #[error("decision {named} is not due; decision {due} is", named = named.0, due = due.0)]
    StaleDecision {
        /// The decision in the answer.
        named: Sequence,
        /// The decision that is due.
        due: Sequence,
    },
    /// The text is not an action of the game.
    #[error("the action cannot be read: {why}{}", told(*left))]
    UnreadableAction {
        /// The fault in the text.
        why: String,
        /// Number of further illegal actions for this decision that lose the match; `None` means no
        /// limit.
        left: Option<u32>,
    },
    /// A rule of the game forbids the action.
    #[error("{facts} (rule {rule}){}", told(*left))]
    IllegalAction {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// The facts, for people.
        facts: String,
        /// Number of further illegal actions for this decision that lose the match; `None` means no
        /// limit.
        left: Option<u32>,
    },
    /// The match is private and the player is not part of it. The answer is the same as for a match
    /// that does not exist.
    #[error("there is no match {0}")]
    Hidden(MatchId),
    /// The player may not abort the match.
    #[error(
        "only the match's creator may abort it, unless it plays, and a player until both seats are taken"
    )]
    AbortDenied,
    /// No seat is reserved for the player, or the player has joined.
    #[error("no invitation to this match waits for you")]
    NotInvited,
    /// The same player used the request id for another request.
    #[error("you have used the request id for another request of this match")]
    RequestIdReused,
}

impl Rejection {
    /// Returns the rule that forbids an action; `None` for any other reason.
    #[must_use]
    pub const fn rule(&self) -> Option<&'static str> {
        if let Self::IllegalAction { rule, .. } = self {
            Some(rule)
        } else {
            None
        }
    }

    /// Returns the refusal without the number of further illegal actions, for a match that has none because its player
    /// resigns.
    #[must_use]
    pub fn without_left(mut self) -> Self {
        if let Self::UnreadableAction { left, .. } | Self::IllegalAction { left, .. } = &mut self {
            *left = None;
        }
        self
    }

    /// Returns the reason why the play refused an action of the seat to act.
    pub(crate) fn of_play(error: PlayError) -> Self {
        let left = None;
        match error {
            PlayError::UnreadableAction(why) => Self::UnreadableAction { why, left },
            PlayError::Illegal { rule, facts } => Self::IllegalAction { rule, facts, left },
            PlayError::UnreadablePosition(_)
            | PlayError::UnreadableRoll(_)
            | PlayError::OutOfStep => {
                unreachable!("a decision is due only where the rules want one")
            }
        }
    }

    /// Returns the refusal of an illegal action after which `left` more lose the match.
    pub(crate) fn with_left(mut self, more: u32) -> Self {
        if let Self::UnreadableAction { left, .. } | Self::IllegalAction { left, .. } = &mut self {
            *left = Some(more);
        }
        self
    }
}

/// Returns the text added in a match with a limit on illegal actions.
fn told(left: Option<u32>) -> String {
    match left {
        None => String::new(),
        Some(0) => "; the match is lost by it".to_owned(),
        Some(1) => "; another illegal action loses the match".to_owned(),
        Some(more) => format!("; {more} more illegal actions at this decision lose the match"),
    }
}
