use super::side::side;
use super::{Kind, PIECES, POSITION_BYTES_MAX};
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
         units, side to move and action; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The units are not those of nine files.
    #[error("units: nine files between slashes are expected; found {found}")]
    FileCount {
        /// The number of files.
        found: usize,
    },
    /// A file has fewer or more points than the board.
    #[error("units, file {file}: {expected} points are expected; found {found}")]
    PointCount {
        /// The file.
        file: char,
        /// Its points on the board, without the hole.
        expected: usize,
        /// What the text has.
        found: usize,
    },
    /// A character stands where a unit or a dot is expected.
    #[error(
        "units, file {file}: a unit (z, r, t, upper case for White) or . is expected; found {found:?}"
    )]
    Unit {
        /// The file.
        file: char,
        /// The character.
        found: char,
    },
    /// A height is no height, or is one that is not written.
    #[error("units, file {file}: a height after a letter is a number from 2 to {PIECES}")]
    Height {
        /// The file.
        file: char,
    },
    /// A side has more pieces than there are.
    #[error("units: {} has {PIECES} pieces; found {found}", side(*seat))]
    TooManyPieces {
        /// Whose pieces.
        seat: Seat,
        /// Their number, those inside stacks among them.
        found: u32,
    },
    /// A side shows more units of a kind than it has pieces of it.
    #[error("units: {} has {} pieces of the kind {kind}; found {found}", side(*seat), kind.pieces())]
    TooManyOfKind {
        /// Whose units.
        seat: Seat,
        /// Their kind.
        kind: Kind,
        /// Their number.
        found: usize,
    },
    /// The second field is no side.
    #[error("side to move: neither w nor b")]
    Side,
    /// The third field is no action that can be due here.
    #[error("action: {0}")]
    Action(PhaseFault),
}

/// Why the third field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseFault {
    /// It is none of the four letters.
    #[error("p, o, 1 or 2 is expected")]
    Unknown,
    /// A placement with a stack on the board.
    #[error("no stack is on the board while pieces are placed")]
    StackPlaced,
    /// A placement on a full board.
    #[error("all pieces are placed: the opening capture, o, is due")]
    AllPlaced,
    /// A placement with the wrong side to move.
    #[error("{} has placed {white} and {} {black}: it is not the turn of {}",
        side(Seat::First), side(Seat::Second), side(*seat))]
    PlacementTurn {
        /// The side to move.
        seat: Seat,
        /// White's pieces on the board.
        white: u32,
        /// Black's.
        black: u32,
    },
    /// An opening capture by Black.
    #[error("the opening capture is White's")]
    OpeningSide,
    /// An opening capture with pieces off the board or on top of each other.
    #[error("the opening capture has all sixty pieces on the board, each alone")]
    OpeningBoard,
    /// A side has more pieces than are left after the captures that must have been made.
    #[error("{} has captured {captures} at least, so {} has {} pieces at most; found {found}",
        side(seat.other()), side(*seat), u32::from(PIECES) - captures)]
    Uncaptured {
        /// Whose pieces.
        seat: Seat,
        /// The captures of the other side before this action.
        captures: u32,
        /// The pieces.
        found: u32,
    },
}
