use std::fmt::{self, Write as _};
use std::str::FromStr;

/// A point of the board, `a1` to `i5`, or the hole in its middle, e5, which is always empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u8);

/// Number of points, without the hole.
const POINTS: u8 = 60;
/// The number of ranks on each file from a to i, including the hole.
const FILES: [u8; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];
/// The index of a1, b1, …, i1.
const FIRST: [u8; 9] = [0, 5, 11, 18, 26, 34, 42, 49, 55];
/// The file and the rank of the hole, from 0.
const HOLE: (u8, u8) = (4, 4);

/// The file and the rank, from 0, of each point, and of the hole at the end.
const PLACES: [(u8, u8); 61] = {
    let mut places = [HOLE; 61];
    let mut file = 0;
    while file < 9 {
        let mut rank = 0;
        while rank < FILES[file as usize] {
            if let Some(point) = Point::new(file, rank) {
                places[point.index()] = (file, rank);
            }
            rank += 1;
        }
        file += 1;
    }
    places
};

impl Point {
    /// The hole: e5.
    pub const HOLE: Self = Self(POINTS);

    /// The point, or the hole, on this file, 0 for a, and rank, 0 for rank 1. `None` if it is off
    /// the board.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file >= 9 || rank >= FILES[file as usize] {
            return None;
        }
        if file == HOLE.0 && rank == HOLE.1 {
            return Some(Self::HOLE);
        }
        let above_the_hole = file == HOLE.0 && rank > HOLE.1;
        Some(Self(FIRST[file as usize] + rank - above_the_hole as u8))
    }

    /// The point with this index: 0 is a1, 1 is a2, 59 is i5. `None` from 60, which is the hole.
    #[must_use]
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < POINTS {
            Some(Self(index))
        } else {
            None
        }
    }

    /// All points without the hole, file by file: a1, a2, …, i5.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator {
        (0..POINTS).map(Self)
    }

    /// Its index: 0 for a1, 59 for i5, 60 for the hole.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its file, 0 for a to 8 for i.
    #[must_use]
    pub const fn file(self) -> u8 {
        PLACES[self.index()].0
    }

    /// Its rank, from 0, counted from White's side.
    #[must_use]
    pub const fn rank(self) -> u8 {
        PLACES[self.index()].1
    }

    /// Its x and y coordinates on the lattice, 0 to 8. The six directions of the board are (1, 0),
    /// (0, 1), (1, 1) and their opposites.
    #[must_use]
    pub const fn lattice(self) -> (i8, i8) {
        let (file, rank) = (self.file().cast_signed(), self.rank().cast_signed());
        (file, if file > 4 { file - 4 + rank } else { rank })
    }

    /// The point, or the hole, with these coordinates. `None` if they are off the board.
    #[must_use]
    pub const fn from_lattice(x: i8, y: i8) -> Option<Self> {
        let rank = if x > 4 { y - (x - 4) } else { y };
        if x < 0 || rank < 0 {
            return None;
        }
        Self::new(x.cast_unsigned(), rank.cast_unsigned())
    }

    /// The bit of the point in a set. The hole's bit is in no set.
    #[inline]
    pub(super) const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The point of the lowest set bit.
    #[inline]
    pub(super) const fn lowest(bits: u64) -> Option<Self> {
        let index = bits.trailing_zeros().to_le_bytes()[0];
        Self::from_index(index)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char(char::from(b'a' + self.file()))?;
        f.write_char(char::from(b'1' + self.rank()))
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error of parsing a text that is not a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePointError {
    /// Not a file and a rank.
    #[error("expected a file from a to i and a rank, such as c3")]
    NoPoint,
    /// The file has no such rank.
    #[error("file {file} has ranks 1 to {ranks}")]
    Rank {
        /// The file.
        file: char,
        /// Its number of ranks.
        ranks: u8,
    },
}

impl FromStr for Point {
    type Err = ParsePointError;

    /// Accepts the hole too: keeping it empty is a rule, with its own refusal.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let [letter @ b'a'..=b'i', rank @ b'0'..=b'9'] = *text.as_bytes() else {
            return Err(ParsePointError::NoPoint);
        };
        let file = letter - b'a';
        rank.checked_sub(b'1')
            .and_then(|rank| Self::new(file, rank))
            .ok_or(ParsePointError::Rank {
                file: char::from(letter),
                ranks: FILES[usize::from(file)],
            })
    }
}
