use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::Colour;
use crate::Seat;

/// A square of the board, `a1` to `h8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

/// The colours of the squares, with rank 8 on top. The board looks the same after half a turn, so
/// this is the view of both players.
const COLOURS: [Colour; 64] = colours([
    b"olmpyrgb",
    b"ropglybm",
    b"gpormbyl",
    b"pmlobgry",
    b"yrgbolmp",
    b"lybmropg",
    b"mbylgpor",
    b"bgrypmlo",
]);

impl Square {
    /// The square with this index: 0 is a1, 1 is b1, 63 is h8.
    #[must_use]
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square on this file, 0 for a, and rank, 0 for rank 1. `None` if it is off the board.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 {
            Some(Self(rank * 8 + file))
        } else {
            None
        }
    }

    /// All squares: a1, b1, …, h8.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        (0..64).map(Self)
    }

    /// Its index: 0 for a1, 63 for h8.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its file, 0 for a to 7 for h.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Its rank, 0 for rank 1 to 7 for rank 8.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Its colour.
    #[must_use]
    pub const fn colour(self) -> Colour {
        COLOURS[self.index() & 63]
    }

    /// The letter of its file and the digit of its rank.
    pub(super) const fn notation(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }

    /// The square that a tower reaches after `done` of the `squares` steps between two squares on a
    /// line.
    pub(super) fn on_the_way(from: Self, to: Self, done: u8, squares: u8) -> Option<Self> {
        let part = |from: u8, to: u8| (from * (squares - done) + to * done) / squares;
        Self::new(part(from.file(), to.file()), part(from.rank(), to.rank()))
    }

    pub(super) const fn seen_by(self, seat: Seat) -> Spot {
        Spot(self.0 ^ turn_of(seat))
    }

    pub(super) const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// The square of the lowest bit that is set.
    #[inline]
    pub(super) const fn lowest(bits: u64) -> Option<Self> {
        if bits == 0 {
            None
        } else {
            Some(Self(bits.trailing_zeros().to_le_bytes()[0]))
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.notation() {
            f.write_char(char::from(letter))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error of parsing a text that is not a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a file from a to h and a rank from 1 to 8, such as a1")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self((rank - b'1') * 8 + (file - b'a'))),
            _ => Err(ParseSquareError),
        }
    }
}

/// A square from one side's view: 0 is the left end of its home row, and its towers move to higher
/// numbers.
///
/// The board looks the same from both sides, so one set of tables and one move generator serve both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Spot(u8);

impl Spot {
    /// The first spot of the opponent's home row.
    const GOAL: u8 = 56;

    /// The spot in this column of the side's home row, 0 at its left.
    pub(super) const fn home(column: u8) -> Self {
        Self(column & 7)
    }

    pub(super) const fn square(self, seat: Seat) -> Square {
        Square(self.0 ^ turn_of(seat))
    }

    /// The same square from the opponent's view.
    pub(super) const fn turned(self) -> Self {
        Self(self.0 ^ 63)
    }

    /// The spot in the same row, counted from the other end.
    pub(super) const fn mirrored(self) -> Self {
        Self(self.0 ^ 7)
    }

    /// The spot straight ahead. `None` from the opponent's home row.
    pub(super) const fn ahead(self) -> Option<Self> {
        if self.is_goal() {
            None
        } else {
            Some(Self(self.0 + 8))
        }
    }

    pub(super) const fn is_goal(self) -> bool {
        self.0 >= Self::GOAL
    }

    /// The row, 0 for the side's home row.
    pub(super) const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// The column, 0 at the side's left.
    pub(super) const fn column(self) -> u8 {
        self.0 & 7
    }

    pub(super) const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    pub(super) const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    pub(super) const fn colour(self) -> Colour {
        COLOURS[self.index()]
    }

    pub(super) const fn byte(self) -> u8 {
        self.0
    }
}

/// The mask that turns a square number into a spot of this seat, and back: 63 - n is n ^ 63.
const fn turn_of(seat: Seat) -> u8 {
    match seat {
        Seat::First => 0,
        Seat::Second => 63,
    }
}

const fn colours(ranks_from_8: [&[u8; 8]; 8]) -> [Colour; 64] {
    let mut colours = [Colour::Brown; 64];
    let mut index = 0;
    while index < 64 {
        let letter = ranks_from_8[7 - index / 8][index % 8];
        let Some(colour) = Colour::from_letter(letter as char) else {
            panic!("a letter of the board is not a colour")
        };
        colours[index] = colour;
        index += 1;
    }
    colours
}
