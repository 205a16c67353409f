use super::CUBE_DOUBLINGS_MAX;

/// The highest cube of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubeLimit(u8);

impl CubeLimit {
    /// The highest limit: [`CUBE_DOUBLINGS_MAX`] doublings.
    pub const HIGHEST: Self = Self(CUBE_DOUBLINGS_MAX);

    /// The limit of a cube that shows at most `value`. `None` unless that is a power of two up to 32,768.
    #[must_use]
    pub const fn of_value(value: u32) -> Option<Self> {
        if value.is_power_of_two() && value <= Self::HIGHEST.value() {
            Some(Self(value.trailing_zeros().to_le_bytes()[0]))
        } else {
            None
        }
    }

    /// The limit of a cube that is turned at most `doublings` times. `None` above [`CUBE_DOUBLINGS_MAX`].
    #[must_use]
    pub const fn of_doublings(doublings: u8) -> Option<Self> {
        if doublings <= CUBE_DOUBLINGS_MAX {
            Some(Self(doublings))
        } else {
            None
        }
    }

    /// The largest number of doublings.
    #[must_use]
    pub const fn doublings(self) -> u8 {
        self.0
    }

    /// The highest stake.
    #[must_use]
    pub const fn value(self) -> u32 {
        1 << self.0
    }
}
