use std::fmt;
use std::str::FromStr;

use super::{Refill, Square};

/// An action of a seat at one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A tower moves, or pushes if its target is occupied: `a1a7`.
    Move {
        /// The square the tower leaves.
        from: Square,
        /// The square it enters.
        to: Square,
    },
    /// Both sides refill their home rows: `left` or `right`.
    Refill(Refill),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Written in one call, because every decision is sent with its list of legal actions.
            Self::Move { from, to } => {
                let squares = [from.notation(), to.notation()];
                let text = str::from_utf8(squares.as_flattened());
                f.write_str(text.expect("letters and digits are UTF-8"))
            }
            Self::Refill(refill) => f.write_str(refill.word()),
        }
    }
}

/// The error of parsing a text that is not an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// Neither four characters nor a word of the notation.
    #[error("expected two squares, such as a1a7, or left or right")]
    NoAction,
    /// The first two characters are not a square.
    #[error("the from-square must be a file from a to h and a rank from 1 to 8")]
    From,
    /// The last two characters are not a square.
    #[error("the to-square must be a file from a to h and a rank from 1 to 8")]
    To,
}

impl FromStr for Action {
    type Err = ParseActionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        for refill in Refill::BOTH {
            if text == refill.word() {
                return Ok(Self::Refill(refill));
            }
        }
        if text.len() != 4 {
            return Err(ParseActionError::NoAction);
        }
        let (from, to) = text.split_at_checked(2).ok_or(ParseActionError::From)?;
        Ok(Self::Move {
            from: from.parse().map_err(|_| ParseActionError::From)?,
            to: to.parse().map_err(|_| ParseActionError::To)?,
        })
    }
}
