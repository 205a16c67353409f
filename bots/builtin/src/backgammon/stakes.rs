use dragontooth_games::Seat;
use dragontooth_games::backgammon::Position;

use super::MatchEquity;
use super::chances::Chances;
use super::live_cube::{Odds, Owner, mixed};

/// The stakes of a game, from the view of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stakes {
    /// The points that both sides lack; `None` in a money game.
    away: Option<[u32; 2]>,
    is_crawford: bool,
    has_jacoby: bool,
    pub(super) cube: u32,
    cube_limit: u32,
    pub(super) owner: Owner,
}

/// How many times the present cube the bot takes into account in money games. Every cube is judged alike:
/// a fixed limit would make the last doublings below it look free.
const MONEY_CUBE_TIMES: u32 = 64;

impl Stakes {
    pub(super) fn new(position: &Position, seat: Seat) -> Self {
        let away = position.match_length().map(|length| {
            let away = |seat| u32::from(length).saturating_sub(u32::from(position.points(seat)));
            [seat, seat.other()].map(away)
        });
        let owner = match position.cube().owner() {
            None => Owner::Centre,
            Some(owner) if owner == seat => Owner::Own,
            Some(_) => Owner::Other,
        };
        Self {
            away,
            is_crawford: position.is_crawford(),
            has_jacoby: position.has_jacoby(),
            cube: position.cube().value(),
            cube_limit: position.cube_limit().value(),
            owner,
        }
    }

    /// The value of chances if the cube is not turned again.
    pub(super) fn dead(&self, chances: Chances) -> f64 {
        let counts = if self.has_jacoby && self.owner == Owner::Centre {
            1
        } else {
            2
        };
        let [win, loss] = [self.value(self.cube, 0), self.value(0, self.cube)];
        let gammon = self.value(counts * self.cube, 0) - win;
        let gammon_lost = self.value(0, counts * self.cube) - loss;
        loss + f64::from(chances.win) * (win - loss)
            + f64::from(chances.gammon) * gammon
            + f64::from(chances.gammon_lost) * gammon_lost
    }

    /// The value of chances with the cube as this owner has it.
    pub(super) fn with_cube(
        &self,
        chances: Chances,
        cube: u32,
        owner: Owner,
        efficiency: f64,
    ) -> f64 {
        let part = |part: f32, of: f32| {
            if of > 0.0 {
                f64::from((part / of).clamp(0.0, 1.0))
            } else {
                0.0
            }
        };
        let game = InGame {
            stakes: self,
            gammons: [
                part(chances.gammon, chances.win),
                part(chances.gammon_lost, 1.0 - chances.win),
            ],
        };
        let win = f64::from(chances.win);
        mixed(&game, win, cube, owner, efficiency)
    }

    pub(super) fn value(&self, won: u32, lost: u32) -> f64 {
        let Some([own, other]) = self.away else {
            return f64::from(won) - f64::from(lost);
        };
        // After a game in which a side lacked one point, the Crawford game is over.
        let is_after_crawford = own == 1 || other == 1;
        let (own, other) = (own.saturating_sub(won), other.saturating_sub(lost));
        MatchEquity::of(own, other, is_after_crawford)
    }
}

struct InGame<'a> {
    stakes: &'a Stakes,
    gammons: [f64; 2],
}

impl Odds for InGame<'_> {
    fn value(&self, won: u32, lost: u32) -> f64 {
        self.stakes.value(won, lost)
    }

    fn may_double(&self, is_own: bool, cube: u32) -> bool {
        match self.stakes.away {
            Some(away) => !self.stakes.is_crawford && away[usize::from(!is_own)] > cube,
            None => {
                cube < self
                    .stakes
                    .cube_limit
                    .min(MONEY_CUBE_TIMES * self.stakes.cube)
            }
        }
    }

    fn gammons(&self, is_centred: bool) -> [f64; 2] {
        if is_centred && self.stakes.has_jacoby {
            [0.0; 2]
        } else {
            self.gammons
        }
    }
}
