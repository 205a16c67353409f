use std::fmt;
use std::str::FromStr;

use super::Row;

/// A piece goes from one row to another: `2>3`. The two moves of a turn are an action each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The row that the piece leaves.
    pub from: Row,
    /// The row that it enters.
    pub to: Row,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}>{}", self.from, self.to)
    }
}

/// A text that is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseActionError {
    /// Not two rows with a `>` between them.
    #[error("an action is two rows with > between them, such as 2>3")]
    NoAction,
    /// What stands before the `>` is no row.
    #[error("the from-row is a digit from 0 to 7")]
    From,
    /// What stands after the `>` is no row.
    #[error("the to-row is a digit from 0 to 7")]
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
