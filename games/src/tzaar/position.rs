use std::fmt;

use super::{Kind, Point, PointSet, Unit, rays};
use crate::Seat;

/// The complete state of one game of TZAAR: the units, and whose action of which sort is due.
///
/// Two positions are equal if their notation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The points with a unit of each seat, as bits.
    pub(super) seats: [u64; 2],
    /// The points with a unit of each kind, as bits.
    pub(super) kinds: [u64; 3],
    /// The points with a unit of two pieces or more, as bits.
    pub(super) stacks: u64,
    /// The height of the unit on each point; 0 where there is none.
    pub(super) heights: [u8; 64],
    /// Whose action is due.
    pub(super) to_move: Seat,
    /// Which action is due.
    pub(super) due: Due,
}

/// Which action is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// A placement, in a setup that is chosen piece by piece.
    Placement,
    /// White's first turn: one capture and nothing more.
    Opening,
    /// The first action of a turn: a capture.
    First,
    /// The second action of a turn: a capture, a stacking or a pass.
    Second,
}

impl Position {
    /// A board without pieces, with White to place the first.
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

    /// Whose action is due. In a game that is over it is the seat whose action would be.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// Which action is due. In a game that is over it is the one that would be.
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

    /// The number of pieces on a point: the strength of the unit there, 0 if there is none.
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

    /// The points where a seat shows a kind: its units with that kind on top.
    #[inline]
    #[must_use]
    pub const fn units_of(&self, seat: Seat, kind: Kind) -> PointSet {
        PointSet::from_bits(self.seats[seat.index()] & self.kinds[kind.index()])
    }

    /// The points where a seat has a unit of two pieces or more.
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

    /// The pieces of a seat on the board, those inside stacks among them.
    #[must_use]
    pub fn pieces(&self, seat: Seat) -> u32 {
        let heights = self.units(seat).into_iter().map(|at| self.height(at));
        heights.map(u32::from).sum()
    }

    /// The pieces of a kind that a seat has not placed yet. It tells that only while placements are
    /// due.
    #[must_use]
    pub fn supply(&self, seat: Seat, kind: Kind) -> u8 {
        let placed = self.units_of(seat, kind).bits().count_ones().to_le_bytes()[0];
        kind.pieces().saturating_sub(placed)
    }

    /// The units, of both seats, that a unit on this point could land on if heights did not matter:
    /// the first one in each direction.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, point: Point) -> PointSet {
        PointSet::from_bits(rays::neighbours(point, self.occupied()))
    }

    /// The enemy units that the unit of `seat` on this point can capture, if it is one. It does not
    /// matter whose action is due.
    #[inline]
    #[must_use]
    pub fn captures_from(&self, seat: Seat, point: Point) -> PointSet {
        if self.seats[seat.index()] & point.bit() == 0 {
            return PointSet::default();
        }
        PointSet::from_bits(self.captures(seat, point))
    }

    /// Whether a seat has a capture. It does not matter whose action is due.
    #[inline]
    #[must_use]
    pub fn has_capture(&self, seat: Seat) -> bool {
        self.units(seat)
            .into_iter()
            .any(|from| self.captures(seat, from) != 0)
    }

    /// The number of captures that a seat has. It does not matter whose action is due.
    #[inline]
    #[must_use]
    pub fn count_captures(&self, seat: Seat) -> u32 {
        let captures = |from| self.captures(seat, from).count_ones();
        self.units(seat).into_iter().map(captures).sum()
    }

    /// Whether a seat shows every kind.
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

    /// Whether all pieces of both sides stand on the board, each alone.
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
