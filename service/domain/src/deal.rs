use dragontooth_games::chance::{Chance, Draws, SeededChance};
use dragontooth_games::match_play::Match;

/// How the next game of a match begins.
pub(crate) struct Deal {
    /// The position that opens it.
    pub(crate) position: String,
    /// Whether chance had a part in it; if not, it follows from the rules alone.
    pub(crate) drawn: bool,
}

/// Deals the next game of a match in which the step is to deal.
pub(crate) fn deal(play: &dyn Match, draws: &Draws) -> Deal {
    let mut chance = Watched {
        chance: draws.deal(play.game_number() + 1),
        asked: false,
    };
    let position = play.deal(&mut chance);
    Deal {
        position,
        drawn: chance.asked,
    }
}

/// The roll of a match in which chance is due.
pub(crate) fn roll(play: &dyn Match, draws: &Draws) -> String {
    play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1))
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
