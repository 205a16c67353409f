use dragontooth_games::Seat;
use dragontooth_games::backgammon::{Board, CHECKERS};

use super::arithmetic::logistic;
use super::chances::Chances;
use super::features::{class, for_each};
use super::race;
use super::weights::WEIGHTS;

/// Unit of the weights.
const UNIT: f32 = 1.0 / 1000.0;

/// The chances of `seat`, which has just played: the opponent rolls next.
pub(super) fn evaluate(board: &Board, seat: Seat) -> Chances {
    let [own, other] = [seat, seat.other()].map(|seat| board.places(seat));
    if own[0] == CHECKERS {
        return Chances {
            win: 1.0,
            gammon: if other[0] == 0 { 1.0 } else { 0.0 },
            gammon_lost: 0.0,
            haste: 0.0,
        };
    }
    if !board.has_contact() {
        return race::chances(&own, &other);
    }
    let weights = &WEIGHTS[class(&own, &other)];
    let mut sums = [0.0; 3];
    for_each(&own, &other, |feature, value| {
        for (sum, weight) in sums.iter_mut().zip(&weights[feature]) {
            *sum += f32::from(*weight) * value;
        }
    });
    let [win, gammon, gammon_lost] = sums.map(|sum| logistic(sum * UNIT));
    Chances {
        win,
        gammon: if other[0] > 0 { 0.0 } else { gammon.min(win) },
        gammon_lost: if own[0] > 0 {
            0.0
        } else {
            gammon_lost.min(1.0 - win)
        },
        haste: 0.0,
    }
}
