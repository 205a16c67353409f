use std::fmt::{self, Write as _};

use super::Kind;
use crate::Seat;

/// Number of pieces of each side: the sum of [`Kind::pieces`]. No unit is higher.
pub const PIECES: u8 = 30;

/// A piece or a stack of pieces of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Its owner.
    pub seat: Seat,
    /// The kind of its top piece.
    pub kind: Kind,
    /// Its number of pieces, from 1: its strength.
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

/// Writes its notation: `T3`.
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
