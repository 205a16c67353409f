use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;

use super::messages::{GameOver, NewGame, Step, ToEngine};

/// The most steps that an engine is told at once: no game between two decisions of a seat has as many.
pub const STEPS_MAX: usize = 10_000;

/// Something that happened in a match and is to be told to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A game began.
    GameStarted {
        /// Its number, from 1.
        game_number: u32,
        /// The position that opens it.
        position: String,
    },
    /// Something happened in it.
    Step(RecordStep),
    /// It ended.
    GameEnded {
        /// The winner; none for a drawn game.
        winner: Option<Seat>,
        /// The points that it was worth.
        points: u32,
        /// The points of the match with it.
        score: [u32; 2],
    },
}

/// Writes what happened in order: `newgame` and `gameover`. What happened after them is given back;
/// none if it is too much.
pub(super) fn write<'a>(
    told: &'a [Told],
    match_id: &str,
    game_number: &mut u32,
    lines: &mut Vec<u8>,
) -> Option<Vec<Step<'a>>> {
    let mut steps = Some(Vec::new());
    for each in told {
        match each {
            Told::GameStarted {
                game_number: number,
                position,
            } => {
                *game_number = *number;
                let begun = ToEngine::NewGame(NewGame {
                    match_id: match_id.into(),
                    game_number: *number,
                    position: position.into(),
                });
                begun.write(lines);
            }
            Told::Step(step) => {
                steps = steps.filter(|steps| steps.len() < STEPS_MAX);
                if let Some(steps) = &mut steps {
                    steps.push(step.into());
                }
            }
            Told::GameEnded {
                winner,
                points,
                score,
            } => {
                let over = ToEngine::GameOver(GameOver {
                    match_id: match_id.into(),
                    game_number: *game_number,
                    winner: winner.map(Into::into),
                    points: *points,
                    score: (*score).into(),
                    steps: steps.replace(Vec::new()).map(Into::into),
                });
                over.write(lines);
            }
        }
    }
    steps
}
