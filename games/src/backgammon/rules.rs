use super::moves::Mover;
use super::position::Phase;
use super::{Action, Dice, Due, Illegal, Position, Resignation};
use crate::{GameOutcome, Seat, Turn};

/// Outcome reason: the winner bore off all checkers, and either the loser bore off at least one or
/// gammons do not count.
pub const BORNE_OFF: &str = "borne_off";
/// Outcome reason: the loser bore off nothing.
pub const GAMMON: &str = "gammon";
/// Outcome reason: the loser bore off nothing and has a checker on the bar or in the winner's home.
pub const BACKGAMMON: &str = "backgammon";
/// Outcome reason: the loser dropped a double.
pub const DROPPED: &str = "dropped";
/// Outcome reason: the loser resigned.
pub const RESIGNED: &str = "resigned";

impl crate::Position for Position {
    type Action = Action;
    type Illegal = Illegal;
    type Roll = Dice;

    #[inline]
    fn turn(&self) -> Turn {
        let mover = self.mover;
        match self.due() {
            Due::OpeningRoll | Due::Roll => Turn::Chance,
            Due::RollOrDouble => Turn::Decide(mover),
            Due::TakeOrDrop | Due::Answer(_) => Turn::Decide(mover.other()),
            Due::Moves(dice) if Mover::new(&self.board, mover).can_move(dice) => {
                Turn::Decide(mover)
            }
            Due::Moves(_) => Turn::Pass(mover),
            Due::Nothing => Turn::Over(self.outcome()),
        }
    }

    /// `roll` before `double`, `take` before `drop`, `accept` before `decline`. Plays that begin
    /// with the larger die come first, and farther checkers before nearer ones.
    #[inline]
    fn for_each_legal(&self, mut visit: impl FnMut(Action)) {
        match self.due() {
            Due::OpeningRoll | Due::Roll | Due::Nothing => {}
            Due::RollOrDouble => {
                visit(Action::Roll);
                visit(Action::Double);
            }
            Due::TakeOrDrop => {
                visit(Action::Take);
                visit(Action::Drop);
            }
            Due::Answer(_) => {
                visit(Action::Accept);
                visit(Action::Decline);
            }
            Due::Moves(dice) => Mover::new(&self.board, self.mover)
                .for_each_play(dice, |play, _| visit(Action::Play(play))),
        }
    }

    #[inline]
    fn for_each_next(&self, mut visit: impl FnMut(Action, Self)) {
        let Due::Moves(dice) = self.due() else {
            self.for_each_legal(|action| {
                let mut next = *self;
                next.play_unchecked(action);
                visit(action, next);
            });
            return;
        };
        let mut over = *self;
        over.end_turn();
        Mover::new(&self.board, self.mover).for_each_play(dice, |play, after| {
            let board = after.board(self.mover);
            visit(Action::Play(play), Self { board, ..over });
        });
    }

    fn count_legal(&self) -> usize {
        match self.due() {
            Due::Moves(dice) => Mover::new(&self.board, self.mover).count_plays(dice),
            Due::RollOrDouble | Due::TakeOrDrop | Due::Answer(_) => 2,
            Due::OpeningRoll | Due::Roll | Due::Nothing => 0,
        }
    }

    /// The resignations that the mover may offer at its decision.
    fn for_each_offer(&self, mut visit: impl FnMut(Action)) {
        let decides = match self.due() {
            Due::RollOrDouble => true,
            Due::Moves(dice) => Mover::new(&self.board, self.mover).can_move(dice),
            Due::OpeningRoll | Due::Roll | Due::TakeOrDrop | Due::Answer(_) | Due::Nothing => false,
        };
        for offered in Resignation::ALL {
            if decides && self.check_resignation(offered).is_ok() {
                visit(Action::Resign(offered));
            }
        }
    }

    fn check(&self, action: Action) -> Result<(), Illegal> {
        self.check_action(action)
    }

    /// Resolves a play in any notation to the legal play that reaches the same position.
    fn resolve(&self, action: Action) -> Result<Action, Illegal> {
        self.resolve_action(action)
    }

    #[inline]
    fn play_unchecked(&mut self, action: Action) {
        match action {
            Action::Roll => self.phase = Phase::Rolling,
            Action::Double => self.phase = Phase::Doubled,
            Action::Take => {
                self.cube = self.cube.taken_by(self.mover.other());
                self.phase = Phase::Start;
            }
            Action::Drop => self.phase = Phase::Dropped,
            Action::Resign(offered) => {
                self.resigned = self.gives_all(offered);
                self.resigns = Some(offered);
            }
            Action::Accept => self.resigned = true,
            Action::Decline => {
                self.declined = self.resigns;
                self.resigns = None;
            }
            Action::Play(play) => {
                self.board.apply(self.mover, &play);
                self.end_turn();
            }
        }
    }

    fn pass(&mut self) {
        self.end_turn();
    }

    /// All 36 opening rolls differ. Later the order of the dice makes no difference.
    fn for_each_roll(&self, mut visit: impl FnMut(Dice, u32)) {
        match self.due() {
            Due::OpeningRoll => Dice::all().for_each(|dice| visit(dice, 1)),
            Due::Roll => {
                Dice::distinct().for_each(|dice| visit(dice, if dice.is_double() { 1 } else { 2 }));
            }
            Due::RollOrDouble | Due::TakeOrDrop | Due::Moves(_) | Due::Answer(_) | Due::Nothing => {
            }
        }
    }

    /// In the opening the first die is seat first's. The seat with the higher die moves first and
    /// plays both dice; a tie changes nothing.
    fn roll(&mut self, roll: Dice) {
        if self.phase == Phase::Opening {
            if roll.is_double() {
                return;
            }
            self.mover = if roll.first() > roll.second() {
                Seat::First
            } else {
                Seat::Second
            };
        }
        self.phase = Phase::Moving(roll);
    }

    fn rolled(&self) -> Option<Dice> {
        match self.phase {
            Phase::Moving(dice) => Some(dice),
            Phase::Opening | Phase::Start | Phase::Rolling | Phase::Doubled | Phase::Dropped => {
                None
            }
        }
    }

    /// GNU Backgammon's position id, with the mover still as the player on roll.
    fn result_of(&self, action: Action) -> String {
        let mut next = *self;
        crate::Position::play_unchecked(&mut next, action);
        next.board.position_id(self.mover)
    }

    fn other_notations(&self) -> Vec<(&'static str, String)> {
        vec![
            ("gnubg_position_id", self.position_id()),
            ("gnubg_match_id", self.match_id()),
        ]
    }
}

impl Position {
    /// Passes the turn to the other seat.
    #[inline]
    const fn end_turn(&mut self) {
        self.mover = self.mover.other();
        self.phase = Phase::Start;
        self.resigns = None;
        self.resigned = false;
        self.declined = None;
    }

    /// The outcome of a game that is over.
    fn outcome(&self) -> GameOutcome {
        let (winner, points, reason) = if let Some(resignation) = self.resigns {
            (self.mover.other(), self.worth(resignation), RESIGNED)
        } else if let Some(winner) = self.board.finisher() {
            let loss = self.loss_on_board(winner.other());
            let reason = match loss {
                Resignation::Single => BORNE_OFF,
                Resignation::Gammon => GAMMON,
                Resignation::Backgammon => BACKGAMMON,
            };
            (winner, self.worth(loss), reason)
        } else {
            (self.mover, self.cube.value(), DROPPED)
        };
        GameOutcome {
            winner: Some(winner),
            points,
            reason,
        }
    }
}
