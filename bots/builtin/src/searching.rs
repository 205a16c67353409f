use std::fmt::Display;
use std::time::Duration;

use dragontooth_games::Position;
use dragontooth_games::record::{InvalidThinking, Thinking, ThinkingValue};

use crate::search::{
    Evaluation, RealTime, SearchLimits, SearchResult, Stopwatch as _, TreeSearch, Value,
    thinking_limit,
};
use crate::{Budget, PositionBot};

/// Positions that a search visits if nothing else limits it.
pub(super) const NODES_UNLESS_TIMED: u64 = 50_000;

/// Plays the best action of a tree search.
#[derive(Debug)]
pub struct Searching<P: Position, E> {
    search: TreeSearch<P, E>,
    limits: SearchLimits,
    thinking: Option<Thinking>,
}

impl<P: Position, E: Evaluation<P>> Searching<P, E> {
    /// Creates a bot that searches within `limits` and the time of its budget, with a transposition table of at
    /// most `table_bytes` bytes.
    pub fn new(evaluation: E, limits: SearchLimits, table_bytes: usize) -> Self {
        let nodes_max = limits.nodes;
        Self {
            search: TreeSearch::new(evaluation, table_bytes, nodes_max),
            limits,
            thinking: None,
        }
    }

    /// The limits of a decision with this time.
    fn limits(&self, time: Option<Duration>) -> SearchLimits {
        let mut limits = self.limits;
        limits.time = thinking_limit(limits.time, time);
        if limits.depth == SearchLimits::NONE.depth && limits.time.is_none() {
            limits.nodes.get_or_insert(NODES_UNLESS_TIMED);
        }
        limits
    }
}

impl<P: Position, E: Evaluation<P>> PositionBot<P> for Searching<P, E> {
    fn choose(&mut self, position: &P, budget: &Budget) -> Option<P::Action> {
        let stopwatch = RealTime::start();
        let limits = self.limits(budget.time);
        let found = self
            .search
            .find(position, &limits, budget.seed, &stopwatch)?;
        // One that looks only at the next positions, or has no choice, thinks nothing worth its room in the record.
        let has_thought = limits.depth > 1 && found.nodes > 0;
        self.thinking = has_thought
            .then(|| thinking(&found, stopwatch.elapsed()).ok())
            .flatten();
        Some(found.action)
    }

    fn take_thinking(&mut self) -> Option<Thinking> {
        self.thinking.take()
    }
}

/// The thoughts of a search that took this time.
fn thinking<A: Display>(
    found: &SearchResult<A>,
    time: Duration,
) -> Result<Thinking, InvalidThinking> {
    let value = found
        .value
        .map(win_probability)
        .map(ThinkingValue::win_probability);
    let mut thinking = Thinking::new(
        value.transpose()?,
        Some(found.depth.into()),
        Some(found.nodes),
    );
    thinking.set_time(time)?;
    for action in &found.line {
        // A record has room for its beginning.
        if thinking.push_line(action.to_string()).is_err() {
            break;
        }
    }
    Ok(thinking)
}

/// The probability of winning the game with this value. Every evaluation counts in hundredths of the logarithm of
/// the odds to win.
fn win_probability(value: Value) -> f64 {
    if value.won_gain().is_some() {
        1.0
    } else if (-value).won_gain().is_some() {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(value.points()) / 100.0).exp())
    }
}
