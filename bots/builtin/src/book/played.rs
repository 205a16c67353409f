use std::collections::HashSet;

use dragontooth_games::chance::Chance as _;
use dragontooth_games::match_play::Target;
use dragontooth_games::{MatchPlay, Seat, Turn};

use super::BookPlan;
use super::source::{Candidate, Source};
use crate::search::{Evaluation, RealTime, SearchLimits, SplitMix64, TreeSearch, Value};

const TABLE_BYTES: usize = 16 << 20;

/// Openings of a game without dice: any legal actions, judged by a tree search.
pub(super) struct Played<P: MatchPlay, E> {
    variant: P::Variant,
    target: Target,
    plies: usize,
    search: TreeSearch<P, E>,
    limits: SearchLimits,
    seed: u64,
    seen: HashSet<P>,
}

impl<P: MatchPlay, E: Evaluation<P>> Played<P, E> {
    pub(super) fn new(variant: P::Variant, target: Target, plan: &BookPlan, evaluation: E) -> Self {
        Self {
            variant,
            target,
            plies: plan.plies,
            search: TreeSearch::new(evaluation, TABLE_BYTES, Some(plan.nodes)),
            limits: SearchLimits {
                nodes: Some(plan.nodes),
                ..SearchLimits::NONE
            },
            seed: plan.seed,
            seen: HashSet::new(),
        }
    }
}

impl<P: MatchPlay, E: Evaluation<P>> Source for Played<P, E> {
    type End = P;

    fn draw(&mut self, random: &mut SplitMix64) -> Option<Candidate<P>> {
        let before = random.clone();
        let start = P::first_game(self.variant, self.target, random);
        let is_drawn = *random != before;
        // Each opening is played from both seats: with the other seat to begin it would be the same again.
        if is_drawn && start.turn() != Turn::Decide(Seat::First) {
            return None;
        }
        let mut entries = Vec::with_capacity(self.plies + 1);
        entries.extend(is_drawn.then(|| start.to_string()));
        let mut end = start;
        for _ in 0..self.plies {
            let legal = choices(&end)?;
            let choice = random.below(u32::try_from(legal.len()).expect("a game has few actions"));
            let action = legal[choice as usize];
            entries.push(action.to_string());
            end.play_unchecked(action);
            end.settle();
        }
        if choices(&end)?.len() < 2 || !self.seen.insert(end) {
            return None;
        }
        self.seen.extend(end.images());
        Some(Candidate { entries, end })
    }

    fn imbalance(&mut self, end: &P) -> Option<u32> {
        let stopwatch = RealTime::start();
        let found = (self.search).find(end, &self.limits, self.seed, &stopwatch)?;
        let value = found.value.filter(|value| !is_decided(*value))?;
        Some(value.points().unsigned_abs())
    }
}

/// The legal actions of the seat that decides; `None` if none does.
fn choices<P: MatchPlay>(position: &P) -> Option<Vec<P::Action>> {
    matches!(position.turn(), Turn::Decide(_)).then(|| position.legal_actions())
}

/// Returns true if a side wins by force.
fn is_decided(value: Value) -> bool {
    value.won_gain().is_some() || (-value).won_gain().is_some()
}
