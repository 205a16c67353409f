use dragontooth_games::Position;
use dragontooth_games::chance::Chance;

use crate::search::SplitMix64;
use crate::{Budget, PositionBot};

/// Plays a random legal action, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl<P: Position> PositionBot<P> for Random {
    fn choose(&mut self, position: &P, budget: &Budget) -> Option<P::Action> {
        let count = u32::try_from(position.count_legal())
            .ok()
            .filter(|count| *count > 0)?;
        let mut rest = SplitMix64::new(budget.seed).below(count);
        let mut chosen = None;
        position.for_each_legal(|action| {
            if chosen.is_none() {
                match rest.checked_sub(1) {
                    Some(less) => rest = less,
                    None => chosen = Some(action),
                }
            }
        });
        chosen
    }
}
