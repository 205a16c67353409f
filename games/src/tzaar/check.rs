use super::{Action, Due, Illegal, Kind, Point, Position};
use crate::{Position as _, Seat, Turn};

impl Position {
    /// Checks an action in this order: the state of the game, the hole, the moving unit, the line,
    /// the target.
    ///
    /// The order is part of the contract, so that every program that checks actions names the same
    /// rule.
    pub(super) fn check_action(&self, action: Action) -> Result<(), Illegal> {
        if let Turn::Over(outcome) = self.turn() {
            let winner = outcome.winner.unwrap_or(self.to_move);
            return Err(Illegal::GameOver { winner });
        }
        match action {
            Action::Place { kind, at } => self.check_placement(kind, at),
            Action::Pass => self.check_phase(Illegal::PassFirst { seat: self.to_move }),
            Action::Capture { from, to } => {
                self.check_phase_of_capture()?;
                self.check_way(from, to)?;
                self.check_captured(from, to)
            }
            Action::Stack { from, to } => {
                self.check_phase_of_capture()?;
                check_hole(from, to)?;
                self.check_phase(Illegal::StackFirst { seat: self.to_move })?;
                self.check_way(from, to)?;
                self.check_stacked(to)
            }
        }
    }

    fn check_placement(&self, kind: Kind, at: Point) -> Result<(), Illegal> {
        let seat = self.to_move;
        if self.due != Due::Placement {
            return Err(Illegal::NoPlacement);
        }
        if at == Point::HOLE {
            return Err(Illegal::Hole);
        }
        if self.owner(at).is_some() {
            return Err(Illegal::Occupied { at });
        }
        if self.supply(seat, kind) == 0 {
            return Err(Illegal::UsedUp { seat, kind });
        }
        Ok(())
    }

    /// Checks that the second action is due, the only one that need not be a capture.
    fn check_phase(&self, refusal: Illegal) -> Result<(), Illegal> {
        self.check_phase_of_capture()?;
        match self.due {
            Due::Second => Ok(()),
            Due::Placement | Due::Opening | Due::First => Err(refusal),
        }
    }

    fn check_phase_of_capture(&self) -> Result<(), Illegal> {
        match self.due {
            Due::Placement => Err(Illegal::PlacementDue { seat: self.to_move }),
            Due::Opening | Due::First | Due::Second => Ok(()),
        }
    }

    /// Checks that the mover has a unit on `from` that can go to the unit on `to`.
    fn check_way(&self, from: Point, to: Point) -> Result<(), Illegal> {
        let seat = self.to_move;
        check_hole(from, to)?;
        match self.owner(from) {
            None => return Err(Illegal::NoUnit { from }),
            Some(owner) if owner == seat => {}
            Some(_) if self.is_after_the_opening() => return Err(Illegal::OpeningTurn { from }),
            Some(_) => return Err(Illegal::EnemyUnit { seat, from }),
        }
        self.check_line(from, to)?;
        if self.owner(to).is_none() {
            return Err(Illegal::EmptyTarget { to });
        }
        Ok(())
    }

    /// Checks that two points lie on a line with only empty points between them.
    fn check_line(&self, from: Point, to: Point) -> Result<(), Illegal> {
        let ((x, y), (to_x, to_y)) = (from.lattice(), to.lattice());
        let (dx, dy) = (to_x - x, to_y - y);
        let steps = dx.abs().max(dy.abs());
        if steps == 0 || (dx != 0 && dy != 0 && dx != dy) {
            return Err(Illegal::NotStraight { from, to });
        }
        for step in 1..steps {
            let between = Point::from_lattice(x + step * dx.signum(), y + step * dy.signum());
            match between {
                Some(Point::HOLE) => return Err(Illegal::Crossing { from, to }),
                Some(over) if self.owner(over).is_some() => {
                    return Err(Illegal::Jump { from, to, over });
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    fn check_captured(&self, from: Point, to: Point) -> Result<(), Illegal> {
        let seat = self.to_move;
        if self.owner(to) == Some(seat) {
            return Err(Illegal::CaptureOwn { seat, to });
        }
        let (own, enemy) = (self.height(from), self.height(to));
        if enemy > own {
            return Err(Illegal::Taller {
                from,
                own,
                to,
                enemy,
            });
        }
        Ok(())
    }

    fn check_stacked(&self, to: Point) -> Result<(), Illegal> {
        let seat = self.to_move;
        if self.owner(to) == Some(seat) {
            Ok(())
        } else {
            Err(Illegal::StackEnemy { seat, to })
        }
    }

    /// Returns true right after White's opening capture, when exactly one point is free.
    fn is_after_the_opening(&self) -> bool {
        self.to_move == Seat::Second && self.due == Due::First && self.free().len() == 1
    }
}

/// Checks that neither point is the hole.
fn check_hole(from: Point, to: Point) -> Result<(), Illegal> {
    if from == Point::HOLE || to == Point::HOLE {
        return Err(Illegal::Hole);
    }
    Ok(())
}
