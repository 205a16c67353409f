use std::fmt;

use super::Row;
use super::counts::Counts;
use crate::Seat;

/// Number of pieces of each side.
pub const PIECES: u8 = 12;
/// Maximum number of pieces of both sides on a row between the home rows.
pub const ROW_CAPACITY: u8 = 6;
/// Maximum number of steps of a second move: the pieces that can be on a row with room for one more.
pub const STEPS_MAX: u8 = ROW_CAPACITY - 1;

/// The complete state of one game of Linja: sixteen counts, the seat to move, and which of its two
/// moves is due.
///
/// Two positions are equal if and only if their notations are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The pieces of each seat, from that seat's view.
    pub(super) pieces: [Counts; 2],
    /// The seat to move.
    pub(super) to_move: Seat,
    /// The steps of the second move; 0 if the first move is due.
    pub(super) steps: u8,
    /// True in an extra turn.
    pub(super) extra: bool,
}

/// The move of a turn that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// The first: one row forward.
    First,
    /// The second.
    Second {
        /// The number of rows forward, 1 to [`STEPS_MAX`]. The piece stops on the target row.
        steps: u8,
    },
}

impl Position {
    /// The start of a game that `opener` opens: each side has six pieces on its home row and one on
    /// each of the six rows between.
    #[must_use]
    pub const fn start(opener: Seat) -> Self {
        let side = Counts::new([6, 1, 1, 1, 1, 1, 1, 0]);
        Self {
            pieces: [side; 2],
            to_move: opener,
            steps: 0,
            extra: false,
        }
    }

    /// The seat to move. In a game that is over, the seat that would be next.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The move that is due.
    #[must_use]
    pub const fn due(&self) -> Due {
        match self.steps {
            0 => Due::First,
            steps => Due::Second { steps },
        }
    }

    /// Returns true in an extra turn, which cannot earn another.
    #[must_use]
    pub const fn is_extra_turn(&self) -> bool {
        self.extra
    }

    /// The number of a seat's pieces on a row.
    #[must_use]
    pub const fn count(&self, seat: Seat, row: Row) -> u8 {
        self.pieces[seat.index()].on(row.seen_by(seat))
    }

    /// The number of a seat's pieces on each row, from its own view: its home row first, its target
    /// row last.
    #[must_use]
    pub const fn advance(&self, seat: Seat) -> [u8; 8] {
        self.pieces[seat.index()].rows()
    }

    /// The pieces of both sides, from a seat's view.
    #[inline]
    pub(super) const fn all(&self, seat: Seat) -> Counts {
        let other = self.pieces[seat.other().index()];
        self.pieces[seat.index()].plus(other.turned())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Position")
            .field(&format_args!("{self}"))
            .finish()
    }
}
