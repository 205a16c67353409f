use std::fmt;

use super::Row;
use super::counts::Counts;
use crate::Seat;

/// The pieces of a side.
pub const PIECES: u8 = 12;
/// The most pieces of both sides together on a row that is nobody's home row.
pub const ROW_CAPACITY: u8 = 6;
/// The most steps of a second move: the other pieces on the fullest row that can be entered.
pub const STEPS_MAX: u8 = ROW_CAPACITY - 1;

/// The complete state of one game of Linja: sixteen counts, whose turn it is, and which of the two
/// moves is due.
///
/// Two positions are equal if their notation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The pieces of each seat as it sees the rows.
    pub(super) pieces: [Counts; 2],
    /// Whose turn it is.
    pub(super) to_move: Seat,
    /// The steps of the second move; 0 if the first move is due.
    pub(super) steps: u8,
    /// Whether this is an extra turn.
    pub(super) extra: bool,
}

/// Which of the two moves of a turn is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// The first: one row forward.
    First,
    /// The second.
    Second {
        /// The rows that it goes forward, 1 to [`STEPS_MAX`]; it stops on the target row.
        steps: u8,
    },
}

impl Position {
    /// The start of a game that `opener` opens: six pieces of each side on its home row, and one on
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

    /// Whose turn it is. In a game that is over it is the seat that would be next.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// Which move of the turn is due.
    #[must_use]
    pub const fn due(&self) -> Due {
        match self.steps {
            0 => Due::First,
            steps => Due::Second { steps },
        }
    }

    /// Whether this is an extra turn, in which none can be earned.
    #[must_use]
    pub const fn is_extra_turn(&self) -> bool {
        self.extra
    }

    /// The number of a seat's pieces on a row.
    #[must_use]
    pub const fn count(&self, seat: Seat, row: Row) -> u8 {
        self.pieces[seat.index()].on(row.seen_by(seat))
    }

    /// The numbers of a seat's pieces on the rows as it sees them: its home row first, its target
    /// row last.
    #[must_use]
    pub const fn advance(&self, seat: Seat) -> [u8; 8] {
        self.pieces[seat.index()].rows()
    }

    /// The pieces of both sides as a seat sees the rows.
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
