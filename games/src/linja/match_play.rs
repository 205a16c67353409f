use super::Position;
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target};
use crate::{MatchPlay, Seat};

/// Maximum number of games in a match, for each point of its target.
pub const GAMES_PER_POINT_MAX: u32 = 4;

/// The choice of the seat that opens the first game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Seat first opens.
    Standard,
    /// The opener is chosen at random.
    Random,
}

impl MatchPlay for Position {
    const NAME: &'static str = "linja";
    const TITLE: &'static str = "Linja";
    const PASS_IS_A_STEP: bool = true;

    type Variant = Variant;

    fn first_game(variant: Variant, _: Target, chance: &mut dyn Chance) -> Self {
        let opener = match variant {
            Variant::Standard => Seat::First,
            Variant::Random if chance.below(2) == 0 => Seat::First,
            Variant::Random => Seat::Second,
        };
        Self::start(opener)
    }

    /// The loser opens. After a draw, the seat that did not open the drawn game does.
    fn next_game(&self, finished: &FinishedGame<Variant>, _: &mut dyn Chance) -> Self {
        let opener = finished.outcome.winner.unwrap_or(finished.opener).other();
        Self::start(opener)
    }

    fn games_max(target: Target) -> Option<u32> {
        Some(target.points() * GAMES_PER_POINT_MAX)
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
            Self::Standard => "Seat first, Red, opens the first game.",
            Self::Random => "The seat that opens the first game is chosen at random.",
        }
    }
}
