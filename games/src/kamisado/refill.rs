use std::cmp::Reverse;
use std::fmt;

use super::{Colour, Demand, Position};
use crate::Seat;

/// The end from which both sides refill their home rows before the next game (rules A1 to A4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refill {
    /// From each player's left, brown, towards orange.
    Left,
    /// From each player's right, orange, towards brown.
    Right,
}

impl Refill {
    /// Both, left before right.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Its word in the notation.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl fmt::Display for Refill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Position {
    /// The position in which the winner of this finished game chooses the refill: the same board
    /// with a new tooth on the tower that earned it. `None` if the game is not over.
    pub(super) fn before_refill(&self) -> Option<Self> {
        let tower = self.deciding_tower()?;
        let mut teeth = self.teeth;
        let shift = 2 * tower.colour.index();
        teeth[tower.seat.index()] &= !(3 << shift);
        teeth[tower.seat.index()] |= u16::from(tower.rank.raised().teeth()) << shift;
        Some(Self::new(self.spots, teeth, tower.seat, Demand::Refill))
    }

    /// The start of the next game: both home rows are refilled, and the seat that did not choose
    /// opens.
    pub(super) fn refilled(&self, refill: Refill) -> Self {
        let orders = Seat::BOTH.map(|seat| self.refill_order(seat, refill));
        Self::opening(orders, self.teeth, self.to_move.other())
    }

    /// The order of a seat's towers on its new home row, from its left.
    fn refill_order(&self, seat: Seat, refill: Refill) -> [Colour; 8] {
        let mut order = Colour::ALL;
        match refill {
            Refill::Left => order.sort_unstable_by_key(|colour| self.spot(seat, *colour)),
            Refill::Right => {
                order.sort_unstable_by_key(|colour| {
                    let spot = self.spot(seat, *colour);
                    (spot.row(), Reverse(spot.column()))
                });
                order.reverse();
            }
        }
        order
    }
}
