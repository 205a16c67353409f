use super::notation::side;
use super::{PIECES, ROW_CAPACITY, STEPS_MAX};
use crate::Seat;

/// Maximum length in bytes of a position in notation. It is at most 54: sixteen counts of
/// two digits, fourteen commas, a slash, two spaces, a side and a state of four.
pub const POSITION_BYTES_MAX: usize = 64;

/// The reason why a text is not a position. Each error starts with the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// There are not three fields.
    #[error(
        "expected three fields separated by single spaces, \
         pieces, side to move and state; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// There are not exactly two sides.
    #[error("pieces: expected Red's counts, a slash and Black's counts; found {found} parts")]
    SideCount {
        /// The number of parts.
        found: usize,
    },
    /// A side does not have eight counts.
    #[error("pieces, {}: expected eight counts separated by commas, from row 0; found {found}", side(*seat))]
    RowCount {
        /// The side.
        seat: Seat,
        /// Their number.
        found: usize,
    },
    /// A count is not a number of pieces.
    #[error("pieces, {}, row {row}: expected a number from 0 to {PIECES}", side(*seat))]
    Count {
        /// The side.
        seat: Seat,
        /// The row, 0 to 7.
        row: usize,
    },
    /// A side does not have all of its pieces.
    #[error("pieces, {}: expected {PIECES} pieces, found {found}", side(*seat))]
    PieceCount {
        /// The side.
        seat: Seat,
        /// Their number.
        found: u32,
    },
    /// A row has too many pieces.
    #[error("pieces, row {row}: expected at most {ROW_CAPACITY} pieces, found {found}")]
    Overfull {
        /// The row, 1 to 6.
        row: usize,
        /// The number of pieces of both sides on it.
        found: u8,
    },
    /// The second field is not a side.
    #[error("side to move: expected r or b")]
    Side,
    /// The third field is invalid.
    #[error("state: {0}")]
    State(TurnStateFault),
}

/// The reason why the third field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnStateFault {
    /// It names neither move of a turn.
    #[error("expected 1 or 2:N, followed by x in an extra turn")]
    Unknown,
    /// The second move has an impossible number of steps.
    #[error("expected 1 to {STEPS_MAX} steps for a second move")]
    Steps,
    /// No piece can make the second move, so it would have lapsed.
    #[error("no piece of {} can make a second move of {steps}, so it has lapsed", side(*seat))]
    Lapsed {
        /// The seat to move.
        seat: Seat,
        /// The steps of the second move.
        steps: u8,
    },
}
