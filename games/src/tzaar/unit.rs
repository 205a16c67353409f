use std::fmt::{self, Write as _};

use super::Kind;
use crate::Seat;

/// The pieces of a side: those of [`Kind::pieces`] together. No unit is higher.
pub const PIECES: u8 = 30;

/// A piece or a stack of pieces of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Whose it is.
    pub seat: Seat,
    /// The kind of its top piece.
    pub kind: Kind,
    /// The number of its pieces, from 1: its strength.
    pub height: u8,
}

impl Unit {
    /// A single piece.
    #[must_use]
    pub const fn single(seat: Seat, kind: Kind) -> Self {
        Self {
            seat,
            kind,
            height: 1,
        }
    }
}

/// Its notation: `T3`.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(match self.seat {
            Seat::First => self.kind.letter().to_ascii_uppercase(),
            Seat::Second => self.kind.letter(),
        })?;
        if self.height > 1 {
            write!(f, "{}", self.height)?;
        }
        Ok(())
    }
}
