use std::fmt;

use super::Play;

/// An action of a seat at one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `roll`: roll the dice without doubling.
    Roll,
    /// `double`: offer to play for twice the stake.
    Double,
    /// `take`: play on for twice the stake and own the cube.
    Take,
    /// `drop`: lose the game at the stake before the offer.
    Drop,
    /// `resign 1`, `resign 2`, `resign 3`: offer to lose once, twice or three times the cube.
    Resign(Resignation),
    /// `accept`: win the offered points.
    Accept,
    /// `decline`: play on.
    Decline,
    /// The moves of a turn.
    Play(Play),
}

/// The worth of a resignation as a multiple of the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resignation {
    /// The cube.
    Single = 1,
    /// Twice the cube.
    Gammon = 2,
    /// Three times the cube.
    Backgammon = 3,
}

impl Resignation {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 3] = [Self::Single, Self::Gammon, Self::Backgammon];

    /// The multiple of the cube: 1, 2 or 3.
    #[must_use]
    pub const fn times(self) -> u8 {
        self as u8
    }

    /// The resignation worth `times` times the cube. `None` unless `times` is 1, 2 or 3.
    #[must_use]
    pub fn of(times: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.times() == times)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll => f.write_str("roll"),
            Self::Double => f.write_str("double"),
            Self::Take => f.write_str("take"),
            Self::Drop => f.write_str("drop"),
            Self::Resign(resignation) => write!(f, "resign {}", resignation.times()),
            Self::Accept => f.write_str("accept"),
            Self::Decline => f.write_str("decline"),
            Self::Play(play) => write!(f, "{play}"),
        }
    }
}
