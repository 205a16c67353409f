use crate::Seat;

/// The most times that the stake can double in a game: what a GNU Backgammon match id has room for.
pub const CUBE_DOUBLINGS_MAX: u8 = 15;

/// The doubling cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cube {
    doublings: u8,
    owner: Option<Seat>,
}

impl Cube {
    /// The cube as a game begins: 1, in the centre.
    pub const START: Self = Self {
        doublings: 0,
        owner: None,
    };

    /// A cube that shows 2 to the power of `doublings`; none above [`CUBE_DOUBLINGS_MAX`].
    #[must_use]
    pub const fn new(doublings: u8, owner: Option<Seat>) -> Option<Self> {
        if doublings <= CUBE_DOUBLINGS_MAX {
            Some(Self { doublings, owner })
        } else {
            None
        }
    }

    /// How often the stake has doubled.
    #[must_use]
    pub const fn doublings(self) -> u8 {
        self.doublings
    }

    /// The stake.
    #[must_use]
    pub const fn value(self) -> u32 {
        1 << self.doublings
    }

    /// The side that alone may double; none if the cube is in the centre.
    #[must_use]
    pub const fn owner(self) -> Option<Seat> {
        self.owner
    }

    /// The cube after this seat took a double.
    pub(super) const fn taken_by(self, seat: Seat) -> Self {
        let doublings = if self.doublings < CUBE_DOUBLINGS_MAX {
            self.doublings + 1
        } else {
            self.doublings
        };
        Self {
            doublings,
            owner: Some(seat),
        }
    }
}
