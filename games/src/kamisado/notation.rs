use std::fmt::{self, Write};

use super::{Colour, Demand, Position, Square};
use crate::Seat;

impl fmt::Display for Position {
    /// Placement, side to move and required colour, `-` or `*`; in a deadlock, if it is not the
    /// tower that is to move, the tower that gets the tooth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            self.write_rank(rank, f)?;
            if rank > 0 {
                f.write_char('/')?;
            }
        }
        let required = match self.demand {
            Demand::Tower(colour) => colour.letter(),
            Demand::Any => FREE_CHOICE,
            Demand::Refill => REFILL,
        };
        write!(f, " {} {required}", side_letter(self.to_move))?;
        match self.heir_to_tell() {
            Some((seat, colour)) => write!(f, " {}", tower_letter(seat, colour)),
            None => Ok(()),
        }
    }
}

impl Position {
    fn write_rank(&self, rank: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut empty = 0;
        for square in Square::all().filter(|square| square.rank() == rank) {
            let Some(tower) = self.tower_on(square) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(f, "{empty}")?;
                empty = 0;
            }
            f.write_char(tower_letter(tower.seat, tower.colour))?;
            for _ in 0..tower.rank.teeth() {
                f.write_char(TOOTH)?;
            }
        }
        if empty > 0 {
            write!(f, "{empty}")
        } else {
            Ok(())
        }
    }
}

/// The third field where any tower may move.
pub(super) const FREE_CHOICE: char = '-';
/// The third field where the refill is to be chosen.
pub(super) const REFILL: char = '*';
/// The mark of a tooth, after a tower's letter.
pub(super) const TOOTH: char = '+';

pub(super) const fn side_letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'b',
        Seat::Second => 'w',
    }
}

/// Lower case for Black's towers, upper case for White's.
pub(super) const fn tower_letter(seat: Seat, colour: Colour) -> char {
    match seat {
        Seat::First => colour.letter(),
        Seat::Second => colour.letter().to_ascii_uppercase(),
    }
}

pub(super) fn tower_from_letter(letter: char) -> Option<(Seat, Colour)> {
    let seat = if letter.is_ascii_uppercase() {
        Seat::Second
    } else {
        Seat::First
    };
    Colour::from_letter(letter.to_ascii_lowercase()).map(|colour| (seat, colour))
}
