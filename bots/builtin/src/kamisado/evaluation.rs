use dragontooth_games::Seat;
use dragontooth_games::kamisado::{Action, Colour, Demand, Position, Rank};

use super::Weights;
use super::equity::Equity;
use super::hints;
use super::side::{self, Side, rank};
use crate::search::{Candidate, Evaluation, Value};

/// The evaluation of Kamisado positions.
///
/// The colour of the square on which a move ends decides which tower the opponent must move, so a
/// tower that could reach the goal row (a *striker*) makes every square of its colour forbidden
/// ground for the opponent; a move elsewhere is *safe*. If a striker has to move, the game is won.
/// Other positions are judged by
///
/// - the safe moves of the tower that has to move, and the fewest safe moves that one of them leaves
///   the opponent: a side without any is all but lost;
/// - for both sides the moves, the safe moves and the advance of every tower.
///
/// The teeth count only through their effect on a tower's moves: their points are the same in all
/// positions of a game. A win is worth the chance to win the match after it, with its tooth.
#[derive(Clone, Copy, Debug)]
pub struct KamisadoEvaluation {
    equity: Equity,
    weights: Weights,
}

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
    fn win_at_hand(&self, position: &Position, seat: Seat) -> Option<u32> {
        let Demand::Tower(colour) = position.demand() else {
            return None;
        };
        side::can_strike(position, seat, colour).then(|| rank(position, seat, colour).points())
    }

    fn evaluate(&self, position: &Position, seat: Seat) -> i32 {
        let own = Side::of(position, seat);
        let other = Side::of(position, seat.other());
        let weights = &self.weights;
        let value = weights.side(position, seat, &own, &other)
            - weights.side(position, seat.other(), &other, &own);
        match position.demand() {
            Demand::Tower(colour) => value + weights.asked(colour, &own, &other),
            Demand::Any | Demand::Refill => value,
        }
    }

    fn gain(&self, position: &Position, winner: Seat, points: u32) -> u16 {
        let rank = Rank::ALL.into_iter().find(|rank| rank.points() == points);
        self.equity
            .after(position, winner, rank.unwrap_or(Rank::Plain))
    }

    fn gain_max(&self, position: &Position, winner: Seat) -> u16 {
        let ranks = Colour::ALL
            .into_iter()
            .map(|colour| rank(position, winner, colour));
        let gains = ranks.map(|rank| self.equity.after(position, winner, rank));
        gains.max().unwrap_or(Value::GAIN_MAX)
    }

    fn hint(&self, position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
        hints::hint(position, seat, candidates);
    }
}

impl Weights {
    /// The terms for the side of `seat` that do not depend on the side to move.
    #[inline]
    fn side(&self, position: &Position, seat: Seat, side: &Side, opponent: &Side) -> i32 {
        let mut value = self.mobility * side.mobility().cast_signed();
        for colour in Colour::ALL {
            let rank = position.tower(seat, colour).square.rank();
            let row = match seat {
                Seat::First => rank,
                Seat::Second => 7 - rank,
            };
            value += self.advance * i32::from(row);
            value += at(&self.safe_freedom, side.safe_moves(colour, opponent));
        }
        value
    }

    /// The terms for having to move the tower of this colour.
    #[inline]
    fn asked(&self, colour: Colour, own: &Side, opponent: &Side) -> i32 {
        let targets = own.safe_targets(colour, opponent);
        let replies = Colour::ALL
            .into_iter()
            .filter(|reply| targets & side::squares(*reply) != 0 && !opponent.is_blocked(*reply))
            .map(|reply| opponent.safe_moves(reply, own))
            .min();
        let value = at(&self.safe_moves, targets.count_ones());
        replies.map_or(value, |replies| value + at(&self.replies, replies))
    }
}

/// The entry of a table for a count.
#[inline]
fn at<const N: usize>(table: &[i32; N], count: u32) -> i32 {
    table[(count as usize).min(N - 1)]
}
