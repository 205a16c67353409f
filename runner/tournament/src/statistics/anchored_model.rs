use super::encounter_counts::EncounterCounts;
use super::matrix::Matrix;
use super::sample::as_number;
use super::{ELO_PER_LOGIT, score_of_elo};

/// Most bots of an [`anchored_fit`](super::anchored_fit): time grows with the cube of their number.
pub const MAX_ANCHORED: usize = 1024;

/// Virtual drawn matches of each bot that is not frozen, two encounters: against the build before it, or else spread
/// over its opponents. Ratings of bots that are paired by what is known of them are biased outwards; in simulations
/// this much takes most of it away.
const VIRTUAL_DRAWS: f64 = 4.0;
/// Precision, in units in which the odds grow by e, with which every rating is held near the centre of the scale. So
/// weak that it counts for bots alone that are not connected with the others: its standard deviation is 2,456 Elo.
pub(super) const LEASH: f64 = 0.005;
/// Most steps of Newton's method; about eight are typical.
const MAX_STEPS: u32 = 200;
/// Longest step of a rating, in the same units: 350 Elo.
const MAX_STEP: f64 = 2.0;
/// The fit has converged when no rating changes by more than this, in the same units.
const CLOSE: f64 = 1e-10;
/// The equations of a step are solved until the residual has shrunk by this factor, squared.
const SOLVED: f64 = 1e-16;
/// Most iterations for that, for each bot; a few dozen in all are typical.
const MAX_ITERATIONS: usize = 4;

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

/// All matches of two bots, with virtual draws.
pub(super) struct Edge {
    pub(super) one: usize,
    pub(super) other: usize,
    matches: f64,
    score: f64,
    pub(super) virtual_draws: f64,
    pub(super) counts: EncounterCounts,
}

impl Edge {
    /// The points that the first bot expects of a match.
    pub(super) fn expected(&self, parameters: &[f64]) -> f64 {
        score_of_elo(ELO_PER_LOGIT * (parameters[self.one] - parameters[self.other]))
    }

    /// The information of the matches on the difference of the two ratings, if the first bot expects `expected`.
    fn weight(&self, expected: f64) -> f64 {
        self.matches * expected * (1.0 - expected)
    }
}

/// The likelihood of the results of bots, some of which have frozen ratings.
pub(super) struct AnchoredModel<'a> {
    bots: &'a [Anchoring],
    pub(super) edges: Vec<Edge>,
    centre: f64,
}

impl<'a> AnchoredModel<'a> {
    /// Panics as [`anchored_fit`](super::anchored_fit) does.
    pub(super) fn new(
        bots: &'a [Anchoring],
        encounters: &[((usize, usize), EncounterCounts)],
    ) -> Self {
        assert!(bots.len() <= MAX_ANCHORED, "more bots than can be rated");
        Self {
            bots,
            edges: edges(bots, encounters),
            centre: centre(bots),
        }
    }

    fn is_frozen(&self, bot: usize) -> bool {
        matches!(self.bots[bot], Anchoring::Frozen(_))
    }

    pub(super) fn has_frozen(&self) -> bool {
        (0..self.bots.len()).any(|bot| self.is_frozen(bot))
    }

    /// The parameters by Newton's method. The likelihood is strictly concave, so that there is one maximum. The start
    /// is always the same, so that the digits do not depend on what was computed before.
    pub(super) fn most_likely(&self) -> Vec<f64> {
        let start = self.bots.iter().map(|bot| match bot {
            Anchoring::Frozen(elo) => elo / ELO_PER_LOGIT,
            Anchoring::After(_) | Anchoring::Free => self.centre,
        });
        let mut parameters: Vec<f64> = start.collect();
        for _ in 0..MAX_STEPS {
            let step = self.step(&parameters);
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

    /// The step of Newton's method, by conjugate gradients with the diagonal as preconditioner: what is left of the
    /// residual is in the slope of the next step.
    fn step(&self, parameters: &[f64]) -> Vec<f64> {
        let expected = self.expectations(parameters);
        let weights = self
            .edges
            .iter()
            .zip(&expected)
            .map(|(edge, expected)| edge.weight(*expected));
        let weights: Vec<f64> = weights.collect();
        let mut diagonal = vec![LEASH; self.bots.len()];
        for (edge, weight) in self.edges.iter().zip(&weights) {
            diagonal[edge.one] += weight;
            diagonal[edge.other] += weight;
        }
        let mut residual = self.slope(parameters, &expected);
        let mut step = vec![0.0; self.bots.len()];
        let scaled = |residual: &[f64]| -> Vec<f64> {
            residual
                .iter()
                .zip(&diagonal)
                .map(|(part, own)| part / own)
                .collect()
        };
        let mut direction = scaled(&residual);
        let mut square = dot(&residual, &direction);
        let enough = SOLVED * square;
        for _ in 0..MAX_ITERATIONS * self.bots.len() {
            if square <= enough {
                break;
            }
            let image = self.image(&weights, &direction);
            let length = square / dot(&direction, &image);
            for (at, part) in step.iter_mut().enumerate() {
                *part += length * direction[at];
                residual[at] -= length * image[at];
            }
            let next = scaled(&residual);
            let before = std::mem::replace(&mut square, dot(&residual, &next));
            for (part, next) in direction.iter_mut().zip(next) {
                *part = next + square / before * *part;
            }
        }
        step
    }

    /// The points that the first bot of each edge expects of a match.
    pub(super) fn expectations(&self, parameters: &[f64]) -> Vec<f64> {
        let expected = self.edges.iter().map(|edge| edge.expected(parameters));
        expected.collect()
    }

    /// The product of the information, given by the weights of the edges, and a vector that is 0 for frozen ratings.
    fn image(&self, weights: &[f64], vector: &[f64]) -> Vec<f64> {
        let mut image: Vec<f64> = vector.iter().map(|part| LEASH * part).collect();
        for (edge, weight) in self.edges.iter().zip(weights) {
            let part = weight * (vector[edge.one] - vector[edge.other]);
            image[edge.one] += part;
            image[edge.other] -= part;
        }
        self.clear_frozen(&mut image);
        image
    }

    /// The slope of the likelihood, given what the edges expect.
    pub(super) fn slope(&self, parameters: &[f64], expected: &[f64]) -> Vec<f64> {
        let leash = parameters.iter().map(|at| LEASH * (self.centre - at));
        let mut slope: Vec<f64> = leash.collect();
        for (edge, expected) in self.edges.iter().zip(expected) {
            let residual = edge.score - edge.matches * expected;
            slope[edge.one] += residual;
            slope[edge.other] -= residual;
        }
        self.clear_frozen(&mut slope);
        slope
    }

    fn clear_frozen(&self, vector: &mut [f64]) {
        for (part, bot) in vector.iter_mut().zip(self.bots) {
            if let Anchoring::Frozen(_) = bot {
                *part = 0.0;
            }
        }
    }

    /// The negative second derivatives of the likelihood; of a frozen rating, 1 with itself and 0 with the others.
    pub(super) fn information(&self, parameters: &[f64]) -> Matrix {
        let mut information = Matrix::zero(self.bots.len());
        for edge in &self.edges {
            let direction = [(edge.one, 1.0), (edge.other, -1.0)];
            let free = direction.iter().filter(|(bot, _)| !self.is_frozen(*bot));
            let free: Vec<(usize, f64)> = free.copied().collect();
            information.add_square(&free, edge.weight(edge.expected(parameters)));
        }
        for bot in 0..self.bots.len() {
            let own = if self.is_frozen(bot) { 1.0 } else { LEASH };
            information.add(bot, bot, own);
        }
        information
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
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
