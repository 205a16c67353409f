use std::fmt;
use std::num::NonZeroU32;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_games::match_play::Score;
use dragontooth_service_vocabulary::{History, MatchId, Sequence};

/// The id of a decision: the sequence of the event that made it due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DecisionId(Sequence);

/// A decision that a seat has to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The match.
    pub match_id: MatchId,
    /// The id that an answer refers to.
    pub id: DecisionId,
    /// The seat to act.
    pub seat: Seat,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// Number of actions played in the match, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: String,
    /// The legal actions; empty if they were left out.
    pub legal_actions: Vec<String>,
    /// Legal actions that are not moves of the game; empty if the legal actions were left out.
    pub offers: Vec<String>,
    /// The roll for the decision.
    pub roll: Option<String>,
    /// The points so far.
    pub score: Score,
    /// The time of each seat at the start of the decision, by [`Seat::index`], each `None` without a
    /// clock; `None` in a match without clocks.
    pub clocks: Option<[Option<Duration>; 2]>,
    /// The moment when the clock of the seat runs out, in the service's time; `None` without a
    /// clock.
    pub deadline: Option<SystemTime>,
    /// Number of further illegal actions for this decision that lose the match; `None` means no
    /// limit.
    pub illegal_actions_left: Option<NonZeroU32>,
    /// The events of play after the previous decision that the seat answered, its own action included.
    pub since: History,
}

impl DecisionId {
    /// Returns the decision that became due with the event `sequence`.
    #[must_use]
    pub const fn after(sequence: Sequence) -> Self {
        Self(sequence)
    }

    /// The event that made the decision due.
    #[must_use]
    pub const fn sequence(self) -> Sequence {
        self.0
    }
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
