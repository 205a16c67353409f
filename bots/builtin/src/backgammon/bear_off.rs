use std::sync::LazyLock;

use super::features::Places;

/// Largest number of a side's checkers in the table.
pub(super) const TABLE_CHECKERS: usize = 8;
/// Largest number of rolls; more count as this.
pub(super) const ROLLS_MAX: usize = 16;
/// The points of a home.
const HOME: usize = 6;

/// The distribution of the rolls that a side alone needs to bear off: the chance of each number, from 0.
pub(super) type Lengths = [f32; ROLLS_MAX + 1];

/// The distribution for each placement at home, if every roll is played to need the fewest rolls on
/// average after it. It is exact but for the choice of the play, which ignores the opponent.
pub(super) struct BearOff {
    /// By [`index`].
    entries: Vec<Entry>,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) lengths: Lengths,
    pub(super) mean: f32,
    pub(super) variance: f32,
}

static TABLE: LazyLock<BearOff> = LazyLock::new(|| BearOff::new(TABLE_CHECKERS));

/// The checkers on the six points, the nearest first.
type Home = [u8; HOME];

impl BearOff {
    pub(super) fn table() -> &'static Self {
        &TABLE
    }

    pub(super) fn new(checkers: usize) -> Self {
        let mut known = Self {
            entries: vec![Entry::DONE; binomial(checkers + HOME, HOME)],
        };
        // A play leaves fewer checkers, or as many with a greater index.
        for count in 1..=checkers {
            let mut all = Vec::new();
            standings(count, &mut [0; HOME], HOME - 1, &mut all);
            all.sort_by_key(|home| std::cmp::Reverse(index(*home)));
            for home in all {
                let entry = known.entry_of(home);
                known.entries[index(home)] = entry;
            }
        }
        known
    }

    /// The entry of a side; `None` unless all its checkers on the board are at home and in the table.
    pub(super) fn entry(&self, places: &Places) -> Option<&Entry> {
        if places[HOME + 1..].iter().any(|count| *count > 0) {
            return None;
        }
        let mut home = [0; HOME];
        home.copy_from_slice(&places[1..=HOME]);
        self.entries.get(index(home))
    }

    fn entry_of(&self, home: Home) -> Entry {
        let mut lengths = [0.0; ROLLS_MAX + 1];
        for high in 1..=HOME {
            for low in 1..=high {
                let best = if high == low {
                    self.best(home, &[high; 4])
                } else {
                    let one = self.best(home, &[high, low]);
                    let other = self.best(home, &[low, high]);
                    if self.mean(one) <= self.mean(other) {
                        one
                    } else {
                        other
                    }
                };
                let share = if high == low { 1.0 / 36.0 } else { 2.0 / 36.0 };
                let after = &self.entries[best].lengths;
                for (length, chance) in after.iter().enumerate() {
                    lengths[(length + 1).min(ROLLS_MAX)] += share * chance;
                }
            }
        }
        Entry::of(lengths)
    }

    fn mean(&self, index: usize) -> f32 {
        self.entries[index].mean
    }

    /// The index of the best that the dice, in this order, lead to.
    fn best(&self, home: Home, left: &[usize]) -> usize {
        let Some((die, rest)) = left.split_first() else {
            return index(home);
        };
        let Some(farthest) = (0..HOME).rev().find(|point| home[*point] > 0) else {
            return index(home);
        };
        let mut best: Option<usize> = None;
        for from in (0..=farthest).filter(|point| home[*point] > 0) {
            if from + 1 < *die && from < farthest {
                continue;
            }
            let mut next = home;
            next[from] -= 1;
            if from >= *die {
                next[from - die] += 1;
            }
            let found = self.best(next, rest);
            if best.is_none_or(|best| self.mean(found) < self.mean(best)) {
                best = Some(found);
            }
        }
        best.unwrap_or_else(|| index(home))
    }
}

impl Entry {
    const DONE: Self = {
        let mut lengths = [0.0; ROLLS_MAX + 1];
        lengths[0] = 1.0;
        Self {
            lengths,
            mean: 0.0,
            variance: 0.0,
        }
    };

    fn of(lengths: Lengths) -> Self {
        let moment = |power: i32| -> f32 {
            let terms = (0_u8..).zip(&lengths);
            terms
                .map(|(length, chance)| f32::from(length).powi(power) * chance)
                .sum()
        };
        let mean = moment(1);
        Self {
            lengths,
            mean,
            variance: moment(2) - mean * mean,
        }
    }
}

/// All placements of a number of checkers on the points up to one.
fn standings(count: usize, home: &mut Home, point: usize, all: &mut Vec<Home>) {
    let most = u8::try_from(count).unwrap_or(u8::MAX);
    if point == 0 {
        home[0] = most;
        all.push(*home);
        return;
    }
    for here in 0..=most {
        home[point] = here;
        standings(count - usize::from(here), home, point - 1, all);
    }
}

/// The index of a placement: those with fewer checkers come first.
fn index(home: Home) -> usize {
    let mut sum = 0;
    let mut index = 0;
    for (below, count) in home.into_iter().enumerate() {
        sum += usize::from(count);
        index += BINOMIALS[sum + below][below + 1];
    }
    index
}

/// Numbers of choices for up to 15 checkers on 6 points.
const BINOMIALS: [[usize; HOME + 1]; 22] = {
    let mut all = [[0; HOME + 1]; 22];
    let mut of = 0;
    while of < 22 {
        all[of][0] = 1;
        let mut choose = 1;
        while choose <= HOME {
            all[of][choose] = if of == 0 {
                0
            } else {
                all[of - 1][choose - 1] + all[of - 1][choose]
            };
            choose += 1;
        }
        of += 1;
    }
    all
};

fn binomial(of: usize, choose: usize) -> usize {
    BINOMIALS[of][choose]
}
