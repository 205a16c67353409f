use dragontooth_games::backgammon::{Action, Dice, Position};
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep};
use dragontooth_games::{MatchPlay, Position as _, Turn};

use super::expectimax::{best_reply, efficiency};
use super::stakes::Stakes;

/// The luck of seat first in the dice of a match.
///
/// The luck of a roll is the value of the position with the dice minus its mean over all rolls that were possible,
/// by the evaluation of [`Expectimax`](super::Expectimax) after the play that looks best: about 420 positions for
/// a roll. The mean of the luck is 0 whatever is thought of the evaluation and of the play, so a result minus its
/// luck has the same mean as the result, and varies less. The computation is the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchLuck {
    /// The rolls that were judged: all but the ties of opening rolls, which change nothing.
    pub rolls: u32,
    /// In the chance to win: the match, or for money the game.
    pub chance: f64,
    /// In points; `None` in a match to a number of points.
    pub points: Option<f64>,
}

/// The reason why the luck of a record is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LuckError {
    /// The game has no dice.
    #[error("luck is computed for backgammon, not for {0}")]
    Game(String),
    /// The record breaks a rule.
    #[error("step {step} of game {game}: {why}")]
    Record {
        /// The number of the game, from 1.
        game: usize,
        /// The number of the step, from 1; 0 for the start of the game.
        step: usize,
        /// The mistake.
        why: String,
    },
}

/// The value of a position for seat first.
#[derive(Clone, Copy)]
struct Value {
    chance: f64,
    points: f64,
}

impl MatchLuck {
    /// Computes the luck from the record of a match, which need not be over.
    ///
    /// ```
    /// use dragontooth_bots_builtin::backgammon::MatchLuck;
    /// use dragontooth_games::record::read_text;
    ///
    /// let text = r#"[Game "backgammon"]
    /// [Variant "standard"]
    /// [Target "1"]
    ///
    /// Game 1: XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:1:10
    ///      roll   31
    ///   1. first  8/5 6/5
    /// "#;
    /// let (record, _) = read_text(text)?;
    /// let luck = MatchLuck::of(&record)?;
    /// // A good opening roll.
    /// assert_eq!(luck.rolls, 1);
    /// assert!(luck.chance > 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The game is not backgammon, or the record breaks a rule.
    pub fn of(record: &MatchRecord) -> Result<Self, LuckError> {
        if record.game != Position::NAME {
            return Err(LuckError::Game(record.game.clone()));
        }
        let mut luck = Self::default();
        for (number, game) in (1..).zip(&record.games) {
            luck.add_game(number, game)?;
        }
        Ok(luck)
    }

    fn add_game(&mut self, number: usize, game: &GameRecord) -> Result<(), LuckError> {
        let wrong = |step: usize, why: String| LuckError::Record {
            game: number,
            step,
            why,
        };
        let mut position: Position =
            (game.start.parse()).map_err(|error| wrong(0, format!("{:?}: {error}", game.start)))?;
        for (step, taken) in (1..).zip(&game.steps) {
            match taken {
                RecordStep::Action { action, .. } => {
                    let action: Action = (action.parse())
                        .map_err(|error| wrong(step, format!("{action:?}: {error}")))?;
                    (position.play(action)).map_err(|error| wrong(step, error.to_string()))?;
                }
                RecordStep::Pass { .. } if matches!(position.turn(), Turn::Pass(_)) => {
                    position.pass();
                }
                RecordStep::Roll { roll } if position.turn() == Turn::Chance => {
                    let dice: Dice = (roll.parse())
                        .map_err(|error| wrong(step, format!("{roll:?}: {error}")))?;
                    self.add_roll(&position, dice);
                    position.roll(dice);
                }
                RecordStep::Pass { .. } | RecordStep::Roll { .. } => {
                    return Err(wrong(step, "a different step is due".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Adds the luck of a roll, which is due.
    fn add_roll(&mut self, before: &Position, dice: Dice) {
        let mut sum = Value {
            chance: 0.0,
            points: 0.0,
        };
        let (mut rolls, mut rolled) = (0, None);
        before.for_each_roll(|roll, count| {
            let Some(value) = value(before, roll) else {
                return;
            };
            sum.chance += f64::from(count) * value.chance;
            sum.points += f64::from(count) * value.points;
            rolls += count;
            if roll == dice || (before.mover().is_some() && is_same(roll, dice)) {
                rolled = Some(value);
            }
        });
        if let Some(rolled) = rolled {
            self.rolls += 1;
            self.chance += rolled.chance - sum.chance / f64::from(rolls);
            if before.match_length().is_none() {
                let luck = rolled.points - sum.points / f64::from(rolls);
                self.points = Some(self.points.unwrap_or_default() + luck);
            }
        }
    }
}

/// Returns true for the same dice in any order.
fn is_same(one: Dice, other: Dice) -> bool {
    (one.high(), one.low()) == (other.high(), other.low())
}

/// The value for seat first of a position in which a roll is due, once these dice are rolled. `None` for a tie of the
/// opening roll.
fn value(before: &Position, dice: Dice) -> Option<Value> {
    let mut position = *before;
    position.roll(dice);
    let mover = position.mover()?;
    let stakes = Stakes::new(&position, mover);
    let chances = best_reply(&position, mover, &stakes);
    let efficiency = efficiency(&position, mover);
    let worth = stakes.with_cube(chances, stakes.cube, stakes.owner, efficiency);
    let is_first = mover == dragontooth_games::Seat::First;
    let chance = match position.match_length() {
        Some(_) => worth,
        None => f64::from(chances.win),
    };
    Some(Value {
        chance: if is_first { chance } else { 1.0 - chance },
        points: if is_first { worth } else { -worth },
    })
}
