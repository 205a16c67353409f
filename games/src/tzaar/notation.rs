use std::fmt::{self, Write};

use super::{Due, Point, Position};
use crate::Seat;

impl fmt::Display for Position {
    /// Writes the units file by file, the side to move and the action that is due.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in Point::all() {
            if point.rank() == 0 && point.file() > 0 {
                f.write_char(FILE_END)?;
            }
            match self.unit(point) {
                Some(unit) => write!(f, "{unit}")?,
                None => f.write_char(FREE)?,
            }
        }
        write!(f, " {} {}", side_letter(self.to_move), due_letter(self.due))
    }
}

/// The separator between files.
pub(super) const FILE_END: char = '/';
/// The mark of a point without a unit.
pub(super) const FREE: char = '.';

/// The name of a seat's side.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "White",
        Seat::Second => "Black",
    }
}

pub(super) const fn side_letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'w',
        Seat::Second => 'b',
    }
}

pub(super) const fn due_letter(due: Due) -> char {
    match due {
        Due::Placement => 'p',
        Due::Opening => 'o',
        Due::First => '1',
        Due::Second => '2',
    }
}
