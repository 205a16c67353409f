//! The check that what was drawn in a match follows from its seeds.

use crate::catalogue;
use crate::chance::Draws;
use crate::match_play::{Match, Step};
use crate::record::{MatchRecord, RecordStep};

/// What of a record was drawn, and drawn as it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawsChecked {
    /// The games that were dealt.
    pub deals: u32,
    /// The rolls.
    pub rolls: u32,
    /// The result of the match, as the header of a record has it: `first 3-1 normal`; none if it
    /// was not played to its end.
    pub result: Option<String>,
}

/// What in a record was not drawn as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawFault {
    /// A game began from another position.
    #[error("game {game} began from {recorded:?}; what was drawn is {drawn:?}")]
    Deal {
        /// The number of the game, from 1.
        game: u32,
        /// The position in the record.
        recorded: String,
        /// The position that follows from the seeds.
        drawn: String,
    },
    /// A roll was another one.
    #[error("roll {roll} of the match, in game {game}, was {recorded}; what was drawn is {drawn}")]
    Roll {
        /// The number of the game, from 1.
        game: u32,
        /// The number of the roll in the match, from 1.
        roll: u32,
        /// The roll in the record.
        recorded: String,
        /// The roll that follows from the seeds.
        drawn: String,
    },
    /// The record is none of a match by the rules.
    #[error("step {step} of game {game} is against the rules: {why}")]
    Rules {
        /// The number of the game, from 1; 0 for the match itself.
        game: u32,
        /// The number of the step, from 1; 0 for the start of the game.
        step: usize,
        /// Why.
        why: String,
    },
}

/// Plays a record again by the rules and compares everything that was drawn with what `draws` gives,
/// and how the games ended.
///
/// # Errors
///
/// The first thing that differs or is against the rules.
pub fn verify_draws(record: &MatchRecord, draws: &Draws) -> Result<DrawsChecked, DrawFault> {
    play_again(record, draws).map(|(checked, _)| checked)
}

/// As [`verify_draws`], but gives the match, too, as the record leaves it.
///
/// # Errors
///
/// As [`verify_draws`].
pub fn play_again(
    record: &MatchRecord,
    draws: &Draws,
) -> Result<(DrawsChecked, Box<dyn Match>), DrawFault> {
    let mut play = catalogue::find(&record.game)
        .map_err(|error| rules(0, 0, error))?
        .new_match(Some(&record.variant), record.target)
        .map_err(|error| rules(0, 0, error))?;
    let mut checked = DrawsChecked::default();
    for game in &record.games {
        let number = play.game_number() + 1;
        if play.step() != Step::Deal {
            return Err(rules(number, 0, "no game is due"));
        }
        let right = play.deal(&mut draws.deal(number));
        if right != game.start {
            return Err(DrawFault::Deal {
                game: number,
                recorded: game.start.clone(),
                drawn: right,
            });
        }
        play.begin_game(&game.start)
            .map_err(|error| rules(number, 0, error))?;
        checked.deals += 1;
        for (step, at) in game.steps.iter().zip(1..) {
            checked.rolls += u32::from(take(&mut *play, step, at, draws)?);
        }
        let last = game.steps.len();
        let outcome = match play.step() {
            Step::Score(outcome) => {
                play.score_game()
                    .map_err(|error| rules(number, last, error))?;
                Some(outcome.into())
            }
            Step::Deal | Step::Decide(_) | Step::Pass(_) | Step::Chance | Step::Over(_) => None,
        };
        if outcome != game.outcome {
            return Err(rules(number, last, "the game did not end like this"));
        }
    }
    if let Step::Over(outcome) = play.step() {
        let winner = outcome
            .winner
            .map_or("nobody".to_owned(), |seat| seat.to_string());
        checked.result = Some(format!("{winner} {} normal", play.score()));
    }
    Ok((checked, play))
}

/// Plays a step and tells whether it was a roll.
fn take(
    play: &mut dyn Match,
    step: &RecordStep,
    at: usize,
    draws: &Draws,
) -> Result<bool, DrawFault> {
    let game = play.game_number();
    let done = match step {
        RecordStep::Action { seat, .. } if play.step() != Step::Decide(*seat) => {
            return Err(rules(
                game,
                at,
                format!("it is not for the {seat} seat to decide"),
            ));
        }
        RecordStep::Action { action, .. } => play.play(action).map(drop),
        RecordStep::Pass { seat } if play.step() != Step::Pass(*seat) => {
            return Err(rules(
                game,
                at,
                format!("the {seat} seat does not have to pass"),
            ));
        }
        RecordStep::Pass { .. } => play.pass(),
        RecordStep::Roll { .. } if play.step() != Step::Chance => {
            return Err(rules(game, at, "no roll is due"));
        }
        RecordStep::Roll { roll } => {
            let number = play.rolls() + 1;
            let right = play.draw(&mut draws.roll(game, number));
            if right != *roll {
                return Err(DrawFault::Roll {
                    game,
                    roll: number,
                    recorded: roll.clone(),
                    drawn: right,
                });
            }
            play.roll(roll).map(drop)
        }
    };
    done.map_err(|error| rules(game, at, error))?;
    Ok(matches!(step, RecordStep::Roll { .. }))
}

fn rules(game: u32, step: usize, why: impl std::fmt::Display) -> DrawFault {
    DrawFault::Rules {
        game,
        step,
        why: format!("{why}"),
    }
}
