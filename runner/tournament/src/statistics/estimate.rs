use super::elo::{NORMALIZED_ELO_PER_T, elo_of_score};
use super::sample::as_number;
use super::superiority::{superiority_by_beta, superiority_by_score};
use super::{Interval, InvalidSample, Sample, Z_95};

/// With fewer units than this their variance is unreliable, and the interval is Wilson's.
pub const FEW_UNITS: u64 = 20;

/// The strength of a bot against its opponent, estimated from a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of units: matches or encounters.
    pub units: u64,
    /// Number of matches.
    pub matches: u64,
    /// Mean score, from 0 to 1.
    pub score: f64,
    /// Variance of the score of a unit, divided by the number of units.
    pub variance: f64,
    /// Standard error of the score.
    pub standard_error: f64,
    /// 95 % interval of the score.
    pub interval: Interval,
    /// The method behind the interval and the likelihood of superiority.
    pub method: Method,
    /// Likelihood of superiority: the probability that the bot is the stronger one, from 0 to 1.
    pub superiority: f64,
    /// Normalised Elo; `None` if all units scored the same.
    pub normalized: Option<NormalizedElo>,
}

/// The method behind an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From the variance of the units, by the normal distribution.
    Normal,
    /// Wilson's interval with the number of units, and the likelihood of superiority from the units
    /// above and below one half. Used if there are fewer than [`FEW_UNITS`], all scored the same,
    /// or the normal interval would reach 0 or 1.
    Wilson,
}

/// Normalised Elo: the score's distance from one half in standard deviations of a match, scaled to
/// equal Elo for equal players without draws (Van den Bergh, *Normalized Elo*).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalizedElo {
    /// The value.
    pub elo: f64,
    /// Half the width of its 95 % interval, from the number of matches alone.
    pub error: f64,
}

impl Estimate {
    /// Estimates the strength from `sample`.
    ///
    /// # Errors
    ///
    /// The sample is empty.
    pub fn of(sample: &Sample) -> Result<Self, InvalidSample> {
        let (score, variance) = sample.moments().ok_or(InvalidSample::Empty)?;
        let units = sample.units();
        let matches = units * sample.matches_in_unit();
        let standard_error = (variance / as_number(units)).sqrt();
        let (low, high) = (score - Z_95 * standard_error, score + Z_95 * standard_error);
        let normal = units >= FEW_UNITS && standard_error > 0.0 && low > 0.0 && high < 1.0;
        let by_score = superiority_by_score(sample.excess(), standard_error).filter(|_| normal);
        let (more, less) = sample.decisive();
        Ok(Self {
            units,
            matches,
            score,
            variance,
            standard_error,
            interval: if normal {
                Interval { low, high }
            } else {
                Interval::wilson(score, units)
            },
            method: if normal {
                Method::Normal
            } else {
                Method::Wilson
            },
            superiority: by_score.unwrap_or_else(|| superiority_by_beta(more, less)),
            normalized: normalized(sample, variance),
        })
    }

    /// The Elo difference; `None` if the score is 0 or 1.
    #[must_use]
    pub fn elo(&self) -> Option<f64> {
        elo_of_score(self.score)
    }

    /// Lower end of the 95 % interval of the Elo difference; `None` if it is unbounded.
    #[must_use]
    pub fn elo_low(&self) -> Option<f64> {
        elo_of_score(self.interval.low)
    }

    /// Upper end; `None` if it is unbounded.
    #[must_use]
    pub fn elo_high(&self) -> Option<f64> {
        elo_of_score(self.interval.high)
    }

    /// Half the width of the 95 % interval in Elo; `None` if it is unbounded.
    #[must_use]
    pub fn elo_error(&self) -> Option<f64> {
        Some((self.elo_high()? - self.elo_low()?) / 2.0)
    }
}

fn normalized(sample: &Sample, variance: f64) -> Option<NormalizedElo> {
    let matches = as_number(sample.units() * sample.matches_in_unit());
    let deviation = (variance * as_number(sample.matches_in_unit())).sqrt();
    (deviation > 0.0).then(|| NormalizedElo {
        elo: sample.excess() / deviation * NORMALIZED_ELO_PER_T,
        error: Z_95 * NORMALIZED_ELO_PER_T / matches.sqrt(),
    })
}
