use super::side::side;
use super::{PIECES, POSITION_BYTES_MAX, ROW_CAPACITY, STEPS_MAX};
use crate::Seat;

/// Why a text is no position. The text of each error begins with the field that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// There are not three fields.
    #[error(
        "three fields between single spaces are expected, \
         pieces, side to move and state; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The pieces are not those of two sides.
    #[error("pieces: Red's counts, a slash and Black's counts are expected; found {found} parts")]
    SideCount {
        /// The number of parts.
        found: usize,
    },
    /// The counts of a side are not eight.
    #[error("pieces, {}: eight counts between commas are expected, from row 0; found {found}", side(*seat))]
    RowCount {
        /// Whose counts.
        seat: Seat,
        /// Their number.
        found: usize,
    },
    /// A count is no number of pieces.
    #[error("pieces, {}, row {row}: a number from 0 to {PIECES} is expected", side(*seat))]
    Count {
        /// Whose count.
        seat: Seat,
        /// The row, 0 to 7.
        row: usize,
    },
    /// A side has not all of its pieces.
    #[error("pieces, {}: a side has {PIECES} pieces; found {found}", side(*seat))]
    PieceCount {
        /// Whose pieces.
        seat: Seat,
        /// Their number.
        found: u32,
    },
    /// A row has more pieces than it can hold.
    #[error("pieces, row {row}: a row holds at most {ROW_CAPACITY} pieces; found {found}")]
    Overfull {
        /// The row, 1 to 6.
        row: usize,
        /// The pieces of both sides on it.
        found: u8,
    },
    /// The second field is no side.
    #[error("side to move: neither r nor b")]
    Side,
    /// The third field is no state.
    #[error("state: {0}")]
    State(StateFault),
}

/// Why the third field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    /// It names neither move of a turn.
    #[error("1 or 2:N is expected, with x after it in an extra turn")]
    Unknown,
    /// The second move has a number of steps that none can have.
    #[error("a second move has 1 to {STEPS_MAX} steps")]
    Steps,
    /// No piece can make the second move: it would have lapsed.
    #[error("{} has no second move of {steps}, so that it has lapsed", side(*seat))]
    Lapsed {
        /// Whose turn it is.
        seat: Seat,
        /// The steps of the second move.
        steps: u8,
    },
}
