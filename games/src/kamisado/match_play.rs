use super::{Colour, Position};
use crate::chance::{Chance, shuffle};
use crate::match_play::{Finished, Target};
use crate::{MatchPlay, Seat};

/// How the first game of a match is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As the rulebook has it.
    Standard,
    /// The towers of the home rows in an order drawn by lot.
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

    fn next_game(&self, _: &Finished<Variant>, _: &mut dyn Chance) -> Self {
        self.before_refill()
            .expect("a game is followed by the next only when it is over")
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
                "In the first game every tower stands on the home square of its own colour."
            }
            Self::Random => {
                "In the first game the towers stand on the home row in an order drawn by lot, \
                 the same for both sides."
            }
        }
    }
}
