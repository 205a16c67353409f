use std::time::Duration;

use dragontooth_games::Position;

use super::Engine;
use crate::Budget;
use crate::search::{Evaluation, Limits, RealTime, TreeSearch};

/// The part of its time that a search leaves unused, as a divisor: one twentieth.
const TIME_RESERVE_DIVISOR: u32 = 20;
/// What a search leaves unused besides that, for what it does between two looks at the clock and
/// after the last.
const TIME_RESERVE: Duration = Duration::from_millis(5);
/// The positions that a search visits if nothing else limits it.
pub(super) const NODES_UNLESS_TIMED: u64 = 50_000;

/// Plays what a tree search finds best.
#[derive(Debug)]
pub struct Searching<P: Position, E> {
    search: TreeSearch<P, E>,
    limits: Limits,
}

impl<P: Position, E: Evaluation<P>> Searching<P, E> {
    /// The engine that searches within `limits` and the time of its budget with a transposition
    /// table of at most so many bytes.
    pub fn new(evaluation: E, limits: Limits, table_bytes: usize) -> Self {
        let nodes_max = limits.nodes;
        Self {
            search: TreeSearch::new(evaluation, table_bytes, nodes_max),
            limits,
        }
    }

    /// The limits of a decision that may take so long.
    fn limits(&self, time: Option<Duration>) -> Limits {
        let mut limits = self.limits;
        limits.time = thinking_limit(limits.time, time);
        if limits.depth == Limits::NONE.depth && limits.time.is_none() {
            limits.nodes.get_or_insert(NODES_UNLESS_TIMED);
        }
        limits
    }
}

impl<P: Position, E: Evaluation<P>> Engine<P> for Searching<P, E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> Option<P::Action> {
        let stopwatch = RealTime::start();
        let limits = self.limits(budget.time);
        let found = self
            .search
            .find(position, &limits, budget.seed, &stopwatch)?;
        Some(found.action)
    }
}

/// The time that a decision may take: what is set, and what the budget leaves with a reserve.
pub(crate) fn thinking_limit(set: Option<Duration>, budget: Option<Duration>) -> Option<Duration> {
    let left = budget.map(|time| {
        let reserve = time / TIME_RESERVE_DIVISOR + TIME_RESERVE;
        time.saturating_sub(reserve)
    });
    set.into_iter().chain(left).min()
}
