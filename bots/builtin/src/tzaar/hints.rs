use dragontooth_games::Seat;
use dragontooth_games::tzaar::{Action, Kind, Point, Position};

use crate::search::Candidate;

/// The capture of the last unit of a kind.
const WIN: i16 = 1000;
/// Burying one's own last unit of a kind.
const LOSS: i16 = -1000;
/// Doing nothing.
const PASS: i16 = -100;
/// Any capture, before the captured unit is considered.
const CAPTURE: i16 = 40;

/// Hints at captures first, of tall units and of kinds that the opponent has few of, and then at
/// stacking the tallest units upon a kind of which there are many.
pub(super) fn hint(position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
    let own = shown(position, seat);
    let other = shown(position, seat.other());
    for candidate in candidates {
        candidate.hint(match candidate.action() {
            Action::Capture { to, .. } => {
                let left = other[kind_on(position, seat.other(), to)];
                if left == 1 {
                    WIN
                } else {
                    CAPTURE - 2 * left + 8 * (height(position, to) - 1)
                }
            }
            Action::Stack { from, to } => {
                let (above, below) = (kind_on(position, seat, from), kind_on(position, seat, to));
                if own[below] == 1 && above != below {
                    LOSS
                } else {
                    own[below] - own[above] / 2 + 2 * height(position, from)
                }
            }
            Action::Pass => PASS,
            Action::Place { .. } => 0,
        });
    }
}

/// The number of units of each kind.
fn shown(position: &Position, seat: Seat) -> [i16; 3] {
    Kind::ALL.map(|kind| {
        let units = position.units_of(seat, kind).len();
        i16::try_from(units).unwrap_or(i16::MAX)
    })
}

/// The index of the kind of a seat's unit.
fn kind_on(position: &Position, seat: Seat, at: Point) -> usize {
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| position.units_of(seat, *kind).contains(at));
    kind.map_or(0, Kind::index)
}

fn height(position: &Position, at: Point) -> i16 {
    position.height(at).into()
}
