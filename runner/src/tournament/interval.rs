use std::fmt;

/// The quantile of the normal distribution that leaves 2.5 % on each side.
const Z_95: f64 = 1.959_963_984_540_054;

/// An interval of scores, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The Wilson interval, 95 %, of a score from `count` independent observations.
    ///
    /// An observation may be any number from 0 to 1: none of these varies more about its mean than
    /// wins and losses alone do, so that the interval is never too narrow for that. Both matches
    /// of an encounter depend on each other: they are one observation.
    ///
    /// # Panics
    ///
    /// If `count` is 0 or `score` is not between 0 and 1.
    #[must_use]
    pub fn wilson(score: f64, count: u32) -> Self {
        assert!(count > 0, "an interval needs an observation");
        assert!((0.0..=1.0).contains(&score), "a score is between 0 and 1");
        let n = f64::from(count);
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
}

impl fmt::Display for Interval {
    /// In percent: `12.3–45.6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1}–{:.1}", self.low * 100.0, self.high * 100.0))
    }
}
