use super::side::side;
use super::{Colour, POSITION_BYTES_MAX};
use crate::Seat;

/// Why a text is no position. The text of each error begins with the field that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// There are not three fields, or four in a deadlock.
    #[error(
        "three fields between single spaces are expected, \
         placement, side to move and required colour; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The placement is not eight ranks.
    #[error(
        "placement: eight ranks between slashes are expected, from rank 8 to rank 1; found {found}"
    )]
    RankCount {
        /// The number of ranks.
        found: usize,
    },
    /// A rank of the placement cannot be read.
    #[error("placement, rank {rank}: {fault}")]
    Row {
        /// The rank, 1 to 8.
        rank: u8,
        /// What is wrong with it.
        fault: RowFault,
    },
    /// A tower stands on two squares.
    #[error("placement: {} has two {colour} towers", side(*seat))]
    TwoTowers {
        /// Whose tower.
        seat: Seat,
        /// Its colour.
        colour: Colour,
    },
    /// A tower is missing.
    #[error("placement: {} has no {colour} tower", side(*seat))]
    MissingTower {
        /// Whose tower.
        seat: Seat,
        /// Its colour.
        colour: Colour,
    },
    /// More than one tower has reached the opponent's home row: the first of them ended the game.
    #[error(
        "placement: at most one tower is on the opponent's home row, for it ends the game; found {found}"
    )]
    ManyWinners {
        /// The number of such towers.
        found: usize,
    },
    /// The second field is no side.
    #[error("side to move: neither b nor w")]
    Side,
    /// The third field is no colour and no mark.
    #[error("required colour: none of b g r y p m l o, - and *")]
    Required,
    /// A free choice where nothing can be chosen.
    #[error("required colour: - leaves {} a free choice, but no tower can move", side(*seat))]
    NothingToChoose {
        /// Whose turn it is.
        seat: Seat,
    },
    /// A refill that does not follow from a game that has ended.
    #[error("required colour: * lets {} choose the refill, but {fault}", side(*seat))]
    Refill {
        /// Whose turn it is.
        seat: Seat,
        /// Why that cannot be.
        fault: RefillFault,
    },
    /// The fourth field is wrong or out of place.
    #[error("tower that gets the tooth: {0}")]
    Heir(HeirFault),
}

/// What is wrong with a rank of the placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// It is not eight squares long.
    #[error("eight squares are expected; found {found}")]
    Length {
        /// The number of squares.
        found: usize,
    },
    /// A character that means nothing here.
    #[error("{0:?} is no tower, number of empty squares or rank")]
    Character(char),
    /// Two numbers of empty squares side by side.
    #[error("two numbers side by side are one number")]
    SplitNumber,
    /// A plus that follows no tower.
    #[error("a + follows the letter of a tower")]
    LonePlus,
    /// More than three teeth on a tower.
    #[error("a tower has at most three +")]
    TooManyTeeth,
}

/// Why a position cannot be one in which the refill is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefillFault {
    /// The opponent won the last game.
    #[error("the opponent's tower reached the home row")]
    OpponentWon,
    /// The tower that won has no tooth.
    #[error("the tower on the home row has no tooth for it")]
    NoToothForWin,
    /// The chooser has no tooth at all.
    #[error("no tower has a tooth for the last game")]
    NoTooth,
}

/// Why the fourth field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeirFault {
    /// It is no letter of a tower.
    #[error("it is one letter of a tower")]
    NoTower,
    /// It says nothing, or nothing that is not clear without it.
    #[error("it stands only in a deadlock, and only for another tower than the one to move")]
    Needless,
}
