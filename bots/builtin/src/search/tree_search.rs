use dragontooth_games::chance::shuffle;
use dragontooth_games::{Position, Seat, Turn};

use super::alpha_beta::{AlphaBeta, Memory, Node, Window, settled_turn};
use super::evaluation::Candidate;
use super::key::key_of;
use super::limits::{Meter, Stopped};
use super::move_ordering::MoveOrdering;
use super::transposition_table::{Bound, TranspositionTable};
use super::{DEPTH_MAX, Evaluation, SearchLimits, SplitMix64, Stopwatch, Value};

/// A search of game trees: alpha-beta with iterative deepening.
///
/// The result depends only on the position, the limits and the seed, unless a time limit ends the search:
/// calls share memory but no state.
#[derive(Debug)]
pub struct TreeSearch<P: Position, E> {
    evaluation: E,
    memory: Memory<P>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<A> {
    /// The best action.
    pub action: A,
    /// The actions with which both seats reach its value, itself first and passes left out: at most `depth` of them, and
    /// fewer if the table of the search has lost the rest.
    pub line: Vec<A>,
    /// Its value for the seat that decides; `None` if no action could be valued.
    pub value: Option<Value>,
    /// The depth in plies that was searched completely.
    pub depth: u8,
    /// The positions that were visited.
    pub nodes: u64,
}

impl<P: Position, E: Evaluation<P>> TreeSearch<P, E> {
    /// Creates a search with a transposition table of at most `table_bytes` bytes. If no call visits more than
    /// `nodes_max` positions, the table is only as large as they need.
    pub fn new(evaluation: E, table_bytes: usize, nodes_max: Option<u64>) -> Self {
        let table = TranspositionTable::new(table_bytes, nodes_max);
        let move_ordering = MoveOrdering::new();
        Self {
            evaluation,
            memory: Memory {
                table,
                move_ordering,
                candidates: Vec::new(),
            },
        }
    }

    /// Finds the best action of the seat that decides in `position`; `None` if no seat does.
    ///
    /// An action is found within any limits. The seed chooses between actions of the same value.
    pub fn find(
        &mut self,
        position: &P,
        limits: &SearchLimits,
        seed: u64,
        stopwatch: &dyn Stopwatch,
    ) -> Option<SearchResult<P::Action>> {
        let Turn::Decide(seat) = position.turn() else {
            return None;
        };
        if let Some(table) = &mut self.memory.table {
            table.clear();
        }
        self.memory.move_ordering.clear();
        self.memory.candidates.clear();
        let meter = Meter::new(limits, stopwatch);
        let mut alpha_beta = AlphaBeta {
            memory: &mut self.memory,
            evaluation: &self.evaluation,
            meter,
            is_open: false,
        };
        let mut root = Root::new(&mut alpha_beta, position, seat, seed);
        let depth_max = self.evaluation.depth_max(position).min(limits.depth);
        root.deepen(&mut alpha_beta, depth_max.clamp(1, DEPTH_MAX));
        let nodes = alpha_beta.meter.nodes();
        let action = root.candidates.first()?.action;
        Some(SearchResult {
            action,
            line: root.line(action, self.memory.table.as_ref()),
            value: root.value,
            depth: root.depth,
            nodes,
        })
    }
}

/// The position from which the search starts.
struct Root<'a, P: Position> {
    position: &'a P,
    seat: Seat,
    /// The best action that was found first.
    candidates: Vec<Candidate<P::Action>>,
    value: Option<Value>,
    depth: u8,
}

impl<'a, P: Position> Root<'a, P> {
    fn new<E: Evaluation<P>>(
        alpha_beta: &mut AlphaBeta<'_, P, E>,
        position: &'a P,
        seat: Seat,
        seed: u64,
    ) -> Self {
        let start = alpha_beta.push_candidates(
            position,
            Node {
                seat,
                ply: 0,
                depth: 0,
            },
            None,
        );
        let mut candidates = alpha_beta.memory.candidates.split_off(start);
        shuffle(&mut candidates, &mut SplitMix64::new(seed));
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.priority));
        Self {
            position,
            seat,
            candidates,
            value: None,
            depth: 0,
        }
    }

    /// Searches deeper and deeper until a limit is reached or nothing better can be found.
    fn deepen<E: Evaluation<P>>(&mut self, alpha_beta: &mut AlphaBeta<'_, P, E>, depth_max: u8) {
        if self.candidates.len() == 1 {
            return;
        }
        for depth in 1..=depth_max {
            alpha_beta.is_open = false;
            if self.search(alpha_beta, depth).is_err() {
                return;
            }
            self.depth = depth;
            if !alpha_beta.is_open || self.is_settled(alpha_beta.evaluation) {
                return;
            }
        }
    }

    /// Searches every candidate to the same depth. One that is better than all before moves to the front, so
    /// the result is valid even if the search is stopped.
    fn search<E: Evaluation<P>>(
        &mut self,
        alpha_beta: &mut AlphaBeta<'_, P, E>,
        depth: u8,
    ) -> Result<(), Stopped> {
        let node = Node {
            seat: self.seat,
            ply: 0,
            depth,
        };
        let mut window = Window::WHOLE;
        for place in 0..self.candidates.len() {
            let action = self.candidates[place].action;
            let value = alpha_beta.value_of(self.position, node, action, window, place == 0)?;
            if value > window.alpha {
                window.alpha = value;
                self.value = Some(value);
                self.candidates[..=place].rotate_right(1);
            }
        }
        Ok(())
    }

    /// The best replies to an action and to each other, as far as the table has them.
    fn line(&self, action: P::Action, table: Option<&TranspositionTable>) -> Vec<P::Action> {
        let mut position = *self.position;
        let mut line = Vec::new();
        let mut next = Some(action);
        while let Some(action) = next {
            line.push(action);
            position.play_unchecked(action);
            let left = usize::from(self.depth).saturating_sub(line.len());
            next = table
                .filter(|_| left > 0 && matches!(settled_turn(&mut position), Turn::Decide(_)))
                .and_then(|table| best_known(&position, left, table));
        }
        line
    }

    /// Returns true if the game is decided and a deeper search cannot change anything for the winner.
    fn is_settled<E: Evaluation<P>>(&self, evaluation: &E) -> bool {
        let gain_max = |seat| evaluation.gain_max(self.position, seat);
        self.value.is_some_and(|value| {
            value
                .won_gain()
                .is_some_and(|gain| gain >= gain_max(self.seat))
                || (-value)
                    .won_gain()
                    .is_some_and(|gain| gain >= gain_max(self.seat.other()))
        })
    }
}

/// The best action of a search of `depth` plies; `None` if the table does not have it, or all that were tried were too bad
/// to tell them apart.
fn best_known<P: Position>(
    position: &P,
    depth: usize,
    table: &TranspositionTable,
) -> Option<P::Action> {
    let depth = u8::try_from(depth).ok()?;
    let known = table.find(key_of(position), depth)?;
    if known.bound == Bound::Upper || known.depth != depth {
        return None;
    }
    let mut best = None;
    let mut place = 0;
    position.for_each_legal(|action| {
        if place == usize::from(known.best) {
            best = Some(action);
        }
        place += 1;
    });
    best
}
