use std::time::Duration;

use crate::random_player::Draws;

/// The most bytes of a piece: less than most messages with a position have.
pub(super) const MAX_PIECE_BYTES: usize = 1500;
/// One piece of so many is late.
const LATE_ONE_IN: u64 = 8;
/// One piece of so many ends with the connection.
const CUT_ONE_IN: u64 = 60;
/// One piece of so many is the first that does not arrive while the other direction goes on.
const HALF_OPEN_ONE_IN: u64 = 80;
/// How late a piece may be.
const MAX_DELAY_MS: u64 = 15;
/// How long a connection may be half open.
const MAX_HALF_OPEN_MS: u64 = 250;

/// What happens to the bytes of one direction of a connection, piece by piece.
#[derive(Debug)]
pub(super) struct Plan(Draws);

/// What happens to a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    /// It arrives.
    Arrives,
    /// It arrives after so long.
    Late(Duration),
    /// So many of its bytes arrive, and the connection breaks.
    Cut {
        /// At least so many do not.
        arriving: usize,
    },
    /// It does not arrive, nor does what follows it; so long the other direction goes on.
    HalfOpen(Duration),
}

impl Plan {
    pub(super) fn new(draws: Draws) -> Self {
        Self(draws)
    }

    /// How large the next piece may be.
    pub(super) fn piece_bytes(&mut self) -> usize {
        1 + usize::try_from(self.0.below(MAX_PIECE_BYTES as u64)).unwrap()
    }

    pub(super) fn fate(&mut self, piece_bytes: usize) -> Fate {
        if self.0.below(CUT_ONE_IN) == 0 {
            let arriving = self.0.below(piece_bytes as u64);
            return Fate::Cut {
                arriving: usize::try_from(arriving).unwrap(),
            };
        }
        if self.0.below(HALF_OPEN_ONE_IN) == 0 {
            return Fate::HalfOpen(self.up_to_ms(MAX_HALF_OPEN_MS));
        }
        if self.0.below(LATE_ONE_IN) == 0 {
            return Fate::Late(self.up_to_ms(MAX_DELAY_MS));
        }
        Fate::Arrives
    }

    fn up_to_ms(&mut self, bound: u64) -> Duration {
        Duration::from_millis(1 + self.0.below(bound))
    }
}
