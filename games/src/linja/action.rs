use std::fmt;
use std::str::FromStr;

use super::Row;

/// A move of one piece from one row to another: `2>3`. Each of the two moves of a turn is an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The row the piece leaves.
    pub from: Row,
    /// The row it enters.
    pub to: Row,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.from, self.to)
    }
}

/// The error of parsing a text that is not an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// Not two rows with a `>` between them.
    #[error("expected two rows separated by >, such as 2>3")]
    NoAction,
    /// The part before the `>` is not a row.
    #[error("the from-row must be a digit from 0 to 7")]
    From,
    /// The part after the `>` is not a row.
    #[error("the to-row must be a digit from 0 to 7")]
    To,
}

impl FromStr for Action {
    type Err = ParseActionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (from, to) = text.split_once('>').ok_or(ParseActionError::NoAction)?;
        Ok(Self {
            from: from.parse().map_err(|_| ParseActionError::From)?,
            to: to.parse().map_err(|_| ParseActionError::To)?,
        })
    }
}
