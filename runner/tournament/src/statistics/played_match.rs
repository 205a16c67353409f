/// The points of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPoints {
    /// None.
    Lost,
    /// A half.
    Drawn,
    /// One.
    Won,
}

/// A match that counts, as input for the joint fit of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMatch {
    /// The number of its encounter. Matches of one encounter are correlated; different encounters
    /// are independent.
    pub encounter: u64,
    /// Index of the bot in the first seat, from 0.
    pub first: usize,
    /// Index of the bot in the second seat, from 0.
    pub second: usize,
    /// Points of the bot in the first seat.
    pub first_score: MatchPoints,
    /// Fingerprint of the moves, equal for duplicates; `None` if it is unknown, in which case the
    /// match counts as unique.
    pub moves: Option<u64>,
}

impl MatchPoints {
    /// The points in halves: 0, 1 or 2.
    #[must_use]
    pub const fn halves(self) -> usize {
        match self {
            Self::Lost => 0,
            Self::Drawn => 1,
            Self::Won => 2,
        }
    }

    /// The points: 0, ½ or 1.
    #[must_use]
    pub const fn points(self) -> f64 {
        match self {
            Self::Lost => 0.0,
            Self::Drawn => 0.5,
            Self::Won => 1.0,
        }
    }

    /// Points of the opponent.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Lost => Self::Won,
            Self::Drawn => Self::Drawn,
            Self::Won => Self::Lost,
        }
    }
}
