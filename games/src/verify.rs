//! Verification that the random choices of a match follow from its seeds.
//!
//! ```
//! use dragontooth_games::chance::Draws;
//! use dragontooth_games::record::read_text;
//! use dragontooth_games::verify::{DrawFault, verify_draws};
//!
//! let text = r#"[Game "backgammon"]
//! [Variant "standard"]
//! [Target "1"]
//!
//! Game 1: XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:1:10
//!      roll   66
//! "#;
//! let (record, _) = read_text(text)?;
//! // A tie is not what this seed rolls first.
//! let fault = verify_draws(&record, &Draws::from_text("a seed")).unwrap_err();
//! assert!(matches!(fault, DrawFault::Roll { roll: 1, .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::catalogue;
use crate::chance::Draws;
use crate::match_play::{InvalidOpening, Match, Step};
use crate::record::{MatchRecord, RecordStep};

/// The draws of a record, all of which follow from its seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedDraws {
    /// Number of deals.
    pub deals: u32,
    /// Number of rolls.
    pub rolls: u32,
    /// The result of the match in the form of a record's header: `first 3-1 normal`. `None` if the
    /// match was not played to its end.
    pub result: Option<String>,
}

/// The first part of a record that does not follow from its seeds or breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawFault {
    /// A game started from a different position.
    #[error("game {game} started from {recorded:?}, but the seeds give {drawn:?}")]
    Deal {
        /// The number of the game, from 1.
        game: u32,
        /// The position in the record.
        recorded: String,
        /// The position that follows from the seeds.
        drawn: String,
    },
    /// A roll is different.
    #[error("roll {roll} of the match, in game {game}, was {recorded}, but the seeds give {drawn}")]
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
    /// The match cannot begin with the recorded opening.
    #[error("its opening: {0}")]
    Opening(InvalidOpening),
    /// The record breaks a rule.
    #[error(
        "{}against the rules: {why}",
        if *game == 0 { String::new() } else { format!("step {step} of game {game} is ") }
    )]
    Rules {
        /// The number of the game, from 1; 0 for the match itself.
        game: u32,
        /// The number of the step, from 1; 0 for the start of the game.
        step: usize,
        /// The reason.
        why: String,
    },
}

/// Replays a record by the rules, compares every deal and roll with `draws`, and checks the
/// recorded outcome of every game.
///
/// # Errors
///
/// The first difference or broken rule.
pub fn verify_draws(record: &MatchRecord, draws: &Draws) -> Result<VerifiedDraws, DrawFault> {
    replay_record(record, draws).map(|(checked, _)| checked)
}

/// Like [`verify_draws`], but also returns the match in its state at the end of the record.
///
/// # Errors
///
/// As [`verify_draws`].
pub fn replay_record(
    record: &MatchRecord,
    draws: &Draws,
) -> Result<(VerifiedDraws, Box<dyn Match>), DrawFault> {
    let mut play = catalogue::find(&record.game)
        .map_err(|error| rules(0, 0, error))?
        .new_match(Some(&record.variant), record.target)
        .map_err(|error| rules(0, 0, error))?;
    match play.open_with(&record.opening, None) {
        Ok(canonical) if canonical == record.opening => {}
        Ok(_) => return Err(rules(0, 0, "the opening is not in canonical notation")),
        Err(error) => return Err(DrawFault::Opening(error)),
    }
    let mut checked = VerifiedDraws::default();
    for game in &record.games {
        let number = play.game_number() + 1;
        if play.step() != Step::Deal {
            return Err(rules(number, 0, "the match needs no further game"));
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
            Step::Deal | Step::Decide(_) | Step::Pass(_) | Step::Chance | Step::Over { .. } => None,
        };
        if outcome != game.outcome {
            return Err(rules(number, last, "the recorded outcome is wrong"));
        }
    }
    if let Step::Over { winner } = play.step() {
        let winner = winner.map_or("nobody".to_owned(), |seat| seat.to_string());
        checked.result = Some(format!("{winner} {} normal", play.score()));
    }
    Ok((checked, play))
}

/// Plays a step and returns true if it is a roll.
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
                format!("the {seat} seat does not decide here"),
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
