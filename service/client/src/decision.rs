use std::fmt;
use std::num::NonZeroU32;
use std::time::SystemTime;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{MatchId, Sequence};

use crate::{Clocks, Score};

/// Which decision of a match an answer is for: the sequence of the event after which it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DecisionId(Sequence);

/// What a seat has to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The match.
    pub match_id: MatchId,
    /// The id that an answer names.
    pub id: DecisionId,
    /// The seat that decides.
    pub seat: Seat,
    /// The number of the game, from 1.
    pub game_number: u32,
    /// The actions that have been played in the match, by both seats.
    pub ply: u32,
    /// The position, in the game's notation.
    pub position: String,
    /// The actions that the rules allow; empty if they were left out.
    pub legal_actions: Vec<String>,
    /// What may be played besides, without being a move of the game; empty if the legal actions were
    /// left out.
    pub offers: Vec<String>,
    /// What chance gave for the decision.
    pub roll: Option<String>,
    /// The points so far.
    pub score: Score,
    /// The clocks; none in a match without.
    pub clocks: Option<Clocks>,
    /// When the deciding seat's clock runs out, by the service's time; none if none runs.
    pub deadline: Option<SystemTime>,
    /// After how many more illegal actions at this decision the match is lost; none for no limit.
    pub illegal_actions_left: Option<NonZeroU32>,
}

impl DecisionId {
    /// The decision that is due after the event `sequence`.
    #[must_use]
    pub const fn after(sequence: Sequence) -> Self {
        Self(sequence)
    }

    /// The event after which the decision was due.
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
