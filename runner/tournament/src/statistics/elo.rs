/// Elo points per factor e in the odds: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Points of normalised Elo per standard deviation of a match: 800 / ln 10, so that it equals Elo
/// for equal players without draws (Van den Bergh, *Normalized Elo*).
pub const NORMALIZED_ELO_PER_T: f64 = 800.0 / std::f64::consts::LN_10;

/// Returns the Elo difference of a score m: −400 log10(1/m − 1). `None` unless 0 < m < 1.
///
/// ```
/// use dragontooth_runner_tournament::statistics::elo_of_score;
///
/// assert_eq!(elo_of_score(0.5), Some(0.0));
/// assert!(elo_of_score(0.64).is_some_and(|elo| (99.0..101.0).contains(&elo)));
/// assert_eq!(elo_of_score(1.0), None);
/// ```
#[must_use]
pub fn elo_of_score(score: f64) -> Option<f64> {
    let elo = ELO_PER_LOGIT * (score.ln() - (-score).ln_1p());
    (score > 0.0 && score < 1.0).then_some(elo)
}

/// Returns the expected score at an Elo difference: 1 / (1 + 10^(−elo/400)).
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}
