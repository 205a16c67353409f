use dragontooth_games::linja::{Action, Due, PIECES, Position};
use dragontooth_games::{Position as _, Seat, Turn};

use super::sides::{Sides, last};
use super::{Weights, hints};
use crate::search::{Candidate, Evaluation, Value};

/// The evaluation of Linja positions.
///
/// The margin of a win does not matter, and the score counts only at the end of the game, which comes
/// when the last pieces have passed each other. So the value of a piece on a row changes during a
/// game: at first it depends on the way to go, later on points. The other terms are
///
/// - which move is due and how many steps it has or can earn;
/// - the row of a side's last pieces, and their number: they keep the game going;
/// - the lead in points, the more the fewer steps are left until the game ends.
#[derive(Clone, Copy, Debug)]
pub struct LinjaEvaluation {
    weights: Weights,
}

/// The steps of both sides before the start: all pieces from the home row to the target row.
const STEPS: i32 = 2 * 63;

impl LinjaEvaluation {
    /// The evaluation with the standard weights.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_weights(Weights::STANDARD)
    }

    /// The evaluation with other weights.
    #[must_use]
    pub const fn with_weights(weights: Weights) -> Self {
        Self { weights }
    }
}

impl Default for LinjaEvaluation {
    fn default() -> Self {
        Self::new()
    }
}

impl Evaluation<Position> for LinjaEvaluation {
    /// A win is at hand if the last piece, alone on its row, can pass the opponent's last.
    fn win_at_hand(&self, position: &Position, seat: Seat) -> Option<u32> {
        let Sides { own, other } = Sides::of(position, seat);
        let last_row = last(own);
        let is_alone = own[last_row] == 1;
        let next = own.iter().skip(last_row + 1).position(|count| *count > 0);
        let next_row = next.map_or(7, |distance| last_row + 1 + distance);
        if !is_alone || next_row + last(other) <= 7 {
            return None;
        }
        let mut points = None;
        position.for_each_legal(|action| {
            if usize::from(action.from.seen_by(seat)) == last_row {
                let mut end = *position;
                end.play_unchecked(action);
                if let Turn::Over(outcome) = end.turn()
                    && outcome.winner == Some(seat)
                {
                    points = Some(outcome.points);
                }
            }
        });
        points
    }

    fn evaluate(&self, position: &Position, seat: Seat) -> i32 {
        let sides = Sides::of(position, seat);
        self.weights.turn(position, &sides)
            + self.weights.pieces(&sides)
            + self.weights.end(&sides)
            + self.weights.last_pieces(sides.own)
            - self.weights.last_pieces(sides.other)
    }

    fn gain(&self, _: &Position, _: Seat, _: u32) -> u16 {
        Value::GAIN_MAX
    }

    fn gain_max(&self, _: &Position, _: Seat) -> u16 {
        Value::GAIN_MAX
    }

    fn hint(&self, position: &Position, seat: Seat, candidates: &mut [Candidate<Action>]) {
        hints::hint(position, seat, candidates);
    }
}

impl Weights {
    /// The terms for having to decide.
    fn turn(&self, position: &Position, sides: &Sides) -> i32 {
        let due = &self.due[usize::from(position.is_extra_turn())];
        let opponent = at(&self.others_steps, sides.turned().steps_to_earn());
        match position.due() {
            Due::First => due[0] + at(&self.own_steps, sides.steps_to_earn()) + opponent,
            Due::Second { steps } => at(due, steps.into()) + opponent,
        }
    }

    /// The value of the pieces on their rows, by the progress of the game.
    fn pieces(&self, sides: &Sides) -> i32 {
        let gone = STEPS - sides.steps_left() - sides.turned().steps_left();
        let stages = self.rows.len() - 1;
        let scaled = gone.unsigned_abs() as usize * stages;
        let steps = STEPS.unsigned_abs() as usize;
        let stage = (scaled / steps).min(stages - 1);
        let late = i32::try_from(scaled - stage * steps).unwrap_or(STEPS);
        let worth = |stage: usize| -> i32 {
            let rows = &self.rows[stage];
            let leads = sides.own.into_iter().zip(sides.other);
            let leads = leads.map(|(own, other)| i32::from(own) - i32::from(other));
            leads.zip(rows).map(|(lead, weight)| lead * weight).sum()
        };
        (worth(stage) * (STEPS - late) + worth(stage + 1) * late) / STEPS
    }

    /// The value of the points, by the distance to the end.
    fn end(&self, sides: &Sides) -> i32 {
        let (own, other) = (sides.steps_to_pass(), sides.turned().steps_to_pass());
        let lead = sides.score() - sides.turned().score();
        self.to_pass * (own - other) + self.lead * lead / (LEAD_STEPS + own + other)
    }

    fn last_pieces(&self, pieces: [u8; 8]) -> i32 {
        let row = last(pieces);
        self.last_row[row] + at(&self.last_count, pieces[row].into())
    }
}

/// Steps before the end at which a lead is worth half of its value at the end.
const LEAD_STEPS: i32 = 3;
const _: () = assert!(PIECES == 12, "the steps are those of twelve pieces");

/// The entry of a table for a count.
fn at<const N: usize>(table: &[i32; N], count: usize) -> i32 {
    table[count.min(N - 1)]
}
