use super::beta::beta_below;
use super::normal::normal_below;
use super::sample::as_number;

/// The likelihood of superiority from by how much a score is above one half and from its standard
/// error: Φ((m − ½)/s.e.). None if the standard error is not positive.
#[must_use]
pub fn superiority_by_score(excess: f64, standard_error: f64) -> Option<f64> {
    (standard_error > 0.0).then(|| normal_below(excess / standard_error))
}

/// The likelihood of superiority from what was won and lost alone: Φ((W − L)/√(W + L)). None if
/// nothing was.
#[must_use]
pub fn superiority_by_decisive(wins: u64, losses: u64) -> Option<f64> {
    let (won, lost) = (as_number(wins), as_number(losses));
    (wins + losses > 0).then(|| normal_below((won - lost) / (won + lost).sqrt()))
}

/// The likelihood of superiority from what was won and lost alone, for any number of it: the
/// probability that the chance of a win is above ½ when every chance was equally likely before.
/// One half if nothing was won or lost.
#[must_use]
pub fn superiority_by_beta(wins: u64, losses: u64) -> f64 {
    beta_below(as_number(losses) + 1.0, as_number(wins) + 1.0, 0.5)
}
