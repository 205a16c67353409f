use std::collections::BTreeMap;

use super::cells::Cell;
use super::deviation::Deviation;
use super::fault::{Fault, quoted};
use crate::backgammon::{Action, Dice, Due, Position, RESIGNED};
use crate::record::{GameRecord, RecordOutcome, RecordStep};
use crate::{GameOutcome, Position as _, Seat, Turn};

/// A game that is being read: plays each entry by the rules.
pub(super) struct GameReader {
    start: Position,
    position: Position,
    steps: Vec<RecordStep>,
    /// Dice that can be played and whose play has not been given yet, with their line.
    unplayed: Option<(Dice, usize)>,
    /// The recorded outcome of a game that did not end by the rules.
    agreed: Option<RecordOutcome>,
    /// The loss that stands for the winner's entry until that one is read.
    lost: Option<Loss>,
}

/// The entry of a loser.
#[derive(Clone, Copy)]
struct Loss {
    winner: Seat,
    points: u32,
    /// True if the game was worth more by the rules.
    is_below: bool,
}

impl GameReader {
    pub(super) const fn new(start: Position) -> Self {
        Self {
            start,
            position: start,
            steps: Vec::new(),
            unplayed: None,
            agreed: None,
            lost: None,
        }
    }

    /// Plays an entry of this line. Adds to `deviations` what is read although the format has it otherwise.
    pub(super) fn play_entry(
        &mut self,
        line: usize,
        seat: Seat,
        cell: Cell<'_>,
        deviations: &mut Vec<Deviation>,
    ) -> Result<(), Fault> {
        let is_over = self.agreed.is_some() || matches!(self.position.turn(), Turn::Over(_));
        match cell {
            Cell::Resigns => return Ok(()),
            Cell::Wins { points, ends_match } => {
                if let Some(loss) = self.lost.take() {
                    return loss.confirm(seat, points, ends_match);
                }
                if self.agreed.is_none() {
                    let value = self.win(seat, points, ends_match)?;
                    deviations.extend(Deviation::below(points, value));
                    return Ok(());
                }
            }
            Cell::Losses(points) if self.agreed.is_none() => {
                let winner = seat.other();
                let value = self.win(winner, points, true)?;
                deviations.push(Deviation::Losses { loser: seat });
                deviations.extend(Deviation::below(points, value));
                self.lost = Some(Loss {
                    winner,
                    points,
                    is_below: points < value,
                });
                return Ok(());
            }
            Cell::LossesOfEither if self.agreed.is_none() => {
                deviations.push(Deviation::LossesOfEither);
                return Ok(());
            }
            Cell::Losses(_)
            | Cell::LossesOfEither
            | Cell::Roll { .. }
            | Cell::Double(_)
            | Cell::Take
            | Cell::Drop => {}
        }
        if is_over {
            return Err(Fault::GameOver);
        }
        self.play_forced()?;
        match cell {
            Cell::Roll { dice, play } => self.roll(line, seat, dice, play),
            Cell::Double(recorded) => {
                let stake = 2 * self.position.cube().value();
                self.act(seat, Action::Double)?;
                match recorded {
                    Some(found) if found != stake => Err(Fault::Stake { stake, found }),
                    Some(_) | None => Ok(()),
                }
            }
            Cell::Take => self.act(seat, Action::Take),
            Cell::Drop => self.act(seat, Action::Drop),
            Cell::Wins { .. } | Cell::Losses(_) | Cell::LossesOfEither | Cell::Resigns => Ok(()),
        }
    }

    /// Returns the record of the game and, if the game has ended, the opening of the next one.
    pub(super) fn finish(self) -> (GameRecord, Option<Position>) {
        let by_rules = match self.position.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::Decide(_) | Turn::Pass(_) | Turn::Chance => None,
        };
        let outcome = by_rules.or_else(|| {
            self.agreed.map(|agreed| GameOutcome {
                winner: agreed.winner,
                points: agreed.points,
                reason: RESIGNED,
            })
        });
        let game = GameRecord {
            start: self.start.to_string(),
            steps: self.steps,
            thinking: BTreeMap::new(),
            outcome: outcome.map(RecordOutcome::from),
        };
        (game, outcome.map(|outcome| self.position.after(&outcome)))
    }

    /// Plays dice whose play was left out, if there is only one play.
    fn play_forced(&mut self) -> Result<(), Fault> {
        let (Some((dice, line)), Some(seat)) = (self.unplayed.take(), self.position.mover()) else {
            return Ok(());
        };
        match self.position.legal_actions()[..] {
            [only] => self.act(seat, only),
            [..] => Err(Fault::Unplayed { dice, line }),
        }
    }

    fn roll(&mut self, line: usize, seat: Seat, dice: Dice, play: &str) -> Result<(), Fault> {
        let roll = match self.position.due() {
            Due::OpeningRoll => opening_roll(seat, dice)?,
            Due::RollOrDouble | Due::Roll => {
                self.expect_turn(seat)?;
                if self.position.due() == Due::RollOrDouble {
                    self.act(seat, Action::Roll)?;
                }
                dice
            }
            Due::TakeOrDrop | Due::Moves(_) | Due::Answer(_) | Due::Nothing => {
                return Err(Fault::Roll { dice });
            }
        };
        self.position.roll(roll);
        self.steps.push(RecordStep::Roll {
            roll: roll.to_string(),
        });
        match (self.position.turn(), play) {
            (Turn::Pass(seat), "") => {
                self.position.pass();
                self.steps.push(RecordStep::Pass { seat });
                Ok(())
            }
            (_, "") => {
                self.unplayed = Some((dice, line));
                Ok(())
            }
            _ => match play.parse() {
                Ok(action @ Action::Play(_)) => self.act(seat, action),
                Ok(_) => Err(Fault::NoPlay {
                    found: quoted(play),
                }),
                Err(why) => Err(Fault::Unreadable {
                    play: quoted(play),
                    why,
                }),
            },
        }
    }

    /// Plays an action if it is this seat's turn.
    fn act(&mut self, seat: Seat, action: Action) -> Result<(), Fault> {
        self.expect_turn(seat)?;
        let action = self
            .position
            .play(action)
            .map_err(|illegal| Fault::Illegal {
                action: action.to_string(),
                illegal,
            })?;
        self.steps.push(RecordStep::Action {
            seat,
            action: action.to_string(),
        });
        Ok(())
    }

    fn expect_turn(&self, seat: Seat) -> Result<(), Fault> {
        let due = match self.position.turn() {
            Turn::Decide(due) | Turn::Pass(due) => Some(due),
            Turn::Chance => self.position.mover(),
            Turn::Over(_) => return Err(Fault::GameOver),
        };
        match due {
            Some(due) if due == seat => Ok(()),
            Some(due) => Err(Fault::Turn { due }),
            None => Err(Fault::BeforeTheOpening),
        }
    }

    /// Ends the game with a win, by the rules or by a resignation, and returns its value. A win that
    /// `ends_match` may be recorded with fewer points, down to those that the winner lacked.
    fn win(&mut self, winner: Seat, found: u32, ends_match: bool) -> Result<u32, Fault> {
        if self.unplayed.is_some()
            && self.position.turn() == Turn::Decide(winner)
            && let [only] = self.position.legal_actions()[..]
        {
            self.act(winner, only)?;
        }
        let lacked = self.position.points_lacked(winner);
        let may_be_below = ends_match && lacked.is_some_and(|lacked| lacked <= found);
        let mut points = found;
        if !matches!(self.position.turn(), Turn::Over(_)) {
            let cube = self.position.cube().value();
            let exact = self.position.loss_worth(found);
            let above = || self.position.least_loss_above(found);
            let loss = exact.or_else(|| may_be_below.then(above).flatten());
            let loss = loss.ok_or(Fault::Resignation { cube, found })?;
            points = self.position.worth(loss);
            let loser = winner.other();
            let decides = self.position.turn() == Turn::Decide(loser);
            match self.position.due() {
                Due::TakeOrDrop if decides && points == cube => self.act(loser, Action::Drop)?,
                Due::RollOrDouble | Due::Moves(_) if decides => {
                    self.act(loser, Action::Resign(loss))?;
                    if self.position.turn() == Turn::Decide(winner) {
                        self.act(winner, Action::Accept)?;
                    }
                }
                Due::OpeningRoll
                | Due::Roll
                | Due::RollOrDouble
                | Due::TakeOrDrop
                | Due::Moves(_)
                | Due::Answer(_)
                | Due::Nothing => {}
            }
        }
        if let Turn::Over(outcome) = self.position.turn()
            && let Some(by_rules) = outcome.winner
        {
            let is_near = may_be_below && found < outcome.points;
            if by_rules != winner || !(is_near || points == outcome.points) {
                return Err(Fault::Result {
                    winner: by_rules,
                    points: outcome.points,
                    recorded: winner,
                    found,
                });
            }
            points = outcome.points;
        }
        self.agreed = Some(RecordOutcome {
            winner: Some(winner),
            points,
        });
        Ok(points)
    }
}

impl Loss {
    /// Compares the loss with the entry of the winner.
    fn confirm(self, winner: Seat, points: u32, ends_match: bool) -> Result<(), Fault> {
        let is_same = (self.winner, self.points) == (winner, points);
        if is_same && (ends_match || !self.is_below) {
            return Ok(());
        }
        Err(Fault::Losses {
            winner: self.winner,
            points: self.points,
            recorded: winner,
            found: points,
        })
    }
}

/// The opening roll with which this seat begins.
fn opening_roll(seat: Seat, dice: Dice) -> Result<Dice, Fault> {
    let (first, second) = match seat {
        Seat::First => (dice.high(), dice.low()),
        Seat::Second => (dice.low(), dice.high()),
    };
    Dice::new(first, second)
        .filter(|roll| !roll.is_double())
        .ok_or(Fault::OpeningTie { dice })
}
