use std::time::Duration;

use dragontooth_games::Seat;

/// The time of each seat at the start of the decision that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The first seat's time; `None` without a clock.
    pub first: Option<Duration>,
    /// The second seat's time; `None` without a clock.
    pub second: Option<Duration>,
}

impl Clocks {
    /// The time of `seat`; `None` without a clock.
    #[must_use]
    pub const fn of(self, seat: Seat) -> Option<Duration> {
        match seat {
            Seat::First => self.first,
            Seat::Second => self.second,
        }
    }
}
