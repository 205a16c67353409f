use std::fmt;
use std::str::FromStr;

/// One of the two sides of a match, for the whole match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// One of the sides. Which one opens a game is for the rules of the game.
    First,
    /// The other side.
    Second,
}

impl Seat {
    /// Both seats, first before second.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent's seat.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Index into a pair: 0 for the first seat, 1 for the second.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// The error of parsing a text that is not a seat.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected \"first\" or \"second\"")]
pub struct ParseSeatError;

impl FromStr for Seat {
    type Err = ParseSeatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "first" => Ok(Self::First),
            "second" => Ok(Self::Second),
            _ => Err(ParseSeatError),
        }
    }
}
