use super::{Colour, Demand, Position};
use crate::Seat;

impl Position {
    /// Returns true if the side to move has passed with this colour since the last real move.
    pub(super) const fn has_passed(&self, colour: Colour) -> bool {
        self.passed & pair(self.to_move, colour) != 0
    }

    /// Makes the zero-length move of the required tower (rule M6).
    pub(super) fn make_zero_move(&mut self) {
        if let Demand::Tower(colour) = self.demand {
            self.passed |= pair(self.to_move, colour);
            self.demand = Demand::Tower(self.spot(self.to_move, colour).colour());
            self.to_move = self.to_move.other();
        }
    }

    /// Returns true if neither side can move, however many passes are made (rule M8).
    ///
    /// Passes move no tower, so a chain of passes that comes back to the same side and colour
    /// repeats forever. There are 16 such pairs, so the loop ends after at most 17 steps.
    pub(super) fn is_deadlocked(&self) -> bool {
        if self.won {
            return false;
        }
        let mut chain = *self;
        chain.passed = 0;
        while let Demand::Tower(colour) = chain.demand {
            if chain.can_move(chain.to_move, colour) {
                return false;
            }
            if chain.has_passed(colour) {
                return true;
            }
            chain.make_zero_move();
        }
        false
    }

    /// The tower that gets the tooth in a deadlock, unless it is the required tower, which readers
    /// of the notation assume.
    pub(super) fn promoted_in_notation(&self) -> Option<(Seat, Colour)> {
        let Demand::Tower(required) = self.demand else {
            return None;
        };
        (self.promoted != (self.to_move, required) && self.is_deadlocked()).then_some(self.promoted)
    }
}

const fn pair(seat: Seat, colour: Colour) -> u16 {
    1 << (8 * seat.index() + colour.index())
}
