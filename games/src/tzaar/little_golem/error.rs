use super::TEXT_BYTES_MAX;
use super::nodes::PROPERTIES_MAX;
use crate::tzaar::side::side;
use crate::tzaar::{Illegal, Kind};
use crate::{IllegalAction as _, Seat};

/// Why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: ReadFault,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadFault {
    /// The text is longer than any record of a match.
    #[error("longer than {TEXT_BYTES_MAX} bytes")]
    TooLong,
    /// Something else stands where the syntax wants this.
    #[error("{expected} is expected; found {}", found_text(*found))]
    Syntax {
        /// What is expected.
        expected: &'static str,
        /// The character there; none at the end of the text.
        found: Option<char>,
    },
    /// A second line of play branches off.
    #[error("variations are not read: a game has one line of play")]
    Variation,
    /// The first node lacks a property.
    #[error("the first node has no property {name}")]
    Missing {
        /// The property.
        name: &'static str,
    },
    /// A node has more properties than any has.
    #[error("a node has at most {PROPERTIES_MAX} properties")]
    TooManyProperties,
    /// A node has a property twice.
    #[error("the property {name} stands twice in a node")]
    Repeated {
        /// The property.
        name: String,
    },
    /// The record is one of another game.
    #[error("FF[TZAAR] is expected; found FF[{}]", found.escape_debug())]
    OtherGame {
        /// What the record says, cut to a few letters.
        found: String,
    },
    /// The board has not sixty letters.
    #[error("POS has 60 letters; found {found}")]
    BoardLength {
        /// Their number.
        found: usize,
    },
    /// A letter of the board is no piece.
    #[error("a piece in POS is a, b or c, upper case for Black; found {found:?}")]
    BoardLetter {
        /// The letter.
        found: char,
    },
    /// The board has not all pieces.
    #[error("POS has {} pieces of the kind {kind} for {}; found {found}", kind.pieces(), side(*seat))]
    BoardPieces {
        /// Whose pieces.
        seat: Seat,
        /// Their kind.
        kind: Kind,
        /// Their number.
        found: usize,
    },
    /// A later node has no turn.
    #[error("a node after the first has one turn, W or B")]
    NoTurn,
    /// The turn is one of the wrong side.
    #[error("it is the turn of {}", side(*due))]
    WrongSide {
        /// Whose turn it is.
        due: Seat,
    },
    /// A turn continues after the game.
    #[error("the game is over")]
    AfterTheEnd,
    /// A turn has more steps than the rules allow here.
    #[error("the turn has more steps than are due: {step:?} is too many")]
    TooManySteps {
        /// The first that is too many, cut to a few letters.
        step: String,
    },
    /// A step of a turn cannot be read.
    #[error("a step is four letters from k to s, pass or resign; found {step:?}")]
    Step {
        /// The step, cut to a few letters.
        step: String,
    },
    /// Two letters of a step are no point of the board.
    #[error("{letters} is no point of the board")]
    Point {
        /// The letters.
        letters: String,
    },
    /// A step is against the rules.
    #[error("{step}: {illegal} (rule {})", illegal.rule())]
    Illegal {
        /// The step.
        step: String,
        /// The rule that forbids it.
        illegal: Illegal,
    },
}

/// Why the record cannot say what was played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The game does not start from a board with all pieces on it.
    #[error("a record starts before the opening capture, with all pieces on the board")]
    Start,
    /// An action is against the rules.
    #[error("action {index}: {illegal} (rule {})", illegal.rule())]
    Illegal {
        /// Its number, from 0.
        index: usize,
        /// The rule that forbids it.
        illegal: Illegal,
    },
}

fn found_text(found: Option<char>) -> String {
    match found {
        Some(found) => format!("{found:?}"),
        None => "the end of the text".to_owned(),
    }
}
