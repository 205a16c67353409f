use std::fmt;
use std::hash::{Hash, Hasher};

use super::square::Spot;
use super::{Colour, Rank, Square, SquareSet, Tower};
use crate::Seat;

/// Outcome reason: a tower reached the opponent's home row (rule M7).
pub const HOME_ROW: &str = "home_row";
/// Outcome reason: neither side can move (rule M8).
pub const DEADLOCK: &str = "deadlock";

/// The complete state of one game of Kamisado, from the choice of the refill or the first move to
/// the end.
///
/// Two positions are equal if and only if their notations are. The notation leaves out the chain of
/// passes in progress: equal positions have the same legal actions and the same outcome, but in a
/// deadlock one may have played more of its passes. A parsed position has played none.
#[derive(Clone, Copy)]
pub struct Position {
    /// The spot of each tower, by seat and colour.
    pub(super) spots: [[Spot; 8]; 2],
    /// The spots of all towers of both sides, one bit each, from each seat's view. Keeping both
    /// views lets the move generator work for either seat without turning the board.
    pub(super) occupied: [u64; 2],
    /// The teeth on each seat's towers, two bits a colour.
    pub(super) teeth: [u16; 2],
    /// The pairs of side and colour that have passed since the last real move, one bit each.
    pub(super) passed: u16,
    /// The seat to move.
    pub(super) to_move: Seat,
    /// The demand on that seat.
    pub(super) demand: Demand,
    /// True if a tower has reached the opponent's home row.
    pub(super) won: bool,
    /// The tower that gets the tooth when the game ends: the tower that has won or, if the game ends
    /// in a deadlock, the tower of the opponent of the last real move, in the colour of the square
    /// where that move ended.
    pub(super) promoted: (Seat, Colour),
}

/// The demand on the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Demand {
    /// Move the tower of this colour (rule T2).
    Tower(Colour),
    /// Move any tower: the first move of a game (rule T1).
    Any,
    /// Choose how both sides refill their home rows (rule A1).
    Refill,
}

impl Position {
    /// The first position of a match: every tower on the home square of its own colour, and Black
    /// opens with any tower.
    #[must_use]
    pub fn standard() -> Self {
        Self::opening([Colour::ALL; 2], [0; 2], Seat::First)
    }

    /// The seat to move. In a game that is over, the seat that would be next.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The demand on the seat to move.
    #[must_use]
    pub const fn demand(&self) -> Demand {
        self.demand
    }

    /// A seat's tower of this colour.
    #[must_use]
    pub fn tower(&self, seat: Seat, colour: Colour) -> Tower {
        let square = self.spot(seat, colour).square(seat);
        Tower {
            seat,
            colour,
            rank: self.rank(seat, colour),
            square,
        }
    }

    /// All towers, Black's first, in the order of the colours.
    pub fn towers(&self) -> impl Iterator<Item = Tower> + '_ {
        Seat::BOTH
            .into_iter()
            .flat_map(move |seat| Colour::ALL.map(move |colour| self.tower(seat, colour)))
    }

    /// The tower on `square`.
    #[must_use]
    pub fn tower_on(&self, square: Square) -> Option<Tower> {
        Seat::BOTH.into_iter().find_map(|seat| {
            let colour = self.colour_on(seat, square.seen_by(seat))?;
            Some(self.tower(seat, colour))
        })
    }

    /// The occupied squares.
    #[must_use]
    pub const fn occupied(&self) -> SquareSet {
        SquareSet::from_bits(self.occupied[Seat::First.index()])
    }

    /// The squares that a seat's tower of this colour could move to if it were its turn, including
    /// the occupied one of a push. Empty if the tower is blocked.
    #[must_use]
    pub fn targets(&self, seat: Seat, colour: Colour) -> SquareSet {
        let bits = self.target_spots(seat, colour);
        SquareSet::from_bits(match seat {
            Seat::First => bits,
            Seat::Second => bits.reverse_bits(),
        })
    }

    /// Creates a position in which no passes have been played and the last real move is taken to be
    /// one of the other seat, to a square of the required colour.
    pub(super) fn new(
        spots: [[Spot; 8]; 2],
        teeth: [u16; 2],
        to_move: Seat,
        demand: Demand,
    ) -> Self {
        let bits = |seat: Seat| {
            spots[seat.index()]
                .iter()
                .fold(0, |bits, spot| bits | spot.bit())
        };
        let (black, white) = (bits(Seat::First), bits(Seat::Second));
        let occupied = [black | white.reverse_bits(), white | black.reverse_bits()];
        let mut position = Self {
            spots,
            occupied,
            teeth,
            passed: 0,
            to_move,
            demand,
            won: false,
            promoted: (to_move, Colour::Brown),
        };
        match (position.tower_at_goal(), demand) {
            (_, Demand::Refill) | (None, Demand::Any) => {}
            (Some(tower), Demand::Any | Demand::Tower(_)) => {
                position.won = true;
                position.promoted = (tower.seat, tower.colour);
            }
            (None, Demand::Tower(colour)) => position.promoted = (to_move, colour),
        }
        position
    }

    /// The opening position of a game. `orders` are the towers on each seat's home row, from that
    /// seat's left.
    pub(super) fn opening(orders: [[Colour; 8]; 2], teeth: [u16; 2], to_move: Seat) -> Self {
        let spots = orders.map(|order| {
            let mut spots = [Spot::home(0); 8];
            for (column, colour) in (0..).zip(order) {
                spots[colour.index()] = Spot::home(column);
            }
            spots
        });
        Self::new(spots, teeth, to_move, Demand::Any)
    }

    #[inline]
    pub(super) const fn spot(&self, seat: Seat, colour: Colour) -> Spot {
        self.spots[seat.index()][colour.index()]
    }

    #[inline]
    pub(super) const fn rank(&self, seat: Seat, colour: Colour) -> Rank {
        Rank::ALL[(self.teeth[seat.index()] >> (2 * colour.index()) & 3) as usize]
    }

    /// The tower that has reached the opponent's home row.
    pub(super) fn tower_at_goal(&self) -> Option<Tower> {
        self.towers()
            .find(|tower| tower.square.seen_by(tower.seat).is_goal())
    }

    /// The colour of a seat's tower on a spot, from that seat's view.
    pub(super) fn colour_on(&self, seat: Seat, spot: Spot) -> Option<Colour> {
        let spots = &self.spots[seat.index()];
        Colour::ALL
            .into_iter()
            .find(|colour| spots[colour.index()] == spot)
    }

    /// The first three fields of the notation, packed into three words for comparing and hashing.
    fn placement(&self) -> [u64; 3] {
        let squares = self
            .spots
            .map(|spots| u64::from_le_bytes(spots.map(Spot::byte)));
        let demand = match self.demand {
            Demand::Tower(colour) => colour as u64,
            Demand::Any => 8,
            Demand::Refill => 9,
        };
        let [black, white] = self.teeth.map(u64::from);
        let rest = black | white << 16 | (self.to_move as u64) << 32 | demand << 33;
        [squares[0], squares[1], rest]
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Position")
            .field(&format_args!("{self}"))
            .finish()
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.placement() == other.placement()
            && (self.promoted == other.promoted || !self.is_deadlocked())
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for word in self.placement() {
            state.write_u64(word);
        }
    }
}
