use std::fmt;

use super::{Kind, Point, PointSet, Unit, rays};
use crate::Seat;

/// The complete state of one game of TZAAR: the units, the seat to move and the action that is due.
///
/// Two positions are equal if and only if their notations are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The points with a unit of each seat, one bit each.
    pub(super) seats: [u64; 2],
    /// The points with a unit of each kind, one bit each.
    pub(super) kinds: [u64; 3],
    /// The points with a unit of two or more pieces, one bit each.
    pub(super) stacks: u64,
    /// The height of the unit on each point; 0 if there is none. 64 entries instead of 60, so that
    /// an index masked with 63 needs no bounds check.
    pub(super) heights: [u8; 64],
    /// The seat to move.
    pub(super) to_move: Seat,
    /// The action that is due.
    pub(super) due: Due,
}

/// The action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// A placement, in the variant whose setup is chosen piece by piece.
    Placement,
    /// White's first turn: one capture and nothing more.
    Opening,
    /// The first action of a turn: a capture.
    First,
    /// The second action of a turn: a capture, a stacking or a pass.
    Second,
}

impl Position {
    /// An empty board, with White to place the first piece.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            seats: [0; 2],
            kinds: [0; 3],
            stacks: 0,
            heights: [0; 64],
            to_move: Seat::First,
            due: Due::Placement,
        }
    }

    /// The seat to move. In a game that is over, the seat that would be next.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The action that is due. In a game that is over, the one that would be.
    #[must_use]
    pub const fn due(&self) -> Due {
        self.due
    }

    /// The unit on a point.
    #[must_use]
    pub fn unit(&self, point: Point) -> Option<Unit> {
        let seat = self.owner(point)?;
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| self.kinds[kind.index()] & point.bit() != 0)?;
        let height = self.height(point);
        Some(Unit { seat, kind, height })
    }

    /// The number of pieces on a point, which is the strength of the unit there. 0 if there is none.
    #[inline]
    #[must_use]
    pub const fn height(&self, point: Point) -> u8 {
        self.heights[point.index() & 63]
    }

    /// The points with a unit of a seat.
    #[inline]
    #[must_use]
    pub const fn units(&self, seat: Seat) -> PointSet {
        PointSet::from_bits(self.seats[seat.index()])
    }

    /// The points of a seat's units with this kind on top.
    #[inline]
    #[must_use]
    pub const fn units_of(&self, seat: Seat, kind: Kind) -> PointSet {
        PointSet::from_bits(self.seats[seat.index()] & self.kinds[kind.index()])
    }

    /// The points of a seat's units of two or more pieces.
    #[inline]
    #[must_use]
    pub const fn stacks(&self, seat: Seat) -> PointSet {
        PointSet::from_bits(self.seats[seat.index()] & self.stacks)
    }

    /// The points without a unit.
    #[inline]
    #[must_use]
    pub const fn free(&self) -> PointSet {
        PointSet::from_bits(!self.occupied())
    }

    /// The number of a seat's pieces on the board, including those inside stacks.
    #[must_use]
    pub fn pieces(&self, seat: Seat) -> u32 {
        let heights = self.units(seat).into_iter().map(|at| self.height(at));
        heights.map(u32::from).sum()
    }

    /// The number of pieces of a kind that a seat has not placed yet. Meaningful only while
    /// placements are due.
    #[must_use]
    pub fn supply(&self, seat: Seat, kind: Kind) -> u8 {
        let placed = self.units_of(seat, kind).bits().count_ones().to_le_bytes()[0];
        kind.pieces().saturating_sub(placed)
    }

    /// The first unit of either seat in each direction from this point: the units that a unit here
    /// could reach if heights did not matter.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, point: Point) -> PointSet {
        PointSet::from_bits(rays::neighbours(point, self.occupied()))
    }

    /// The enemy units that the unit of `seat` on this point can capture, regardless of the turn. Empty
    /// if `seat` has no unit here.
    #[inline]
    #[must_use]
    pub fn captures_from(&self, seat: Seat, point: Point) -> PointSet {
        if self.seats[seat.index()] & point.bit() == 0 {
            return PointSet::default();
        }
        PointSet::from_bits(self.captures(seat, point))
    }

    /// Returns true if a seat has a capture, regardless of the turn.
    #[inline]
    #[must_use]
    pub fn has_capture(&self, seat: Seat) -> bool {
        self.units(seat)
            .into_iter()
            .any(|from| self.captures(seat, from) != 0)
    }

    /// Returns true if a seat has a unit of every kind.
    #[inline]
    #[must_use]
    pub fn shows_every_kind(&self, seat: Seat) -> bool {
        let own = self.seats[seat.index()];
        self.kinds.iter().all(|points| points & own != 0)
    }

    #[inline]
    pub(super) const fn occupied(&self) -> u64 {
        self.seats[0] | self.seats[1]
    }

    pub(super) const fn owner(&self, point: Point) -> Option<Seat> {
        if self.seats[0] & point.bit() != 0 {
            Some(Seat::First)
        } else if self.seats[1] & point.bit() != 0 {
            Some(Seat::Second)
        } else {
            None
        }
    }

    /// Puts a unit on a free point.
    pub(super) const fn put(&mut self, at: Point, unit: Unit) {
        self.seats[unit.seat.index()] |= at.bit();
        self.kinds[unit.kind.index()] |= at.bit();
        if unit.height > 1 {
            self.stacks |= at.bit();
        }
        self.heights[at.index() & 63] = unit.height;
    }

    /// Returns true if every point has a unit, so that all pieces are on the board, unstacked.
    pub(super) const fn is_full(&self) -> bool {
        self.free().is_empty()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Position")
            .field(&format_args!("{self}"))
            .finish()
    }
}
