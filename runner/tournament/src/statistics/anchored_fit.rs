use super::anchored_model::{AnchoredModel, Anchoring, Edge, LEASH};
use super::encounter_counts::EncounterCounts;
use super::matrix::Matrix;
use super::ratings::Rating;
use super::sample::as_number;
use super::{ELO_PER_LOGIT, FEW_UNITS};

/// The rows that are added at once: so each sum is loaded and stored once for several squares.
const LANES: usize = 4;

/// Fits the ratings of bots jointly to all their encounters, each given once by the indices of its two bots.
///
/// The model is that of [`fit`](super::fit), without an advantage of the first seat. Ratings that are frozen do not
/// move; without any the ratings sum to 0. Every other bot has four virtual draws, so that each has a finite rating:
/// a new build against the build before it, another against its opponents. Groups of bots that never met are rated
/// around the centre of the scale, with errors of thousands of Elo.
///
/// The errors are a sandwich estimate clustered by encounter, and for bots of fewer than [`FEW_UNITS`] encounters
/// not less than by the inverse information. They take time that grows with the cube of the number of bots; see
/// [`anchored_ratings`] for the ratings alone. The number of encounters does not matter.
///
/// # Panics
///
/// If an index is not one of `bots`, or there are more than [`MAX_ANCHORED`](super::MAX_ANCHORED).
#[must_use]
pub fn anchored_fit(
    bots: &[Anchoring],
    encounters: &[((usize, usize), EncounterCounts)],
) -> Vec<Rating> {
    let model = AnchoredModel::new(bots, encounters);
    let parameters = model.most_likely();
    let inverse = model.information(&parameters).into_inverse();
    let inverse = inverse.expect("the leash makes it positive definite");
    let sandwich = sandwich(&model, &parameters, &inverse);
    let mut units = vec![0; bots.len()];
    for ((one, other), counts) in encounters {
        units[*one] += counts.units();
        units[*other] += counts.units();
    }
    // Without a frozen rating the leash alone holds the sum, which is 0 by definition.
    let of_sum = if model.has_frozen() {
        0.0
    } else {
        1.0 / (LEASH * as_number(bots.len() as u64))
    };
    let rating = |bot: usize| {
        if let Anchoring::Frozen(elo) = bots[bot] {
            return Rating {
                elo,
                standard_error: 0.0,
            };
        }
        let fisher = (inverse.at(bot, bot) - of_sum).max(0.0);
        let square = |at: &f64| (at - of_sum) * (at - of_sum);
        let squares: f64 = inverse.row(bot).iter().map(square).sum();
        let variance = if units[bot] < FEW_UNITS {
            sandwich[bot].max(fisher)
        } else {
            sandwich[bot] + LEASH * squares
        };
        Rating {
            elo: ELO_PER_LOGIT * parameters[bot],
            standard_error: ELO_PER_LOGIT * variance.sqrt(),
        }
    };
    (0..bots.len()).map(rating).collect()
}

/// The ratings of [`anchored_fit`] in Elo, without errors: to the last digit the same, and much faster. Time grows
/// with the number of pairs that met.
///
/// # Panics
///
/// As for [`anchored_fit`].
#[must_use]
pub fn anchored_ratings(
    bots: &[Anchoring],
    encounters: &[((usize, usize), EncounterCounts)],
) -> Vec<f64> {
    let parameters = AnchoredModel::new(bots, encounters).most_likely();
    let elo = |(bot, parameter): (&Anchoring, f64)| match bot {
        Anchoring::Frozen(elo) => *elo,
        Anchoring::After(_) | Anchoring::Free => ELO_PER_LOGIT * parameter,
    };
    bots.iter().zip(parameters).map(elo).collect()
}

/// The variances of the ratings if the encounters scatter as they did.
fn sandwich(model: &AnchoredModel<'_>, parameters: &[f64], inverse: &Matrix) -> Vec<f64> {
    let scatter = |edge: &Edge| {
        let expected = edge.expected(parameters);
        let of_virtual = edge.virtual_draws * expected * (1.0 - expected);
        edge.counts.scatter(expected) + of_virtual
    };
    let mut variances = vec![0.0; parameters.len()];
    for edges in model.edges.chunk_by(|edge, next| edge.one == next.one) {
        // In the row of a frozen rating, all that is not 0 is its own variance, which is not used.
        let row = inverse.row(edges[0].one);
        for some in edges.chunks(LANES) {
            let lane = |at: usize| {
                let edge = some.get(at);
                edge.map_or((0.0, row), |edge| (scatter(edge), inverse.row(edge.other)))
            };
            add_squares(&mut variances, row, [0, 1, 2, 3].map(lane));
        }
    }
    variances
}

/// Adds the squared differences of a row from others, each times its factor.
fn add_squares(sums: &mut [f64], row: &[f64], others: [(f64, &[f64]); LANES]) {
    let [(a, first), (b, second), (c, third), (d, fourth)] = others;
    let others = first.iter().zip(second).zip(third).zip(fourth);
    for ((sum, at), (((one, two), three), four)) in sums.iter_mut().zip(row).zip(others) {
        let [one, two, three, four] = [at - one, at - two, at - three, at - four];
        *sum += a * one * one + b * two * two + c * three * three + d * four * four;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Met = ((usize, usize), EncounterCounts);

    /// Bots of all kinds with results at random, among them one that won all, one that met nobody, and two that only
    /// met each other thousands of times.
    fn results() -> (Vec<Anchoring>, Vec<Met>) {
        const BOTS: usize = 60;
        let mut bots = vec![Anchoring::Free; BOTS];
        (bots[0], bots[7]) = (Anchoring::Frozen(0.0), Anchoring::Frozen(-300.0));
        (bots[20], bots[21]) = (Anchoring::After(3), Anchoring::After(20));
        let mut lot = 5_u64;
        let mut below = |end: u64| {
            lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (lot >> 33) % end
        };
        let mut encounters = Vec::new();
        for one in 0..BOTS - 4 {
            for other in (one + 1..BOTS - 4).step_by(7) {
                let mut counts = EncounterCounts::default();
                for count in counts.whole.iter_mut().chain(&mut counts.half) {
                    *count = below(4);
                }
                encounters.push(((one, other), counts));
            }
        }
        let all_won = EncounterCounts {
            whole: [0, 0, 0, 0, 40],
            half: [0; 3],
        };
        let apart = EncounterCounts {
            whole: [1000, 500, 300, 3000, 9000],
            half: [0; 3],
        };
        encounters.push(((5, BOTS - 4), all_won));
        encounters.push(((BOTS - 3, BOTS - 2), apart));
        (bots, encounters)
    }

    /// Newton's method and the errors as they stand in a textbook, with the dense triangle of the information.
    #[test]
    fn the_fit_is_the_dense_solution() {
        let (bots, encounters) = results();
        let model = AnchoredModel::new(&bots, &encounters);
        let parameters = model.most_likely();
        let triangle = model.information(&parameters).cholesky().unwrap();
        let left = triangle.solve(&model.slope(&parameters, &model.expectations(&parameters)));
        assert!(left.iter().all(|part| part.abs() < 1e-9), "{left:?}");
        let inverse = triangle.inverse();
        let mut scatter = Matrix::zero(bots.len());
        for edge in &model.edges {
            let expected = edge.expected(&parameters);
            let of_virtual = edge.virtual_draws * expected * (1.0 - expected);
            let weight = edge.counts.scatter(expected) + of_virtual;
            scatter.add_square(&[(edge.one, 1.0), (edge.other, -1.0)], weight);
        }
        for bot in 0..bots.len() {
            scatter.add(bot, bot, LEASH);
        }
        let sandwich = inverse.times(&scatter).times(&inverse);
        let ratings = anchored_fit(&bots, &encounters);
        for (bot, rating) in ratings.iter().enumerate() {
            let is_frozen = matches!(bots[bot], Anchoring::Frozen(_));
            let met = encounters
                .iter()
                .filter(|((one, other), _)| [*one, *other].contains(&bot));
            let units: u64 = met.map(|(_, counts)| counts.units()).sum();
            let variance = if is_frozen {
                0.0
            } else if units < FEW_UNITS {
                // The leash scatters as it informs.
                let leash: f64 = inverse.row(bot).iter().map(|at| LEASH * at * at).sum();
                (sandwich.at(bot, bot) - leash).max(inverse.at(bot, bot))
            } else {
                sandwich.at(bot, bot)
            };
            let expected = ELO_PER_LOGIT * variance.sqrt();
            let off = (rating.standard_error - expected).abs();
            assert!(
                off < 1e-6 * (1.0 + expected),
                "{bot}: {rating:?}, not {expected}"
            );
        }
        let ratings: Vec<f64> = ratings.iter().map(|rating| rating.elo).collect();
        assert_eq!(ratings, anchored_ratings(&bots, &encounters));
    }
}
