use std::fmt;
use std::str::FromStr;

use super::elo::{NORMALIZED_ELO_PER_T, score_of_elo};
use super::sample::as_number;
use super::{ModelNeedsMatches, Sample, bayes_elo, likelihood};

/// Largest hypothesis, in points of its model: beyond it no test makes sense.
pub const MAX_HYPOTHESIS_ELO: f64 = 1000.0;

/// The count of an empty cell, so that every outcome stays possible.
const EMPTY_CELL: f64 = 1e-3;

/// A sequential test of two hypotheses about a difference in strength: the generalised sequential
/// probability ratio test (Van den Bergh, *The GSPRT approximation* and *Normalized Elo*; Wald,
/// 1945, for the bounds).
///
/// It may be evaluated after every unit, and stopped at the first decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    model: Model,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The scale of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Elo: a hypothesis fixes the mean score.
    Logistic,
    /// Normalised Elo: a hypothesis fixes the score's distance from one half in standard
    /// deviations.
    Normalized,
    /// Elo as in cutechess: wins, draws and losses of single matches under the `BayesElo` model
    /// with the observed draw rate. For comparison; it ignores encounters.
    BayesElo,
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtDecision {
    /// `elo1` is accepted.
    Accepted,
    /// `elo0` is accepted.
    Rejected,
    /// Undecided so far.
    Undecided,
}

/// The reason why a test is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InvalidSprt {
    /// A hypothesis is not a number or too large.
    #[error("a hypothesis is from -{MAX_HYPOTHESIS_ELO} to {MAX_HYPOTHESIS_ELO} Elo, not {0}")]
    Hypothesis(f64),
    /// The hypotheses are equal or reversed.
    #[error("elo0 must be less than elo1, but {elo0} is not less than {elo1}")]
    Order {
        /// The lower hypothesis.
        elo0: f64,
        /// The upper hypothesis.
        elo1: f64,
    },
    /// The probability of an error is out of range.
    #[error("the probability of an error is above 0 and below 0.5, not {0}")]
    ErrorRate(f64),
}

/// An unknown model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown model {0:?}; the models are normalized, logistic and bayeselo")]
pub struct ParseModelError(pub String);

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
            Self::BayesElo => "bayeselo",
        })
    }
}

impl FromStr for Model {
    type Err = ParseModelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Logistic, Self::Normalized, Self::BayesElo]
            .into_iter()
            .find(|model| model.to_string() == text)
            .ok_or_else(|| ParseModelError(text.to_owned()))
    }
}

impl Sprt {
    /// Creates a test of `elo0` against `elo1`, in points of `model`. `alpha` is the probability of
    /// accepting `elo1` when `elo0` is true, `beta` that of the opposite error.
    ///
    /// # Errors
    ///
    /// The hypotheses are too far away or not in order, or a probability is not between 0 and ½.
    pub fn new(
        model: Model,
        [elo0, elo1]: [f64; 2],
        alpha: f64,
        beta: f64,
    ) -> Result<Self, InvalidSprt> {
        let (elo0, elo1) = (Self::hypothesis(elo0)?, Self::hypothesis(elo1)?);
        if elo0 >= elo1 {
            return Err(InvalidSprt::Order { elo0, elo1 });
        }
        Ok(Self {
            model,
            elo0,
            elo1,
            alpha: Self::error_rate(alpha)?,
            beta: Self::error_rate(beta)?,
        })
    }

    /// Checks a hypothesis.
    ///
    /// # Errors
    ///
    /// It is too large.
    pub fn hypothesis(elo: f64) -> Result<f64, InvalidSprt> {
        if elo.is_nan() || elo.abs() > MAX_HYPOTHESIS_ELO {
            return Err(InvalidSprt::Hypothesis(elo));
        }
        Ok(elo)
    }

    /// Checks the probability of an error.
    ///
    /// # Errors
    ///
    /// It is not between 0 and ½.
    pub fn error_rate(rate: f64) -> Result<f64, InvalidSprt> {
        if rate.is_nan() || rate <= 0.0 || rate >= 0.5 {
            return Err(InvalidSprt::ErrorRate(rate));
        }
        Ok(rate)
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> Model {
        self.model
    }

    /// Both hypotheses, in points of the model.
    #[must_use]
    pub const fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// The probabilities of accepting `elo1` when `elo0` is true, and of the opposite error.
    #[must_use]
    pub const fn error_rates(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// Returns the bounds of the log-likelihood ratio at which the test decides: ln(β/(1 − α)) and
    /// ln((1 − β)/α).
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        // The quotient by a tiny probability would be infinite.
        let ratio = |of: f64, by: f64| of.ln() - (-by).ln_1p();
        [ratio(self.beta, self.alpha), -ratio(self.alpha, self.beta)]
    }

    /// Returns the log-likelihood ratio of `elo1` to `elo0`; 0 without a unit.
    ///
    /// For [`Model::Logistic`] and [`Model::Normalized`] it is n Σ p ln(q1/q0) with the most likely
    /// distributions q under each hypothesis; an empty cell counts 0.001.
    ///
    /// # Errors
    ///
    /// [`Model::BayesElo`] was given encounters.
    pub fn log_likelihood_ratio(&self, sample: &Sample) -> Result<f64, ModelNeedsMatches> {
        if self.model == Model::BayesElo {
            return bayes_elo::log_likelihood_ratio(sample, self.elo0, self.elo1);
        }
        if sample.units() == 0 {
            return Ok(0.0);
        }
        let filled = sample.counts().iter().map(|count| match count {
            0 => EMPTY_CELL,
            _ => as_number(*count),
        });
        let counts: Vec<f64> = filled.collect();
        let n: f64 = counts.iter().sum();
        let p: Vec<f64> = counts.iter().map(|count| count / n).collect();
        let scores = sample.scores();
        let effect = |elo| self.effect(elo, sample.matches_in_unit());
        let likelihood = |elo| match self.model {
            Model::Logistic | Model::BayesElo => likelihood::at_mean(&p, &scores, effect(elo)),
            Model::Normalized => likelihood::at_t_value(&p, &scores, effect(elo)),
        };
        Ok(n * (likelihood(self.elo1) - likelihood(self.elo0)))
    }

    /// Returns the decision at a log-likelihood ratio.
    #[must_use]
    pub fn decision(&self, log_likelihood_ratio: f64) -> SprtDecision {
        let [lower, upper] = self.bounds();
        if log_likelihood_ratio >= upper {
            SprtDecision::Accepted
        } else if log_likelihood_ratio <= lower {
            SprtDecision::Rejected
        } else {
            SprtDecision::Undecided
        }
    }

    /// Converts Elo for a unit of `matches` matches: to the mean score, or the t-value.
    pub(super) fn effect(&self, elo: f64, matches_in_unit: u64) -> f64 {
        match self.model {
            Model::Logistic | Model::BayesElo => score_of_elo(elo),
            Model::Normalized => elo / NORMALIZED_ELO_PER_T * as_number(matches_in_unit).sqrt(),
        }
    }
}
