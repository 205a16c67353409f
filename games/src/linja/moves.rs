use super::counts::{lowest_row, turned_rows};
use super::{Action, Position, Row};
use crate::Seat;

/// The target row, from a player's own view.
const TARGET: u8 = 7;

impl Position {
    /// The rows, from its own view and as top bits, from which the seat to move can make the move
    /// that is due.
    #[inline]
    pub(super) const fn movable(&self) -> u64 {
        let steps = if self.steps == 0 { 1 } else { self.steps };
        self.movable_by(self.to_move, steps)
    }

    /// Returns true if a seat has a first move.
    #[inline]
    pub(super) const fn has_first_move(&self, seat: Seat) -> bool {
        self.movable_by(seat, 1) != 0
    }

    #[inline]
    const fn movable_by(&self, seat: Seat, steps: u8) -> u64 {
        self.pieces[seat.index()].movable(steps, self.all(seat))
    }

    #[inline]
    pub(super) fn visit_legal(&self, mut visit: impl FnMut(Action)) {
        let seat = self.to_move;
        let mut rows = match seat {
            Seat::First => self.movable(),
            Seat::Second => turned_rows(self.movable()),
        };
        while rows != 0 {
            // These are row numbers: Black's view has been turned above.
            let from = Row::of(Seat::First, lowest_row(rows));
            visit(Action {
                from,
                to: self.target(from),
            });
            rows &= rows - 1;
        }
    }

    /// The row that a piece on `from` enters with the move that is due.
    #[inline]
    pub(super) const fn target(&self, from: Row) -> Row {
        let steps = if self.steps == 0 { 1 } else { self.steps };
        Row::of(self.to_move, from.seen_by(self.to_move) + steps)
    }

    /// Makes the move that is due.
    #[inline]
    pub(super) fn advance_piece(&mut self, action: Action) {
        let seat = self.to_move;
        let to = action.to.seen_by(seat);
        let met = self.all(seat).on(to);
        let own = &mut self.pieces[seat.index()];
        *own = own.shift(action.from.seen_by(seat), to);
        let was_second = self.steps != 0;
        let was_extra = self.extra;
        self.end_turn();
        if self.is_separated() {
            return;
        }
        if was_second {
            // A second move onto an empty row earns an extra turn, which cannot earn another.
            if met == 0 && to != TARGET && !was_extra {
                self.to_move = seat;
                self.extra = true;
            }
            return;
        }
        // The first move earns the pieces it meets as steps, and exactly one on the target row. A
        // second move that no piece can make lapses.
        let steps = if to == TARGET { 1 } else { met };
        if steps != 0 && self.movable_by(seat, steps) != 0 {
            self.to_move = seat;
            self.steps = steps;
            self.extra = was_extra;
        }
    }

    /// Passes the turn to the other seat.
    #[inline]
    pub(super) const fn end_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.steps = 0;
        self.extra = false;
    }
}
