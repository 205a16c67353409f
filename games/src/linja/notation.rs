use std::fmt::{self, Write};

use super::{Due, Position, Row};
use crate::Seat;

impl fmt::Display for Position {
    /// Writes Red's counts, Black's counts, the side to move and the state.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (separator, seat) in ["", "/"].into_iter().zip(Seat::BOTH) {
            f.write_str(separator)?;
            self.write_counts(seat, f)?;
        }
        write!(f, " {} ", side_letter(self.to_move))?;
        match self.due() {
            Due::First => f.write_char(FIRST_MOVE)?,
            Due::Second { steps } => write!(f, "{SECOND_MOVE}{steps}")?,
        }
        if self.extra {
            f.write_char(EXTRA_TURN)?;
        }
        Ok(())
    }
}

impl Position {
    fn write_counts(&self, seat: Seat, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in Row::all() {
            if row.number() > 0 {
                f.write_char(',')?;
            }
            write!(f, "{}", self.count(seat, row))?;
        }
        Ok(())
    }
}

/// The state before the first move of a turn.
pub(super) const FIRST_MOVE: char = '1';
/// The prefix of the steps of the second move.
pub(super) const SECOND_MOVE: &str = "2:";
/// The suffix of the state in an extra turn.
pub(super) const EXTRA_TURN: char = 'x';

/// The name of a seat's side.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Red",
        Seat::Second => "Black",
    }
}

pub(super) const fn side_letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'r',
        Seat::Second => 'b',
    }
}
