use super::beta::beta_quantile;
use super::normal::Z_95;
use super::sample::as_number;

/// What is left out on each side of an interval of 95 %.
const EACH_SIDE: f64 = 0.025;

/// An interval of scores, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The Wilson interval, 95 %, of a score from `count` independent observations (Wilson, 1927).
    ///
    /// An observation may be any number from 0 to 1: none of these varies more about its mean than
    /// wins and losses alone do, so that the interval is never too narrow for that. Both matches
    /// of an encounter depend on each other: they are one observation. Without an observation it
    /// is everything, 0 to 1; a score beyond 0 or 1 is taken for the nearer of them.
    #[must_use]
    pub fn wilson(score: f64, count: u64) -> Self {
        if count == 0 {
            return Self::EVERYTHING;
        }
        let score = score.clamp(0.0, 1.0);
        let n = as_number(count);
        let spread = Z_95 * Z_95 / n;
        let centre = (score + spread / 2.0) / (1.0 + spread);
        let variance = (score * (1.0 - score) / n) + spread / (4.0 * n);
        let half = Z_95 * variance.sqrt() / (1.0 + spread);
        // Rounding must not leave the score outside.
        let (low, high) = ((centre - half).min(score), (centre + half).max(score));
        Self {
            low: low.max(0.0),
            high: high.min(1.0),
        }
    }

    /// The exact interval, 95 %, of the chance of a win from wins and losses alone (Clopper and
    /// Pearson, 1934). It is never too narrow; without an observation it is everything.
    #[must_use]
    pub fn clopper_pearson(wins: u64, losses: u64) -> Self {
        let (won, lost) = (as_number(wins), as_number(losses));
        let low = |lowest| if wins == 0 { 0.0 } else { lowest };
        let high = |highest| if losses == 0 { 1.0 } else { highest };
        Self {
            low: low(beta_quantile(won.max(1.0), lost + 1.0, EACH_SIDE)),
            high: high(beta_quantile(won + 1.0, lost.max(1.0), 1.0 - EACH_SIDE)),
        }
    }

    /// The interval, 95 %, of the chance of a win from wins and losses alone, by Jeffreys's prior:
    /// right on average, where the exact one is never too narrow (Brown, Cai and `DasGupta`, 2001,
    /// with their ends 0 and 1 where there is no win or no loss).
    #[must_use]
    pub fn jeffreys(wins: u64, losses: u64) -> Self {
        let (a, b) = (as_number(wins) + 0.5, as_number(losses) + 0.5);
        Self {
            low: if wins == 0 {
                0.0
            } else {
                beta_quantile(a, b, EACH_SIDE)
            },
            high: if losses == 0 {
                1.0
            } else {
                beta_quantile(a, b, 1.0 - EACH_SIDE)
            },
        }
    }

    const EVERYTHING: Self = Self {
        low: 0.0,
        high: 1.0,
    };
}
