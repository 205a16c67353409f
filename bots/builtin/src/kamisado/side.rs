use dragontooth_games::Seat;
use dragontooth_games::kamisado::{Colour, Position, Rank, Square};

/// The moves that the towers of one side would have if it were their turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The squares to which each tower can move, as bits, by colour.
    targets: [u64; 8],
    /// The towers that can reach the opponent's home row.
    pub(super) strikers: ColourSet,
}

/// A set of colours, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ColourSet(u8);

impl Side {
    #[inline]
    pub(super) fn of(position: &Position, seat: Seat) -> Self {
        let goal = GOAL_ROWS[seat.index()];
        let targets = Colour::ALL.map(|colour| position.targets(seat, colour).bits());
        Self {
            targets,
            strikers: colours_where(|colour| targets[colour] & goal != 0),
        }
    }

    /// The number of squares to which the tower can move.
    #[inline]
    pub(super) fn freedom(&self, colour: Colour) -> i16 {
        i16::try_from(self.targets[colour.index()].count_ones()).unwrap_or(i16::MAX)
    }

    /// The number of moves of all towers.
    pub(super) fn mobility(&self) -> u32 {
        self.targets
            .iter()
            .map(|targets| targets.count_ones())
            .sum()
    }

    /// The squares to which the tower can move without `opponent` then moving a striker, as bits.
    #[inline]
    pub(super) fn safe_targets(&self, colour: Colour, opponent: &Self) -> u64 {
        self.targets[colour.index()] & !SQUARES[usize::from(opponent.strikers.0)]
    }

    /// The number of these squares.
    #[inline]
    pub(super) fn safe_moves(&self, colour: Colour, opponent: &Self) -> u32 {
        self.safe_targets(colour, opponent).count_ones()
    }

    /// Returns true if the tower cannot move.
    #[inline]
    pub(super) const fn is_blocked(&self, colour: Colour) -> bool {
        self.targets[colour.index()] == 0
    }
}

impl ColourSet {
    #[inline]
    pub(super) const fn contains(self, colour: Colour) -> bool {
        self.0 >> colour.index() & 1 != 0
    }
}

/// Returns true if a seat's tower can reach the opponent's home row.
#[inline]
pub(super) fn can_strike(position: &Position, seat: Seat, colour: Colour) -> bool {
    position.targets(seat, colour).bits() & GOAL_ROWS[seat.index()] != 0
}

/// The squares of a colour, as bits.
#[inline]
pub(super) fn squares(colour: Colour) -> u64 {
    SQUARES[1 << colour.index()]
}

#[inline]
fn colours_where(mut is_in: impl FnMut(usize) -> bool) -> ColourSet {
    ColourSet((0..8).fold(0, |set, colour| set | u8::from(is_in(colour)) << colour))
}

/// The rows that win for each seat, as bits of squares.
const GOAL_ROWS: [u64; 2] = [0xff << 56, 0xff];

/// For each set of colours the squares of these colours, as bits.
static SQUARES: [u64; 256] = {
    let mut of_colour = [0; 8];
    let mut index = 0;
    while index < 64 {
        if let Some(square) = Square::new(index % 8, index / 8) {
            of_colour[square.colour().index()] |= 1 << index;
        }
        index += 1;
    }
    let mut squares = [0; 256];
    let mut set = 1;
    while set < 256_usize {
        let colour = set.trailing_zeros() as usize;
        squares[set] = squares[set & (set - 1)] | of_colour[colour];
        set += 1;
    }
    squares
};

pub(super) fn rank(position: &Position, seat: Seat, colour: Colour) -> Rank {
    position.tower(seat, colour).rank
}
