use std::fmt;

/// A colour of squares and towers, in the order of Black's home row from the a-file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// `b`, at a player's left.
    Brown,
    /// `g`
    Green,
    /// `r`
    Red,
    /// `y`
    Yellow,
    /// `p`
    Pink,
    /// `m`
    Purple,
    /// `l`
    Blue,
    /// `o`, at a player's right.
    Orange,
}

impl Colour {
    /// All eight, in order.
    pub const ALL: [Self; 8] = [
        Self::Brown,
        Self::Green,
        Self::Red,
        Self::Yellow,
        Self::Pink,
        Self::Purple,
        Self::Blue,
        Self::Orange,
    ];

    /// The colour that takes its place when the board is mirrored left to right.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self::ALL[7 - self.index()]
    }

    /// Its index in [`Colour::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its letter in the notation, lower case.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Brown => 'b',
            Self::Green => 'g',
            Self::Red => 'r',
            Self::Yellow => 'y',
            Self::Pink => 'p',
            Self::Purple => 'm',
            Self::Blue => 'l',
            Self::Orange => 'o',
        }
    }

    /// The colour with this letter, lower case.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'b' => Some(Self::Brown),
            'g' => Some(Self::Green),
            'r' => Some(Self::Red),
            'y' => Some(Self::Yellow),
            'p' => Some(Self::Pink),
            'm' => Some(Self::Purple),
            'l' => Some(Self::Blue),
            'o' => Some(Self::Orange),
            _ => None,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Brown => "brown",
            Self::Green => "green",
            Self::Red => "red",
            Self::Yellow => "yellow",
            Self::Pink => "pink",
            Self::Purple => "purple",
            Self::Blue => "blue",
            Self::Orange => "orange",
        })
    }
}
