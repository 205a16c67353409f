use super::Sample;
use super::elo::ELO_PER_LOGIT;
use super::sample::as_number;

/// A model of single matches was used with encounters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model bayeselo counts single matches, not encounters")]
pub struct ModelNeedsMatches;

/// Added to each count, so that none is empty.
const ADDED: f64 = 0.5;

/// Returns the log-likelihood ratio of two Elo hypotheses under the `BayesElo` model, with the
/// observed draw rate (Coulom's model, as tested by cutechess 1.5).
///
/// A win has the probability 1/(1 + 10^((drawelo − e)/400)), a loss the same with −e. A hypothesis
/// in Elo is converted to the model's Elo by its slope at 0, 4x/(1 + x)² with x =
/// 10^(−drawelo/400). Returns 0 without a match.
pub(super) fn log_likelihood_ratio(
    sample: &Sample,
    elo0: f64,
    elo1: f64,
) -> Result<f64, ModelNeedsMatches> {
    let [losses, draws, wins] = sample.counts() else {
        return Err(ModelNeedsMatches);
    };
    if sample.units() == 0 {
        return Ok(0.0);
    }
    let counts = [*wins, *draws, *losses].map(|count| as_number(count) + ADDED);
    let draw_elo = draw_elo(counts);
    let x = (-draw_elo / ELO_PER_LOGIT).exp();
    let slope = 4.0 * x / ((1.0 + x) * (1.0 + x));
    let lower = chances(elo0 / slope, draw_elo);
    let upper = chances(elo1 / slope, draw_elo);
    let ratios = lower.iter().zip(&upper).map(|(low, high)| high - low);
    Ok(counts.iter().zip(ratios).map(|(n, ratio)| n * ratio).sum())
}

/// Returns the observed draw rate as an Elo difference.
fn draw_elo(counts: [f64; 3]) -> f64 {
    let n: f64 = counts.iter().sum();
    let (won, lost) = (counts[0] / n, counts[2] / n);
    ELO_PER_LOGIT / 2.0 * (((1.0 - lost) / lost).ln() + ((1.0 - won) / won).ln())
}

/// Returns the logarithms of the probabilities of a win, a draw and a loss.
fn chances(elo: f64, draw_elo: f64) -> [f64; 3] {
    let (up, down) = (
        (draw_elo - elo) / ELO_PER_LOGIT,
        (draw_elo + elo) / ELO_PER_LOGIT,
    );
    // Computes 1 − win − loss without cancellation.
    let drawn = (2.0 * draw_elo / ELO_PER_LOGIT).exp_m1().ln() - soft_plus(up) - soft_plus(down);
    [-soft_plus(up), drawn, -soft_plus(down)]
}

/// Computes ln(1 + e^x) without overflow for a large x.
fn soft_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
