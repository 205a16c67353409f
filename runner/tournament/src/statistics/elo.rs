/// The points of Elo in which the odds grow by the factor e: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The points of normalised Elo for one standard deviation of a match: 800 / ln 10, so that for
/// equals without draws it is the common Elo (Van den Bergh, *Normalized Elo*).
pub const NORMALIZED_ELO_PER_T: f64 = 800.0 / std::f64::consts::LN_10;

/// The difference in Elo behind a score: −400 log10(1/m − 1). None for a score of 0 or 1 or
/// beyond, behind which there is no finite one.
#[must_use]
pub fn elo_of_score(score: f64) -> Option<f64> {
    let elo = ELO_PER_LOGIT * (score.ln() - (-score).ln_1p());
    (score > 0.0 && score < 1.0).then_some(elo)
}

/// The score that is expected at a difference in Elo: 1 / (1 + 10^(−elo/400)).
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp())
}
