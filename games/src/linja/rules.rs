use super::{Action, Illegal, Position};
use crate::{GameOutcome, NoRoll, Seat, Turn};

/// Outcome reason: the pieces of the two sides have passed each other.
pub const SEPARATED: &str = "separated";
/// Outcome reason: neither side can move.
pub const DEADLOCK: &str = "deadlock";

/// Score of a piece on each row, from its side's view: the home row first, the target row last.
pub const POINTS_BY_ROW: [u32; 8] = [0, 0, 0, 0, 1, 2, 3, 5];

impl crate::Position for Position {
    type Action = Action;
    type Illegal = Illegal;
    type Roll = NoRoll;

    #[inline]
    fn turn(&self) -> Turn {
        if self.is_separated() {
            self.over(SEPARATED)
        } else if self.steps != 0 || self.has_first_move(self.to_move) {
            Turn::Decide(self.to_move)
        } else if self.has_first_move(self.to_move.other()) {
            Turn::Pass(self.to_move)
        } else {
            self.over(DEADLOCK)
        }
    }

    /// Ascending by from-row.
    #[inline]
    fn for_each_legal(&self, visit: impl FnMut(Action)) {
        if !self.is_separated() {
            self.visit_legal(visit);
        }
    }

    #[inline]
    fn count_legal(&self) -> usize {
        if self.is_separated() {
            0
        } else {
            self.movable().count_ones() as usize
        }
    }

    fn check(&self, action: Action) -> Result<(), Illegal> {
        self.check_action(action)
    }

    #[inline]
    fn play_unchecked(&mut self, action: Action) {
        self.advance_piece(action);
    }

    fn roll(&mut self, roll: NoRoll) {
        match roll {}
    }

    fn pass(&mut self) {
        self.end_turn();
    }
}

impl Position {
    /// The sum of the points of a seat's pieces where they are now.
    #[must_use]
    pub fn score(&self, seat: Seat) -> u32 {
        let counts = self.advance(seat).into_iter().map(u32::from);
        counts
            .zip(POINTS_BY_ROW)
            .map(|(count, points)| count * points)
            .sum()
    }

    /// Returns true if every piece of Red is on a higher row than every piece of Black.
    ///
    /// Each side's lowest row is counted from its own home row. Black's is row 7 - b, so Red's
    /// lowest row r is above it if r + b > 7.
    #[inline]
    pub(super) const fn is_separated(&self) -> bool {
        let [red, black] = self.pieces;
        red.lowest() + black.lowest() > 7
    }

    fn over(&self, reason: &'static str) -> Turn {
        let [red, black] = Seat::BOTH.map(|seat| self.score(seat));
        let winner = match red.cmp(&black) {
            std::cmp::Ordering::Greater => Some(Seat::First),
            std::cmp::Ordering::Less => Some(Seat::Second),
            std::cmp::Ordering::Equal => None,
        };
        Turn::Over(GameOutcome {
            winner,
            points: u32::from(winner.is_some()),
            reason,
        })
    }
}
