use super::matrix::Matrix;
use super::ratings::Rating;
use super::sample::as_number;
use super::{ELO_PER_LOGIT, FEW_UNITS, score_of_elo};

/// Most bots of an [`anchored_fit`]: time grows with the cube of their number.
pub const MAX_ANCHORED: usize = 1024;

/// Virtual drawn matches of each bot that is not frozen, two encounters: against the build before it, or else spread
/// over its opponents. Ratings of bots that are paired by what is known of them are biased outwards; in simulations
/// this much takes most of it away.
const VIRTUAL_DRAWS: f64 = 4.0;
/// Precision, in units in which the odds grow by e, with which every rating is held near the centre of the scale. So
/// weak that it counts for bots alone that are not connected with the others: its standard deviation is 2,456 Elo.
const LEASH: f64 = 0.005;
/// Most steps of Newton's method; about eight are typical.
const MAX_STEPS: u32 = 200;
/// Longest step of a rating, in the same units: 350 Elo.
const MAX_STEP: f64 = 2.0;
/// The fit has converged when no rating changes by more than this, in the same units.
const CLOSE: f64 = 1e-10;

/// The constraint on the rating of a bot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchoring {
    /// It has this rating in Elo, whatever the results.
    Frozen(f64),
    /// It starts at the rating of another bot, of this index: a new build after an old one.
    After(usize),
    /// It starts nowhere in particular.
    Free,
}

/// The encounters of two bots by their outcomes, in half points of the first bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncounterCounts {
    /// Encounters of two matches, with 0 to 4 half points.
    pub whole: [u64; 5],
    /// Encounters of which one match counts, with 0 to 2 half points.
    pub half: [u64; 3],
}

impl EncounterCounts {
    /// The number of matches.
    #[must_use]
    pub fn matches(&self) -> u64 {
        2 * self.whole.iter().sum::<u64>() + self.half.iter().sum::<u64>()
    }

    /// The half points of the first bot.
    #[must_use]
    pub fn half_points(&self) -> u64 {
        let sum = |counts: &[u64]| (0..).zip(counts).map(|(each, count)| each * count).sum();
        let [whole, half]: [u64; 2] = [sum(&self.whole), sum(&self.half)];
        whole + half
    }

    /// The encounters.
    fn units(&self) -> u64 {
        self.whole.iter().chain(&self.half).sum()
    }

    /// The sum of the squared residuals of the encounters if the first bot expects `expected` points of a match.
    fn scatter(&self, expected: f64) -> f64 {
        let of = |counts: &[u64], matches: f64| -> f64 {
            let cells = (0_u32..).zip(counts);
            let square = |(halves, count): (u32, &u64)| {
                let residual = f64::from(halves) / 2.0 - matches * expected;
                as_number(*count) * residual * residual
            };
            cells.map(square).sum()
        };
        of(&self.whole, 2.0) + of(&self.half, 1.0)
    }
}

/// Fits the ratings of bots jointly to all their encounters, each given once by the indices of its two bots.
///
/// The model is that of [`fit`](super::fit), without an advantage of the first seat. Ratings that are frozen do not
/// move; without any the ratings sum to 0. Every other bot has four virtual draws, so that each has a finite rating:
/// a new build against the build before it, another against its opponents. Groups of bots that never met are rated
/// around the centre of the scale, with errors of thousands of Elo.
///
/// The errors are a sandwich estimate clustered by encounter, and for bots of fewer than [`FEW_UNITS`] encounters
/// not less than by the inverse information. Time grows with the cube of the number of bots, not with the number of
/// encounters.
///
/// # Panics
///
/// If an index is not one of `bots`, or there are more than [`MAX_ANCHORED`].
#[must_use]
pub fn anchored_fit(
    bots: &[Anchoring],
    encounters: &[((usize, usize), EncounterCounts)],
) -> Vec<Rating> {
    assert!(bots.len() <= MAX_ANCHORED, "more bots than can be rated");
    let edges = edges(bots, encounters);
    let model = AnchoredModel {
        bots,
        centre: centre(bots),
    };
    let parameters = model.most_likely(&edges);
    let information = model.information(&edges, &parameters);
    let inverse = information.cholesky().map(|triangle| triangle.inverse());
    let inverse = inverse.expect("the leash makes it positive definite");
    let mut units = vec![0; bots.len()];
    for ((one, other), counts) in encounters {
        units[*one] += counts.units();
        units[*other] += counts.units();
    }
    let scatter = |edge: &Edge| {
        let expected = expected(&parameters, edge);
        let of_virtual = edge.virtual_draws * expected * (1.0 - expected);
        edge.counts.scatter(expected) + of_virtual
    };
    let scatters: Vec<f64> = edges.iter().map(scatter).collect();
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
        let at = |other: usize| match bots[other] {
            Anchoring::Frozen(_) => 0.0,
            Anchoring::After(_) | Anchoring::Free => inverse.at(bot, other) - of_sum,
        };
        let parts = edges.iter().zip(&scatters).map(|(edge, scatter)| {
            let difference = at(edge.one) - at(edge.other);
            scatter * difference * difference
        });
        let sandwich: f64 = parts.sum();
        let fisher = (inverse.at(bot, bot) - of_sum).max(0.0);
        let leashed: f64 = (0..bots.len())
            .map(|other| LEASH * at(other) * at(other))
            .sum();
        let variance = if units[bot] < FEW_UNITS {
            sandwich.max(fisher)
        } else {
            sandwich + leashed
        };
        Rating {
            elo: ELO_PER_LOGIT * parameters[bot],
            standard_error: ELO_PER_LOGIT * variance.sqrt(),
        }
    };
    (0..bots.len()).map(rating).collect()
}

/// All matches of two bots, with virtual draws.
struct Edge {
    one: usize,
    other: usize,
    matches: f64,
    score: f64,
    virtual_draws: f64,
    counts: EncounterCounts,
}

fn edges(bots: &[Anchoring], encounters: &[((usize, usize), EncounterCounts)]) -> Vec<Edge> {
    let mut played = vec![0.0; bots.len()];
    for ((one, other), counts) in encounters {
        let matches = as_number(counts.matches());
        played[*one] += matches;
        played[*other] += matches;
    }
    let share = |bot: usize, matches: f64| match bots[bot] {
        Anchoring::Free if played[bot] > 0.0 => VIRTUAL_DRAWS * matches / played[bot],
        Anchoring::Free | Anchoring::Frozen(_) | Anchoring::After(_) => 0.0,
    };
    let met = encounters.iter().map(|((one, other), counts)| {
        let matches = as_number(counts.matches());
        let virtual_draws = share(*one, matches) + share(*other, matches);
        Edge {
            one: *one,
            other: *other,
            matches: matches + virtual_draws,
            score: as_number(counts.half_points()) / 2.0 + virtual_draws / 2.0,
            virtual_draws,
            counts: *counts,
        }
    });
    let builds = (0..).zip(bots).filter_map(|(one, bot)| match bot {
        Anchoring::After(other) => Some(Edge {
            one,
            other: *other,
            matches: VIRTUAL_DRAWS,
            score: VIRTUAL_DRAWS / 2.0,
            virtual_draws: VIRTUAL_DRAWS,
            counts: EncounterCounts::default(),
        }),
        Anchoring::Frozen(_) | Anchoring::Free => None,
    });
    met.chain(builds).collect()
}

/// The mean of the frozen ratings, in units in which the odds grow by e; 0 without any.
fn centre(bots: &[Anchoring]) -> f64 {
    let frozen = bots.iter().filter_map(|bot| match bot {
        Anchoring::Frozen(elo) => Some(elo / ELO_PER_LOGIT),
        Anchoring::After(_) | Anchoring::Free => None,
    });
    let frozen: Vec<f64> = frozen.collect();
    if frozen.is_empty() {
        0.0
    } else {
        frozen.iter().sum::<f64>() / as_number(frozen.len() as u64)
    }
}

struct AnchoredModel<'a> {
    bots: &'a [Anchoring],
    centre: f64,
}

impl AnchoredModel<'_> {
    fn is_frozen(&self, bot: usize) -> bool {
        matches!(self.bots[bot], Anchoring::Frozen(_))
    }

    fn has_frozen(&self) -> bool {
        (0..self.bots.len()).any(|bot| self.is_frozen(bot))
    }

    /// The parameters by Newton's method. The likelihood is strictly concave, so that there is one maximum.
    fn most_likely(&self, edges: &[Edge]) -> Vec<f64> {
        let start = self.bots.iter().map(|bot| match bot {
            Anchoring::Frozen(elo) => elo / ELO_PER_LOGIT,
            Anchoring::After(_) | Anchoring::Free => self.centre,
        });
        let mut parameters: Vec<f64> = start.collect();
        for _ in 0..MAX_STEPS {
            let triangle = self.information(edges, &parameters).cholesky();
            let triangle = triangle.expect("the leash makes it positive definite");
            let step = triangle.solve(&self.slope(edges, &parameters));
            let size = step.iter().fold(0.0_f64, |size, part| size.max(part.abs()));
            let scale = (MAX_STEP / size).min(1.0);
            for (parameter, part) in parameters.iter_mut().zip(&step) {
                *parameter += scale * part;
            }
            if size < CLOSE {
                break;
            }
        }
        parameters
    }

    fn slope(&self, edges: &[Edge], parameters: &[f64]) -> Vec<f64> {
        let leash = parameters.iter().map(|at| LEASH * (self.centre - at));
        let mut slope: Vec<f64> = leash.collect();
        for edge in edges {
            let residual = edge.score - edge.matches * expected(parameters, edge);
            slope[edge.one] += residual;
            slope[edge.other] -= residual;
        }
        for (bot, part) in slope.iter_mut().enumerate() {
            if self.is_frozen(bot) {
                *part = 0.0;
            }
        }
        slope
    }

    /// The negative second derivatives of the likelihood; of a frozen rating, 1 with itself and 0 with the others.
    fn information(&self, edges: &[Edge], parameters: &[f64]) -> Matrix {
        let mut information = Matrix::zero(self.bots.len());
        for edge in edges {
            let expected = expected(parameters, edge);
            let weight = edge.matches * expected * (1.0 - expected);
            let direction = [(edge.one, 1.0), (edge.other, -1.0)];
            let free = direction.iter().filter(|(bot, _)| !self.is_frozen(*bot));
            let free: Vec<(usize, f64)> = free.copied().collect();
            information.add_square(&free, weight);
        }
        for bot in 0..self.bots.len() {
            let own = if self.is_frozen(bot) { 1.0 } else { LEASH };
            information.add(bot, bot, own);
        }
        information
    }
}

fn expected(parameters: &[f64], edge: &Edge) -> f64 {
    score_of_elo(ELO_PER_LOGIT * (parameters[edge.one] - parameters[edge.other]))
}
