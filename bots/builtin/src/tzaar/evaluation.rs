use dragontooth_games::Seat;
use dragontooth_games::tzaar::{Action, Due, Kind, Position};

use super::sides::{Captures, can_take_last};
use super::{Weights, hints, placement};
use crate::search::{Candidate, DEPTH_MAX, Evaluation, Value};

/// The evaluation of TZAAR positions.
///
/// A side loses with the last unit of a kind that it shows, or when it has no capture. So the terms are
///
/// - the number of units of each kind that a side shows: the fewer, the more each is worth;
/// - their heights: the emptier the board, the more the taller ones count;
/// - the number of each kind that the opponent cannot capture, and the heights of those that it can;
/// - the number of captures of each side.
///
/// Possible captures have different weights for the side to act and its opponent, and for the first
/// and the second action of a turn.
#[derive(Clone, Copy, Debug)]
pub struct TzaarEvaluation {
    weights: Weights,
}

/// The units on a full board.
const UNITS: usize = 60;
/// Number of captured units from which a game counts as late.
const GONE_LATE: usize = 40;
/// Placements are not searched: the place of a piece matters too little.
const PLACEMENT_DEPTH: u8 = 1;

impl TzaarEvaluation {
    /// The evaluation with the standard weights.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_weights(Weights::STANDARD)
    }

    /// The evaluation with other weights.
    #[must_use]
    pub const fn with_weights(weights: Weights) -> Self {
        Self { weights }
    }
}

impl Default for TzaarEvaluation {
    fn default() -> Self {
        Self::new()
    }
}

impl Evaluation<Position> for TzaarEvaluation {
    /// A win is at hand if the last unit of a kind can be captured.
    fn win_at_hand(&self, position: &Position, seat: Seat) -> Option<u32> {
        let is_placement = position.due() == Due::Placement;
        (!is_placement && can_take_last(position, seat)).then_some(1)
    }

    fn evaluate(&self, position: &Position, seat: Seat) -> i32 {
        let other = seat.other();
        let (due, step) = match position.due() {
            Due::Placement => {
                return placement::worth(position, seat) - placement::worth(position, other);
            }
            Due::Opening => (self.weights.opening, 0),
            Due::First => (self.weights.first, 0),
            Due::Second => (self.weights.second, 1),
        };
        let [own, others] = [seat, other].map(|seat| Captures::of(position, seat));
        due + self.weights.side(position, seat, [0, step], own, others)
            - self.weights.side(position, other, [1, step], others, own)
    }

    fn gain(&self, _: &Position, _: Seat, _: u32) -> u16 {
        Value::GAIN_MAX
    }

    fn gain_max(&self, _: &Position, _: Seat) -> u16 {
        Value::GAIN_MAX
    }

    fn depth_max(&self, position: &Position) -> u8 {
        match position.due() {
            Due::Placement => PLACEMENT_DEPTH,
            Due::Opening | Due::First | Due::Second => DEPTH_MAX,
        }
    }

    fn hint(&self, position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
        hints::hint(position, seat, candidates);
    }
}

impl Weights {
    /// The terms for the side of `seat`. The case says whether the opponent is to act, and whether the
    /// action is the second of a turn.
    fn side(
        &self,
        position: &Position,
        seat: Seat,
        [whose, step]: [usize; 2],
        own: Captures,
        others: Captures,
    ) -> i32 {
        let units = position.units(Seat::First).len() + position.units(Seat::Second).len();
        let gone = UNITS.saturating_sub(units).min(GONE_LATE);
        let late = share(gone);
        let mut value = at(&self.captures[whose][step], own.count);
        let [mut early_worth, mut late_worth] = [0; 2];
        for kind in Kind::ALL {
            let units = position.units_of(seat, kind);
            let mut safe = units.len();
            let [early_heights, late_heights] = self.heights.each_ref().map(|h| &h[kind.index()]);
            value += at(&self.shown[kind.index()], safe);
            for point in units {
                let below = usize::from(position.height(point)).saturating_sub(1);
                early_worth += at(early_heights, below);
                late_worth += at(late_heights, below);
                if others.targets.contains(point) {
                    safe -= 1;
                    value += self.in_danger[whose][step][kind.index()] * share(below);
                }
            }
            value += at(&self.safe[whose][step][kind.index()], safe);
        }
        let gone_late = share(GONE_LATE);
        value + (early_worth * (gone_late - late) + late_worth * late) / gone_late
    }
}

/// A count as a factor.
fn share(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The entry of a table for a count.
fn at<const N: usize>(table: &[i32; N], count: usize) -> i32 {
    table[count.min(N - 1)]
}
