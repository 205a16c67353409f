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
        let factor = super::sample::as_number(left as u64 + 1);
        least = least.max((probabilities[*place] * factor).min(1.0));
        corrected[*place] = least;
    }
    corrected
}
