use super::sample::as_number;
use super::{FEW_UNITS, Z_95};

/// The mean of independent values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95 % interval, by the scatter of the values and Student's distribution; `None` with
    /// fewer than [`FEW_UNITS`] values, or if all are equal.
    pub error: Option<f64>,
}

impl Mean {
    /// Returns the mean of finite values; `None` without one.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = as_number(values.len() as u64);
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean).powi(2));
        let deviation = (squares.sum::<f64>() / (n - 1.0)).sqrt();
        let is_known = values.len() as u64 >= FEW_UNITS && is_scatter(deviation, mean);
        Some(Self {
            mean,
            error: is_known.then(|| quantile(n) * deviation / n.sqrt()),
        })
    }
}

/// Below this deviation, absolute or relative to a large mean, values are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// Returns true if a deviation from a mean is more than what rounding leaves of equal values.
pub(super) fn is_scatter(deviation: f64, mean: f64) -> bool {
    deviation > ROUNDING * (1.0 + mean.abs())
}

/// Student's quantile of a 95 % interval for `n` values, to the first order in 1/n (Abramowitz and Stegun, 26.7.5).
pub(super) fn quantile(n: f64) -> f64 {
    Z_95 + (Z_95.powi(3) + Z_95) / (4.0 * (n - 1.0))
}
