use super::{Colour, Position};
use crate::chance::{Chance, shuffle};
use crate::match_play::{FinishedGame, Target};
use crate::{MatchPlay, Seat};

/// The setup of the first game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The setup of the rulebook.
    Standard,
    /// The towers on the home rows in a random order.
    Random,
}

impl MatchPlay for Position {
    const NAME: &'static str = "kamisado";
    const TITLE: &'static str = "Kamisado";
    const PASS_IS_A_STEP: bool = false;

    type Variant = Variant;

    fn first_game(variant: Variant, _: Target, chance: &mut dyn Chance) -> Self {
        match variant {
            Variant::Standard => Self::standard(),
            Variant::Random => {
                let mut order = Colour::ALL;
                shuffle(&mut order, chance);
                Self::opening([order; 2], [0; 2], Seat::First)
            }
        }
    }

    fn next_game(&self, _: &FinishedGame<Variant>, _: &mut dyn Chance) -> Self {
        self.before_refill()
            .expect("the next game starts only after this one is over")
    }
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[Self::Standard, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Random => "random",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Standard => {
                "In the first game every tower starts on the home square of its own colour."
            }
            Self::Random => {
                "In the first game the towers start on the home row in a random order, \
                 the same for both sides."
            }
        }
    }
}
