use dragontooth_games::backgammon::BAR;

/// The places of a side, 0 to 25, as it counts.
pub(super) type Places = [u8; 26];

/// The features of a board while checkers can meet, from the view of the side that has just played; the
/// opponent rolls next.
pub(super) const FEATURES: usize = 2 * SIDE + 11;
/// The features of one side's places: for each point whether it has one checker, two, and the number
/// beyond that; the bar; and the checkers that are borne off.
const SIDE: usize = 3 * 24 + 2;

/// The classes of boards, each with its own weights: whether the side that has just played, and whether
/// the other, has a checker behind the edge of the opponent's home board.
pub(super) const CLASSES: usize = 4;

/// The farthest place of a checker that is past the opponent's home.
const PAST_HOME: u8 = 18;

/// The class of a board.
pub(super) fn class(own: &Places, other: &Places) -> usize {
    let is_back = |places: &Places| usize::from(farthest(places) > PAST_HOME);
    2 * is_back(own) + is_back(other)
}

/// Calls `visit` with each feature that is not 0.
#[inline]
pub(super) fn for_each(own: &Places, other: &Places, mut visit: impl FnMut(usize, f32)) {
    let mut side = |start: usize, places: &Places| {
        for (point, count) in places[1..25].iter().enumerate() {
            let index = start + 3 * point;
            match *count {
                0 => {}
                1 => visit(index, 1.0),
                2 => visit(index + 1, 1.0),
                more => {
                    visit(index + 1, 1.0);
                    visit(index + 2, f32::from(more - 2) / 2.0);
                }
            }
        }
        visit(start + 72, f32::from(places[25]) / 2.0);
        visit(start + 73, f32::from(places[0]) / 8.0);
    };
    side(0, own);
    side(SIDE, other);
    let [own_points, other_points] = [own, other].map(points);
    let [own_pips, other_pips] = [own, other].map(pips);
    let [own_home, other_home] =
        [own_points, other_points].map(|points| small((points & HOME).count_ones()) / 6.0);
    let (hits, lost) = shots(own, other, own_points);
    let (hopes, _) = shots(other, own, other_points);
    let [own_wall, other_wall] = [wall(own_points, other), wall(other_points, own)];
    let rest = [
        1.0,
        (other_pips - own_pips) / 50.0,
        (other_pips + own_pips) / 150.0,
        hits,
        hits * lost / 16.0,
        hits * other_home,
        hopes,
        hopes * own_home,
        own_wall,
        other_wall,
        f32::from(other[25].min(2)) * own_home - f32::from(own[25].min(2)) * other_home,
    ];
    for (index, value) in rest.into_iter().enumerate() {
        visit(2 * SIDE + index, value);
    }
}

/// A count of at most 36 as a number to calculate with.
fn small(count: u32) -> f32 {
    f32::from(count.to_le_bytes()[0])
}

/// The points 1 to 6.
const HOME: u32 = 0b111_1110;

/// The points with two or more, a bit each.
fn points(places: &Places) -> u32 {
    (1..=24_u8)
        .filter(|point| places[usize::from(*point)] > 1)
        .fold(0, |points, point| points | 1 << point)
}

pub(super) fn pips(places: &Places) -> f32 {
    let sum: u16 = (0..)
        .zip(places)
        .map(|(place, count)| place * u16::from(*count))
        .sum();
    f32::from(sum)
}

pub(super) fn farthest(places: &Places) -> u8 {
    (1..=BAR)
        .rev()
        .find(|place| places[usize::from(*place)] > 0)
        .unwrap_or(0)
}

/// The part of the 36 rolls by which `hitter` hits a blot of `side`, and the pips that the most
/// valuable of these costs. Two dice are seen as one checker's way over open points.
fn shots(side: &Places, hitter: &Places, side_points: u32) -> (f32, f32) {
    // A bit for each roll: six times the larger die, and the smaller.
    let mut rolls = 0_u64;
    let mut lost = 0_u8;
    let on_bar = hitter[25];
    for blot in (1..=24_u8).filter(|point| side[usize::from(*point)] == 1) {
        let target = 25 - blot;
        let before = rolls;
        for from in target + 1..=BAR.min(target + 24) {
            if hitter[usize::from(from)] == 0 || (on_bar > 1 && from != BAR) {
                continue;
            }
            let distance = from - target;
            // Whether the hitter may stop this number of pips before its start.
            let open = |pips: u8| {
                let place = from - pips;
                side_points & (1 << (25 - place)) == 0
            };
            if distance <= 6 && (on_bar == 0 || from == BAR) {
                rolls |= ANY[usize::from(distance)];
            }
            for low in distance.saturating_sub(6).max(1)..=distance / 2 {
                let high = distance - low;
                if high == low {
                    if open(low) {
                        rolls |= roll(low, low);
                    }
                } else if open(low) || open(high) {
                    rolls |= roll(high, low);
                }
            }
            for steps in 3..=4 {
                let die = distance / steps;
                if die <= 6 && distance == steps * die && (1..steps).all(|step| open(step * die)) {
                    rolls |= roll(die, die);
                }
            }
        }
        if rolls != before {
            lost = lost.max(25 - blot);
        }
    }
    let doubles = (rolls & DOUBLES).count_ones();
    let count = 2 * rolls.count_ones() - doubles;
    (small(count) / 36.0, f32::from(lost))
}

const fn roll(high: u8, low: u8) -> u64 {
    1 << (6 * (high - 1) + low - 1)
}

/// The rolls in which a number is.
const ANY: [u64; 7] = {
    let mut any = [0; 7];
    let mut die = 1;
    while die <= 6 {
        let mut other = 1;
        while other <= 6 {
            any[die as usize] |= if die > other {
                roll(die, other)
            } else {
                roll(other, die)
            };
            other += 1;
        }
        die += 1;
    }
    any
};

const DOUBLES: u64 = roll(1, 1) | roll(2, 2) | roll(3, 3) | roll(4, 4) | roll(5, 5) | roll(6, 6);

/// The blockade of the opponent's farthest checker: for each blocked place of the eight before it, the
/// length of the row of blocked places.
fn wall(points: u32, other: &Places) -> f32 {
    let back = farthest(other);
    let start = 25 - back;
    let mut sum = 0.0;
    let mut row = 0.0;
    for point in start + 1..=(start + 8).min(24) {
        if points & (1 << point) == 0 {
            row = 0.0;
        } else {
            row += 1.0;
            sum += row;
        }
    }
    sum / 10.0
}
