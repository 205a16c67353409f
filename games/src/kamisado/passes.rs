use super::{Colour, Demand, Position};
use crate::Seat;

impl Position {
    /// Whether the pair of side and colour that has to move has passed before since the last real
    /// move.
    pub(super) const fn has_passed(&self, colour: Colour) -> bool {
        self.passed & pair(self.to_move, colour) != 0
    }

    /// Makes the move of length zero of the tower that is asked for (rule M6).
    pub(super) fn make_zero_move(&mut self) {
        if let Demand::Tower(colour) = self.demand {
            self.passed |= pair(self.to_move, colour);
            self.demand = Demand::Tower(self.spot(self.to_move, colour).colour());
            self.to_move = self.to_move.other();
        }
    }

    /// Whether nobody can move, however many passes are made (rule M8).
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

    /// The tower that gets the tooth in a deadlock, where it is not the tower that is asked for.
    pub(super) fn heir_to_tell(&self) -> Option<(Seat, Colour)> {
        let Demand::Tower(asked) = self.demand else {
            return None;
        };
        (self.heir != (self.to_move, asked) && self.is_deadlocked()).then_some(self.heir)
    }
}

const fn pair(seat: Seat, colour: Colour) -> u16 {
    1 << (8 * seat.index() + colour.index())
}
