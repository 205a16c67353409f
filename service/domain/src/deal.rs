use dragontooth_games::chance::{Chance, Draws, SeededChance};
use dragontooth_games::match_play::Match;

/// The start of the next game of a match.
pub(crate) struct Deal {
    /// The position that opens it.
    pub(crate) position: String,
    /// True if it was drawn; otherwise the rules determine it.
    pub(crate) drawn: bool,
}

/// Deals the next game of a match whose next step is a deal.
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

/// Draws the roll of a match whose next step is a roll.
pub(crate) fn roll(play: &dyn Match, draws: &Draws) -> String {
    play.draw(&mut draws.roll(play.game_number(), play.rolls() + 1))
}

/// A source of chance that remembers if it was used.
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
