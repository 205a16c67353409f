use dragontooth_games::Seat;
use dragontooth_games::tzaar::{Kind, Point, PointSet, Position};

/// The captures of a seat's units, as if it were the seat's turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Captures {
    /// The units that can be captured.
    pub(super) targets: PointSet,
    /// The number of captures.
    pub(super) count: usize,
}

impl Captures {
    #[inline]
    pub(super) fn of(position: &Position, seat: Seat) -> Self {
        let mut targets = 0;
        let mut count = 0;
        for from in position.units(seat) {
            let captures = position.captures_from(seat, from);
            targets |= captures.bits();
            count += captures.len();
        }
        Self {
            targets: PointSet::from_bits(targets),
            count,
        }
    }
}

/// Returns true if `seat` can capture the only unit of a kind that its opponent shows.
pub(super) fn can_take_last(position: &Position, seat: Seat) -> bool {
    let is_within_reach = |kind| {
        let units = position.units_of(seat.other(), kind);
        units.len() == 1 && units.into_iter().any(|at| can_take(position, seat, at))
    };
    Kind::ALL.into_iter().any(is_within_reach)
}

/// Returns true if `seat` can capture the enemy unit on this point.
fn can_take(position: &Position, seat: Seat, at: Point) -> bool {
    let height = position.height(at);
    let neighbours = position.neighbours(at).into_iter();
    neighbours
        .filter(|from| position.units(seat).contains(*from))
        .any(|from| position.height(from) >= height)
}
