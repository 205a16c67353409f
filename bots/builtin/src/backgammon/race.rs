use super::arithmetic::normal;
use super::bear_off::{BearOff, Entry, ROLLS_MAX};
use super::chances::Chances;
use super::features::{Places, pips};

/// The pips of an average roll.
const PIPS_OF_ROLL: f32 = 49.0 / 6.0;
/// The variance of the rolls that a side needs, for each roll, on the way home: that of a roll's
/// pips is 18.6, divided by the square of their mean.
const VARIANCE_OUTSIDE: f32 = 0.279;
/// The same for each roll at home, from the regression that gave [`WASTE`].
const VARIANCE_AT_HOME: f32 = 0.134;

/// The number of rolls that a side needs to bear off, and its variance.
#[derive(Clone, Copy)]
struct Need {
    mean: f32,
    variance: f32,
}

/// The chances of the side that has just played when no checker can meet another any more. The
/// other rolls next.
pub(super) fn chances(own: &Places, other: &Places) -> Chances {
    let table = BearOff::table();
    let entries = [own, other].map(|places| table.entry(places));
    let [own_need, other_need] = [own, other].map(need);
    let win = match entries {
        [Some(own), Some(other)] => exact(own, other),
        [None, _] | [_, None] => first(other_need, own_need, 0.5),
    };
    Chances {
        win,
        gammon: gammon(own_need, other, 0.5),
        gammon_lost: gammon(other_need, own, -0.5),
        haste: own_need.mean,
    }
}

/// The chance that the side that has just played needs fewer rolls than the other.
fn exact(own: &Entry, other: &Entry) -> f32 {
    let mut others_rest = 1.0;
    let mut win = 0.0;
    for rolls in 0..=ROLLS_MAX {
        // The number of rolls of the other side when this side makes its last.
        others_rest -= other.lengths[rolls];
        win += own.lengths[rolls] * others_rest.max(0.0);
    }
    win
}

/// The chance that the second of two needs is met first, if the first has `ahead` rolls before it.
fn first(other: Need, own: Need, ahead: f32) -> f32 {
    let variance = own.variance + other.variance;
    normal((other.mean - own.mean - ahead) / (variance + 0.1).sqrt())
}

/// The chance that the winner ends before the loser has borne off one.
fn gammon(need: Need, loser: &Places, ahead: f32) -> f32 {
    if loser[0] > 0 {
        return 0.0;
    }
    let to_home: u16 = (7..)
        .zip(&loser[7..])
        .map(|(place, count)| (place - 6) * u16::from(*count))
        .sum();
    let rolls = (f32::from(to_home) + 4.0) / PIPS_OF_ROLL + 0.3;
    let loser = Need {
        mean: rolls,
        variance: rolls * VARIANCE_OUTSIDE,
    };
    first(loser, need, ahead)
}

fn need(places: &Places) -> Need {
    if let Some(entry) = BearOff::table().entry(places) {
        return Need {
            mean: entry.mean,
            variance: entry.variance,
        };
    }
    let pips = pips(places);
    let outside: u16 = (7..)
        .zip(&places[7..])
        .map(|(place, count)| (place - 6) * u16::from(*count))
        .sum();
    let outside = f32::from(outside);
    let inside = pips - outside + waste(places);
    Need {
        mean: (inside + outside) / PIPS_OF_ROLL,
        variance: (inside * VARIANCE_AT_HOME + outside * VARIANCE_OUTSIDE) / PIPS_OF_ROLL,
    }
}

/// The pips that will be wasted: a linear regression on 20,000 random standings of eleven to
/// fifteen checkers at home, whose rolls were counted exactly. It is off by 0.45 pips (root mean
/// square).
fn waste(places: &Places) -> f32 {
    let point = |point: usize| {
        let count = f32::from(places[point]);
        let [each, none, crowd] = WASTE[point - 1];
        each * count + crowd * count * count + if places[point] == 0 { none } else { 0.0 }
    };
    7.26 + (1..=6).map(point).sum::<f32>()
}

/// For each point at home what a checker wastes, what a gap wastes, and what the square of the
/// number of checkers wastes.
const WASTE: [[f32; 3]; 6] = [
    [1.06, 0.53, 0.137],
    [0.43, 0.36, 0.116],
    [-0.04, 0.28, 0.11],
    [0.03, 1.26, 0.0],
    [-0.17, 1.35, 0.0],
    [-0.27, 0.96, 0.0],
];
