use super::{Model, Sprt};

/// Below this many powers of e between the bounds the drift counts as zero.
const NO_DRIFT: f64 = 1e-9;

/// The expected course of a sequential test of encounters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtTrajectory {
    /// Probability that it accepts `elo1`.
    pub acceptance: f64,
    /// Mean number of encounters until it ends.
    pub encounters: f64,
}

/// Predicts the course of `sprt` if the difference is `elo` in its own points, and `variance` is
/// that of the mean score of an encounter (which [`Model::Normalized`] does not need).
///
/// The log-likelihood ratio is approximated by a Brownian motion (Wald, 1945). The overshoot at the
/// bounds is ignored, so a real test takes slightly longer and errs less often. `None` if
/// `variance` is not positive or `elo` is not a number.
#[must_use]
pub fn sprt_trajectory(sprt: &Sprt, elo: f64, variance: f64) -> Option<SprtTrajectory> {
    let variance = match sprt.model() {
        Model::Logistic | Model::BayesElo => variance,
        Model::Normalized => 1.0,
    };
    if variance.is_nan() || variance <= 0.0 || !elo.is_finite() {
        return None;
    }
    let [lower_effect, upper_effect] = sprt.hypotheses().map(|elo| sprt.effect(elo, 2));
    let step = upper_effect - lower_effect;
    let beyond_middle = sprt.effect(elo, 2) - f64::midpoint(lower_effect, upper_effect);
    let drift = step * beyond_middle / variance;
    let [lower, upper] = sprt.bounds();
    let tilt = 2.0 * beyond_middle / step;
    if (tilt * (upper - lower)).abs() < NO_DRIFT {
        return Some(SprtTrajectory {
            acceptance: -lower / (upper - lower),
            encounters: -lower * upper * variance / (step * step),
        });
    }
    let acceptance = if tilt > 0.0 {
        (tilt * lower).exp_m1() / (tilt * (lower - upper)).exp_m1()
    } else {
        1.0 - (tilt * upper).exp_m1() / (tilt * (upper - lower)).exp_m1()
    };
    Some(SprtTrajectory {
        acceptance,
        encounters: (acceptance * upper + (1.0 - acceptance) * lower) / drift,
    })
}
