use super::notation::side;
use super::{Kind, PIECES};
use crate::{Seat, counted};

/// Maximum length in bytes of a position in notation. The longest one has 102: sixty letters or dots,
/// a digit for every two pieces, eight slashes, two spaces, a side and an action.
pub const POSITION_BYTES_MAX: usize = 128;

/// The reason why a text is not a position. Each error starts with the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// There are not three fields.
    #[error(
        "expected three fields separated by single spaces, \
         units, side to move and action; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// There are not nine files.
    #[error("units: expected nine files separated by slashes, found {found}")]
    FileCount {
        /// The number of files.
        found: usize,
    },
    /// A file has the wrong number of points.
    #[error("units, file {file}: expected {}, found {found}", counted(*expected, "point"))]
    PointCount {
        /// The file.
        file: char,
        /// Its number of points on the board, without the hole.
        expected: usize,
        /// The number of points in the text.
        found: usize,
    },
    /// A character is neither a unit nor a dot.
    #[error(
        "units, file {file}: expected a unit (z, r, t, upper case for White) or ., found {found:?}"
    )]
    Unit {
        /// The file.
        file: char,
        /// The character.
        found: char,
    },
    /// A height is invalid, or is 1, which is not written.
    #[error("units, file {file}: expected a height from 2 to {PIECES} after the letter")]
    Height {
        /// The file.
        file: char,
    },
    /// A side has too many pieces.
    #[error("units: expected at most {PIECES} pieces of {}, found {found}", side(*seat))]
    TooManyPieces {
        /// The side.
        seat: Seat,
        /// Its number of pieces, including those inside stacks.
        found: u32,
    },
    /// A side has more units of a kind than it has pieces of that kind.
    #[error("units: expected at most {} {kind} units of {}, found {found}", kind.pieces(), side(*seat))]
    TooManyOfKind {
        /// The side.
        seat: Seat,
        /// The kind.
        kind: Kind,
        /// The number of units.
        found: usize,
    },
    /// The second field is not a side.
    #[error("side to move: expected w or b")]
    Side,
    /// The third field is not an action that can be due here.
    #[error("action: {0}")]
    Action(PhaseFault),
}

/// The reason why the third field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseFault {
    /// It is none of the four letters.
    #[error("expected p, o, 1 or 2")]
    Unknown,
    /// A placement is due with a stack on the board.
    #[error("there can be no stack on the board while pieces are being placed")]
    StackPlaced,
    /// A placement is due on a full board.
    #[error("all pieces are placed: the opening capture, o, is due")]
    AllPlaced,
    /// A placement is due for the wrong side.
    #[error("{} has placed {white} and {} {black}: it is not {}'s turn",
        side(Seat::First), side(Seat::Second), side(*seat))]
    PlacementTurn {
        /// The side to move.
        seat: Seat,
        /// The number of White's pieces on the board.
        white: u32,
        /// The number of Black's pieces on the board.
        black: u32,
    },
    /// The opening capture is due for Black.
    #[error("the opening capture is White's")]
    OpeningSide,
    /// The opening capture is due although a piece is missing or stacked.
    #[error("before the opening capture all sixty pieces are on the board, unstacked")]
    OpeningBoard,
    /// A side has more pieces than the captures that must have been made leave it.
    #[error("{} has captured at least {captures}, so {} has at most {}; found {found}",
        side(seat.other()), side(*seat), counted(u32::from(PIECES) - captures, "piece"))]
    Uncaptured {
        /// The side.
        seat: Seat,
        /// The number of captures of the other side before this action.
        captures: u32,
        /// The number of pieces.
        found: u32,
    },
}
