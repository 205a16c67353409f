use super::moves::Mover;
use super::position::Phase;
use super::{Action, Due, Illegal, Position, Resignation};
use crate::{Position as _, Turn};

impl Position {
    /// Returns the listed action that an action in any notation stands for.
    ///
    /// Checks the state of the game first, then the decision that is due, then the rules of the
    /// action, so that the refusal names the most basic mistake.
    pub(super) fn resolve_action(&self, action: Action) -> Result<Action, Illegal> {
        let due = self.due();
        if let Turn::Over(outcome) = self.turn()
            && let Some(winner) = outcome.winner
        {
            return Err(Illegal::GameOver { winner });
        }
        if let Due::Moves(dice) = due
            && !Mover::new(&self.board, self.mover).can_move(dice)
        {
            let seat = self.mover;
            return Err(Illegal::PassDue { seat, dice });
        }
        let instead = |action| Err(Illegal::NotDue { action, due });
        match (action, due) {
            (Action::Roll | Action::Double, Due::RollOrDouble)
            | (Action::Take | Action::Drop, Due::TakeOrDrop)
            | (Action::Accept | Action::Decline, Due::Answer(_)) => Ok(action),
            (Action::Resign(offered), Due::RollOrDouble | Due::Moves(_)) => {
                self.check_resignation(offered).map(|()| action)
            }
            (Action::Resign(_), Due::TakeOrDrop) => Err(Illegal::DropToResign),
            (Action::Play(play), Due::Moves(dice)) => {
                self.resolve_play(dice, play).map(Action::Play)
            }
            (Action::Double, Due::Moves(dice)) => {
                // Where doubling is forbidden the dice were rolled at once: what forbade it comes first.
                self.check_double()?;
                Err(Illegal::DoubleAfterRoll { dice })
            }
            (Action::Double, Due::Roll) if self.phase == Phase::Start => {
                self.check_double().map(|()| action)
            }
            (Action::Roll, _) => instead("roll"),
            (Action::Double, _) => instead("double"),
            (Action::Take, _) => instead("take"),
            (Action::Drop, _) => instead("drop"),
            (Action::Accept, _) => instead("accept"),
            (Action::Decline, _) => instead("decline"),
            (Action::Resign(_), _) => instead("a resignation"),
            (Action::Play(_), _) => instead("a play"),
        }
    }

    /// Checks that an action is legal and written in canonical notation.
    pub(super) fn check_action(&self, action: Action) -> Result<(), Illegal> {
        match (self.resolve_action(action)?, action) {
            (Action::Play(canonical), Action::Play(play)) if canonical != play => {
                Err(Illegal::NotCanonical { canonical })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the mover, if it decides, may offer this resignation.
    pub(super) fn check_resignation(&self, offered: Resignation) -> Result<(), Illegal> {
        match self.declined {
            Some(declined) if offered <= declined => {
                Err(Illegal::ResignationTooLow { offered, declined })
            }
            Some(_) | None => Ok(()),
        }
    }
}
