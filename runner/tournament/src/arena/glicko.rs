use std::f64::consts::PI;

use crate::statistics::{ELO_PER_LOGIT, MatchPoints};

/// The rating deviation of a player without results, in Elo.
pub(super) const NEW_DEVIATION: f64 = 350.0;
/// The least rating deviation of a new build of a player with results, in Elo.
pub(super) const NEW_BUILD_DEVIATION: f64 = 200.0;
/// The volatility of a player without results.
const NEW_VOLATILITY: f64 = 0.06;
/// The least rating deviation, in Elo: so a bot that changes without saying so is followed.
const LEAST_DEVIATION: f64 = 30.0;
/// The change of volatility over time (τ).
const VOLATILITY_CHANGE: f64 = 0.5;
/// The volatility is computed to this precision.
const CLOSE: f64 = 1e-6;
/// Most steps of that computation; about five are typical.
const MAX_STEPS: u32 = 100;

/// A rating for pairing: Glicko-2 with one match a rating period (Glickman, *Example of the Glicko-2 system*, 2022).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairingRating {
    /// In Elo.
    pub(super) elo: f64,
    /// In Elo.
    pub(super) deviation: f64,
    volatility: f64,
}

impl PairingRating {
    /// Before any result.
    pub(super) const fn new(elo: f64) -> Self {
        Self {
            elo,
            deviation: NEW_DEVIATION,
            volatility: NEW_VOLATILITY,
        }
    }

    /// Of an anchor.
    pub(super) const fn frozen(elo: f64) -> Self {
        Self {
            elo,
            deviation: 0.0,
            volatility: NEW_VOLATILITY,
        }
    }

    /// Of a new build of the player that has this one.
    pub(super) fn of_next_build(self) -> Self {
        Self {
            deviation: self.deviation.max(NEW_BUILD_DEVIATION),
            ..self
        }
    }

    /// After a match against `opponent`.
    pub(super) fn after(self, opponent: Self, score: MatchPoints) -> Self {
        let (deviation, other) = (
            self.deviation / ELO_PER_LOGIT,
            opponent.deviation / ELO_PER_LOGIT,
        );
        let weight = 1.0 / (1.0 + 3.0 * other * other / (PI * PI)).sqrt();
        let difference = (self.elo - opponent.elo) / ELO_PER_LOGIT;
        let expected = 1.0 / (1.0 + (-weight * difference).exp());
        let variance = 1.0 / (weight * weight * expected * (1.0 - expected)).max(1e-9);
        let surprise = weight * (score.points() - expected);
        let volatility = self.next_volatility(deviation, variance, variance * surprise);
        let before = deviation * deviation + volatility * volatility;
        let after = 1.0 / (1.0 / before + 1.0 / variance);
        Self {
            elo: self.elo + ELO_PER_LOGIT * after * surprise,
            deviation: (ELO_PER_LOGIT * after.sqrt()).clamp(LEAST_DEVIATION, NEW_DEVIATION),
            volatility,
        }
    }

    /// Step 5 of the paper: the root of f by the Illinois algorithm.
    fn next_volatility(self, deviation: f64, variance: f64, improvement: f64) -> f64 {
        let start = (self.volatility * self.volatility).ln();
        let (square, delta) = (deviation * deviation, improvement * improvement);
        let f = |x: f64| {
            let grown = square + variance + x.exp();
            x.exp() * (delta - grown) / (2.0 * grown * grown)
                - (x - start) / (VOLATILITY_CHANGE * VOLATILITY_CHANGE)
        };
        let mut low = start;
        let mut high = if delta > square + variance {
            (delta - square - variance).ln()
        } else {
            let mut steps = 1.0;
            while f(start - steps * VOLATILITY_CHANGE) < 0.0 && steps < f64::from(MAX_STEPS) {
                steps += 1.0;
            }
            start - steps * VOLATILITY_CHANGE
        };
        let (mut at_low, mut at_high) = (f(low), f(high));
        for _ in 0..MAX_STEPS {
            if (high - low).abs() <= CLOSE {
                break;
            }
            let next = low + (low - high) * at_low / (at_high - at_low);
            let at_next = f(next);
            if at_next * at_high <= 0.0 {
                (low, at_low) = (high, at_high);
            } else {
                at_low /= 2.0;
            }
            (high, at_high) = (next, at_next);
        }
        (low / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper, match by match of its three: the whole period at once gives 1464.06 and 151.52, and
    /// the values for one match a period were computed by hand from the formulas of its steps 3 to 7.
    #[test]
    fn the_volatility_of_the_papers_example() {
        let rating = PairingRating {
            elo: 1500.0,
            deviation: 200.0,
            volatility: 0.06,
        };
        // v = 1.7785 and Δ = −0.4834, from the paper.
        let volatility = rating.next_volatility(1.1513, 1.7785, -0.4834);
        assert!((volatility - 0.05999).abs() < 1e-5, "{volatility}");
    }

    #[test]
    fn a_win_against_an_equal_moves_by_half_the_variance() {
        let rating = PairingRating::new(0.0);
        let equal = PairingRating::frozen(0.0);
        let won = rating.after(equal, MatchPoints::Won);
        // φ = 2.0148, v = 4: φ'² = 1 / (1 / (φ² + σ²) + 1/4) = 2.0160; μ' = φ'² / 2.
        assert!((won.elo - 175.1).abs() < 0.2, "{won:?}");
        assert!((won.deviation - 246.7).abs() < 0.2, "{won:?}");
        let lost = rating.after(equal, MatchPoints::Lost);
        assert!((won.elo + lost.elo).abs() < 1e-9);
        assert!(rating.after(equal, MatchPoints::Drawn).elo.abs() < 1e-9);
    }
}
