use dragontooth_games::Seat;
use dragontooth_games::kamisado::{Action, Position};

use super::side::Side;
use crate::search::Candidate;

/// A move to the goal row.
const WIN: i16 = 1000;
/// A move after which the opponent has to move a tower that reaches the goal row.
const GIFT: i16 = -1000;
/// A push: the opponent loses its turn.
const PUSH: i16 = 100;

/// Hints at wins first, then at moves after which the opponent has little choice, and at gifts
/// last.
pub(super) fn hint(position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
    let opponent = Side::of(position, seat.other());
    let goal_rank = match seat {
        Seat::First => 7,
        Seat::Second => 0,
    };
    for candidate in candidates {
        let Action::Move { to, .. } = candidate.action() else {
            continue;
        };
        let colour = to.colour();
        candidate.hint(if to.rank() == goal_rank {
            WIN
        } else if position.occupied().contains(to) {
            PUSH
        } else if opponent.strikers.contains(colour) {
            GIFT
        } else {
            -opponent.freedom(colour)
        });
    }
}
