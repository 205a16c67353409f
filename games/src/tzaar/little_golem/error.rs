use crate::tzaar::notation::side;
use crate::tzaar::{Illegal, Kind};
use crate::{IllegalAction as _, Seat};

/// Maximum length in bytes of a text of records. A game has less than two thousand.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of properties in a node. The first node of a record has seven.
pub(super) const PROPERTIES_MAX: usize = 64;

/// The reason why a text is not a record, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ReadGameError {
    /// The line, from 1.
    pub line: usize,
    /// The mistake.
    pub fault: ReadFault,
}

/// The reason why a text is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadFault {
    /// The text is longer than any record of a match.
    #[error("longer than {TEXT_BYTES_MAX} bytes")]
    TooLong,
    /// The syntax requires something else here.
    #[error("expected {expected}, found {}", found_text(*found))]
    Syntax {
        /// The expected syntax.
        expected: &'static str,
        /// The character found. `None` at the end of the text.
        found: Option<char>,
    },
    /// A second line of play branches off.
    #[error("variations are not supported: a game has one line of play")]
    Variation,
    /// The first node lacks a property.
    #[error("the first node has no property {name}")]
    Missing {
        /// The name of the property.
        name: &'static str,
    },
    /// A node has too many properties.
    #[error("more than {PROPERTIES_MAX} properties in a node")]
    TooManyProperties,
    /// A node has a property twice.
    #[error("the property {name} appears twice in a node")]
    Repeated {
        /// The property.
        name: String,
    },
    /// The record is of another game.
    #[error("expected FF[TZAAR], found FF[{}]", found.escape_debug())]
    OtherGame {
        /// The value in the record, cut to a few characters.
        found: String,
    },
    /// The board does not have sixty letters.
    #[error("POS: expected 60 letters, found {found}")]
    BoardLength {
        /// The number of letters.
        found: usize,
    },
    /// A letter of the board is not a piece.
    #[error("POS: expected a, b or c, upper case for Black; found {found:?}")]
    BoardLetter {
        /// The letter.
        found: char,
    },
    /// The board does not have all pieces.
    #[error("POS: expected {} pieces of the kind {kind} for {}, found {found}", kind.pieces(), side(*seat))]
    BoardPieces {
        /// The side.
        seat: Seat,
        /// The kind.
        kind: Kind,
        /// The number of pieces.
        found: usize,
    },
    /// A node after the first does not have exactly one turn.
    #[error("expected one turn, W or B, in each node after the first")]
    NoTurn,
    /// The turn belongs to the wrong side.
    #[error("it is {}'s turn", side(*due))]
    WrongSide {
        /// The side to move.
        due: Seat,
    },
    /// A turn comes after the end of the game.
    #[error("the game is over")]
    AfterTheEnd,
    /// A turn has more steps than the rules allow here.
    #[error("{step:?} is one step too many for the turn")]
    TooManySteps {
        /// The first extra step, cut to a few characters.
        step: String,
    },
    /// A step of a turn cannot be parsed.
    #[error("expected a step of four letters from k to s, pass or resign; found {step:?}")]
    Step {
        /// The step, cut to a few characters.
        step: String,
    },
    /// Two letters of a step are not a point.
    #[error("{letters} is not a point of the board")]
    Point {
        /// The letters.
        letters: String,
    },
    /// A step breaks a rule.
    #[error("{step}: {illegal} (rule {})", illegal.rule())]
    Illegal {
        /// The step.
        step: String,
        /// The refusal, with its rule.
        illegal: Illegal,
    },
}

/// The reason why a game cannot be written in this format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteGameError {
    /// The game does not start from a board with all pieces on it.
    #[error("a record starts before the opening capture, with all pieces on the board")]
    Start,
    /// An action breaks a rule.
    #[error("action {}: {illegal} (rule {})", index + 1, illegal.rule())]
    Illegal {
        /// Its index, from 0.
        index: usize,
        /// The refusal, with its rule.
        illegal: Illegal,
    },
}

fn found_text(found: Option<char>) -> String {
    match found {
        Some(found) => format!("{found:?}"),
        None => "the end of the text".to_owned(),
    }
}
