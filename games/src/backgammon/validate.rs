use super::moves::Mover;
use super::position::Phase;
use super::{Cube, Due, Position, StateFault};
use crate::Seat;

impl Position {
    /// Returns the position if its parts are consistent with each other. Does not prove that some
    /// game leads to it.
    pub(super) fn validated(self) -> Result<Self, StateFault> {
        if self.board.is_locked() {
            return Err(StateFault::Locked);
        }
        self.validate_stakes()?;
        self.validate_phase()?;
        self.validate_resignation()?;
        Ok(self)
    }

    fn validate_stakes(&self) -> Result<(), StateFault> {
        let stakes = &self.stakes;
        let length = stakes.length;
        if length > 0 {
            let over = stakes
                .score
                .iter()
                .find(|points| **points >= u16::from(length));
            if let Some(points) = over {
                return Err(StateFault::MatchOver {
                    points: *points,
                    length,
                });
            }
            if stakes.jacoby {
                return Err(StateFault::Jacoby);
            }
        }
        if stakes.crawford {
            let near = Seat::BOTH.map(|seat| self.points(seat) + 1 == u16::from(length));
            if length < 2 || near[0] == near[1] {
                return Err(StateFault::Crawford);
            }
            if self.cube != Cube::START {
                return Err(StateFault::CrawfordCube);
            }
        }
        if self.cube.owner().is_some() == (self.cube.doublings() == 0) {
            return Err(StateFault::CubeOwner);
        }
        Ok(())
    }

    fn validate_phase(&self) -> Result<(), StateFault> {
        let is_over = self.board.finisher().is_some();
        let is_answered = self.resigns.is_some() || self.declined.is_some();
        match self.phase {
            Phase::Opening if *self != Self::opening(self.stakes) => Err(StateFault::Opening),
            Phase::Start if is_over && is_answered => Err(StateFault::Over),
            Phase::Rolling | Phase::Doubled | Phase::Dropped | Phase::Moving(_) if is_over => {
                Err(StateFault::Over)
            }
            Phase::Rolling => self.check_double().map_err(|_| StateFault::Roll),
            Phase::Doubled | Phase::Dropped => self.check_double().map_err(|_| StateFault::Double),
            Phase::Opening | Phase::Start | Phase::Moving(_) => Ok(()),
        }
    }

    fn validate_resignation(&self) -> Result<(), StateFault> {
        if let Some(declined) = self.declined
            && declined >= self.worst_loss(self.mover)
        {
            return Err(StateFault::Declined);
        }
        let Some(offered) = self.resigns else {
            return Ok(());
        };
        let before = Self {
            resigns: None,
            resigned: false,
            ..*self
        };
        let decides = match before.due() {
            Due::RollOrDouble => true,
            Due::Moves(dice) => Mover::new(&self.board, self.mover).can_move(dice),
            Due::OpeningRoll | Due::Roll | Due::TakeOrDrop | Due::Answer(_) | Due::Nothing => false,
        };
        let waits = self.resigned || !self.gives_all(offered);
        if decides && waits && before.check_resignation(offered).is_ok() {
            Ok(())
        } else {
            Err(StateFault::Resignation)
        }
    }
}
