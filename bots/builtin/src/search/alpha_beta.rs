use dragontooth_games::{GameOutcome, Position, Seat, Turn};

use super::evaluation::BEST_KNOWN;
use super::key::key_of;
use super::limits::{Meter, Stopped};
use super::move_ordering::MoveOrdering;
use super::transposition_table::{Bound, Known, TranspositionTable};
use super::{Candidate, Evaluation, Value};

/// The data that a search keeps from one position to the next.
#[derive(Debug)]
pub(super) struct Memory<P: Position> {
    pub(super) table: Option<TranspositionTable>,
    pub(super) move_ordering: MoveOrdering<P::Action>,
    /// The candidates of each position on the current line, one after the other.
    pub(super) candidates: Vec<Candidate<P::Action>>,
}

/// One search to a fixed depth: negamax with alpha-beta bounds and null-window scouts.
///
/// It returns the values of plain minimax. A seat may act several times in a row; forced passes are
/// played on the way and do not count as plies.
pub(super) struct AlphaBeta<'a, P: Position, E> {
    pub(super) memory: &'a mut Memory<P>,
    pub(super) evaluation: &'a E,
    pub(super) meter: Meter<'a>,
    /// True if a position got a value that a deeper search might change.
    pub(super) is_open: bool,
}

/// A place in the search tree.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The seat that decides.
    pub(super) seat: Seat,
    /// Plies from the root.
    pub(super) ply: u8,
    /// The plies to look ahead.
    pub(super) depth: u8,
}

/// The window of values that matter.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) alpha: Value,
    pub(super) beta: Value,
}

impl Window {
    pub(super) const WHOLE: Self = Self {
        alpha: Value::from_points(-i32::MAX),
        beta: Value::INFINITY,
    };

    fn reversed(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// A null window: shows only whether a value is above alpha.
    fn scout(self) -> Self {
        Self {
            beta: self.alpha.successor(),
            ..self
        }
    }
}

impl<P: Position, E: Evaluation<P>> AlphaBeta<'_, P, E> {
    /// The value of an action for the seat that decides at `node`. `is_first` is true if no sibling has been
    /// searched.
    pub(super) fn value_of(
        &mut self,
        position: &P,
        node: Node,
        action: P::Action,
        window: Window,
        is_first: bool,
    ) -> Result<Value, Stopped> {
        let mut next = *position;
        next.play_unchecked(action);
        let turn = settled_turn(&mut next);
        self.meter.count()?;
        let seat = match turn {
            Turn::Decide(seat) | Turn::Pass(seat) => seat,
            Turn::Chance => {
                self.is_open = true;
                let value = self.evaluation.evaluate(&next, node.seat);
                return Ok(Value::of_position(value));
            }
            Turn::Over(outcome) => return Ok(self.value_of_end(&next, node, outcome)),
        };
        let child = Node {
            seat,
            ply: node.ply + 1,
            depth: node.depth - 1,
        };
        if !is_first {
            let value = self.value_for(node.seat, &next, child, window.scout())?;
            if value <= window.alpha || value >= window.beta {
                return Ok(value);
            }
        }
        self.value_for(node.seat, &next, child, window)
    }

    /// Pushes the candidates at `node` onto the memory's stack, from the best hint down, and returns the
    /// index of the first.
    pub(super) fn push_candidates(&mut self, position: &P, node: Node, best: Option<u16>) -> usize {
        let Memory {
            move_ordering,
            candidates,
            ..
        } = &mut *self.memory;
        let start = candidates.len();
        position.for_each_legal(|action| {
            let slot = MoveOrdering::slot(node.seat, &action);
            let priority = move_ordering.priority(node.ply, action, slot);
            let index = place_of(candidates.len() - start);
            candidates.push(Candidate {
                action,
                index,
                slot,
                priority,
            });
        });
        let own = &mut candidates[start..];
        self.evaluation.hint(position, node.seat, own);
        if let Some(best) = best.and_then(|best| own.get_mut(usize::from(best))) {
            best.priority = BEST_KNOWN;
        }
        start
    }

    fn value_for(
        &mut self,
        seat: Seat,
        position: &P,
        node: Node,
        window: Window,
    ) -> Result<Value, Stopped> {
        if node.seat == seat {
            self.value(position, node, window)
        } else {
            Ok(-self.value(position, node, window.reversed())?)
        }
    }

    /// The position's value for the seat that decides, or a bound of it outside the window.
    fn value(&mut self, position: &P, node: Node, window: Window) -> Result<Value, Stopped> {
        if node.depth == 0 {
            return Ok(self.value_at_horizon(position, node));
        }
        let key = key_of(position);
        let known = self
            .memory
            .table
            .as_ref()
            .and_then(|table| table.find(key, node.depth));
        if let Some((value, is_closed)) = known.and_then(|known| usable(known, node, window)) {
            self.is_open |= !is_closed;
            return Ok(value);
        }
        let start = self.push_candidates(position, node, known.map(|known| known.best));
        let was_open = std::mem::replace(&mut self.is_open, false);
        let found = self.search_candidates(position, node, window, start);
        self.memory.candidates.truncate(start);
        let mut known = found?;
        known.is_closed = !self.is_open || is_forced(known);
        self.is_open = was_open || !known.is_closed;
        if let Some(table) = &mut self.memory.table {
            let value = known.value.seen_from_after(node.ply);
            table.store(key, Known { value, ..known });
        }
        Ok(known.value)
    }

    fn search_candidates(
        &mut self,
        position: &P,
        node: Node,
        window: Window,
        start: usize,
    ) -> Result<Known, Stopped> {
        let mut open = window;
        let mut known = Known {
            value: -Value::INFINITY,
            bound: Bound::Upper,
            depth: node.depth,
            is_closed: false,
            best: 0,
        };
        for place in start..self.memory.candidates.len() {
            let candidate = take_best(&mut self.memory.candidates[place..]);
            let is_first = place == start;
            let was_open = std::mem::replace(&mut self.is_open, false);
            let value = self.value_of(position, node, candidate.action, open, is_first)?;
            if value > known.value {
                known.value = value;
                known.best = candidate.index;
            }
            if value >= window.beta {
                let Candidate { action, slot, .. } = candidate;
                self.memory
                    .move_ordering
                    .refuted(node.ply, node.depth, action, slot);
                // It alone is the proof; the others do not matter.
                known.bound = Bound::Lower;
                break;
            }
            self.is_open |= was_open;
            if value > open.alpha {
                open.alpha = value;
                known.bound = Bound::Exact;
            }
        }
        Ok(known)
    }

    /// The static value of a position at the end of the search.
    fn value_at_horizon(&mut self, position: &P, node: Node) -> Value {
        let Some(points) = self.evaluation.win_at_hand(position, node.seat) else {
            self.is_open = true;
            return Value::of_position(self.evaluation.evaluate(position, node.seat));
        };
        let gain = self.evaluation.gain(position, node.seat, points);
        self.is_open = self.is_open || gain < self.evaluation.gain_max(position, node.seat);
        Value::win(gain, node.ply + 1)
    }

    fn value_of_end(&self, position: &P, node: Node, outcome: GameOutcome) -> Value {
        let Some(winner) = outcome.winner else {
            return Value::DRAW;
        };
        let gain = self.evaluation.gain(position, winner, outcome.points);
        let value = Value::win(gain, node.ply + 1);
        if winner == node.seat { value } else { -value }
    }
}

/// Plays the passes that are due and returns the seat that decides next.
pub(super) fn settled_turn<P: Position>(position: &mut P) -> Turn {
    loop {
        match position.turn() {
            Turn::Pass(_) => position.pass(),
            turn @ (Turn::Decide(_) | Turn::Chance | Turn::Over(_)) => return turn,
        }
    }
}

/// The value from the table if it is decisive for the window, and whether a deeper search would give the
/// same answer.
///
/// The result of another depth is used only if it cannot differ: if it is the same for every depth, and
/// for wins and losses, which a deeper search may only find to be greater.
fn usable(known: Known, node: Node, window: Window) -> Option<(Value, bool)> {
    let value = known.value.seen_from_before(node.ply);
    let is_same = known.depth == node.depth;
    let is_less = known.depth < node.depth;
    let is_at_least =
        known.bound != Bound::Upper && (is_same || is_less && (known.is_closed || value.is_win()));
    let is_at_most =
        known.bound != Bound::Lower && (is_same || is_less && (known.is_closed || value.is_loss()));
    let bound = match (is_at_least, is_at_most) {
        (true, true) => Bound::Exact,
        (true, false) if value >= window.beta => Bound::Lower,
        (false, true) if value <= window.alpha => Bound::Upper,
        (true | false, false) | (false, true) => return None,
    };
    let answer = Known { bound, ..known };
    Some((value, known.is_closed || is_forced(answer)))
}

/// Returns true for a win or a loss that also holds for every deeper search: a win that is forced within
/// fewer plies is forced within more, and may only become better.
fn is_forced(known: Known) -> bool {
    match known.bound {
        Bound::Lower => known.value.is_win(),
        Bound::Upper => known.value.is_loss(),
        Bound::Exact => false,
    }
}

/// Swaps the candidate with the highest priority, of equals the earliest, to the front.
fn take_best<A: Copy>(candidates: &mut [Candidate<A>]) -> Candidate<A> {
    let mut best = 0;
    for (place, candidate) in candidates.iter().enumerate() {
        if candidate.priority > candidates[best].priority {
            best = place;
        }
    }
    candidates.swap(0, best);
    candidates[0]
}

/// Indices beyond the largest that the table can store are stored as that.
fn place_of(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}
