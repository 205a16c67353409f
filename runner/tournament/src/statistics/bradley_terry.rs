use std::collections::BTreeMap;

use super::connection::Connection;
use super::duplicates::Duplicates;
use super::matrix::{Matrix, Triangle};
use super::ratings::{Ratings, Spread};
use super::sample::as_number;
use super::{FEW_UNITS, PlayedMatch};

/// Most bots rated together: time grows with the cube of their number.
pub const MAX_RATED: usize = 256;

/// Most steps of Newton's method; about ten are typical.
const MAX_STEPS: u32 = 100;
/// Most halvings of a step that overshot.
const MAX_HALVINGS: u32 = 40;
/// The fit has converged when no rating changes by more than this, in units of Elo/173.7.
const CLOSE: f64 = 1e-12;
/// Differences beyond this, in the same units, mean that there is no finite fit: 5200 Elo.
const MAX_DIFFERENCE: f64 = 30.0;

/// The treatment of the first seat's advantage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSeat {
    /// No advantage: right when every encounter swaps the seats.
    Ignored,
    /// The advantage in Elo is fitted with the ratings.
    Fitted,
}

/// The reason why matches give no ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFit {
    /// There are too many bots.
    #[error("at most {MAX_RATED} bots can be rated together, not {0}")]
    TooManyBots(usize),
    /// A match of an unknown bot, or of a bot against itself.
    #[error("a match between bots {first} and {second}, of {bots} bots")]
    NoSuchPairing {
        /// The bot in the first seat, from 0.
        first: usize,
        /// The bot in the second seat, from 0.
        second: usize,
        /// The number of bots.
        bots: usize,
    },
    /// No match counts yet.
    #[error("no match that counts has been played")]
    NoMatches,
    /// Some bots never met, not even through others.
    #[error("the bots form {groups} groups that never met and cannot be compared")]
    Disconnected {
        /// The number of groups.
        groups: usize,
    },
    /// The results are numerically too extreme.
    #[error("the results are too extreme for ratings")]
    NoConvergence,
}

/// All matches of two bots in these seats.
#[derive(Clone, Copy, Debug)]
struct Cell {
    first: usize,
    second: usize,
    matches: f64,
    score: f64,
    /// Sum over the matches of the number of times each was played: their number if there are no
    /// duplicates.
    copies: f64,
}

/// Fits the ratings of `bots` bots jointly to all their matches.
///
/// The expected score of a match is 1/(1 + 10^(−(difference + first seat)/400)) (Bradley and Terry,
/// 1952), with a draw as half a win. The ratings, which sum to 0, maximise the likelihood: each
/// bot's expected score equals its actual score. The errors are a sandwich estimate clustered by
/// encounter (White, 1982; Liang and Zeger, 1986).
///
/// If there is no finite fit, because some bots took nothing from the others or, with the first seat
/// fitted, because one seat always won, one virtual draw is added for every bot, spread over its
/// opponents in proportion to its matches and over both seats, and [`Ratings::has_prior`] is true.
/// In a round robin each bot has two, with those of its opponents.
///
/// Duplicates, matches of the same bots in the same seats with the same moves, carry no
/// information: for the errors they count as one match with a weight, and encounters that share a
/// match count as one. The fit follows those that are heavy, which leaves no scatter: where fewer than
/// [`FEW_UNITS`] of them would make up the variance of a difference, they are not taken to scatter less
/// than independent matches.
///
/// # Errors
///
/// There are no matches, too many bots, or bots that cannot be compared.
pub fn fit(
    bots: usize,
    matches: &[PlayedMatch],
    first_seat: FirstSeat,
) -> Result<Ratings, InvalidFit> {
    let duplicates = Duplicates::new(matches);
    let cells = cells(bots, matches, &duplicates)?;
    let mut connection = Connection::new(bots);
    for cell in &cells {
        if cell.score > 0.0 {
            connection.took(cell.first, cell.second);
        }
        if cell.score < cell.matches {
            connection.took(cell.second, cell.first);
        }
    }
    let groups = connection.groups();
    if groups != 1 {
        return Err(InvalidFit::Disconnected { groups });
    }
    let model = Model { bots, first_seat };
    let plain = if connection.is_balanced() {
        model.most_likely(&cells)?
    } else {
        None
    };
    let prior = plain.is_none();
    let with_prior: Vec<Cell>;
    let (cells, parameters) = if let Some(parameters) = plain {
        (&cells, parameters)
    } else {
        with_prior = [&cells[..], &virtual_draws(bots, &cells)].concat();
        let parameters = model.most_likely(&with_prior)?;
        (&with_prior, parameters.ok_or(InvalidFit::NoConvergence)?)
    };
    model
        .ratings(cells, matches, &duplicates, parameters, prior)
        .ok_or(InvalidFit::NoConvergence)
}

/// Groups the matches by bots and seats.
fn cells(
    bots: usize,
    matches: &[PlayedMatch],
    duplicates: &Duplicates,
) -> Result<Vec<Cell>, InvalidFit> {
    if bots > MAX_RATED {
        return Err(InvalidFit::TooManyBots(bots));
    }
    let mut cells: BTreeMap<(usize, usize), Cell> = BTreeMap::new();
    for (played, copies) in matches.iter().zip(duplicates.copies()) {
        let PlayedMatch { first, second, .. } = *played;
        if first.max(second) >= bots || first == second {
            return Err(InvalidFit::NoSuchPairing {
                first,
                second,
                bots,
            });
        }
        let cell = cells.entry((first, second)).or_insert(Cell {
            first,
            second,
            matches: 0.0,
            score: 0.0,
            copies: 0.0,
        });
        cell.copies += as_number(*copies);
        cell.matches += 1.0;
        cell.score += played.first_score.points();
    }
    if cells.is_empty() {
        return Err(InvalidFit::NoMatches);
    }
    Ok(cells.into_values().collect())
}

/// One virtual draw for each bot, spread over its pairings. A pairing has its shares of both bots'
/// draws, half in each order of the seats.
fn virtual_draws(bots: usize, cells: &[Cell]) -> Vec<Cell> {
    let mut played = vec![0.0; bots];
    for cell in cells {
        played[cell.first] += cell.matches;
        played[cell.second] += cell.matches;
    }
    let of_seats = |first: usize, second: usize, matches: f64| Cell {
        first,
        second,
        matches,
        score: matches / 2.0,
        copies: matches,
    };
    let draws = cells.iter().flat_map(|cell| {
        let share = cell.matches / played[cell.first] + cell.matches / played[cell.second];
        [
            of_seats(cell.first, cell.second, share / 2.0),
            of_seats(cell.second, cell.first, share / 2.0),
        ]
    });
    draws.collect()
}

/// The parameters: one rating per bot and optionally the advantage of the first seat, in units in
/// which the odds grow by e.
#[derive(Clone, Copy, Debug)]
struct Model {
    bots: usize,
    first_seat: FirstSeat,
}

/// Returns the gradient contribution of a cell as indices and values.
type Direction = Vec<(usize, f64)>;

impl Model {
    const fn size(self) -> usize {
        match self.first_seat {
            FirstSeat::Ignored => self.bots,
            FirstSeat::Fitted => self.bots + 1,
        }
    }

    fn direction(self, first: usize, second: usize) -> Direction {
        let mut direction = vec![(first, 1.0), (second, -1.0)];
        if self.first_seat == FirstSeat::Fitted {
            direction.push((self.bots, 1.0));
        }
        direction
    }

    /// Returns the maximum-likelihood parameters by Newton's method; `None` if they are not finite.
    ///
    /// # Errors
    ///
    /// They are finite or not, but were not found.
    fn most_likely(self, cells: &[Cell]) -> Result<Option<Vec<f64>>, InvalidFit> {
        let mut parameters = vec![0.0; self.size()];
        let mut likelihood = self.log_likelihood(cells, &parameters);
        for _ in 0..MAX_STEPS {
            let Some((information, _)) = self.information(cells, &parameters) else {
                return Ok(None);
            };
            let step = information.solve(&self.slope(cells, &parameters));
            let size = step.iter().fold(0.0_f64, |size, part| size.max(part.abs()));
            if size < CLOSE {
                return Ok(Some(parameters));
            }
            let mut scale = 1.0;
            for _ in 0..MAX_HALVINGS {
                let moved = parameters.iter().zip(&step);
                let next: Vec<f64> = moved.map(|(from, by)| from + scale * by).collect();
                let reached = self.log_likelihood(cells, &next);
                if reached >= likelihood || size < 1e-6 {
                    (parameters, likelihood) = (next, reached);
                    break;
                }
                scale /= 2.0;
            }
            let widest = cells.iter().map(|cell| self.difference(cell, &parameters));
            if widest.fold(0.0_f64, |most, each| most.max(each.abs())) > MAX_DIFFERENCE {
                return Ok(None);
            }
        }
        Err(InvalidFit::NoConvergence)
    }

    fn difference(self, cell: &Cell, parameters: &[f64]) -> f64 {
        let direction = self.direction(cell.first, cell.second);
        let parts = direction
            .iter()
            .map(|(place, sign)| sign * parameters[*place]);
        parts.sum()
    }

    fn log_likelihood(self, cells: &[Cell], parameters: &[f64]) -> f64 {
        let of_cell = |cell: &Cell| {
            let difference = self.difference(cell, parameters);
            -cell.score * (-difference).exp().ln_1p()
                - (cell.matches - cell.score) * difference.exp().ln_1p()
        };
        cells.iter().map(of_cell).sum()
    }

    fn slope(self, cells: &[Cell], parameters: &[f64]) -> Vec<f64> {
        let mut slope = vec![0.0; self.size()];
        for cell in cells {
            let difference = self.difference(cell, parameters);
            // The score minus what was expected, without cancellation where few points were taken.
            let surplus = cell.score * expected_score(-difference)
                - (cell.matches - cell.score) * expected_score(difference);
            for (place, sign) in self.direction(cell.first, cell.second) {
                slope[place] += sign * surplus;
            }
        }
        slope
    }

    /// Returns the Cholesky factor of the information (the negative second derivatives of the
    /// likelihood), regularised in the direction of the sum of the ratings, which the matches do
    /// not determine, and the amount added. `None` if the matches do not determine the rest either.
    fn information(self, cells: &[Cell], parameters: &[f64]) -> Option<(Triangle, f64)> {
        let mut information = Matrix::zero(self.size());
        let mut all = 0.0;
        for cell in cells {
            let expected = expected_score(self.difference(cell, parameters));
            let weight = cell.matches * expected * (1.0 - expected);
            information.add_square(&self.direction(cell.first, cell.second), weight);
            all += weight;
        }
        let count = as_number(self.bots as u64);
        let added = all / (count * count);
        for row in 0..self.bots {
            for column in 0..self.bots {
                information.add(row, column, added);
            }
        }
        Some((information.cholesky()?, added * count * count))
    }

    fn ratings(
        self,
        cells: &[Cell],
        matches: &[PlayedMatch],
        duplicates: &Duplicates,
        parameters: Vec<f64>,
        prior: bool,
    ) -> Option<Ratings> {
        let (triangle, added) = self.information(cells, &parameters)?;
        let mut fisher = triangle.inverse();
        // Removes the regularisation of the sum again.
        for row in 0..self.bots {
            for column in 0..self.bots {
                fisher.add(row, column, -1.0 / added);
            }
        }
        let covariances = |of: &Matrix| fisher.times(of).times(&fisher);
        let independent = match self.repeated(cells, &parameters) {
            Some(repeated) => covariances(&repeated),
            None => fisher.clone(),
        };
        let scatter = self.scatter(matches, duplicates, &parameters, [&fisher, &independent]);
        let doubtful = scatter.encounters.iter();
        let doubtful = doubtful.map(|count| prior || *count < FEW_UNITS).collect();
        let spread = Spread {
            sandwich: covariances(&scatter.seen),
            guarded: covariances(&scatter.guarded),
            fisher: independent,
            doubtful,
        };
        Some(Ratings::new(self.bots, parameters, spread, prior))
    }

    /// Returns the scatter of the gradient if matches were independent except for duplicates, which
    /// count as one weighted match. `None` without duplicates, when it equals the information.
    fn repeated(self, cells: &[Cell], parameters: &[f64]) -> Option<Matrix> {
        if cells.iter().all(|cell| cell.copies <= cell.matches) {
            return None;
        }
        let mut repeated = Matrix::zero(self.size());
        for cell in cells {
            let expected = expected_score(self.difference(cell, parameters));
            let weight = cell.copies * expected * (1.0 - expected);
            repeated.add_square(&self.direction(cell.first, cell.second), weight);
        }
        Some(repeated)
    }

    /// Returns the scatter of the gradient, given the inverse of the information and the covariances of
    /// the parameters if matches were independent except for duplicates.
    fn scatter(
        self,
        matches: &[PlayedMatch],
        duplicates: &Duplicates,
        parameters: &[f64],
        [fisher, independent]: [&Matrix; 2],
    ) -> Scatter {
        let numbered = (0..).zip(duplicates.clusters().iter().copied());
        let mut ordered: Vec<(usize, u64)> = numbered.collect();
        ordered.sort_by_key(|(_, cluster)| *cluster);
        let mut scatter = Scatter {
            seen: Matrix::zero(self.size()),
            guarded: Matrix::zero(self.size()),
            encounters: vec![0; self.bots],
        };
        for cluster in ordered.chunk_by(|a, b| a.1 == b.1) {
            let mut slope: BTreeMap<usize, f64> = BTreeMap::new();
            let mut weights: BTreeMap<[usize; 2], f64> = BTreeMap::new();
            let mut repeats = false;
            for (place, _) in cluster {
                let (played, copies) = (&matches[*place], duplicates.copies()[*place]);
                let direction = self.direction(played.first, played.second);
                let parts = direction
                    .iter()
                    .map(|(place, sign)| sign * parameters[*place]);
                let expected = expected_score(parts.sum());
                let residual = played.first_score.points() - expected;
                for (place, sign) in &direction {
                    *slope.entry(*place).or_default() += sign * residual;
                }
                repeats |= copies > 1;
                *weights.entry([played.first, played.second]).or_default() +=
                    as_number(copies) * expected * (1.0 - expected);
            }
            for bot in slope.keys().filter(|place| **place < self.bots) {
                scatter.encounters[*bot] += 1;
            }
            let slope: Direction = slope.into_iter().collect();
            scatter.seen.add_square(&slope, 1.0);
            let share = |([first, second], weight): (&[usize; 2], &f64)| {
                let direction = self.direction(*first, *second);
                weight * fisher.form(&direction).powi(2) / independent.form(&direction)
            };
            if repeats && weights.iter().map(share).sum::<f64>() * as_number(FEW_UNITS) > 1.0 {
                for ([first, second], weight) in weights {
                    let direction = self.direction(first, second);
                    scatter.guarded.add_square(&direction, weight);
                }
            } else {
                scatter.guarded.add_square(&slope, 1.0);
            }
        }
        scatter
    }
}

/// The scatter of the gradient. Duplicate encounters count as one.
struct Scatter {
    /// The sum over encounters of the products of their gradients.
    seen: Matrix,
    /// The same, but duplicates that have too large a share in the variance of a difference scatter like
    /// independent matches.
    guarded: Matrix,
    /// The encounters of each bot.
    encounters: Vec<u64>,
}

fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}
