use super::{Action, Due, Illegal, Position, ROW_CAPACITY};
use crate::{Position as _, Turn};

impl Position {
    /// Checks an action in this order: the state of the game, the piece, the direction, the number
    /// of steps, the row it enters.
    ///
    /// The order is part of the contract, so that every program that checks actions names the same
    /// rule.
    pub(super) fn check_action(&self, action: Action) -> Result<(), Illegal> {
        let Action { from, to } = action;
        let seat = match self.turn() {
            Turn::Decide(seat) => seat,
            Turn::Pass(seat) => return Err(Illegal::PassDue { seat }),
            Turn::Over(outcome) => {
                return Err(Illegal::GameOver {
                    winner: outcome.winner,
                });
            }
            Turn::Chance => unreachable!("this game has no rolls"),
        };
        if self.count(seat, from) == 0 {
            return Err(if self.count(seat.other(), from) == 0 {
                Illegal::NoPiece { from }
            } else {
                Illegal::OpponentsPiece { seat, from }
            });
        }
        let (start, end) = (from.seen_by(seat), to.seen_by(seat));
        if start == 7 {
            return Err(Illegal::Frozen { seat, from });
        }
        if end <= start {
            return Err(Illegal::NotForward { seat, from, to });
        }
        let target = self.target(from);
        if to != target {
            return Err(match self.due() {
                Due::First => Illegal::NotOneStep {
                    from,
                    to,
                    steps: end - start,
                },
                Due::Second { steps } => Illegal::WrongSteps {
                    from,
                    to,
                    steps,
                    target,
                },
            });
        }
        if end != 7 && self.all(seat).on(end) >= ROW_CAPACITY {
            return Err(Illegal::FullRow { to });
        }
        Ok(())
    }
}
