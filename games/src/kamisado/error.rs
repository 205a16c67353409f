use super::Colour;
use super::notation::side;
use crate::Seat;

/// Maximum length in bytes of a position in notation. The longest one has 101: 16 towers with
/// three teeth each, 24 numbers, 7 slashes and three more fields.
pub const POSITION_BYTES_MAX: usize = 128;

/// The reason why a text is not a position. Each error starts with the name of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// There are not three fields, or four in a deadlock.
    #[error(
        "expected three fields separated by single spaces, \
         placement, side to move and required colour; found {found}"
    )]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The placement is not eight ranks.
    #[error("placement: expected eight ranks separated by slashes, from 8 to 1; found {found}")]
    RankCount {
        /// The number of ranks.
        found: usize,
    },
    /// A rank of the placement is invalid.
    #[error("placement, rank {rank}: {fault}")]
    Row {
        /// The rank, 1 to 8.
        rank: u8,
        /// The mistake.
        fault: RowFault,
    },
    /// A tower stands on two squares.
    #[error("placement: {} has two {colour} towers", side(*seat))]
    TwoTowers {
        /// The owner of the tower.
        seat: Seat,
        /// Its colour.
        colour: Colour,
    },
    /// A tower is missing.
    #[error("placement: {} has no {colour} tower", side(*seat))]
    MissingTower {
        /// The owner of the tower.
        seat: Seat,
        /// Its colour.
        colour: Colour,
    },
    /// More than one tower has reached the opponent's home row, although the first one ends the game.
    #[error(
        "placement: at most one tower can reach the opponent's home row, as it ends the game; found {found}"
    )]
    ManyWinners {
        /// The number of such towers.
        found: usize,
    },
    /// The second field is not a side.
    #[error("side to move: expected b or w")]
    Side,
    /// The third field is neither a colour nor a mark.
    #[error("required colour: expected one of b g r y p m l o, - or *")]
    Required,
    /// A free choice where no tower can move.
    #[error("required colour: - leaves {} a free choice, but no tower can move", side(*seat))]
    NothingToChoose {
        /// The seat to move.
        seat: Seat,
    },
    /// A refill that does not follow from a finished game.
    #[error("required colour: * lets {} choose the refill, but {fault}", side(*seat))]
    Refill {
        /// The seat to move.
        seat: Seat,
        /// The contradiction.
        fault: RefillFault,
    },
    /// The fourth field is wrong or out of place.
    #[error("tower that gets the tooth: {0}")]
    Promoted(PromotedFault),
}

/// The reason why a rank of the placement is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// It is not eight squares long.
    #[error("expected eight squares, found {found}")]
    Length {
        /// The number of squares.
        found: usize,
    },
    /// A character that has no meaning here.
    #[error("expected a tower, a number of empty squares or a +, found {0:?}")]
    Character(char),
    /// Two adjacent numbers of empty squares.
    #[error("two adjacent numbers must be written as one")]
    SplitNumber,
    /// A plus that does not follow a tower.
    #[error("a + must follow the letter of a tower")]
    LonePlus,
    /// More than three teeth on a tower.
    #[error("a tower has at most three +")]
    TooManyTeeth,
}

/// The reason why a refill cannot be chosen in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefillFault {
    /// The opponent won the last game.
    #[error("the opponent's tower reached the home row")]
    OpponentWon,
    /// The tower that won has no tooth.
    #[error("the tower that reached the home row has no tooth")]
    NoToothForWin,
    /// None of the chooser's towers has a tooth.
    #[error("none of that side's towers has a tooth")]
    NoTooth,
}

/// The reason why the fourth field is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromotedFault {
    /// It is not the letter of a tower.
    #[error("expected the letter of a tower")]
    NoTower,
    /// It is redundant: there is no deadlock, or it names the tower to move.
    #[error("allowed only in a deadlock, for a tower other than the one to move")]
    Redundant,
}
