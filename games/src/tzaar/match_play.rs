use super::{Position, Variant, little_golem};
use crate::MatchPlay;
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target};
use crate::record::RecordFormat;

impl MatchPlay for Position {
    const NAME: &'static str = "tzaar";
    const TITLE: &'static str = "TZAAR";
    const FORMATS: &'static [RecordFormat] = &[little_golem::FORMAT];
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
