/// Holm's correction of the probabilities of several comparisons (Holm, 1979): what each becomes
/// when all are judged together, in the order given, at most 1.
///
/// The one with the k-th smallest of n probabilities is multiplied by n − k + 1, and none becomes
/// less than one before it. Whatever is then below 5 % holds together with an error of 5 %,
/// however the comparisons depend on each other.
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
