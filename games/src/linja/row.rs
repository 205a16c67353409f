use std::fmt;
use std::str::FromStr;

use crate::Seat;

/// A row of the board, 0 to 7: Red's home row is 0, Black's is 7.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(u8);

impl Row {
    /// The row with this number. `None` above 7.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number < 8 { Some(Self(number)) } else { None }
    }

    /// All rows, from 0 to 7.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        (0..8).map(Self)
    }

    /// Its number, 0 to 7.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its number counted from a seat's home row, 0 to 7.
    #[must_use]
    pub const fn seen_by(self, seat: Seat) -> u8 {
        match seat {
            Seat::First => self.0,
            Seat::Second => 7 - self.0,
        }
    }

    /// The row with this number counted from a seat's home row. Numbers above 7 are the target row.
    #[inline]
    pub(super) const fn of(seat: Seat, seen: u8) -> Self {
        let number = if seen < 8 { seen } else { 7 };
        Self(Self(number).seen_by(seat))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Row({})", self.0)
    }
}

/// The error of parsing a text that is not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a digit from 0 to 7")]
pub struct ParseRowError;

impl FromStr for Row {
    type Err = ParseRowError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [digit @ b'0'..=b'7'] => Ok(Self(digit - b'0')),
            _ => Err(ParseRowError),
        }
    }
}
