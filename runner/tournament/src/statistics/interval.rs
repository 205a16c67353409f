use super::beta::beta_quantile;
use super::normal::Z_95;
use super::sample::as_number;

/// Tail probability on each side of a 95 % interval.
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
    /// Returns the 95 % Wilson interval of a score from `count` independent observations (Wilson,
    /// 1927).
    ///
    /// An observation may be any number from 0 to 1: no distribution there varies more about its
    /// mean than wins and losses alone. With those, the interval is wide enough on average over all
    /// chances to win, but not at each: after ten of them, it contains a chance of 0.017 only 84 times
    /// of 100. The two matches of an encounter are correlated and count as one observation. Without an
    /// observation the interval is 0 to 1; a score outside 0 to 1 is clamped.
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
        // Rounding must not exclude the score.
        let (low, high) = ((centre - half).min(score), (centre + half).max(score));
        Self {
            low: low.max(0.0),
            high: high.min(1.0),
        }
    }

    /// Returns the exact 95 % interval of the probability of a win, from wins and losses alone
    /// (Clopper and Pearson, 1934). It is never too narrow; without an observation it is 0 to 1.
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

    const EVERYTHING: Self = Self {
        low: 0.0,
        high: 1.0,
    };
}
