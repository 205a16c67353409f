use crate::Seat;

/// Maximum number of doublings in a game: a GNU Backgammon match id has four bits for it.
pub const CUBE_DOUBLINGS_MAX: u8 = 15;

/// The doubling cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cube {
    doublings: u8,
    owner: Option<Seat>,
}

impl Cube {
    /// The cube at the start of a game: 1, in the centre.
    pub const START: Self = Self {
        doublings: 0,
        owner: None,
    };

    /// A cube that shows 2 to the power of `doublings`. `None` above [`CUBE_DOUBLINGS_MAX`].
    #[must_use]
    pub const fn new(doublings: u8, owner: Option<Seat>) -> Option<Self> {
        if doublings <= CUBE_DOUBLINGS_MAX {
            Some(Self { doublings, owner })
        } else {
            None
        }
    }

    /// Number of times the stake has doubled.
    #[must_use]
    pub const fn doublings(self) -> u8 {
        self.doublings
    }

    /// The stake: the number that the cube shows.
    #[must_use]
    pub const fn value(self) -> u32 {
        1 << self.doublings
    }

    /// The only side that may double. `None` if the cube is in the centre.
    #[must_use]
    pub const fn owner(self) -> Option<Seat> {
        self.owner
    }

    /// The cube after this seat takes a double.
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
