use super::record::{MAT, SGF};
use super::{Action, MATCH_LENGTH_MAX, Position, Variant};
use crate::MatchPlay;
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target, Targets};
use crate::record::RecordFormat;

impl MatchPlay for Position {
    const NAME: &'static str = "backgammon";
    const TITLE: &'static str = "Backgammon";
    const FORMATS: &'static [RecordFormat] = &[MAT, SGF];
    const PASS_IS_A_STEP: bool = true;
    const ROLL_CHOICE: Option<Action> = Some(Action::Roll);

    type Variant = Variant;

    fn targets(variant: Variant) -> Targets {
        match variant {
            Variant::Standard => Targets {
                usual: &[1, 3, 7, 15],
                max: Some(MATCH_LENGTH_MAX.into()),
            },
            Variant::Money(_) | Variant::MoneyJacoby(_) => Targets {
                usual: &[1],
                max: None,
            },
        }
    }

    fn first_game(variant: Variant, target: Target, _: &mut dyn Chance) -> Self {
        Self::first(variant, target)
    }

    /// The board, the cube, the turn and the dice are kept; the length, the score and the rules are the match's.
    fn as_start(self, variant: Variant, target: Target) -> Result<Self, String> {
        let stakes = Self::first(variant, target).stakes;
        let (cube, highest) = (self.cube.value(), stakes.cube_limit.value());
        if cube > highest {
            return Err(format!("its cube is {cube}, and the highest is {highest}"));
        }
        let start = Self { stakes, ..self }.validated();
        start.map_err(|fault| fault.to_string())
    }

    /// The cube: neither a dropped double nor a single game brings less.
    fn least_points(&self) -> u32 {
        self.cube().value()
    }

    /// The score carries over. The first game after a side comes within one point of winning is the
    /// Crawford game.
    fn next_game(&self, finished: &FinishedGame<Variant>, _: &mut dyn Chance) -> Self {
        self.after(&finished.outcome)
    }
}

impl Position {
    fn first(variant: Variant, target: Target) -> Self {
        match variant {
            Variant::Standard => {
                let length = u8::try_from(target.points()).ok();
                length
                    .and_then(Self::match_start)
                    .expect("a target is from 1 to the longest match")
            }
            Variant::Money(limit) => Self::money(false, limit),
            Variant::MoneyJacoby(limit) => Self::money(true, limit),
        }
    }
}
