//! Plain minimax, to compare with.

use dragontooth_bots_builtin::search::{Evaluation, Value};
use dragontooth_games::{Position, Seat, Turn};

/// The value of a position for `seat`, `ply` plies from the root and `depth` plies ahead: the best of all
/// actions for the seat that decides, without pruning.
pub(crate) fn minimax<P: Position>(
    position: &P,
    seat: Seat,
    evaluation: &impl Evaluation<P>,
    plies: u8,
    depth: u8,
) -> Value {
    let mut position = *position;
    position.settle();
    match position.turn() {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Pass(_) => unreachable!("the passes have been played"),
        Turn::Over(outcome) => match outcome.winner {
            None => Value::DRAW,
            Some(winner) => {
                let gain = evaluation.gain(&position, winner, outcome.points);
                of(seat, winner, Value::win(gain, plies))
            }
        },
        Turn::Decide(decider) if depth == 0 => {
            let value = match evaluation.win_at_hand(&position, decider) {
                Some(points) => Value::win(evaluation.gain(&position, decider, points), plies + 1),
                None => Value::of_position(evaluation.evaluate(&position, decider)),
            };
            of(seat, decider, value)
        }
        Turn::Decide(decider) => {
            let values = position.legal_actions().into_iter().map(|action| {
                let mut next = position;
                next.play_unchecked(action);
                minimax(&next, seat, evaluation, plies + 1, depth - 1)
            });
            let best = if decider == seat {
                values.max()
            } else {
                values.min()
            };
            best.expect("a seat that decides has an action")
        }
    }
}

fn of(seat: Seat, whose: Seat, value: Value) -> Value {
    if seat == whose { value } else { -value }
}
