use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// Match points: 1 for a win, ½ for a draw. Stored in halves, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points {
    halves: u64,
}

/// A Sonneborn-Berger score: the sum over matches of the points scored times the opponent's points.
/// Stored in quarters, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SonnebornBerger {
    quarters: u64,
}

impl Points {
    /// No points.
    pub const ZERO: Self = Self { halves: 0 };
    /// The points of a draw.
    pub const DRAW: Self = Self { halves: 1 };
    /// The points of a win.
    pub const WIN: Self = Self { halves: 2 };

    /// Returns these points `count` times.
    #[must_use]
    pub const fn times(self, count: u32) -> Self {
        Self {
            halves: self.halves * count as u64,
        }
    }

    /// The points in halves.
    pub(super) fn halves(self) -> u32 {
        u32::try_from(self.halves).unwrap_or(u32::MAX)
    }

    /// The points as a number.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "an event has fewer than 2^53 matches"
    )]
    pub fn as_f64(self) -> f64 {
        self.halves as f64 / 2.0
    }
}

impl SonnebornBerger {
    /// The score as a number.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a score of 2^53 quarters takes more matches than an event has"
    )]
    pub fn as_f64(self) -> f64 {
        self.quarters as f64 / 4.0
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            halves: self.halves + other.halves,
        }
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Points {
    type Output = SonnebornBerger;

    fn mul(self, other: Self) -> SonnebornBerger {
        SonnebornBerger {
            quarters: self.halves * other.halves,
        }
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

impl Add for SonnebornBerger {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            quarters: self.quarters + other.quarters,
        }
    }
}

impl Sum for SonnebornBerger {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.halves % 2) * 5;
        f.pad(&format!("{}.{tenths}", self.halves / 2))
    }
}

impl fmt::Display for SonnebornBerger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.quarters % 4) * 25;
        f.pad(&format!("{}.{hundredths:02}", self.quarters / 4))
    }
}
