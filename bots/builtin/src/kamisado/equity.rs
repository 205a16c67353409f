use std::sync::LazyLock;

use dragontooth_games::Seat;
use dragontooth_games::kamisado::{Colour, Position, Rank};

use super::side::rank;
use crate::search::Value;

/// The chances to win a match between equally strong players, by the score, the towers' ranks and
/// who opens the next game.
///
/// A model: every game to come is won with odds that depend on who opens it and on the current ranks,
/// and it is worth the average points of such games. The opener has
/// the better odds; a sumo is worth a little more than a plain tower, a double less, and a triple,
/// which goes one square at a time, is a burden for the rest of the match. So more points are not
/// always better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equity {
    target: u32,
}

/// The points of the longest match.
const MISSING_MAX: usize = 15;
/// One step multiplies the odds to win a game by this: e to the twentieth part.
const STEP: f64 = 1.051_271_096_376_024;
/// The steps that opening a game is worth. This and the next are a logistic regression of 80,041
/// games in matches to 7 and 15 points that the search played against itself at 1,000 nodes a
/// decision.
const OPENING: i32 = 23;
/// The steps that a tower of each rank is worth.
const RANKS: [i32; 4] = [0, 3, -6, -34];
/// Largest lead in steps; a larger one counts as this.
const STEPS_MAX: i32 = 60;
/// Frequency of each number of points that a game is worth.
const WORTHS: [(usize, f64); 3] = [(1, 0.65), (2, 0.28), (4, 0.07)];

/// The chances of the winner of a game, as parts of [`Value::GAIN_MAX`], by the steps that its
/// towers are worth more than the loser's, from −[`STEPS_MAX`] on, and by the points that the
/// winner and the loser lack. The loser opens.
type Chances = Vec<[[u16; MISSING_MAX + 1]; MISSING_MAX + 1]>;

static CHANCES: LazyLock<Chances> =
    LazyLock::new(|| (-STEPS_MAX..=STEPS_MAX).map(chances_of_winner).collect());

impl Equity {
    /// The chances in a match to `target` points; more than fifteen count as fifteen.
    pub(super) fn new(target: u32) -> Self {
        // Computed now, not during the first decision.
        LazyLock::force(&CHANCES);
        Self { target }
    }

    /// The chance of `winner` to win the match after winning this game with a tower of this rank.
    pub(super) fn after(self, position: &Position, winner: Seat, rank: Rank) -> u16 {
        let (points, steps) = standing(position, winner);
        let (loser_points, loser_steps) = standing(position, winner.other());
        let missing = |points| (self.target.saturating_sub(points) as usize).min(MISSING_MAX);
        let raised = worth(rank.raised()) - worth(rank);
        let steps = (steps + raised - loser_steps).clamp(-STEPS_MAX, STEPS_MAX);
        let chances = &CHANCES[(steps + STEPS_MAX).unsigned_abs() as usize];
        // A game is played, so the loser lacks a point, whatever teeth it had from an opening.
        chances[missing(points + rank.points())][missing(loser_points).max(1)]
    }
}

/// The points of a side, counted by the teeth of its towers, and the steps that its towers are worth.
/// After an opening with teeth these are more points than the score, which a position does not contain.
fn standing(position: &Position, seat: Seat) -> (u32, i32) {
    let ranks = Colour::ALL
        .into_iter()
        .map(|colour| rank(position, seat, colour));
    ranks.fold((0, 0), |(points, steps), rank| {
        (points + rank.points() - 1, steps + worth(rank))
    })
}

fn worth(rank: Rank) -> i32 {
    RANKS[usize::from(rank.teeth())]
}

/// The entries of [`CHANCES`] for a lead in steps.
fn chances_of_winner(steps: i32) -> [[u16; MISSING_MAX + 1]; MISSING_MAX + 1] {
    // By whether the side opens, as is the second index of its chances of a match, after the points
    // that it and its opponent lack.
    let games = [-OPENING, OPENING].map(|opening| chance_of_game(steps + opening));
    let mut chances = [[[0.0; 2]; MISSING_MAX + 1]; MISSING_MAX + 1];
    chances[0] = [[1.0; 2]; MISSING_MAX + 1];
    for own in 1..=MISSING_MAX {
        for other in 1..=MISSING_MAX {
            chances[own][other] = games.map(|game| {
                let parts = WORTHS.map(|(worth, share)| {
                    let won = chances[own.saturating_sub(worth)][other][0];
                    let lost = chances[own][other.saturating_sub(worth)][1];
                    share * (game * won + (1.0 - game) * lost)
                });
                parts.iter().sum()
            });
        }
    }
    chances.map(|row| row.map(|[waits, _]| in_parts(waits)))
}

/// Computed by multiplication and division alone, which are the same on every machine.
fn chance_of_game(steps: i32) -> f64 {
    let odds = (0..steps.abs()).fold(1.0, |odds, _| odds * STEP);
    if steps < 0 {
        1.0 / (1.0 + odds)
    } else {
        odds / (1.0 + odds)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a chance is from 0 to 1"
)]
fn in_parts(chance: f64) -> u16 {
    (chance * f64::from(Value::GAIN_MAX)) as u16
}
