use super::square::Spot;
use super::{Action, Colour, Demand, Position, Refill, rays};
use crate::Seat;

impl Position {
    /// The spots that a seat's tower can move to, including the occupied one of a push.
    #[inline]
    pub(super) fn target_spots(&self, seat: Seat, colour: Colour) -> u64 {
        let spot = self.spot(seat, colour);
        let reach = rays::reach(spot, self.rank(seat, colour), self.occupied[seat.index()]);
        if self.can_push(seat, colour) {
            // A push starts onto the occupied spot straight ahead: one row is eight bits.
            reach | spot.bit() << 8
        } else {
            reach
        }
    }

    /// Returns true if a seat's tower has a move or a push (rule M6).
    #[inline]
    pub(super) fn can_move(&self, seat: Seat, colour: Colour) -> bool {
        rays::has_room(self.spot(seat, colour), self.occupied[seat.index()])
            || self.can_push(seat, colour)
    }

    #[inline]
    pub(super) fn visit_legal(&self, mut visit: impl FnMut(Action)) {
        let seat = self.to_move;
        match self.demand {
            Demand::Refill => Refill::BOTH.into_iter().map(Action::Refill).for_each(visit),
            _ if self.won => {}
            Demand::Tower(colour) => self.visit_moves(seat, colour, &mut visit),
            Demand::Any => {
                let mut colours = Colour::ALL;
                // Actions are listed by their from-square, and spots are kept by colour.
                colours.sort_unstable_by_key(|colour| self.spot(seat, *colour).square(seat));
                for colour in colours {
                    self.visit_moves(seat, colour, &mut visit);
                }
            }
        }
    }

    #[inline]
    pub(super) fn legal_count(&self) -> usize {
        let count = |colour| self.target_spots(self.to_move, colour).count_ones() as usize;
        match self.demand {
            Demand::Refill => Refill::BOTH.len(),
            _ if self.won => 0,
            Demand::Tower(colour) => count(colour),
            Demand::Any => Colour::ALL.into_iter().map(count).sum(),
        }
    }

    #[inline]
    fn visit_moves(&self, seat: Seat, colour: Colour, visit: &mut impl FnMut(Action)) {
        let from = self.spot(seat, colour).square(seat);
        for to in self.targets(seat, colour) {
            visit(Action::Move { from, to });
        }
    }

    /// Moves the required tower or, if any tower may move, the one on `from`.
    #[inline]
    pub(super) fn advance(&mut self, from: Spot, to: Spot) {
        let seat = self.to_move;
        let colour = match self.demand {
            Demand::Tower(colour) => colour,
            Demand::Any | Demand::Refill => match self.colour_on(seat, from) {
                Some(colour) => colour,
                None => return,
            },
        };
        if self.occupied[seat.index()] & to.bit() == 0 {
            self.shift(seat, colour, to);
            self.demand = Demand::Tower(to.colour());
            self.to_move = seat.other();
            self.passed = 0;
            self.won = to.is_goal();
            self.promoted = if self.won {
                (seat, colour)
            } else {
                (seat.other(), to.colour())
            };
        } else if let Some(push) = self.push_ahead(seat, colour) {
            self.demand = Demand::Tower(push.farthest.colour());
            self.passed = 0;
            // The opponent loses its turn, so `to_move` stays: the same seat moves the tower of the
            // colour on which the farthest pushed tower landed.
            self.promoted = (seat.other(), push.pusher.colour());
        }
    }

    /// Moves a seat's tower to another spot.
    #[inline]
    pub(super) fn shift(&mut self, seat: Seat, colour: Colour, to: Spot) {
        let from = std::mem::replace(&mut self.spots[seat.index()][colour.index()], to);
        self.occupied[seat.index()] ^= from.bit() | to.bit();
        self.occupied[seat.other().index()] ^= from.turned().bit() | to.turned().bit();
    }
}
