use dragontooth_games::backgammon::{
    Action, BAR, Board, CHECKERS, Due, OFF, Position, Resignation,
};
use dragontooth_games::{Position as _, Seat, Turn};

use crate::Budget;
use crate::PositionBot;

/// Plays what looks best by rules of thumb: the race, blots, points, the bar; and doubles by the
/// lead in the race. It looks no further than its own play.
#[derive(Clone, Copy, Debug)]
pub struct GreedyBackgammon;

/// Value of a point held by two or more, for the places 0 to 25 as its holder counts.
const POINTS: [i32; 26] = [
    0, 2, 10, 20, 32, 40, 36, 34, 18, 8, 8, 6, 4, 2, 4, 6, 8, 10, 20, 18, 34, 32, 16, 12, 10, 0,
];
/// Value of a pip.
const PIP: i32 = 4;
/// Cost of each checker beyond the fourth on a point.
const STACKED: i32 = 6;
/// Value of an opponent's checker on the bar, and again for each point made at home.
const ON_BAR: i32 = 12;
/// Value of a checker that is borne off once no checker can be hit.
const BORNE_OFF: i32 = 24;
/// Number of the 36 rolls that hit at a distance if the places between are open.
const SHOTS: [i32; 25] = [
    0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1,
];
/// Pips that bearing off a checker costs, however near it is: half a roll.
const PIPS_TO_BEAR_OFF: u32 = 4;
/// The lead that is enough to double in a race, as a divisor of the own pips.
const DOUBLE_IN_RACE: u32 = 12;
/// The lead that is too large to take a double in a race, as a divisor.
const DROP_IN_RACE: u32 = 8;
/// The same while checkers can meet.
const DOUBLE_IN_CONTACT: u32 = 6;
/// The same while checkers can meet.
const DROP_IN_CONTACT: u32 = 3;

impl PositionBot<Position> for GreedyBackgammon {
    fn choose(&mut self, position: &Position, _: &Budget) -> Option<Action> {
        let Turn::Decide(seat) = position.turn() else {
            return None;
        };
        let board = position.board();
        match position.due() {
            Due::Moves(_) => best_play(position, seat),
            Due::RollOrDouble
                if leads(board, seat, DOUBLE_IN_RACE, DOUBLE_IN_CONTACT)
                    && !keeps_cube(position, seat) =>
            {
                Some(Action::Double)
            }
            Due::RollOrDouble => Some(Action::Roll),
            Due::TakeOrDrop if leads(board, seat.other(), DROP_IN_RACE, DROP_IN_CONTACT) => {
                Some(Action::Drop)
            }
            Due::TakeOrDrop => Some(Action::Take),
            Due::Answer(offered) if offered >= hoped_for(board, seat) => Some(Action::Accept),
            Due::Answer(_) => Some(Action::Decline),
            Due::OpeningRoll | Due::Roll | Due::Nothing => None,
        }
    }
}

fn best_play(position: &Position, seat: Seat) -> Option<Action> {
    let mut best: Option<(i32, Action)> = None;
    position.for_each_next(|action, next| {
        let liking = liking(next.board(), seat);
        if best.is_none_or(|(most, _)| liking > most) {
            best = Some((liking, action));
        }
    });
    best.map(|(_, action)| action)
}

/// The value of the board for the side that has just played.
fn liking(board: &Board, seat: Seat) -> i32 {
    let [own, other] = [seat, seat.other()].map(|seat| board.places(seat));
    if own[usize::from(OFF)] == CHECKERS {
        return i32::MAX;
    }
    let race = PIP * (pips(&other) - pips(&own));
    if !board.has_contact() {
        return race + BORNE_OFF * i32::from(own[usize::from(OFF)]);
    }
    let home_points = (1..=6).filter(|point| own[*point] > 1).count();
    let bar = i32::from(other[usize::from(BAR)]);
    let home_points = i32::try_from(home_points).unwrap_or(0);
    race + bar * ON_BAR * (1 + home_points) + standing(&own) - standing(&other) - risk(&own, &other)
}

fn pips(places: &[u8; 26]) -> i32 {
    (0..)
        .zip(places)
        .map(|(place, count)| place * i32::from(*count))
        .sum()
}

fn standing(places: &[u8; 26]) -> i32 {
    let points = (1..=24).filter(|point| places[*point] > 1);
    points
        .map(|point| POINTS[point] - STACKED * (i32::from(places[point]) - 4).max(0))
        .sum()
}

/// The expected cost of the own blots at the opponent's roll.
fn risk(own: &[u8; 26], other: &[u8; 26]) -> i32 {
    let blots = (1..=24_usize).filter(|point| own[*point] == 1);
    let cost = |blot: usize| {
        let nearest = (1..=blot).find(|distance| other[25 - blot + distance] > 0);
        let second = (1..=blot)
            .filter(|distance| other[25 - blot + distance] > 0)
            .nth(1);
        let shots: i32 = [nearest, second]
            .into_iter()
            .flatten()
            .map(|distance| SHOTS[distance.min(24)])
            .sum();
        let lost = i32::try_from(25 - blot).unwrap_or(0) + 8;
        shots.min(30) * lost * PIP / 36
    };
    blots.map(cost).sum()
}

/// Returns true if a side does not double although it leads: from the bar, and while checkers can meet with the
/// cube that it owns and a checker still in the opponent's home. Whoever has been shut in leads in pips while
/// its own home falls apart.
fn keeps_cube(position: &Position, seat: Seat) -> bool {
    let board = position.board();
    let is_in =
        |mut places: std::ops::RangeInclusive<u8>| places.any(|place| board.at(seat, place) > 0);
    is_in(BAR..=BAR)
        || position.cube().owner() == Some(seat) && board.has_contact() && is_in(19..=24)
}

/// Returns true if a side leads by at least a part of its effective pips.
fn leads(board: &Board, seat: Seat, in_race: u32, in_contact: u32) -> bool {
    let [own, other] = [seat, seat.other()].map(|seat| effective_pips(board, seat));
    let part = if board.has_contact() {
        in_contact
    } else {
        in_race
    };
    other >= own + own.div_ceil(part)
}

/// The pips of a side, but at least those that its checkers take to bear off: two checkers a roll.
fn effective_pips(board: &Board, seat: Seat) -> u32 {
    let left = CHECKERS - board.at(seat, OFF);
    board.pips(seat).max(PIPS_TO_BEAR_OFF * u32::from(left))
}

/// The points that a side may hope for when it is offered a resignation.
fn hoped_for(board: &Board, seat: Seat) -> Resignation {
    let other = seat.other();
    if board.at(other, OFF) > 0 || board.pips(seat) + 24 > board.pips(other) {
        Resignation::Single
    } else {
        Resignation::Gammon
    }
}
