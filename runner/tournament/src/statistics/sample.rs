use super::MatchPoints;

/// Largest count in a cell, so that every sum of counts is an exact floating-point number.
pub const MAX_UNITS: u64 = 1 << 48;

/// Counts of units by score: matches (0, ½, 1) or encounters (0, ¼, ½, ¾, 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    counts: Vec<u64>,
    matches_in_unit: u64,
}

/// Matches won, drawn and lost, each a unit of its own.
///
/// For matches played in encounters this ignores the correlation of the two matches of an
/// encounter: use [`Pentanomial`] counts where possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trinomial {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// Encounters by the points of both matches together: the counts of 0, ½, 1, 1½ and 2 points, that
/// is lost-lost, lost-drawn, won-lost or drawn-drawn, won-drawn, won-won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// The reason why counts are not a valid sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSample {
    /// A count is too large for exact arithmetic.
    #[error("a count is at most {MAX_UNITS}, not {0}")]
    TooMany(u64),
    /// All counts are 0.
    #[error("the sample is empty: all counts are 0")]
    Empty,
}

impl Sample {
    /// Creates a sample with the counts in the order of the scores, which are equally spaced from 0
    /// to 1.
    pub(super) fn new(counts: &[u64], matches_in_unit: u64) -> Result<Self, InvalidSample> {
        if let Some(count) = counts.iter().find(|count| **count > MAX_UNITS) {
            return Err(InvalidSample::TooMany(*count));
        }
        Ok(Self {
            counts: counts.to_vec(),
            matches_in_unit,
        })
    }

    /// The counts in the order of the scores, the lowest first.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The number of units.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The matches in a unit: 1 or 2.
    #[must_use]
    pub const fn matches_in_unit(&self) -> u64 {
        self.matches_in_unit
    }

    /// The score of each cell.
    pub(super) fn scores(&self) -> Vec<f64> {
        let last = as_number(self.counts.len() as u64 - 1);
        (0..self.counts.len() as u64)
            .map(|at| as_number(at) / last)
            .collect()
    }

    /// Returns the mean score minus one half, without cancellation; 0 without a unit.
    #[expect(clippy::cast_precision_loss, reason = "the sum is below 2^53")]
    pub(super) fn excess(&self) -> f64 {
        let last = i64::try_from(self.counts.len() - 1).unwrap_or(i64::MAX);
        let signed = |count: &u64| i64::try_from(*count).unwrap_or(i64::MAX);
        let sum: i64 = (0..)
            .zip(&self.counts)
            .map(|(at, count)| (2 * at - last) * signed(count))
            .sum();
        sum as f64 / (2 * last) as f64 / as_number(self.units().max(1))
    }

    /// Returns the mean score, and the variance of a unit divided by the number of units; `None`
    /// without a unit.
    pub(super) fn moments(&self) -> Option<(f64, f64)> {
        let n = as_number(self.units());
        if self.units() == 0 {
            return None;
        }
        let scores = self.scores();
        let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
            let cells = self.counts.iter().zip(&scores);
            cells
                .map(|(count, score)| as_number(*count) * value(*score))
                .sum::<f64>()
                / n
        };
        let mean = weighted(&|score| score);
        Some((mean, weighted(&|score| (score - mean) * (score - mean))))
    }

    /// Returns the units that scored more than half, and those that scored less.
    pub(super) fn decisive(&self) -> (u64, u64) {
        let half = self.counts.len() / 2;
        let more = self.counts[half + 1..].iter().sum();
        (more, self.counts[..half].iter().sum())
    }
}

impl Trinomial {
    /// Returns the counts as a sample of matches.
    ///
    /// # Errors
    ///
    /// A count is more than [`MAX_UNITS`].
    pub fn sample(self) -> Result<Sample, InvalidSample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}

impl Pentanomial {
    /// Counts an encounter.
    pub const fn count(&mut self, matches: [MatchPoints; 2]) {
        self.0[matches[0].halves() + matches[1].halves()] += 1;
    }

    /// Returns the counts as a sample of encounters.
    ///
    /// # Errors
    ///
    /// A count is more than [`MAX_UNITS`].
    pub fn sample(self) -> Result<Sample, InvalidSample> {
        Sample::new(&self.0, 2)
    }

    /// Returns the counts from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}

/// Converts a count to a floating-point number: exact up to 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts are at most 2^48 a cell, and there are at most five cells"
)]
pub(super) const fn as_number(count: u64) -> f64 {
    count as f64
}
