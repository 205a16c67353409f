use dragontooth_games::Seat;
use dragontooth_games::record::RecordStep;
use dragontooth_service_vocabulary::MatchEvent;

use super::messages::{GameOverMessage, HistoryStep, NewGameMessage, ToEngine};

/// Largest number of steps in one message: no game has as many between two decisions of a seat.
pub const STEPS_MAX: usize = 10_000;

/// An event of a match, as it is reported to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryEvent {
    /// A game began.
    GameStarted {
        /// Its number, from 1.
        game_number: u32,
        /// The position that opens it.
        position: String,
    },
    /// A step of the game.
    Step(RecordStep),
    /// It ended.
    GameEnded {
        /// The winner; `None` if the game is drawn.
        winner: Option<Seat>,
        /// The points that it was worth.
        points: u32,
        /// The points of the match with it.
        score: [u32; 2],
    },
}

impl HistoryEvent {
    /// The report of an event to an engine; `None` if engines do not hear of it. `score` gives the points of the match
    /// after the event.
    #[must_use]
    pub fn of<C>(event: &MatchEvent<C>, score: impl FnOnce() -> [u32; 2]) -> Option<Self> {
        let step = match event {
            MatchEvent::GameStarted { number, position } => {
                return Some(Self::GameStarted {
                    game_number: *number,
                    position: position.clone(),
                });
            }
            MatchEvent::GameEnded { winner, points, .. } => {
                return Some(Self::GameEnded {
                    winner: *winner,
                    points: *points,
                    score: score(),
                });
            }
            MatchEvent::ActionPlayed { seat, action, .. } => RecordStep::Action {
                seat: *seat,
                action: action.clone(),
            },
            MatchEvent::Rolled { roll } => RecordStep::Roll { roll: roll.clone() },
            MatchEvent::TurnPassed { seat } => RecordStep::Pass { seat: *seat },
            MatchEvent::Created(_)
            | MatchEvent::SeatJoined { .. }
            | MatchEvent::ActionRefused { .. }
            | MatchEvent::MatchEnded { .. } => return None,
        };
        Some(Self::Step(step))
    }
}

/// Writes the `newgame` and `gameover` messages of a history, in order. Returns the steps after the last of
/// them, or `None` if there are more than [`STEPS_MAX`].
pub(super) fn write<'a>(
    history: &'a [HistoryEvent],
    match_id: &str,
    game_number: &mut u32,
    lines: &mut Vec<u8>,
) -> Option<Vec<HistoryStep<'a>>> {
    let mut steps = Some(Vec::new());
    for each in history {
        match each {
            HistoryEvent::GameStarted {
                game_number: number,
                position,
            } => {
                *game_number = *number;
                let begun = ToEngine::NewGame(NewGameMessage {
                    match_id: match_id.into(),
                    game_number: *number,
                    position: position.into(),
                });
                begun.write(lines);
            }
            HistoryEvent::Step(step) => {
                steps = steps.filter(|steps| steps.len() < STEPS_MAX);
                if let Some(steps) = &mut steps {
                    steps.push(step.into());
                }
            }
            HistoryEvent::GameEnded {
                winner,
                points,
                score,
            } => {
                let over = ToEngine::GameOver(GameOverMessage {
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
