use dragontooth_games::Seat;
use dragontooth_games::tzaar::{Kind, Point, Position};

/// Value of a piece of each kind, Tzaar first, on each ring around the hole, the innermost
/// first, in hundredths of the logarithm of the odds to win.
///
/// A logistic regression of 2,778 games from shuffled starts, rounded: the place of a piece matters
/// little, that of Tzaars on the inner rings most.
const WORTHS: [[i32; 4]; 3] = [[8, 0, -1, -4], [0, 0, 0, 0], [-1, -2, -2, 2]];

/// The value of the places of a side's pieces.
pub(super) fn worth(position: &Position, seat: Seat) -> i32 {
    Kind::ALL
        .into_iter()
        .flat_map(|kind| {
            let worths = &WORTHS[kind.index()];
            position
                .units_of(seat, kind)
                .into_iter()
                .map(|at| worths[ring(at)])
        })
        .sum()
}

/// The ring around the hole on which a point lies, from 0 to 3.
fn ring(at: Point) -> usize {
    let ((x, y), (hole_x, hole_y)) = (at.lattice(), Point::HOLE.lattice());
    let (x, y) = (x - hole_x, y - hole_y);
    let distance = x.unsigned_abs().max(y.unsigned_abs()).max(x.abs_diff(y));
    usize::from(distance.saturating_sub(1)).min(3)
}
