use std::fmt;

use super::{Colour, Square};
use crate::Seat;

/// The rank of a tower: its number of dragon's teeth, which make it slower and let it push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rank {
    /// No tooth.
    Plain,
    /// One tooth.
    Sumo,
    /// Two teeth.
    Double,
    /// Three teeth.
    Triple,
}

/// A tower on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tower {
    /// Its owner.
    pub seat: Seat,
    /// Its colour, which it keeps for the whole match.
    pub colour: Colour,
    /// Its rank.
    pub rank: Rank,
    /// Its square.
    pub square: Square,
}

impl Rank {
    /// All four, ascending.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Sumo, Self::Double, Self::Triple];

    /// The number of teeth.
    #[must_use]
    pub const fn teeth(self) -> u8 {
        self as u8
    }

    /// Maximum number of squares in a move (rules S1, DS1, TS1).
    #[must_use]
    pub const fn range(self) -> u8 {
        match self {
            Self::Plain => 7,
            Self::Sumo => 5,
            Self::Double => 3,
            Self::Triple => 1,
        }
    }

    /// Maximum number of towers in a push (rules S7, DS7, TS7).
    #[must_use]
    pub const fn pushes(self) -> u8 {
        self.teeth()
    }

    /// The points for a game won by a tower of this rank: 1, 2, 4 or 8.
    #[must_use]
    pub const fn points(self) -> u32 {
        1 << self.teeth()
    }

    /// The rank with one more tooth. A triple stays one, since a fourth tooth ends every match.
    #[must_use]
    pub const fn raised(self) -> Self {
        match self {
            Self::Plain => Self::Sumo,
            Self::Sumo => Self::Double,
            Self::Double | Self::Triple => Self::Triple,
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Plain => "plain tower",
            Self::Sumo => "sumo",
            Self::Double => "double sumo",
            Self::Triple => "triple sumo",
        })
    }
}
