use super::board::HOME_MAX;
use super::{BAR, Board, Dice, Due, Illegal, Move, OFF, Play, Position};
use crate::Seat;

/// A step of one checker by one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: u8,
    pub(super) die: u8,
}

impl Step {
    pub(super) const fn to(self) -> u8 {
        self.from.saturating_sub(self.die)
    }
}

/// The dice left to play: the count of each number.
#[derive(Clone, Copy, Debug)]
pub(super) struct DiceLeft([u8; 7]);

impl DiceLeft {
    pub(super) fn new(dice: Dice) -> Self {
        let mut left = [0; 7];
        let times = if dice.is_double() { 2 } else { 1 };
        left[usize::from(dice.first())] += times;
        left[usize::from(dice.second())] += times;
        Self(left)
    }

    fn numbers(self) -> impl Iterator<Item = u8> {
        (1..=6)
            .rev()
            .filter(move |die| self.0[usize::from(*die)] > 0)
    }

    fn without(mut self, die: u8) -> Self {
        self.0[usize::from(die)] -= 1;
        self
    }
}

/// All ways to make the moves of a play with the dice, each as a list of steps, without regard to
/// the board.
pub(super) fn readings(moves: &[(u8, u8)], dice: DiceLeft) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    read_on(moves, dice, &mut Vec::new(), &mut all);
    all
}

fn read_on(moves: &[(u8, u8)], left: DiceLeft, steps: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
    let Some(((from, to), rest)) = moves.split_first() else {
        all.push(steps.clone());
        return;
    };
    for die in left.numbers() {
        let step = Step { from: *from, die };
        let reached = step.to();
        if reached < *to {
            continue;
        }
        steps.push(step);
        if reached == *to {
            read_on(rest, left.without(die), steps, all);
        } else {
            let mut rest = rest.to_vec();
            rest.insert(0, (reached, *to));
            read_on(&rest, left.without(die), steps, all);
        }
        steps.pop();
    }
}

/// Cuts the moves of a play at their stops: the start and the end of each piece.
pub(super) fn pieces(moves: impl Iterator<Item = Move>) -> Vec<(u8, u8)> {
    let mut pieces = Vec::new();
    for part in moves {
        let mut from = part.from();
        for stop in part.stops() {
            pieces.push((from, stop.point));
            from = stop.point;
        }
        pieces.push((from, part.to()));
    }
    pieces
}

/// Makes the steps in any order the rules allow.
///
/// A written play does not give the order of its steps, so all orders are tried: at most 24.
///
/// # Errors
///
/// No order works: the number of steps that the best attempt made, and the rule that stopped it.
pub(super) fn make(board: &Board, seat: Seat, steps: &[Step]) -> Result<Board, (usize, Illegal)> {
    let mut farthest: Option<(usize, Illegal)> = None;
    for index in 0..steps.len() {
        let attempt = check_step(board, seat, steps[index]).map_err(|fault| (0, fault));
        let attempt = attempt.and_then(|()| {
            let mut board = *board;
            board.make_step(seat, steps[index]);
            let mut rest = steps.to_vec();
            rest.remove(index);
            make(&board, seat, &rest).map_err(|(count, fault)| (count + 1, fault))
        });
        match attempt {
            Ok(board) => return Ok(board),
            Err(fault) if farthest.is_none_or(|known| fault.0 > known.0) => farthest = Some(fault),
            Err(_) => {}
        }
    }
    farthest.map_or(Ok(*board), Err)
}

/// Finds an order of the steps that the rules allow and that reaches `after`. Each step comes with
/// true if it hits. Farther checkers move first where they can.
pub(super) fn in_order(
    board: &Board,
    seat: Seat,
    steps: &[Step],
    after: &Board,
) -> Option<Vec<(Step, bool)>> {
    if steps.is_empty() {
        return (board == after).then(Vec::new);
    }
    (0..steps.len()).find_map(|index| {
        let step = steps[index];
        check_step(board, seat, step).ok()?;
        let hits = step.to() != OFF && board.at(seat.other(), BAR - step.to()) == 1;
        let mut next = *board;
        next.make_step(seat, step);
        let mut rest = steps.to_vec();
        rest.remove(index);
        let mut ordered = in_order(&next, seat, &rest, after)?;
        ordered.insert(0, (step, hits));
        Some(ordered)
    })
}

/// Checks one step, in this order: the bar, the checker, bearing off, the landing point.
fn check_step(board: &Board, seat: Seat, step: Step) -> Result<(), Illegal> {
    let Step { from, die } = step;
    let own = board.sides[seat.index()];
    let on_bar = own.at(BAR);
    if on_bar > 0 && from != BAR {
        return Err(Illegal::BarFirst { on_bar, from });
    }
    let opponents = board.at(seat.other(), BAR - from);
    if own.at(from) == 0 {
        let opponents = if from == BAR { 0 } else { opponents };
        return Err(Illegal::NoChecker { from, opponents });
    }
    let to = step.to();
    if to == OFF {
        let farthest = own.farthest();
        if farthest > HOME_MAX {
            return Err(Illegal::NotHome { outside: farthest });
        }
        if from < die && farthest > from {
            return Err(Illegal::CheckerBehind {
                from,
                die,
                behind: farthest,
            });
        }
        return Ok(());
    }
    let opponents = board.at(seat.other(), BAR - to);
    if opponents > 1 {
        return Err(Illegal::Blocked {
            point: to,
            opponents,
        });
    }
    Ok(())
}

impl Position {
    /// The steps of a legal play of the rolled dice, as [`in_order`] returns them.
    pub(super) fn single_steps(&self, play: &Play) -> Option<Vec<(Step, bool)>> {
        let Due::Moves(dice) = self.due() else {
            return None;
        };
        let mut after = self.board;
        after.apply(self.mover, play);
        let readings = readings(&pieces(play.moves()), DiceLeft::new(dice));
        readings.iter().find_map(|steps| {
            let mut steps = steps.clone();
            steps.sort_by_key(|step| std::cmp::Reverse(step.from));
            in_order(&self.board, self.mover, &steps, &after)
        })
    }
}

impl Board {
    /// Makes a step that was checked.
    fn make_step(&mut self, seat: Seat, step: Step) {
        let to = step.to();
        let own = &mut self.sides[seat.index()];
        *own = own.step(step.from, to);
        let other = &mut self.sides[seat.other().index()];
        if to != OFF && other.at(BAR - to) == 1 {
            *other = other.step(BAR - to, BAR);
        }
    }
}
