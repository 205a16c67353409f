use dragontooth_games::Seat;
use dragontooth_games::linja::{Action, Due, Position};

use super::sides::Sides;
use crate::search::Candidate;

/// A second move that earns an extra turn.
const EXTRA_TURN: i16 = 10;

/// Hints at the first moves that earn the most steps and at the second moves that earn an extra
/// turn.
pub(super) fn hint(position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
    let sides = Sides::of(position, seat);
    for candidate in candidates {
        let row = candidate.action().to.seen_by(seat);
        let met = sides.all(row.into());
        candidate.hint(match position.due() {
            _ if row == 7 => 1,
            Due::First => met.into(),
            Due::Second { .. } if met == 0 && !position.is_extra_turn() => EXTRA_TURN,
            Due::Second { .. } => 0,
        });
    }
}
