use std::fmt;
use std::str::FromStr;

use crate::Roll;

/// A roll of two dice, in the order in which they were rolled: `31`. In the opening roll the first
/// die is seat first's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dice {
    first: u8,
    second: u8,
}

impl Dice {
    /// Creates a roll. `None` unless both numbers are from 1 to 6.
    #[must_use]
    pub const fn new(first: u8, second: u8) -> Option<Self> {
        if matches!(first, 1..=6) && matches!(second, 1..=6) {
            Some(Self { first, second })
        } else {
            None
        }
    }

    /// All 36 rolls: 11, 12, …, 16, 21, …, 66.
    #[must_use]
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ALL.into_iter()
    }

    /// The 21 rolls that differ regardless of order, written with the larger die first.
    pub fn distinct() -> impl Iterator<Item = Self> {
        Self::all().filter(|dice| dice.first >= dice.second)
    }

    /// The first die, 1 to 6.
    #[must_use]
    pub const fn first(self) -> u8 {
        self.first
    }

    /// The second die, 1 to 6.
    #[must_use]
    pub const fn second(self) -> u8 {
        self.second
    }

    /// The larger die.
    #[must_use]
    pub const fn high(self) -> u8 {
        if self.first > self.second {
            self.first
        } else {
            self.second
        }
    }

    /// The smaller die.
    #[must_use]
    pub const fn low(self) -> u8 {
        if self.first > self.second {
            self.second
        } else {
            self.first
        }
    }

    /// Returns true if both dice show the same number.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.first == self.second
    }

    /// Maximum number of steps in a turn: four with a double, otherwise two.
    #[must_use]
    pub const fn steps_max(self) -> u8 {
        if self.is_double() { 4 } else { 2 }
    }
}

/// All rolls. The roll at index n is n / 6 + 1 and n % 6 + 1, which is how a draw becomes a roll.
const ALL: [Dice; 36] = {
    let mut all = [Dice {
        first: 1,
        second: 1,
    }; 36];
    let mut number = 1;
    while number < 36 {
        let Dice { first, second } = all[number - 1];
        all[number] = if second < 6 {
            Dice {
                first,
                second: second + 1,
            }
        } else {
            Dice {
                first: first + 1,
                second: 1,
            }
        };
        number += 1;
    }
    all
};

impl Roll for Dice {
    const ALL: &'static [Self] = &ALL;
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.first, self.second)
    }
}

impl fmt::Debug for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dice({self})")
    }
}

/// The error of parsing a text that is not a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected two digits from 1 to 6, such as 31")]
pub struct ParseDiceError;

impl FromStr for Dice {
    type Err = ParseDiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [first @ b'1'..=b'6', second @ b'1'..=b'6'] => Ok(Self {
                first: first - b'0',
                second: second - b'0',
            }),
            _ => Err(ParseDiceError),
        }
    }
}
