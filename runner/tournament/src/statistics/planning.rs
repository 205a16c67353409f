use super::elo::{ELO_PER_LOGIT, elo_of_score};
use super::sample::as_number;
use super::{Estimate, Z_95};

/// The variance of the mean score of an encounter, at most ¼.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSpread(f64);

impl PairSpread {
    /// The variance assumed before any result: no draws and independent matches within an
    /// encounter.
    pub const UNKNOWN: Self = Self(0.125);

    /// Returns the variance between equals, from the draw rate, 0 to 1, and the correlation of the
    /// two matches of an encounter, −1 to 1 (negative where the seat or the luck decides). `None`
    /// outside these ranges.
    #[must_use]
    pub fn between_equals(draw_rate: f64, correlation: f64) -> Option<Self> {
        let fits = (0.0..=1.0).contains(&draw_rate) && (-1.0..=1.0).contains(&correlation);
        let match_variance = (1.0 - draw_rate) / 4.0;
        fits.then_some(Self(match_variance / 2.0 * (1.0 + correlation)))
    }

    /// Returns the variance observed in a sample of encounters.
    #[must_use]
    pub const fn seen(encounters: &Estimate) -> Self {
        Self(encounters.variance)
    }

    /// The variance.
    #[must_use]
    pub const fn variance(self) -> f64 {
        self.0
    }
}

/// Predicted errors of a planned number of encounters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The variance of an encounter.
    pub spread: PairSpread,
}

impl Plan {
    /// Returns half the width of the 95 % interval of the Elo difference between two bots after
    /// this many encounters with this mean score. `None` if the interval would be unbounded.
    #[must_use]
    pub fn elo_error(self, score: f64, encounters: u64) -> Option<f64> {
        if encounters == 0 {
            return None;
        }
        let half = Z_95 * (self.spread.0 / as_number(encounters)).sqrt();
        Some((elo_of_score(score + half)? - elo_of_score(score - half)?) / 2.0)
    }

    /// Returns the number of encounters between every two of `bots` equal bots after which the
    /// difference of two ratings is known to ± `elo_error`, 95 %; at least 1. `None` for fewer than
    /// two bots or an error that is not positive.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is positive, and one too large becomes the largest"
    )]
    pub fn encounters_for(self, bots: u64, elo_error: f64) -> Option<u64> {
        if elo_error.is_nan() || elo_error <= 0.0 {
            return None;
        }
        let after_one = self.difference_error(bots, 1)?;
        let times = after_one / elo_error;
        // An error computed from a number of encounters gives that number again.
        Some((times * times * (1.0 - 1e-12)).ceil().max(1.0) as u64)
    }

    /// Returns half the width of the 95 % interval of the rating of a bot among `bots` equal ones,
    /// in Elo, after a round robin with this many encounters of every two: the sandwich estimate of
    /// the joint fit, in closed form for equals. `None` for fewer than two bots or no encounters.
    #[must_use]
    pub fn rating_error(self, bots: u64, encounters_of_two: u64) -> Option<f64> {
        if bots < 2 || encounters_of_two == 0 {
            return None;
        }
        // An encounter has the information 2 · ¼ and a variance of 4 variances, in points of two
        // matches; the bots' part of the Laplacian of the complete graph is 1 − 1/n.
        let (n, count) = (as_number(bots), as_number(encounters_of_two));
        let variance = 16.0 * self.spread.0 / (count * n) * (1.0 - 1.0 / n);
        Some(Z_95 * ELO_PER_LOGIT * variance.sqrt())
    }

    /// Returns half the width of the interval of the difference of two such ratings.
    #[must_use]
    pub fn difference_error(self, bots: u64, encounters_of_two: u64) -> Option<f64> {
        let of_one = self.rating_error(bots, encounters_of_two)?;
        let others = 1.0 - 1.0 / as_number(bots);
        Some(of_one * (2.0 / others).sqrt())
    }
}
