use super::position::Stakes;
use super::record::{MAT, SGF};
use super::{MATCH_LENGTH_MAX, Position};
use crate::chance::Chance;
use crate::match_play::{FinishedGame, Target, Targets};
use crate::record::Format;
use crate::{GameOutcome, MatchPlay, Seat};

/// The variants: a match to a number of points, or one game for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A match to a number of points with the Crawford rule.
    Standard,
    /// One game for money.
    Money,
    /// One game for money in which gammons count only after a double.
    MoneyJacoby,
}

impl MatchPlay for Position {
    const NAME: &'static str = "backgammon";
    const TITLE: &'static str = "Backgammon";
    const FORMATS: &'static [Format] = &[MAT, SGF];
    const PASS_IS_A_STEP: bool = true;

    type Variant = Variant;

    fn targets(variant: Variant) -> Targets {
        match variant {
            Variant::Standard => Targets {
                usual: &[1, 3, 7, 15],
                max: Some(MATCH_LENGTH_MAX.into()),
            },
            Variant::Money | Variant::MoneyJacoby => Targets {
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
            Variant::Money => Self::money(false),
            Variant::MoneyJacoby => Self::money(true),
        }
    }

    /// The score carries over. The first game after a side comes within one point of winning is the
    /// Crawford game.
    fn next_game(&self, finished: &FinishedGame<Variant>, _: &mut dyn Chance) -> Self {
        self.after(&finished.outcome)
    }
}

impl Position {
    /// The opening of the game that follows this one after `outcome`.
    pub(super) fn after(&self, outcome: &GameOutcome) -> Self {
        let before = self.stakes;
        let mut score = before.score;
        if let Some(winner) = outcome.winner {
            let points = &mut score[winner.index()];
            let sum = u32::from(*points) + outcome.points;
            *points = u16::try_from(sum)
                .unwrap_or(super::MONEY_SCORE_MAX)
                .min(super::MONEY_SCORE_MAX);
        }
        let length = u16::from(before.length);
        let is_near = |score: [u16; 2]| {
            Seat::BOTH
                .into_iter()
                .any(|seat| score[seat.index()] + 1 == length)
        };
        Self::opening(Stakes {
            score,
            crawford: length > 1 && is_near(score) && !is_near(before.score),
            ..before
        })
    }
}

impl crate::match_play::Variant for Variant {
    const ALL: &'static [Self] = &[Self::Standard, Self::Money, Self::MoneyJacoby];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Money => "money",
            Self::MoneyJacoby => "money_jacoby",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Standard => "A match with the doubling cube and the Crawford rule.",
            Self::Money => "One game with the doubling cube and no match score.",
            Self::MoneyJacoby => {
                "One game with the doubling cube, in which gammons count only after a double."
            }
        }
    }
}
