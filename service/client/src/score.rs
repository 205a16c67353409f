use std::fmt;

use dragontooth_games::Seat;

/// The points of both seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Score {
    /// The points of the first seat.
    pub first: u32,
    /// The points of the second seat.
    pub second: u32,
}

impl Score {
    /// The points of `seat`.
    #[must_use]
    pub const fn of(self, seat: Seat) -> u32 {
        match seat {
            Seat::First => self.first,
            Seat::Second => self.second,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.second)
    }
}
