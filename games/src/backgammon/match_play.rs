use super::record::{MAT, SGF};
use super::{MATCH_LENGTH_MAX, Position, Variant};
use crate::MatchPlay;
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target, Targets};
use crate::record::RecordFormat;

impl MatchPlay for Position {
    const NAME: &'static str = "backgammon";
    const TITLE: &'static str = "Backgammon";
    const FORMATS: &'static [RecordFormat] = &[MAT, SGF];
    const PASS_IS_A_STEP: bool = true;

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

    /// The score carries over. The first game after a side comes within one point of winning is the
    /// Crawford game.
    fn next_game(&self, finished: &FinishedGame<Variant>, _: &mut dyn Chance) -> Self {
        self.after(&finished.outcome)
    }
}
