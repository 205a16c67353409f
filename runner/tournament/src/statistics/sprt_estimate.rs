use std::f64::consts::PI;

use super::elo::{NORMALIZED_ELO_PER_T, elo_of_score};
use super::sample::as_number;
use super::{Decision, Model, Sample, Sprt};

/// More terms than the series of any test needs that took a sensible number of units.
const MAX_TERMS: u32 = 10_000;
/// Terms below e to the minus this are nothing.
const NOTHING: f64 = 45.0;
/// Halvings of an interval until it is as small as numbers are.
const HALVINGS: u32 = 100;
/// How far from the middle of a search its ends are, in standard errors.
const FAR: f64 = 12.0;

/// What a sequential test says about the difference itself, once it is decided.
///
/// The score at the stop is too good for that: the test stopped because it was. This takes into
/// account when it stopped, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopEstimate {
    /// The median-unbiased estimate, in points of the test's model: it is too high as often as too
    /// low.
    pub elo: f64,
    /// The lower end of its interval, 95 %.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The estimate of a test that was stopped at the sample with which it came to a decision. None if
/// it is undecided, if nothing varies, if an end is not finite, and for [`Model::BayesElo`].
///
/// The log-likelihood ratio is taken for a Brownian motion between two bounds; an outcome is the
/// greater the sooner the upper bound is reached or the later the lower one (Siegmund, 1978). The
/// estimate is the difference under which the outcome or a greater one has the probability ½, the
/// ends those with 2.5 % and 97.5 %. The bound that was reached is taken to be where it was passed,
/// and the scatter seen for the true one: below some hundred units it is somewhat off.
#[must_use]
pub fn stop_estimate(sprt: &Sprt, sample: &Sample) -> Option<StopEstimate> {
    let ratio = sprt.log_likelihood_ratio(sample).ok()?;
    let reached_upper = match sprt.decision(ratio) {
        Decision::Accepted => true,
        Decision::Rejected => false,
        Decision::Undecided => return None,
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
    // Seen from the bound that was reached, upside down if it is the lower one.
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

/// A Brownian motion of variance 1 a unit of time between two bounds, one of which it reached.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    /// The distance to the bound that was reached.
    near: f64,
    /// The distance between the bounds.
    width: f64,
    /// When it was reached.
    time: f64,
}

impl Corridor {
    /// The drift towards the bound with which it is reached by then with this probability.
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

    /// The probability that the bound is reached by then and before the other one.
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
            // The same with numbers that cannot overflow.
            (tilt * self.near).exp() * (tilt * far).exp_m1() / (tilt * self.width).exp_m1()
        }
    }

    /// The density of the time of reaching it, by its series of sines (Feller, volume 1, XIV.6, in
    /// the limit of small steps), integrated from then on.
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
