use dragontooth_games::Seat;
use dragontooth_games::match_play::PlayError;
use dragontooth_games::{UnknownName, catalogue::SetupError};

use dragontooth_service_vocabulary::{MatchId, Sequence};

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
    #[error("the action cannot be read: {why}{}", told(*left))]
    UnreadableAction {
        /// Why.
        why: String,
        /// After how many more illegal actions at the decision the match is lost; none for no limit.
        left: Option<u32>,
    },
    /// A rule of the game forbids the action.
    #[error("{facts} (rule {rule}){}", told(*left))]
    IllegalAction {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// What is the case.
        facts: String,
        /// After how many more illegal actions at the decision the match is lost; none for no limit.
        left: Option<u32>,
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

impl Rejection {
    /// The rule that forbids an action; none if that is not why it is refused.
    #[must_use]
    pub const fn rule(&self) -> Option<&'static str> {
        if let Self::IllegalAction { rule, .. } = self {
            Some(rule)
        } else {
            None
        }
    }

    /// Why an action that the play has refused is refused, where a seat decides.
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

    /// The refusal of an illegal action after which so many more lose the match.
    pub(crate) fn with_left(mut self, more: u32) -> Self {
        if let Self::UnreadableAction { left, .. } | Self::IllegalAction { left, .. } = &mut self {
            *left = Some(more);
        }
        self
    }
}

/// What a refusal adds for people in a match with a limit on illegal actions.
fn told(left: Option<u32>) -> String {
    match left {
        None => String::new(),
        Some(0) => "; the match is lost by it".to_owned(),
        Some(1) => "; another illegal action loses the match".to_owned(),
        Some(more) => format!("; {more} more illegal actions at this decision lose the match"),
    }
}
