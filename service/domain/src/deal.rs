use dragontooth_games::chance::{Seed, SeededChance};
use dragontooth_games::match_play::Match;

use crate::SeedText;

/// The position that opens the next game of a match in which the step is to deal.
pub(crate) fn deal(play: &dyn Match, seed: &SeedText) -> String {
    let seed = Seed::from_text(seed.as_str());
    play.deal(&mut SeededChance::for_deal(&seed, play.game_number() + 1))
}
