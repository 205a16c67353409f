use super::{Position, little_golem};
use crate::MatchPlay;
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target};
use crate::record::Format;

/// The way the pieces are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// All pieces are shuffled again for each game.
    Random,
    /// The fixed start.
    Fixed,
    /// The players place their pieces.
    Tournament,
}

impl MatchPlay for Position {
    const NAME: &'static str = "tzaar";
    const TITLE: &'static str = "TZAAR";
    const FORMATS: &'static [Format] = &[little_golem::FORMAT];
    const PASS_IS_A_STEP: bool = true;

    type Variant = Variant;

    fn first_game(variant: Variant, _: Target, chance: &mut dyn Chance) -> Self {
        match variant {
            Variant::Random => Self::random(chance),
            Variant::Fixed => Self::fixed(),
            Variant::Tournament => Self::empty(),
        }
    }

    fn next_game(&self, finished: &FinishedGame<Variant>, chance: &mut dyn Chance) -> Self {
        Self::first_game(finished.variant, finished.target, chance)
    }

    /// Seat first is White in the odd games, Black in the even ones.
    fn sides_are_swapped(game_number: u32) -> bool {
        game_number.is_multiple_of(2)
    }
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[Self::Random, Self::Fixed, Self::Tournament];

    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Fixed => "fixed",
            Self::Tournament => "tournament",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Random => "All sixty pieces are shuffled onto the board for each game.",
            Self::Fixed => "Every game starts from the fixed start of the rulebook.",
            Self::Tournament => "The players take turns placing their pieces on the empty board.",
        }
    }
}
