use std::fmt;
use std::ops::{Add, AddAssign};

use dragontooth_games::Seat;

use super::{Points, Verdict};

/// Matches won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Won.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
}

impl Tally {
    /// Counts a match with this `verdict` for the bot in `seat`; a void match counts as nothing.
    #[must_use]
    pub fn of(verdict: Verdict, seat: Seat) -> Self {
        let none = Self::default();
        match verdict {
            Verdict::Won(winner) if winner == seat => Self { wins: 1, ..none },
            Verdict::Won(_) => Self { losses: 1, ..none },
            Verdict::Drawn => Self { draws: 1, ..none },
            Verdict::Void => none,
        }
    }

    /// Total number of matches.
    #[must_use]
    pub const fn matches(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Match points.
    #[must_use]
    pub fn points(self) -> Points {
        Points::WIN.times(self.wins) + Points::DRAW.times(self.draws)
    }

    /// Share of the possible points; `None` without a match.
    #[must_use]
    pub fn score(self) -> Option<f64> {
        let matches = self.matches();
        (matches > 0).then(|| self.points().as_f64() / f64::from(matches))
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Tally {
    /// Formats wins, draws and losses: `3-0-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}-{}", self.wins, self.draws, self.losses))
    }
}
