use super::{Action, Due, Kind, Point, Position, rays};
use crate::Seat;

impl Position {
    /// The points on which the unit of `seat` on `from` can capture, one bit each.
    #[inline]
    pub(super) fn captures(&self, seat: Seat, from: Point) -> u64 {
        let neighbours = rays::neighbours(from, self.occupied());
        self.beaten(from, neighbours & self.seats[seat.other().index()])
    }

    /// The enemy units among `enemies` that are not higher than the unit on `from`.
    ///
    /// Single pieces can always be captured, so heights are looked up only for stacks, and only if
    /// the capturing unit is a stack itself.
    #[inline]
    fn beaten(&self, from: Point, enemies: u64) -> u64 {
        let mut beaten = enemies & !self.stacks;
        let height = self.height(from);
        if height > 1 {
            let mut stacks = enemies & self.stacks;
            while let Some(stack) = Point::lowest(stacks) {
                if self.height(stack) <= height {
                    beaten |= stack.bit();
                }
                stacks &= stacks - 1;
            }
        }
        beaten
    }

    /// The points that the mover's unit on `from` can enter with the action that is due, one bit
    /// each.
    #[inline]
    fn targets(&self, from: Point) -> u64 {
        let neighbours = rays::neighbours(from, self.occupied());
        let own = self.seats[self.to_move.index()];
        let enemies = self.seats[self.to_move.other().index()];
        let captures = self.beaten(from, neighbours & enemies);
        match self.due {
            Due::Second => captures | (neighbours & own),
            Due::Placement | Due::Opening | Due::First => captures,
        }
    }

    /// The legal actions of a game that is not over.
    #[inline]
    pub(super) fn visit_legal(&self, mut visit: impl FnMut(Action)) {
        if self.due == Due::Placement {
            self.visit_placements(visit);
            return;
        }
        let own = self.seats[self.to_move.index()];
        for from in self.units(self.to_move) {
            let mut targets = self.targets(from);
            while let Some(to) = Point::lowest(targets) {
                visit(if own & to.bit() == 0 {
                    Action::Capture { from, to }
                } else {
                    Action::Stack { from, to }
                });
                targets &= targets - 1;
            }
        }
        if self.due == Due::Second {
            visit(Action::Pass);
        }
    }

    fn visit_placements(&self, mut visit: impl FnMut(Action)) {
        for kind in Kind::ALL {
            if self.supply(self.to_move, kind) > 0 {
                for at in self.free() {
                    visit(Action::Place { kind, at });
                }
            }
        }
    }

    /// The number of legal actions of a game that is not over.
    #[inline]
    pub(super) fn count_actions(&self) -> usize {
        if self.due == Due::Placement {
            let in_supply = |kind: &Kind| self.supply(self.to_move, *kind) > 0;
            return Kind::ALL.iter().filter(|kind| in_supply(kind)).count() * self.free().len();
        }
        let units = self.units(self.to_move).into_iter();
        let moves: u32 = units.map(|from| self.targets(from).count_ones()).sum();
        moves as usize + usize::from(self.due == Due::Second)
    }

    /// Plays an action.
    #[inline]
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Capture { from, to } => {
                self.lift(to);
                self.heights[to.index() & 63] = 0;
                self.land(from, to);
            }
            Action::Stack { from, to } => {
                self.lift(to);
                self.land(from, to);
            }
            Action::Pass => {}
            Action::Place { kind, at } => {
                self.lift(at);
                self.put(at, super::Unit::single(self.to_move, kind));
            }
        }
        self.next_action();
    }

    /// Removes the unit on a point from the sets. Its height stays, for a unit that stacks on it.
    #[inline]
    const fn lift(&mut self, at: Point) {
        let others = !at.bit();
        let [white, black] = self.seats;
        self.seats = [white & others, black & others];
        let [tzaars, tzarras, totts] = self.kinds;
        self.kinds = [tzaars & others, tzarras & others, totts & others];
        self.stacks &= others;
    }

    /// Moves the unit on `from` to a point whose unit has been lifted, and adds the height left
    /// there.
    #[inline]
    fn land(&mut self, from: Point, to: Point) {
        let height = self.heights[from.index() & 63].wrapping_add(self.heights[to.index() & 63]);
        let (leave, enter) = (!from.bit(), to.bit());
        for points in self.seats.iter_mut().chain(&mut self.kinds) {
            // Multiplied by 0 or 1 instead of branching on whether the unit is in the set.
            let there = *points & from.bit() != 0;
            *points = (*points & leave) | (enter * u64::from(there));
        }
        self.stacks = (self.stacks & leave) | (enter * u64::from(height > 1));
        self.heights[from.index() & 63] = 0;
        self.heights[to.index() & 63] = height;
    }

    /// Sets the action that is due next.
    #[inline]
    const fn next_action(&mut self) {
        match self.due {
            Due::First => self.due = Due::Second,
            Due::Opening | Due::Second => {
                self.to_move = self.to_move.other();
                self.due = Due::First;
            }
            Due::Placement => {
                self.to_move = self.to_move.other();
                if self.is_full() {
                    self.due = Due::Opening;
                }
            }
        }
    }
}
