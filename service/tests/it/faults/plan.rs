use std::time::Duration;

use crate::random_player::Draws;

/// Maximum number of bytes in a piece: fewer than in most messages with a position.
pub(super) const MAX_PIECE_BYTES: usize = 1500;
/// One in this many pieces is late.
const LATE_ONE_IN: u64 = 8;
/// One in this many pieces is cut, and the connection with it.
const CUT_ONE_IN: u64 = 60;
/// One in this many pieces is the first not to arrive while the other direction continues.
const HALF_OPEN_ONE_IN: u64 = 80;
/// Maximum delay of a piece.
const MAX_DELAY_MS: u64 = 15;
/// Maximum time for which a connection is half open.
const MAX_HALF_OPEN_MS: u64 = 250;

/// The fate of the bytes in one direction of a connection, piece by piece.
#[derive(Debug)]
pub(super) struct Plan(Draws);

/// The fate of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    /// It arrives.
    Arrives,
    /// It arrives after a delay.
    Late(Duration),
    /// Only the first part arrives, and the connection breaks.
    Cut {
        /// Number of bytes that arrive.
        arriving: usize,
    },
    /// Neither it nor any later piece arrives, while the other direction continues for this time.
    HalfOpen(Duration),
}

impl Plan {
    pub(super) fn new(draws: Draws) -> Self {
        Self(draws)
    }

    /// Maximum size of the next piece.
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
