use super::parse::POSITION_BYTES_MAX;
use super::{BoardFault, CHECKERS, CUBE_DOUBLINGS_MAX, MATCH_LENGTH_MAX, MONEY_SCORE_MAX};

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The text is longer than any position.
    #[error("longer than {POSITION_BYTES_MAX} bytes")]
    TooLong,
    /// The text is neither an XGID nor an id of GNU Backgammon.
    #[error(
        "an XGID, a position id and a match id with : between them, or a position id of \
         14 characters is expected"
    )]
    Unknown,
    /// The XGID is at fault.
    #[error("XGID: {0}")]
    Xgid(#[from] XgidFault),
    /// The position id of GNU Backgammon is at fault.
    #[error("position id: {0}")]
    PositionId(#[from] PositionIdFault),
    /// The match id of GNU Backgammon is at fault.
    #[error("match id: {0}")]
    MatchId(#[from] MatchIdFault),
    /// The parts do not belong to one state.
    #[error("{0}")]
    State(#[from] StateFault),
}

/// Why an XGID is refused. The text begins with the field that is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XgidFault {
    /// There are not ten fields.
    #[error("ten fields with : between them are expected; found {found}")]
    FieldCount {
        /// The number of fields.
        found: usize,
    },
    /// The board has not 26 characters.
    #[error("board: 26 characters are expected; found {found}")]
    BoardLength {
        /// The number of characters.
        found: usize,
    },
    /// A character of the board stands for no number of checkers.
    #[error("board, place {place}: {found:?} is none of -, A to O and a to o")]
    Checkers {
        /// The place, 0 to 25, as the bottom player counts.
        place: u8,
        /// The character.
        found: char,
    },
    /// A side stands on the other side's bar.
    #[error("board, place {place}: this is the bar of the other side")]
    WrongBar {
        /// The place, 0 or 25.
        place: u8,
    },
    /// The cube shows no stake.
    #[error("cube: a number of doublings from 0 to {CUBE_DOUBLINGS_MAX} is expected")]
    Cube,
    /// The owner of the cube is nobody.
    #[error("cube owner: 1, 0 or -1 is expected")]
    CubeOwner,
    /// It is nobody's turn.
    #[error("turn: 1 or -1 is expected, or 0 before the opening roll")]
    Turn,
    /// The dice are no dice.
    #[error("dice: two digits from 1 to 6, 00 or D is expected")]
    Dice,
    /// Beavers are no part of this game.
    #[error("beavers and raccoons are no part of this game")]
    Beaver,
    /// A score is no number.
    #[error("score: a number of points up to {MONEY_SCORE_MAX} is expected")]
    Score,
    /// The Crawford field is unknown.
    #[error("Crawford and Jacoby: 0 or 1 is expected")]
    Rules,
    /// The length of the match is unknown.
    #[error("match length: a number from 1 to {MATCH_LENGTH_MAX} is expected, or 0 for money")]
    Length,
    /// The highest cube is no number.
    #[error("highest cube: a number of doublings is expected")]
    MaxCube,
    /// A word behind the XGID is unknown, or in the wrong place.
    #[error(
        "the word {found:?}: roll, dropped, resign:N or resigned:N is expected, and then \
         declined:N, with N from 1 to 3"
    )]
    Word {
        /// The word.
        found: String,
    },
}

/// Why a position id of GNU Backgammon is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionIdFault {
    /// It has not 14 characters.
    #[error("14 characters are expected; found {found}")]
    Length {
        /// The number of characters.
        found: usize,
    },
    /// A character is none of its alphabet.
    #[error("character {index} is no base64")]
    Base64 {
        /// Which, from 0.
        index: usize,
    },
    /// The bits are not two sides of 25 places.
    #[error("the bits are not those of 25 places of each side")]
    Bits,
    /// A side has too many checkers.
    #[error("the {side} has more than {CHECKERS} checkers")]
    TooMany {
        /// `opponent` or `player on roll`.
        side: &'static str,
    },
}

/// Why a match id of GNU Backgammon is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchIdFault {
    /// It has not 12 characters.
    #[error("12 characters are expected; found {found}")]
    Length {
        /// The number of characters.
        found: usize,
    },
    /// A character is none of its alphabet.
    #[error("character {index} is no base64")]
    Base64 {
        /// Which, from 0.
        index: usize,
    },
    /// The owner of the cube is nobody.
    #[error("cube owner: neither a player nor the centre")]
    CubeOwner,
    /// The state of the game is unknown.
    #[error("game state: {found} is unknown")]
    GameState {
        /// The state.
        found: u8,
    },
    /// The dice are no dice.
    #[error("dice: {first} and {second} are no roll")]
    Dice {
        /// The first die.
        first: u8,
        /// The second die.
        second: u8,
    },
    /// The match is too long.
    #[error("match length: {found} is more than {MATCH_LENGTH_MAX}")]
    MatchLength {
        /// The length.
        found: u16,
    },
    /// The seat that decides is not the one that the other fields tell.
    #[error("turn: the other player has to decide")]
    Turn,
    /// Bits that have no meaning are set.
    #[error("bits without meaning are set")]
    UnknownBits,
}

/// Why parts that can be read make no state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    /// The checkers make no board.
    #[error(transparent)]
    Board(#[from] BoardFault),
    /// Somebody has won the match before this game.
    #[error("{points} points are enough for a match to {length}: it is over")]
    MatchOver {
        /// The points of a seat.
        points: u16,
        /// The length of the match.
        length: u8,
    },
    /// The Crawford game has one side one point from the end.
    #[error(
        "the Crawford game is one in which one side alone is a point from the end of a match to 2 or more"
    )]
    Crawford,
    /// Jacoby is for money.
    #[error("the Jacoby rule is for money games")]
    Jacoby,
    /// The cube has been used in the Crawford game.
    #[error("in the Crawford game the cube stays at 1 in the centre")]
    CrawfordCube,
    /// The cube has a stake but no owner, or an owner but no stake.
    #[error("a cube above 1 has an owner, and a cube of 1 has none")]
    CubeOwner,
    /// The opening roll is due with something else than the start.
    #[error(
        "before the opening roll all checkers are on the start and the cube is at 1 in the centre"
    )]
    Opening,
    /// A double is offered that is not allowed.
    #[error("the double that is offered is not allowed")]
    Double,
    /// The choice to roll is told where there was none.
    #[error("to roll is no choice where no double is allowed or dice have been rolled")]
    Roll,
    /// `dropped` without a double.
    #[error("only a double can be dropped")]
    Dropped,
    /// A resignation is offered where none can be.
    #[error(
        "a resignation waits for an answer only if a mover that decides offered more than was declined, and not all that can be lost"
    )]
    Resignation,
    /// A refusal is told that cannot have been.
    #[error("a refusal of the worst result still possible is told, or one before the opening roll")]
    Declined,
    /// The game is told to be over and is not.
    #[error("the game is over by its state, but no side has borne off all checkers")]
    NotOver,
    /// Something is due in a game that is over.
    #[error("all checkers of a side are borne off, so nothing else can be due")]
    Over,
}
