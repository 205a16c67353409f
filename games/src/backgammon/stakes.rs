use super::position::Stakes;
use super::{Illegal, MONEY_SCORE_MAX, Position, Resignation};
use crate::{GameOutcome, Seat};

/// The nearest point of the opponent's home, which is 19 to 24 in a side's own numbering.
const OPPONENTS_HOME_MIN: u8 = 19;

impl Position {
    /// Checks that the mover may double at the start of its turn.
    pub(super) fn check_double(&self) -> Result<(), Illegal> {
        let seat = self.mover;
        if self.stakes.crawford {
            return Err(Illegal::Crawford);
        }
        if let Some(owner) = self.cube.owner()
            && owner != seat
        {
            return Err(Illegal::NotTheCubeOwner { owner });
        }
        let points = self.points(seat);
        if let Some(length) = self.match_length()
            && u32::from(points) + self.cube.value() >= u32::from(length)
        {
            return Err(Illegal::DeadCube {
                points,
                cube: self.cube.value(),
                length,
            });
        }
        if self.cube.doublings() >= self.stakes.cube_limit.doublings() {
            return Err(Illegal::HighestCube {
                cube: self.cube.value(),
            });
        }
        Ok(())
    }

    /// Returns true if a gammon is worth more than a single game.
    pub(super) const fn gammons_count(&self) -> bool {
        !self.stakes.jacoby || self.cube.owner().is_some()
    }

    /// The loss of `loser` if the winner has just borne off all checkers.
    pub(super) const fn loss_on_board(&self, loser: Seat) -> Resignation {
        let side = self.board.sides[loser.index()];
        if !self.gammons_count() || side.at(super::OFF) > 0 {
            Resignation::Single
        } else if side.farthest() < OPPONENTS_HOME_MIN {
            Resignation::Gammon
        } else {
            Resignation::Backgammon
        }
    }

    /// The most that `loser` can still lose on the board. With contact that includes a backgammon,
    /// because a checker may be hit and still be on the bar at the end.
    pub(super) const fn worst_loss(&self, loser: Seat) -> Resignation {
        match self.loss_on_board(loser) {
            Resignation::Gammon if self.board.has_contact() => Resignation::Backgammon,
            loss @ (Resignation::Single | Resignation::Gammon | Resignation::Backgammon) => loss,
        }
    }

    /// Returns true if a resignation gives the opponent all it could still win, so that it needs no
    /// consent.
    pub(super) fn gives_all(&self, resignation: Resignation) -> bool {
        if resignation >= self.worst_loss(self.mover) {
            return true;
        }
        let winner = self.mover.other();
        self.match_length().is_some_and(|length| {
            u32::from(self.points(winner)) + self.worth(resignation) >= u32::from(length)
        })
    }

    /// The points that a loss gives the winner.
    pub(super) fn worth(&self, loss: Resignation) -> u32 {
        let times = if self.gammons_count() {
            loss.times()
        } else {
            1
        };
        self.cube.value() * u32::from(times)
    }

    /// The smallest loss that is worth `points` points. `None` if no loss is.
    pub(super) fn loss_worth(&self, points: u32) -> Option<Resignation> {
        let mut all = Resignation::ALL.into_iter();
        all.find(|loss| self.worth(*loss) == points)
    }

    /// The smallest loss that is worth more points than these.
    pub(super) fn least_loss_above(&self, points: u32) -> Option<Resignation> {
        let all = Resignation::ALL.into_iter();
        all.filter(|loss| self.worth(*loss) > points)
            .min_by_key(|loss| self.worth(*loss))
    }

    /// The points that a side lacked before this game to win the match. `None` in money games.
    pub(super) fn points_lacked(&self, seat: Seat) -> Option<u32> {
        let length = u16::from(self.match_length()?);
        Some(length.saturating_sub(self.points(seat)).into())
    }

    /// Returns true if a side had won the match before this game.
    pub(super) fn is_match_won(&self) -> bool {
        self.match_length().is_some_and(|length| {
            let mut seats = Seat::BOTH.into_iter();
            seats.any(|seat| self.points(seat) >= u16::from(length))
        })
    }

    /// The opening of the game that follows this one after `outcome`.
    pub(super) fn after(&self, outcome: &GameOutcome) -> Self {
        let before = self.stakes;
        let mut score = before.score;
        if let Some(winner) = outcome.winner {
            let points = &mut score[winner.index()];
            let sum = u32::from(*points) + outcome.points;
            *points = u16::try_from(sum)
                .unwrap_or(MONEY_SCORE_MAX)
                .min(MONEY_SCORE_MAX);
        }
        let length = u16::from(before.length);
        let is_near = |score: [u16; 2]| {
            Seat::BOTH
                .into_iter()
                .any(|seat| score[seat.index()] + 1 == length)
        };
        Self::opening(Stakes {
            score,
            crawford: length > 1 && is_near(score) && !is_near(before.score),
            ..before
        })
    }

    /// The position before the mover offered any resignation in this turn.
    pub(super) const fn without_resignation(&self) -> Self {
        let mut before = *self;
        before.resigns = None;
        before.resigned = false;
        before.declined = None;
        before
    }
}
