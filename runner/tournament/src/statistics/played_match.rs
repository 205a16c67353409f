/// What a match brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Nothing.
    Lost,
    /// A half.
    Drawn,
    /// One.
    Won,
}

/// A match that counts, as the joint fit of ratings takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMatch {
    /// The number of its encounter. Matches of the same encounter depend on each other; those of
    /// different ones do not.
    pub encounter: u64,
    /// The place of the bot in the first seat, from 0.
    pub first: usize,
    /// The place of the bot in the second seat, from 0.
    pub second: usize,
    /// What it brought to the bot in the first seat.
    pub first_score: Score,
    /// What was played, as a number that matches have in common which were played alike; none if it
    /// is not known. Then it was played only once.
    pub moves: Option<u64>,
}

impl Score {
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

    /// What it brought to the opponent.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Lost => Self::Won,
            Self::Drawn => Self::Drawn,
            Self::Won => Self::Lost,
        }
    }
}
