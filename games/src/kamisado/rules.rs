use super::{Action, DEADLOCK, Demand, HOME_ROW, Illegal, Position, Tower};
use crate::{GameOutcome, NoRoll, Position as _, Turn};

impl crate::Position for Position {
    type Action = Action;
    type Illegal = Illegal;
    type Roll = NoRoll;

    #[inline]
    fn turn(&self) -> Turn {
        match self.demand {
            _ if self.won => over(self.promoted(), HOME_ROW),
            Demand::Any | Demand::Refill => Turn::Decide(self.to_move),
            Demand::Tower(colour) if self.can_move(self.to_move, colour) => {
                Turn::Decide(self.to_move)
            }
            Demand::Tower(colour) if self.has_passed(colour) => over(self.promoted(), DEADLOCK),
            Demand::Tower(_) => Turn::Pass(self.to_move),
        }
    }

    /// Ascending by from-square and then to-square, in the order a1, b1, …, h8; `left` before
    /// `right`.
    #[inline]
    fn for_each_legal(&self, visit: impl FnMut(Action)) {
        self.visit_legal(visit);
    }

    #[inline]
    fn count_legal(&self) -> usize {
        self.legal_count()
    }

    fn check(&self, action: Action) -> Result<(), Illegal> {
        self.check_action(action)
    }

    #[inline]
    fn play_unchecked(&mut self, action: Action) {
        match action {
            Action::Move { from, to } => {
                self.advance(from.seen_by(self.to_move), to.seen_by(self.to_move));
            }
            Action::Refill(refill) => *self = self.refilled(refill),
        }
    }

    fn images(&self) -> Vec<Self> {
        vec![*self, self.mirrored()]
    }

    fn roll(&mut self, roll: NoRoll) {
        match roll {}
    }

    fn pass(&mut self) {
        self.make_zero_move();
    }
}

impl Position {
    /// The tower that decided the game and gets a tooth. `None` if the game is not over.
    #[must_use]
    pub fn deciding_tower(&self) -> Option<Tower> {
        match self.turn() {
            Turn::Over(_) => Some(self.promoted()),
            Turn::Decide(_) | Turn::Pass(_) | Turn::Chance => None,
        }
    }

    fn promoted(&self) -> Tower {
        let (seat, colour) = self.promoted;
        self.tower(seat, colour)
    }
}

fn over(tower: Tower, reason: &'static str) -> Turn {
    Turn::Over(GameOutcome {
        winner: Some(tower.seat),
        points: tower.rank.points(),
        reason,
    })
}
