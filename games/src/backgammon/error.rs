use super::{BoardFault, CHECKERS, CUBE_DOUBLINGS_MAX, MATCH_LENGTH_MAX, MONEY_SCORE_MAX};
use crate::counted;

/// Maximum length in bytes of a position, in any notation that is parsed.
pub const POSITION_BYTES_MAX: usize = 128;

/// The reason why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// The text is neither an XGID nor a GNU Backgammon id.
    #[error(
        "expected an XGID, a 14-character position id, or a position id and match id joined by :"
    )]
    Unknown,
    /// The XGID is invalid.
    #[error("XGID: {0}")]
    Xgid(#[from] XgidFault),
    /// The GNU Backgammon position id is invalid.
    #[error("position id: {0}")]
    PositionId(#[from] PositionIdFault),
    /// The GNU Backgammon match id is invalid.
    #[error("match id: {0}")]
    MatchId(#[from] MatchIdFault),
    /// The parts contradict each other.
    #[error("{0}")]
    State(#[from] StateFault),
}

/// The reason why an XGID is invalid. Its text starts with the name of the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XgidFault {
    /// The number of fields is not ten.
    #[error("expected ten fields separated by :, found {found}")]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The board is not 26 characters long.
    #[error("board: expected 26 characters, found {found}")]
    BoardLength {
        /// The number of characters.
        found: usize,
    },
    /// A character of the board is not a number of checkers.
    #[error("board, place {place}: expected -, A to O or a to o, found {found:?}")]
    Checkers {
        /// The place, 0 to 25, from the bottom player's side.
        place: u8,
        /// The character.
        found: char,
    },
    /// A side has checkers on the other side's bar.
    #[error("board, place {place}: this is the other side's bar")]
    WrongBar {
        /// The place, 0 or 25.
        place: u8,
    },
    /// The cube's number of doublings is invalid.
    #[error("cube: expected 0 to {CUBE_DOUBLINGS_MAX} doublings")]
    Cube,
    /// The owner of the cube is invalid.
    #[error("cube owner: expected 1, 0 or -1")]
    CubeOwner,
    /// The turn is invalid.
    #[error("turn: expected 1 or -1, or 0 before the opening roll")]
    Turn,
    /// The dice are invalid.
    #[error("dice: expected two digits from 1 to 6, 00 or D")]
    Dice,
    /// Beavers and raccoons are not played here.
    #[error("beavers and raccoons are not supported")]
    Beaver,
    /// A score is invalid.
    #[error("score: expected a number of points up to {MONEY_SCORE_MAX}")]
    Score,
    /// The field for the Crawford and Jacoby rules is invalid.
    #[error("Crawford or Jacoby: expected 0 or 1")]
    Rules,
    /// The length of the match is invalid.
    #[error("match length: expected 1 to {MATCH_LENGTH_MAX}, or 0 for money")]
    Length,
    /// The highest cube is not a number.
    #[error("highest cube: expected a number of doublings")]
    MaxCube,
    /// The cube is above the highest one that counts, or the game is not for money.
    #[error(
        "capped: only in a money game, with a highest cube of at most 15 doublings that is not below the cube"
    )]
    Capped,
    /// A word after the XGID is unknown or out of order.
    #[error(
        "expected roll, dropped, resign:N or resigned:N, then declined:N, with N from 1 to 3, then capped; \
         found {found:?}"
    )]
    Word {
        /// The word.
        found: String,
    },
}

/// The reason why a GNU Backgammon position id is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionIdFault {
    /// It is not 14 characters long.
    #[error("expected 14 characters, found {found}")]
    Length {
        /// The number of characters.
        found: usize,
    },
    /// A character is not base64.
    #[error("character {index} is not base64")]
    Base64 {
        /// Its index, from 0.
        index: usize,
    },
    /// The bits do not encode 25 places for each side.
    #[error("the bits do not encode 25 places for each side")]
    Bits,
    /// A side has too many checkers.
    #[error("the {side} has more than {CHECKERS} checkers")]
    TooMany {
        /// `opponent` or `player on roll`.
        side: &'static str,
    },
}

/// The reason why a GNU Backgammon match id is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchIdFault {
    /// It is not 12 characters long.
    #[error("expected 12 characters, found {found}")]
    Length {
        /// The number of characters.
        found: usize,
    },
    /// A character is not base64.
    #[error("character {index} is not base64")]
    Base64 {
        /// Its index, from 0.
        index: usize,
    },
    /// The owner of the cube is invalid.
    #[error("cube owner: neither a player nor the centre")]
    CubeOwner,
    /// The game state is unknown.
    #[error("game state: {found} is unknown")]
    GameState {
        /// The state.
        found: u8,
    },
    /// The dice are invalid.
    #[error("dice: {first} and {second} are not a roll")]
    Dice {
        /// The first die.
        first: u8,
        /// The second die.
        second: u8,
    },
    /// The match is too long.
    #[error("match length: expected at most {MATCH_LENGTH_MAX}, found {found}")]
    MatchLength {
        /// The length.
        found: u16,
    },
    /// The seat that decides contradicts the other fields.
    #[error("turn: by the other fields, the other player decides")]
    Turn,
    /// Unused bits are set.
    #[error("unused bits are set")]
    UnknownBits,
}

/// The reason why parts that are valid by themselves do not form a state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    /// The checkers do not form a board.
    #[error(transparent)]
    Board(#[from] BoardFault),
    /// Neither side can ever move.
    #[error(
        "neither side can ever move: each has a checker on the bar, and the other's home board is closed"
    )]
    Locked,
    /// A side had won the match before this game.
    #[error("the match to {length} is over: a side has {}", counted(*points, "point"))]
    MatchOver {
        /// The points of a seat.
        points: u16,
        /// The length of the match.
        length: u8,
    },
    /// The score rules out the Crawford game.
    #[error(
        "in the Crawford game exactly one side is one point from winning, and the match is to 2 or more"
    )]
    Crawford,
    /// The Jacoby rule is set in a match.
    #[error("the Jacoby rule applies only to money games")]
    Jacoby,
    /// The cube has been used in the Crawford game.
    #[error("in the Crawford game the cube stays at 1 in the centre")]
    CrawfordCube,
    /// The cube has a stake but no owner, or an owner but no stake.
    #[error("a cube above 1 has an owner, a cube at 1 has none")]
    CubeOwner,
    /// The opening roll is due, but the board or the cube is not at the start.
    #[error(
        "before the opening roll the checkers are in the starting position and the cube is at 1 in the centre"
    )]
    Opening,
    /// An illegal double is offered.
    #[error("the offered double is not allowed")]
    Double,
    /// The mover is said to have chosen to roll, but had no choice.
    #[error("the word roll is allowed only before the dice are rolled and where a double is legal")]
    Roll,
    /// `dropped` without a double.
    #[error("only a double can be dropped")]
    Dropped,
    /// A resignation is offered that cannot be, or that needs no answer.
    #[error(
        "a resignation is pending only if the mover decides, offers more than was declined, and offers less than all that can be lost"
    )]
    Resignation,
    /// A resignation is said to have been declined that cannot have been.
    #[error(
        "a resignation of all that can be lost, or before the opening roll, cannot be declined"
    )]
    Declined,
    /// The game state says that the game is over, but it is not.
    #[error("the game state is over, but no side has borne off all checkers")]
    NotOver,
    /// An action is due although the game is over.
    #[error("a side has borne off all checkers, so nothing is due")]
    Over,
}
