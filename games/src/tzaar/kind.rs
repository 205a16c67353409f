use std::fmt;

/// A kind of piece. A unit has the kind of its top piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Six a side.
    Tzaar,
    /// Nine a side.
    Tzarra,
    /// Fifteen a side.
    Tott,
}

impl Kind {
    /// All kinds, the rarest first.
    pub const ALL: [Self; 3] = [Self::Tzaar, Self::Tzarra, Self::Tott];

    /// Number of pieces of this kind on each side.
    #[must_use]
    pub const fn pieces(self) -> u8 {
        match self {
            Self::Tzaar => 6,
            Self::Tzarra => 9,
            Self::Tott => 15,
        }
    }

    /// Its letter in the notation, lower case.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Tzaar => 'z',
            Self::Tzarra => 'r',
            Self::Tott => 't',
        }
    }

    /// The kind with this letter, lower case.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'z' => Some(Self::Tzaar),
            'r' => Some(Self::Tzarra),
            't' => Some(Self::Tott),
            _ => None,
        }
    }

    /// Its index in [`Kind::ALL`]: 0 for Tzaar, 1 for Tzarra, 2 for Tott.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Writes its display name: `Tzaar`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tzaar => "Tzaar",
            Self::Tzarra => "Tzarra",
            Self::Tott => "Tott",
        })
    }
}
