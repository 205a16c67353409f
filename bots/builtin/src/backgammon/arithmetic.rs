//! Functions that are the same on every machine, by multiplication and division alone.

/// The logistic function, to about five digits.
pub(super) fn logistic(x: f32) -> f32 {
    let odds = exponential(x.clamp(-20.0, 20.0));
    odds / (1.0 + odds)
}

/// The distribution function of the normal distribution, to about four digits: the approximation
/// by S. R. Bowling and others, "A logistic approximation to the cumulative normal distribution",
/// 2009.
pub(super) fn normal(x: f32) -> f32 {
    logistic(1.5976 * x + 0.070_56 * x * x * x)
}

/// e to this power, as the limit of powers.
fn exponential(x: f32) -> f32 {
    let mut power = 1.0 + f64::from(x) / 4096.0;
    for _ in 0..12 {
        power *= power;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the argument is at most 20"
    )]
    let power = power as f32;
    power
}
