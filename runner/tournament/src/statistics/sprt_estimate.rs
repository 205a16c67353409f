use std::f64::consts::PI;

use super::elo::{NORMALIZED_ELO_PER_T, elo_of_score};
use super::sample::as_number;
use super::{Model, Sample, Sprt, SprtDecision};

/// Maximum number of terms: more than the series of any realistic test needs.
const MAX_TERMS: u32 = 10_000;
/// Terms below e to the minus this are negligible.
const NOTHING: f64 = 45.0;
/// Bisections until an interval cannot shrink further.
const HALVINGS: u32 = 100;
/// Half the width of a search range, in standard errors.
const FAR: f64 = 12.0;

/// The difference estimated from a decided sequential test.
///
/// The score at the stop is biased: the test stopped because the score was good. This estimate
/// accounts for when it stopped, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopEstimate {
    /// The median-unbiased estimate, in points of the test's model: too high as often as too low.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
}

/// Estimates the difference from the sample at which a test decided. `None` if it is undecided, if
/// the variance is 0, if an end is not finite, and for [`Model::BayesElo`].
///
/// The log-likelihood ratio is approximated by a Brownian motion between two bounds; an outcome is
/// the greater the sooner the upper bound is reached or the later the lower one (Siegmund, 1978).
/// The estimate is the difference under which this outcome or a greater one has probability ½; the
/// ends are those with 2.5 % and 97.5 %. It places the bound where it was crossed and takes the
/// observed variance for the true one: below a few hundred units it is slightly off.
#[must_use]
pub fn stop_estimate(sprt: &Sprt, sample: &Sample) -> Option<StopEstimate> {
    let ratio = sprt.log_likelihood_ratio(sample).ok()?;
    let reached_upper = match sprt.decision(ratio) {
        SprtDecision::Accepted => true,
        SprtDecision::Rejected => false,
        SprtDecision::Undecided => return None,
    };
    let (_, seen) = sample.moments()?;
    let variance = match sprt.model() {
        Model::Logistic => seen,
        Model::Normalized => 1.0,
        Model::BayesElo => return None,
    };
    if seen <= 0.0 {
        return None;
    }
    let matches_in_unit = sample.matches_in_unit();
    let [lower, upper] = sprt
        .hypotheses()
        .map(|elo| sprt.effect(elo, matches_in_unit));
    let (step, middle) = (upper - lower, f64::midpoint(lower, upper));
    let [lower_bound, upper_bound] = sprt.bounds();
    // Measured from the bound that was reached, mirrored if it is the lower one.
    let corridor = if reached_upper {
        Corridor {
            near: ratio,
            width: ratio - lower_bound,
            time: step * step * as_number(sample.units()) / variance,
        }
    } else {
        Corridor {
            near: -ratio,
            width: upper_bound - ratio,
            time: step * step * as_number(sample.units()) / variance,
        }
    };
    let elo = |share: f64| {
        let drift = if reached_upper {
            corridor.drift_for(share)
        } else {
            -corridor.drift_for(1.0 - share)
        };
        let effect = middle + drift * step;
        match sprt.model() {
            Model::Logistic | Model::BayesElo => elo_of_score(effect),
            Model::Normalized => {
                Some(effect * NORMALIZED_ELO_PER_T / as_number(matches_in_unit).sqrt())
            }
        }
    };
    Some(StopEstimate {
        elo: elo(0.5)?,
        low: elo(0.025)?,
        high: elo(0.975)?,
    })
}

/// A Brownian motion of variance 1 per unit of time that reached one of two bounds.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    /// The distance to the bound that was reached.
    near: f64,
    /// The distance between the bounds.
    width: f64,
    /// The time when it was reached.
    time: f64,
}

impl Corridor {
    /// Returns the drift towards the bound under which it is reached by that time with this
    /// probability.
    fn drift_for(&self, share: f64) -> f64 {
        let (straight, error) = (self.near / self.time, 1.0 / self.time.sqrt());
        let (mut low, mut high) = (straight - FAR * error, straight + FAR * error);
        for _ in 0..HALVINGS {
            let drift = f64::midpoint(low, high);
            if self.reached(drift) < share {
                low = drift;
            } else {
                high = drift;
            }
        }
        f64::midpoint(low, high)
    }

    /// Returns the probability that the bound is reached by that time and before the other one.
    fn reached(&self, drift: f64) -> f64 {
        self.reached_at_last(drift) - self.reached_later(drift)
    }

    fn reached_at_last(&self, drift: f64) -> f64 {
        let far = self.width - self.near;
        let tilt = 2.0 * drift;
        if (tilt * self.width).abs() < 1e-9 {
            far / self.width
        } else if tilt > 0.0 {
            (-tilt * far).exp_m1() / (-tilt * self.width).exp_m1()
        } else {
            // The same in a form that cannot overflow.
            (tilt * self.near).exp() * (tilt * far).exp_m1() / (tilt * self.width).exp_m1()
        }
    }

    /// Returns the integral from that time on of the density of the first passage, by its sine
    /// series (Feller, volume 1, XIV.6, in the limit of small steps).
    fn reached_later(&self, drift: f64) -> f64 {
        let mut sum = 0.0;
        for k in (1..MAX_TERMS).map(f64::from) {
            let spread = (k * PI / self.width).powi(2) / 2.0;
            let rate = drift * drift / 2.0 + spread;
            let exponent = drift * self.near - rate * self.time;
            sum += k * (k * PI * self.near / self.width).sin() * exponent.exp() / rate;
            if spread * self.time > NOTHING {
                break;
            }
        }
        PI / (self.width * self.width) * sum
    }
}
