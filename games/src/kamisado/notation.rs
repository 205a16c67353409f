use std::fmt;

use super::{Colour, Demand, Position, Tower};
use crate::Seat;

impl fmt::Display for Position {
    /// Writes the placement, the side to move, and the required colour, `-` or `*`. In a deadlock,
    /// a fourth field names the tower that gets the tooth, unless it is the tower to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut board = [None; 64];
        for tower in self.towers() {
            board[tower.square.index()] = Some(tower);
        }
        // A letter costs more when it is written to `f`.
        let mut text = String::with_capacity(USUAL_BYTES);
        for (index, rank) in board.chunks(8).rev().enumerate() {
            if index > 0 {
                text.push('/');
            }
            push_rank(rank, &mut text);
        }
        let required = match self.demand {
            Demand::Tower(colour) => colour.letter(),
            Demand::Any => FREE_CHOICE,
            Demand::Refill => REFILL,
        };
        let side = side_letter(self.to_move);
        let promoted = self
            .promoted_in_notation()
            .map(|(seat, colour)| tower_letter(seat, colour));
        for field in [Some(side), Some(required), promoted].into_iter().flatten() {
            text.extend([' ', field]);
        }
        f.write_str(&text)
    }
}

/// Appends the squares of a rank from the a-file.
fn push_rank(squares: &[Option<Tower>], text: &mut String) {
    let mut empty = 0;
    for square in squares {
        let Some(tower) = square else {
            empty += 1;
            continue;
        };
        push_empty(empty, text);
        empty = 0;
        text.push(tower_letter(tower.seat, tower.colour));
        for _ in 0..tower.rank.teeth() {
            text.push(TOOTH);
        }
    }
    push_empty(empty, text);
}

fn push_empty(squares: u8, text: &mut String) {
    if squares > 0 {
        text.push(char::from(b'0' + squares));
    }
}

/// Bytes that most positions need.
const USUAL_BYTES: usize = 64;

/// The third field if any tower may move.
pub(super) const FREE_CHOICE: char = '-';
/// The third field if the refill is to be chosen.
pub(super) const REFILL: char = '*';
/// The mark of a tooth, after a tower's letter.
pub(super) const TOOTH: char = '+';

/// The name of a seat's side.
pub(super) const fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "Black",
        Seat::Second => "White",
    }
}

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
