use super::FEW_UNITS;
use super::mean::{is_scatter, quantile};
use super::sample::as_number;

/// Steps after which the mean no longer changes visibly.
const MAX_STEPS: usize = 100;
/// Change of the mean, absolute or relative if it is large, at which the search ends.
const PRECISION: f64 = 1e-10;

/// A mean on which no single unit has much influence.
///
/// A deviation from it counts at most as the bound τ, for which ∑ min(deviation²/τ², 1) = ½ ln n over the n
/// units: Huber's estimate with a bound that grows with n, and thus an estimate of the mean itself, not of a
/// mean of the middle (Sun, Zhou and Fan, *Adaptive Huber Regression*, 2020; Wang, Zheng, Zhou and Zhou,
/// 2021).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustMean {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95 % interval; `None` with fewer than [`FEW_UNITS`] units, or if all are equal.
    pub error: Option<f64>,
}

impl RobustMean {
    /// Returns the mean of finite values of independent units; `None` without one.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = as_number(values.len() as u64);
        let weight = n.ln() / 2.0;
        let mut mean = values.iter().sum::<f64>() / n;
        let mut most = f64::INFINITY;
        if deviants(values) > weight {
            for _ in 0..MAX_STEPS {
                most = bound(values, mean, weight);
                let before = mean;
                mean = weighted_mean(values, before, most);
                if (mean - before).abs() <= PRECISION * (1.0 + mean.abs()) {
                    break;
                }
            }
        }
        let squares = values
            .iter()
            .map(|value| (value - mean).clamp(-most, most).powi(2));
        let deviation = (squares.sum::<f64>() / (n - 1.0)).sqrt();
        let error = quantile(n) * deviation * n.sqrt() / inside(values, mean, most);
        let is_known = values.len() as u64 >= FEW_UNITS && is_scatter(deviation, mean);
        Some(Self {
            mean,
            error: is_known.then_some(error),
        })
    }
}

/// The number of values unlike the median. If they are few, nothing says which of them are large, and all count
/// in full.
fn deviants(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let unlike = |value: &&f64| (**value - median).abs() > 0.0;
    as_number(values.iter().filter(unlike).count() as u64)
}

/// A mean in which a value beyond the bound has the weight bound/deviation.
fn weighted_mean(values: &[f64], mean: f64, most: f64) -> f64 {
    let weight = |value: f64| {
        let deviation = (value - mean).abs();
        if deviation <= most {
            1.0
        } else {
            most / deviation
        }
    };
    let (sum, total) = values.iter().fold((0.0, 0.0), |(sum, total), value| {
        (sum + weight(*value) * value, total + weight(*value))
    });
    sum / total
}

/// The deviation that counts at most, so that all together weigh as much as `weight` of the largest. Infinite
/// if no more than that deviate at all.
fn bound(values: &[f64], mean: f64, weight: f64) -> f64 {
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - mean).abs()).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let mut squares = 0.0;
    for (at, deviation) in deviations.iter().enumerate() {
        squares += deviation * deviation;
        let above = as_number((deviations.len() - at - 1) as u64);
        let next = deviations.get(at + 1).copied().unwrap_or(f64::INFINITY);
        if above < weight && squares > 0.0 {
            let bound = (squares / (weight - above)).sqrt();
            if bound <= next {
                return bound;
            }
        }
    }
    f64::INFINITY
}

/// The number of values within the bound, at least one.
fn inside(values: &[f64], mean: f64, most: f64) -> f64 {
    let inside = values.iter().filter(|value| (**value - mean).abs() <= most);
    as_number(inside.count().max(1) as u64)
}
