use super::beta::beta_below;
use super::normal::normal_below;
use super::sample::as_number;

/// Returns the likelihood of superiority from a score's excess over one half and its standard
/// error: Φ((m − ½)/s.e.). `None` if the standard error is not positive.
#[must_use]
pub fn superiority_by_score(excess: f64, standard_error: f64) -> Option<f64> {
    (standard_error > 0.0).then(|| normal_below(excess / standard_error))
}

/// Returns the likelihood of superiority from wins and losses alone: Φ((W − L)/√(W + L)). `None`
/// without any.
#[must_use]
pub fn superiority_by_decisive(wins: u64, losses: u64) -> Option<f64> {
    let (won, lost) = (as_number(wins), as_number(losses));
    (wins + losses > 0).then(|| normal_below((won - lost) / (won + lost).sqrt()))
}

/// Returns the likelihood of superiority from wins and losses alone, for any number of them: the
/// posterior probability that a win is more likely than a loss, with a uniform prior. One half
/// without any.
#[must_use]
pub fn superiority_by_beta(wins: u64, losses: u64) -> f64 {
    beta_below(as_number(losses) + 1.0, as_number(wins) + 1.0, 0.5)
}

/// Corrects the probabilities of several comparisons by Holm's method (Holm, 1979). Returns
/// adjusted values in the order given, at most 1.
///
/// The k-th smallest of n probabilities is multiplied by n − k + 1, and none becomes smaller than
/// one before it. The values then below 5 % hold jointly with an error of 5 %, whatever the
/// dependence between the comparisons.
#[must_use]
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let mut corrected = vec![1.0; probabilities.len()];
    let mut least: f64 = 0.0;
    for (left, place) in (0..order.len()).rev().zip(&order) {
        let factor = as_number(left as u64 + 1);
        least = least.max((probabilities[*place] * factor).min(1.0));
        corrected[*place] = least;
    }
    corrected
}
