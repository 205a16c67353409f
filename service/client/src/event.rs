use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{PlayerId, Sequence};

use crate::{MatchOutcome, MatchView, Score};

/// Something that happened in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the match, from 1.
    pub sequence: Sequence,
    /// When the service recorded it.
    pub time: SystemTime,
    /// What happened.
    pub kind: EventKind,
}

/// What happened in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The match was created.
    Created(Box<MatchView>),
    /// A player took a seat.
    SeatJoined {
        /// The seat.
        seat: Seat,
        /// The player.
        player: PlayerId,
        /// The name that the player gave.
        name: String,
        /// What the player adds to the random choices.
        seed: String,
    },
    /// A game began.
    GameStarted {
        /// Its number, from 1.
        game_number: u32,
        /// The position that opens it.
        position: String,
    },
    /// A seat played an action.
    ActionPlayed {
        /// The seat.
        seat: Seat,
        /// The action, in canonical notation.
        action: String,
        /// The time that the seat has left after it; none without a clock.
        remaining: Option<Duration>,
        /// The time that the seat had when it had to decide; none without a clock.
        remaining_before: Option<Duration>,
        /// When the service received it; none in matches of early versions.
        received: Option<SystemTime>,
        /// The position after it.
        position: String,
    },
    /// A seat gave an illegal action, in a match with a limit on them. Its decision is still due.
    ActionRefused {
        /// The seat.
        seat: Seat,
        /// What the seat sent.
        action: String,
        /// The rule that forbids it; none if it is no action of the game.
        rule: Option<String>,
        /// After how many more at this decision the match is lost; 0 if it is lost by this one.
        illegal_actions_left: u32,
    },
    /// Chance gave a roll.
    Rolled {
        /// Its number in the match, from 1.
        roll_number: u32,
        /// The roll.
        roll: String,
        /// The position after it.
        position: String,
    },
    /// A seat could not act and its turn passed.
    TurnPassed {
        /// The seat.
        seat: Seat,
        /// The position after it.
        position: String,
    },
    /// A game ended.
    GameEnded {
        /// How.
        outcome: GameOutcome,
        /// The points of the match with it.
        score: Score,
    },
    /// The match ended: nothing follows.
    MatchEnded(MatchOutcome),
}

/// How a game ended by its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// The winner; none for a drawn game.
    pub winner: Option<Seat>,
    /// The match points that the game was worth.
    pub points: u32,
    /// The rule that ended it, a word in snake case: `home_row`.
    pub reason: String,
}
