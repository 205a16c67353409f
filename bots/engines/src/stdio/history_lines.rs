use dragontooth_games::Seat;
use dragontooth_service_vocabulary::{History, HistoryEvent};

use super::messages::{GameOverMessage, HistoryStep, NewGameMessage, ToEngine};

/// Largest number of steps in one message: no game has as many between two decisions of a seat.
pub const STEPS_MAX: usize = 10_000;

/// Writes the `newgame` and `gameover` messages of a history, in order. Returns the steps after the last of
/// them, or `None` if there are more than [`STEPS_MAX`].
pub(super) fn write<'a>(
    history: &'a History,
    match_id: &str,
    game_number: &mut u32,
    lines: &mut Vec<u8>,
) -> Option<Vec<HistoryStep<'a>>> {
    let mut steps = Some(Vec::new());
    for (_, event) in history.iter() {
        let step = match event {
            HistoryEvent::GameStarted {
                game_number: number,
                position,
            } => {
                *game_number = number;
                let begun = ToEngine::NewGame(NewGameMessage {
                    match_id: match_id.into(),
                    game_number: number,
                    position: position.into(),
                });
                begun.write(lines);
                continue;
            }
            HistoryEvent::GameEnded {
                winner,
                points,
                score,
                ..
            } => {
                let over = ToEngine::GameOver(GameOverMessage {
                    match_id: match_id.into(),
                    game_number: *game_number,
                    winner: winner.map(Into::into),
                    points,
                    score: Seat::BOTH.map(|seat| score.of(seat)).into(),
                    steps: steps.replace(Vec::new()).map(Into::into),
                });
                over.write(lines);
                continue;
            }
            HistoryEvent::Action { seat, action } => HistoryStep::Action {
                seat: seat.into(),
                action: action.into(),
            },
            HistoryEvent::Pass { seat } => HistoryStep::Pass { pass: seat.into() },
            HistoryEvent::Roll { roll } => HistoryStep::Roll { roll: roll.into() },
        };
        steps = steps.filter(|steps| steps.len() < STEPS_MAX);
        if let Some(steps) = &mut steps {
            steps.push(step);
        }
    }
    steps
}
