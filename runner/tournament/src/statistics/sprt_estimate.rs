use super::elo::{NORMALIZED_ELO_PER_T, elo_of_score};
use super::normal::{normal_above, normal_above_scaled};
use super::sample::as_number;
use super::{Model, Sample, Sprt, SprtDecision};

/// Terms below e to the minus this are negligible.
const NOTHING: f64 = 45.0;
/// Time in squares of the width, after which a path is between the bounds with a probability below
/// 1e-8.
const LONG: f64 = 4.0;
/// Bisections until an interval cannot shrink further.
const HALVINGS: u32 = 100;
/// The reach of a search, in standard errors and in inverse distances to a bound.
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
/// the sample has too little variance to measure an error or contradicts the decision, if an end is
/// not finite, and for [`Model::BayesElo`].
///
/// The observed effect times the number of units is approximated by a Brownian motion between two
/// bounds; an outcome is the greater the sooner the upper bound is reached or the later the lower
/// one (Siegmund, 1978). The estimate is the difference under which this outcome or a greater one
/// has probability ½; the ends are those with 2.5 % and 97.5 %. The bound is placed where it was
/// crossed, and the observed variance is taken for the true one.
#[must_use]
pub fn stop_estimate(sprt: &Sprt, sample: &Sample) -> Option<StopEstimate> {
    let ratio = sprt.log_likelihood_ratio(sample).ok()?;
    let [lower_bound, upper_bound] = sprt.bounds();
    // Of the bound that was reached, and the distance to the other one.
    let (sign, far) = match sprt.decision(ratio) {
        SprtDecision::Accepted => (1.0, -lower_bound),
        SprtDecision::Rejected => (-1.0, upper_bound),
        SprtDecision::Undecided => return None,
    };
    let (observed, variance) = observed(sprt.model(), sample)?;
    if variance <= f64::EPSILON {
        return None;
    }
    let matches_in_unit = sample.matches_in_unit();
    let [lower, upper] = sprt
        .hypotheses()
        .map(|elo| sprt.effect(elo, matches_in_unit));
    let (step, middle) = (upper - lower, f64::midpoint(lower, upper));
    let time = step * step * as_number(sample.units()) / variance;
    // Not the ratio itself: it equals this near the hypotheses, but far from them it is less, as if
    // the effect were nearer.
    let near = sign * (observed - middle) / step * time;
    if near <= 0.0 {
        return None;
    }
    let corridor = Corridor { near, far, time };
    let elo = |share: f64| {
        let drift = if sign > 0.0 {
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

/// Returns the effect that a sample shows, and the variance of a unit's influence on it (Hampel,
/// 1974). `None` without a unit or without any scatter, and for [`Model::BayesElo`].
fn observed(model: Model, sample: &Sample) -> Option<(f64, f64)> {
    let (mean, variance) = sample.moments()?;
    match model {
        Model::Logistic => Some((mean, variance)),
        Model::Normalized if variance > 0.0 => {
            let deviation = variance.sqrt();
            let t = sample.excess() / deviation;
            // A unit changes the mean, and the deviation by which it is divided.
            let square = |score: f64| {
                let distance = (score - mean) / deviation;
                (distance - t / 2.0 * (distance * distance - 1.0)).powi(2)
            };
            let cells = sample.counts().iter().zip(sample.scores());
            let squares = cells.map(|(count, score)| as_number(*count) * square(score));
            Some((t, squares.sum::<f64>() / as_number(sample.units())))
        }
        Model::Normalized | Model::BayesElo => None,
    }
}

/// A Brownian motion of variance 1 per unit of time that reached one of two bounds.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    /// The distance to the bound that was reached.
    near: f64,
    /// The distance to the other bound.
    far: f64,
    /// The time when it was reached.
    time: f64,
}

impl Corridor {
    /// Returns the drift towards the bound under which it is reached by that time with this
    /// probability.
    fn drift_for(&self, share: f64) -> f64 {
        // With the lower drift the bound is hardly ever reached. With the upper one the other bound
        // is not, and this one is reached in time.
        let mut low = -FAR / self.near;
        let mut high = self.near / self.time + FAR / self.time.sqrt() + FAR / self.far;
        for _ in 0..HALVINGS {
            let drift = f64::midpoint(low, high);
            if drift <= low || drift >= high {
                break;
            }
            if self.reached(drift) < share {
                low = drift;
            } else {
                high = drift;
            }
        }
        f64::midpoint(low, high)
    }

    /// Returns the probability that the bound is reached by that time and before the other one: the
    /// sum over the images of the bound, mirrored at both bounds in turn (Feller, volume 2, X.5).
    fn reached(&self, drift: f64) -> f64 {
        let width = self.near + self.far;
        // Later than this no path is left, and the number of terms would grow.
        let time = self.time.min(LONG * width * width);
        let mut sum = self.reached_image(self.near, time, drift);
        for k in (1..).map(f64::from) {
            let there_and_back = 2.0 * k * width;
            let image = there_and_back - self.near;
            if (image * image - self.near * self.near) / (2.0 * time) > NOTHING {
                break;
            }
            sum -= self.reached_image(image, time, drift);
            sum += self.reached_image(there_and_back + self.near, time, drift);
        }
        sum
    }

    /// Returns the probability that a bound at the distance `image` is reached by that time, without
    /// another bound, times exp(drift · (near − image)): the drift is that of the path to the bound
    /// itself.
    fn reached_image(&self, image: f64, time: f64, drift: f64) -> f64 {
        let missed = (self.near - drift * time).powi(2) + image * image - self.near * self.near;
        let scaled = (-missed / (2.0 * time)).exp();
        let part = |travelled: f64, tilt: f64| {
            let distance = (image + travelled) / time.sqrt();
            // Each form can overflow where the other is used.
            if distance > 0.0 {
                scaled * normal_above_scaled(distance)
            } else {
                tilt.exp() * normal_above(distance)
            }
        };
        let travelled = drift * time;
        part(-travelled, drift * (self.near - image)) + part(travelled, drift * (self.near + image))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::statistics::{Estimate, Pentanomial};

    /// The same probability by the chance of ever reaching the bound before the other one, less the
    /// integral from that time on of the density of the first passage (Feller, volume 1, XIV.6, in
    /// the limit of small steps): a sine series, which loses all digits after a short time.
    fn reached_by_sines(corridor: Corridor, drift: f64) -> f64 {
        let Corridor { near, far, time } = corridor;
        let width = near + far;
        let ever = (-2.0 * drift * far).exp_m1() / (-2.0 * drift * width).exp_m1();
        let later = (1..200).map(f64::from).map(|k| {
            let rate = f64::midpoint(drift * drift, (k * PI / width).powi(2));
            k * (k * PI * near / width).sin() * (drift * near - rate * time).exp() / rate
        });
        ever - PI / (width * width) * later.sum::<f64>()
    }

    #[test]
    fn the_images_agree_with_the_sine_series() {
        for (near, far) in [(3.0, 3.0), (4.0, 2.0), (0.7, 20.0), (5.0, 0.5)] {
            let square = (near + far) * (near + far);
            for time in [0.1, 0.3, 1.0, 3.0, 20.0].map(|share| share * square) {
                let corridor = Corridor { near, far, time };
                for drift in [-1.3, -0.4, 0.01, 0.2, 0.9].map(|part| part / near) {
                    let (ours, theirs) =
                        (corridor.reached(drift), reached_by_sines(corridor, drift));
                    assert!(
                        (ours - theirs).abs() < 1e-8,
                        "{near} {far} {time} {drift}: {ours} {theirs}"
                    );
                }
            }
        }
    }

    /// The reflection principle: without drift and another bound within reach, the probability is
    /// twice that of being beyond the bound at the end.
    #[test]
    fn a_bound_is_reached_twice_as_often_as_exceeded_at_the_end() {
        for distance in [0.5, 1.0, 2.0, 5.0, 30.0] {
            let corridor = Corridor {
                near: distance,
                far: 50.0,
                time: 1.0,
            };
            let twice = 2.0 * normal_above(distance);
            assert!((corridor.reached(0.0) - twice).abs() < 1e-12 * twice);
        }
    }

    /// Far from the hypotheses the test hardly ever stops by chance, so there is little to correct.
    #[test]
    fn a_lopsided_sample_keeps_its_effect_and_its_interval() {
        let lopsided = [
            [20, 30, 120, 120, 200],
            [13, 0, 172, 0, 216],
            [2_000, 0, 0, 0, 200_000],
            [1 << 30, 0, 0, 0, 1 << 35],
        ];
        for (counts, sign) in lopsided.into_iter().flat_map(|c| [(c, 1.0), (c, -1.0)]) {
            let counts = Pentanomial(counts);
            let seen = if sign > 0.0 {
                counts
            } else {
                counts.reversed()
            };
            let sample = seen.sample().unwrap();
            let plain = Estimate::of(&sample).unwrap();
            let of = |model| {
                let test = Sprt::new(model, [0.0, 5.0], 0.05, 0.05).unwrap();
                let StopEstimate { elo, low, high } = stop_estimate(&test, &sample).unwrap();
                assert!(
                    low < elo && elo < high,
                    "{model} {sample:?}: {low} {elo} {high}"
                );
                [elo, low, high]
            };
            let normalized = plain.normalized.unwrap();
            let [elo, low, high] = of(Model::Normalized);
            assert!((elo - normalized.elo).abs() < normalized.error / 10.0);
            // The deviation is uncertain too.
            assert!(high - low > 2.0 * normalized.error, "{sample:?}");
            let ends = [plain.elo(), plain.elo_low(), plain.elo_high()].map(Option::unwrap);
            let error = ends[2] - ends[1];
            for (ours, theirs) in of(Model::Logistic).into_iter().zip(ends) {
                assert!(
                    (ours - theirs).abs() < error / 20.0,
                    "{ours} {theirs}, {sample:?}"
                );
            }
        }
    }
}
