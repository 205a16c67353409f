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

/// The value of an even game as it begins.
pub(super) fn live_and_dead(odds: &impl Odds, efficiency: f64) -> f64 {
    mixed(odds, 0.5, 1, Owner::Centre, efficiency)
}

/// The value of a chance to win: between that with a cube that is always turned at the best moment
/// and that with a cube that is not turned again.
pub(super) fn mixed(odds: &impl Odds, win: f64, cube: u32, owner: Owner, efficiency: f64) -> f64 {
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
