use dragontooth_games::Seat;
use dragontooth_games::backgammon::Position;

use super::MatchEquity;
use super::chances::Chances;

/// The values of the points of a game for a side.
pub(super) trait Odds {
    /// The value if the game ends with a number of points for this side or for the other.
    fn value(&self, won: u32, lost: u32) -> f64;

    /// True if a side may double when it has the cube.
    fn may_double(&self, is_own: bool, cube: u32) -> bool;

    /// The parts of the won and of the lost games that are gammons; zero while gammons count only after a
    /// double.
    fn gammons(&self, is_centred: bool) -> [f64; 2];
}

/// The owner of the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Centre,
    Own,
    Other,
}

/// The stakes of a game, from the view of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stakes {
    /// The points that both sides lack; `None` in a money game.
    away: Option<[u32; 2]>,
    is_crawford: bool,
    has_jacoby: bool,
    pub(super) cube: u32,
    pub(super) owner: Owner,
}

/// The highest cube of money games that the bot takes into account.
const MONEY_CUBE_MAX: u32 = 64;

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
            None => cube < MONEY_CUBE_MAX,
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

/// The value of an even game as it begins.
pub(super) fn live_and_dead(odds: &impl Odds, efficiency: f64) -> f64 {
    mixed(odds, 0.5, 1, Owner::Centre, efficiency)
}

/// The value of a chance to win: between that with a cube that is always turned at the best moment
/// and that with a cube that is not turned again.
fn mixed(odds: &impl Odds, win: f64, cube: u32, owner: Owner, efficiency: f64) -> f64 {
    let [lost, won] = ends(odds, cube, owner == Owner::Centre);
    let dead = lost + win * (won - lost);
    let live = Live::new(odds, cube, owner).at(win);
    efficiency * live + (1.0 - efficiency) * dead
}

/// The values of a lost and of a won game.
fn ends(odds: &impl Odds, cube: u32, is_centred: bool) -> [f64; 2] {
    let [gammons, gammons_lost] = odds.gammons(is_centred);
    let lost = (1.0 - gammons_lost) * odds.value(0, cube) + gammons_lost * odds.value(0, 2 * cube);
    let won = (1.0 - gammons) * odds.value(cube, 0) + gammons * odds.value(2 * cube, 0);
    [lost, won]
}

/// The value of a live cube by the chance to win: straight lines between the loss, the point at
/// which the other side cashes, the point at which this side does, and the win.
struct Live {
    points: [(f64, f64); 4],
}

impl Live {
    fn new(odds: &impl Odds, cube: u32, owner: Owner) -> Self {
        let [lost, won] = ends(odds, cube, owner == Owner::Centre);
        let start = (0.0, lost);
        let end = (1.0, won);
        let mut points = [start, start, end, end];
        if owner != Owner::Own && odds.may_double(false, cube) {
            let drop = odds.value(0, cube);
            let after = Self::new(odds, 2 * cube, Owner::Own);
            points[1] = (after.chance(drop), drop);
        }
        if owner != Owner::Other && odds.may_double(true, cube) {
            let drop = odds.value(cube, 0);
            let after = Self::new(odds, 2 * cube, Owner::Other);
            points[2] = (after.chance(drop), drop);
        }
        if points[1].0 >= points[2].0 {
            // Either side would cash, and it is open which one does first.
            points[1] = start;
            points[2] = end;
        }
        Self { points }
    }

    /// The value of a chance.
    fn at(&self, chance: f64) -> f64 {
        let pairs = self.points.windows(2);
        for pair in pairs {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            if chance <= to && to > from {
                return low + (high - low) * (chance - from) / (to - from);
            }
        }
        self.points[3].1
    }

    /// The chance that is worth this: 0 or 1 if none is.
    fn chance(&self, value: f64) -> f64 {
        for pair in self.points.windows(2) {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            if value <= low {
                return from;
            }
            if value < high {
                return from + (to - from) * (value - low) / (high - low);
            }
        }
        1.0
    }
}
