use std::sync::LazyLock;

use super::live_cube::{Odds, live_and_dead};

/// The chances to win a match between equally strong players, by the points that they lack.
///
/// Computed, not looked up, by a model after Norman Zadeh, "On doubling in tournament backgammon",
/// Management Science 23 (1977), and Rick Janowski, "Take-points in money games" (1993): a game is
/// even, a fixed part of the wins are gammons, chances change in small steps, and the cube is worth
/// a part of what it would be worth if it were always turned at the best moment.
#[derive(Clone, Copy, Debug)]
pub struct MatchEquity;

/// Largest number of points that a side lacks.
const AWAY_MAX: usize = 25;
/// The part of the wins that are gammons.
const GAMMONS: f64 = 0.27;
/// The cube efficiency. With this and [`GAMMONS`] the chances are within one in a hundred of Neil Kazaross'
/// table "XG2".
const EFFICIENCY: f64 = 0.8;

struct Table {
    /// Before the Crawford game, by the points that the side and its opponent lack.
    before: [[f64; AWAY_MAX + 1]; AWAY_MAX + 1],
    /// In the Crawford game and after it, of the side that lacks more than one point.
    crawford: [f64; AWAY_MAX + 1],
    after: [f64; AWAY_MAX + 1],
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl MatchEquity {
    /// The chance of a side that lacks `own` points against one that lacks `other`, before a game.
    /// `is_after_crawford` is true once the Crawford game has been played.
    #[must_use]
    pub fn of(own: u32, other: u32, is_after_crawford: bool) -> f64 {
        TABLE.chance(own, other, is_after_crawford)
    }
}

impl Table {
    fn new() -> Self {
        let mut table = Self {
            before: [[0.0; AWAY_MAX + 1]; AWAY_MAX + 1],
            crawford: [0.0; AWAY_MAX + 1],
            after: [0.0; AWAY_MAX + 1],
        };
        let win = |row: &[f64; AWAY_MAX + 1], away: usize, points: usize| {
            let left = |points| match away.saturating_sub(points) {
                0 => 1.0,
                left => row[left],
            };
            0.5 * ((1.0 - GAMMONS) * left(points) + GAMMONS * left(2 * points))
        };
        table.after[1] = 0.5;
        table.crawford[1] = 0.5;
        for away in 2..=AWAY_MAX {
            // After the Crawford game the trailer doubles at once.
            table.after[away] = win(&table.after, away, 2);
        }
        for away in 2..=AWAY_MAX {
            table.crawford[away] = win(&table.after, away, 1);
        }
        for sum in 4..=2 * AWAY_MAX {
            for own in 2.max(sum.saturating_sub(AWAY_MAX))..=AWAY_MAX.min(sum - 2) {
                let away = [own, sum - own];
                let chance = live_and_dead(
                    &EvenGame {
                        table: &table,
                        away,
                    },
                    EFFICIENCY,
                );
                table.before[own][sum - own] = chance;
            }
        }
        table
    }

    fn chance(&self, own: u32, other: u32, is_after_crawford: bool) -> f64 {
        if own == 0 {
            return 1.0;
        }
        if other == 0 {
            return 0.0;
        }
        // In long matches a few points matter least.
        let most = u32::try_from(AWAY_MAX).unwrap_or(u32::MAX);
        let surplus = own.max(other).saturating_sub(most);
        let [own, other] = [own, other].map(|away| away.saturating_sub(surplus).max(1) as usize);
        let trailing = |away: usize| {
            if is_after_crawford {
                self.after[away]
            } else {
                self.crawford[away]
            }
        };
        match (own, other) {
            (1, other) => 1.0 - trailing(other),
            (own, 1) => trailing(own),
            (own, other) => self.before[own][other],
        }
    }
}

/// A game before the Crawford game, whose score leads to entries that are known.
struct EvenGame<'a> {
    table: &'a Table,
    away: [usize; 2],
}

impl Odds for EvenGame<'_> {
    fn value(&self, won: u32, lost: u32) -> f64 {
        let [own, other] = self.away.map(|away| u32::try_from(away).unwrap_or(0));
        let (own, other) = (own.saturating_sub(won), other.saturating_sub(lost));
        self.table.chance(own, other, false)
    }

    fn may_double(&self, is_own: bool, cube: u32) -> bool {
        self.away[usize::from(!is_own)] > cube as usize
    }

    fn gammons(&self, _: bool) -> [f64; 2] {
        [GAMMONS; 2]
    }
}
