use dragontooth_games::Seat;
use dragontooth_games::kamisado::{Action, Colour, Demand, Position, Rank};

use super::Weights;
use super::equity::Equity;
use super::hints;
use super::side::{ColourSet, Side, points, rank};
use crate::search::{Candidate, Evaluation};

/// Kamisado as the built-in bots see it.
///
/// The colour of the square on which a move ends decides which tower the opponent must move, so a
/// tower that could reach the goal row (a *striker*) makes every square of its colour forbidden
/// ground for the opponent. A position is judged by
///
/// - whether the tower that is asked for is a striker: then the game is won;
/// - how many safe moves it has, those to squares that ask the opponent for no striker, and whether
///   one of them asks for a tower without a safe move (a *trapped* one);
/// - for both sides the strikers, the trapped and the blocked towers, the mobility, how far the
///   towers have advanced, and their teeth.
///
/// What a win is worth is the chance to win the match after it.
#[derive(Clone, Copy, Debug)]
pub struct KamisadoEvaluation {
    equity: Equity,
    weights: Weights,
}

/// The value of a position where the tower that is asked for reaches the goal row.
const STRIKE: i32 = 100_000;

impl KamisadoEvaluation {
    /// The evaluation in a match to `target` points.
    #[must_use]
    pub fn new(target: u32) -> Self {
        Self::with_weights(target, Weights::STANDARD)
    }

    /// The evaluation with other weights.
    #[must_use]
    pub fn with_weights(target: u32, weights: Weights) -> Self {
        Self {
            equity: Equity::new(target),
            weights,
        }
    }
}

impl Evaluation<Position> for KamisadoEvaluation {
    fn evaluate(&self, position: &Position, seat: Seat) -> i32 {
        let own = Side::of(position, seat);
        if let Demand::Tower(colour) = position.demand()
            && own.strikers.contains(colour)
        {
            return STRIKE;
        }
        let other = Side::of(position, seat.other());
        let (own_trapped, other_trapped) = (own.trapped(&other), other.trapped(&own));
        let weights = &self.weights;
        let mut value = weights.side(position, seat, &own, own_trapped)
            - weights.side(position, seat.other(), &other, other_trapped);
        if let Demand::Tower(colour) = position.demand() {
            value += weights.asked(own.safe_targets(colour, &other), other_trapped);
        }
        value
    }

    fn gain(&self, position: &Position, winner: Seat, game_points: u32) -> u16 {
        let own = points(position, winner) + game_points;
        self.equity.at(own, points(position, winner.other()))
    }

    fn gain_max(&self, position: &Position, winner: Seat) -> u16 {
        let ranks = Colour::ALL
            .into_iter()
            .map(|colour| rank(position, winner, colour));
        let game_points = ranks.map(Rank::points).max().unwrap_or(1);
        self.gain(position, winner, game_points)
    }

    fn hint(&self, position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
        hints::hint(position, seat, candidates);
    }
}

impl Weights {
    /// What is good for the side of `seat` whoever is to move.
    #[inline]
    fn side(&self, position: &Position, seat: Seat, side: &Side, trapped: ColourSet) -> i32 {
        let mut value = self.trapped * trapped.len()
            + self.blocked * side.blocked.len()
            + self.mobility * side.mobility().cast_signed();
        for colour in Colour::ALL {
            let tower = position.tower(seat, colour);
            let row = match seat {
                Seat::First => tower.square.rank(),
                Seat::Second => 7 - tower.square.rank(),
            };
            value += self.advance * i32::from(row) + self.tooth * i32::from(tower.rank.teeth());
            if side.strikers.contains(colour) {
                value += self.striker[usize::from(tower.rank.teeth())];
            }
        }
        value
    }

    /// What it is good for to have to move a tower with these safe targets.
    #[inline]
    fn asked(&self, safe_targets: u64, trapped: ColourSet) -> i32 {
        let count = safe_targets.count_ones() as usize;
        let value = self.safe_moves[count.min(self.safe_moves.len() - 1)];
        if safe_targets & trapped.squares() == 0 {
            value
        } else {
            value + self.trap
        }
    }
}
