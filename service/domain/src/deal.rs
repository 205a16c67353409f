use dragontooth_games::chance::{Chance, Seed, SeededChance};
use dragontooth_games::match_play::Match;

use crate::SeedText;

/// How the next game of a match begins.
pub(crate) struct Deal {
    /// The position that opens it.
    pub(crate) position: String,
    /// Whether chance had a part in it; if not, it follows from the rules alone.
    pub(crate) drawn: bool,
}

/// Deals the next game of a match in which the step is to deal.
pub(crate) fn deal(play: &dyn Match, seed: &SeedText) -> Deal {
    let seed = Seed::from_text(seed.as_str());
    let mut chance = Watched {
        chance: SeededChance::for_deal(&seed, play.game_number() + 1),
        asked: false,
    };
    let position = play.deal(&mut chance);
    Deal {
        position,
        drawn: chance.asked,
    }
}

/// A chance that remembers whether it was asked.
struct Watched {
    chance: SeededChance,
    asked: bool,
}

impl Chance for Watched {
    fn below(&mut self, bound: u32) -> u32 {
        self.asked = true;
        self.chance.below(bound)
    }
}
